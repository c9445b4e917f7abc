"""Containers and requests of known cost."""

import itertools
import json
import random

from lib.client import Answer, Client, make_container
from lib.report import expect

PK = {"paths": ["/pk"], "kind": "Hash", "version": 2}
# Each is an index entry of 4/21 request units: an item of about 24 is dear for the client that
# must send it, but cheap for a machine that also runs everything else.
PROPERTIES = 100
DEAR = 400  # of them cost about 82
UPSERT = {"x-ms-documentdb-is-upsert": "True"}
QUERY = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "True",
         "x-ms-documentdb-query-enablecrosspartition": "True"}
BATCH = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
BULK = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "False",
        "x-ms-cosmos-batch-continue-on-error": "True"}


def manual(units: int) -> dict[str, str]:
    return {"x-ms-offer-throughput": str(units)}


def autoscale(units: int) -> dict[str, str]:
    return {"x-ms-cosmos-offer-autopilot-settings": json.dumps({"maxThroughput": units})}


def container(client: Client, name: str, throughput: dict[str, str], database: str = "d",
              **definition) -> str:
    return make_container(client, database, {"id": name, "partitionKey": PK} | definition, throughput)


def item(item_id: str, key: str, properties: int = PROPERTIES) -> dict:
    return {"id": item_id, "pk": key} | {f"p{i}": i for i in range(properties)}


def large_item(item_id: str, key: str, kilobytes: int, fill: str = "x") -> bytes:
    """A write of 1 MB costs 625 request units, one of 2 MB twice as much."""
    body = {"id": item_id, "pk": key, "pad": ""}
    size = (kilobytes << 10) - len(json.dumps(body)) - 200  # the system properties count as well
    return json.dumps(body | {"pad": fill * size}).encode()


def query(client: Client, link: str, text: str, headers: dict | None = None) -> Answer:
    return client.request("POST", f"/{link}/docs", {"query": text, "parameters": []},
                          QUERY | (headers or {}))


def all_ids(client: Client, link: str, send) -> set[str]:
    """`send` repeats a request until it is admitted."""
    found: set[str] = set()
    headers: dict[str, str] = {}
    while True:
        answer = send(lambda: query(client, link, "SELECT VALUE c.id FROM c", headers))
        found |= set(answer.json()["Documents"])
        if "x-ms-continuation" not in answer.headers:
            return found
        headers = {"x-ms-continuation": answer.headers["x-ms-continuation"]}


def ranges(client: Client, link: str) -> list[dict]:
    """The partitions of a container, with what they use."""
    path = f"/{link}/pkranges"
    answer = client.request("GET", path + "?x-orrery-details=true", headers=client.signed("GET", path))
    expect(answer.status == 200, f"GET {path}: {answer.status} {answer.body[:300]!r}")
    return answer.json()["details"]


def units_spent(client: Client, link: str) -> float:
    """What the open partitions of a container have recorded since the server was started."""
    _, database, _, name = link.split("/")
    labels = f'{{database="{database}",container="{name}",'
    page = client.request("GET", "/metrics").body.decode()
    return sum(float(line.rpartition(" ")[2]) for line in page.splitlines()
               if line.startswith("orrery_partition_request_units_total" + labels))


def set_throughput(client: Client, resource: str, units: int, **more) -> None:
    """`resource`: the path of a container or database; `more`: of the content of its offer."""
    rid = client.request("GET", f"/{resource}").json()["_rid"]
    offers, _ = client.feed("/offers", "Offers")
    (offer,) = [offer for offer in offers if offer["offerResourceId"] == rid]
    offer["content"] = {"offerThroughput": units} | more
    done = client.request("PUT", f"/offers/{offer['id']}", offer)
    expect(done.status == 200, f"PUT offer: {done.status} {done.body[:300]!r}")


def keys_by_range(client: Client, link: str, count: int, send) -> list[list[str]]:
    """For each partition that many keys; writes a small item under each."""
    found: dict[str, list[str]] = {entry["id"]: [] for entry in ranges(client, link)}
    for number in itertools.count():
        if all(len(keys) >= count for keys in found.values()):
            return [keys[:count] for keys in found.values()]
        key = f"k{number}"
        made = send(lambda: client.item("POST", link, key, body={"id": "small", "pk": key}), 201)
        found[made.headers["x-ms-documentdb-partitionkeyrangeid"]].append(key)
    raise AssertionError("unreachable")


class Creates:
    """Creates items, every attempt with another id, and remembers what the server said of each."""

    def __init__(self, link: str, keys: list[str], headers: dict[str, str] | None = None,
                 properties: int = PROPERTIES):
        self.link = link
        self.keys = keys
        self.headers = headers
        self.properties = properties
        self.numbers = itertools.count()
        self.created: set[str] = set()
        self.refused: set[str] = set()

    def __call__(self, client: Client) -> Answer:
        item_id = str(next(self.numbers))
        key = random.choice(self.keys)
        answer = client.item("POST", self.link, key, body=item(item_id, key, self.properties),
                             headers=self.headers)
        (self.refused if answer.status == 429 else self.created).add(item_id)
        return answer
