"""The server's side: containers with one set of documents under several policies, and queries."""

import enum
import itertools
import json
import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Iterator
from urllib.parse import quote

from compare import Answer
from documents import Documents, Pool
from lib.client import Client, make_container
from policies import Changing, Policy, policies
from values import normal_tree
from wire import Wire

DATABASE = "d"
QUERY_HEADERS = {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"}
PAGES_MAX = 20_000


class ServerFault(Exception):
    """An answer that no query may have."""


def create(client: Client, policy: Policy, name: str) -> str:
    headers = {"x-ms-offer-throughput": str(policy.partitions * 6_000)}
    return make_container(client, DATABASE, policy.definition(name), headers)


def drop(client: Client, link: str) -> None:
    client.request("DELETE", f"/{link}")


def write(wire: Wire, method: str, link: str, document: dict) -> None:
    path = f"/{link}/docs" + ("" if method == "POST" else f"/{quote(document['id'])}")
    headers = {"x-ms-documentdb-partitionkey": json.dumps([document["pk"]]),
               "Prefer": "return=minimal"}
    body = b"" if method == "DELETE" else spelled(document)
    status, _, content = wire.request(method, path, headers, body)
    if status not in (200, 201, 204):
        raise ServerFault(f"{method} {document}: {status} {content[:300]!r}")


def spelled(document: dict) -> bytes:
    """As JSON, in one of the ways to say it."""
    rng = random.Random(document["id"])
    if rng.random() < 0.3:
        document = with_doubles(document, rng)
    return json.dumps(document, ensure_ascii=rng.random() < 0.5,
                      separators=(",", ":") if rng.random() < 0.5 else (" , ", " : ")).encode()


def with_doubles(value, rng: random.Random):
    """Some integers as doubles, which JSON says as 1.0 or 1e+16."""
    if type(value) is int and abs(value) <= 2**53 and rng.random() < 0.5:
        return float(value)
    if type(value) is list:
        return [with_doubles(element, rng) for element in value]
    if type(value) is dict:
        return {name: with_doubles(member, rng) for name, member in value.items()}
    return value


class Route(enum.Enum):
    """The partitions that a query without a partition key goes to."""

    RANGE = {"x-ms-documentdb-partitionkeyrangeid": "0"}
    # All of them, one after the other, as far as the gateway serves the query that way.
    GATEWAY = {"x-ms-documentdb-query-enablecrosspartition": "True"}
    # All of them, merged by the server.
    MERGED = GATEWAY | {"x-orrery-merge-partitions": "True"}


@dataclass(frozen=True)
class Request:
    """A query as it is sent."""

    text: str
    parameters: list
    page_size: int
    key: str | None = None
    route: Route = Route.RANGE
    # Of varying page sizes, up to page_size; a resumed page is sometimes read twice.
    varied: bool = False

    def headers(self) -> dict[str, str]:
        if self.key is not None:
            return QUERY_HEADERS | {"x-ms-documentdb-partitionkey": json.dumps([self.key])}
        return QUERY_HEADERS | self.route.value

    def page_sizes(self) -> Iterator[int]:
        rng = random.Random(self.text)
        while True:
            yield rng.randint(1, self.page_size) if self.varied else self.page_size


class Refused(Exception):
    """400."""


def pages(wire: Wire, link: str, request: Request) -> Iterator[list]:
    """A page that is too long, or no end of pages, is a fault."""
    body = json.dumps({"query": request.text, "parameters": request.parameters}).encode()
    headers = request.headers()
    for number, size in enumerate(itertools.islice(request.page_sizes(), PAGES_MAX)):
        headers["x-ms-max-item-count"] = str(size)
        status, found, content = wire.request("POST", f"/{link}/docs", headers, body)
        if status == 400:
            raise Refused(content.decode(errors="replace"))
        if status != 200:
            raise ServerFault(f"{status} {content[:400]!r}")
        page = json.loads(content)["Documents"]
        if 0 < size < len(page):
            raise ServerFault(f"a page of {len(page)} rows, asked for {size}")
        yield page
        more = found.get("x-ms-continuation")
        if request.varied and number % 4 == 1:
            check_repeats(wire, link, headers, body, (page, more))
        if more is None:
            return
        headers["x-ms-continuation"] = more
    raise ServerFault(f"more than {PAGES_MAX} pages")


def check_repeats(wire: Wire, link: str, headers: dict, body: bytes, first: tuple) -> None:
    """A continuation token is a position, not state: used again, it gives the same page."""
    status, found, content = wire.request("POST", f"/{link}/docs", headers, body)
    again = status == 200 and (json.loads(content)["Documents"], found.get("x-ms-continuation"))
    if again != first:
        raise ServerFault(f"a page that differs when read again: {status} {again} for {first}")


def ask(wire: Wire, link: str, request: Request) -> Answer:
    """All pages."""
    rows: list = []
    try:
        for page in pages(wire, link, request):
            rows += page
    except Refused as refusal:
        if request.route is Route.GATEWAY:  # leaves sorting and most aggregates to the client
            return ask(wire, link, replace(request, route=Route.MERGED))
        return Answer(400, rows, str(refusal))
    return Answer(200, rows)


class Data:
    """Documents that are written, some of them replaced and some deleted: the same in every
    container. `current` has them in the order of their creation."""

    def __init__(self, rng: random.Random, pool: Pool, count: int):
        self.rng, self.make = rng, Documents(rng, pool)
        self.steps: list[tuple[str, dict]] = []
        self.current: dict[str, dict] = {}
        self.made = 0
        for _ in range(count):
            self.put("POST", self.new())
        self.change(count // 2)

    def new(self) -> dict:
        self.made += 1
        return self.make.make(self.made)

    def change(self, count: int) -> None:
        for _ in range(count):
            choice = self.rng.randrange(5)
            if choice == 0 or not self.current:
                self.put("POST", self.new())
                continue
            victim = self.rng.choice(list(self.current.values()))
            if choice <= 2:
                self.put("DELETE", victim)
            if choice == 2:
                self.put("POST", self.new() | {"id": victim["id"]})
            elif choice > 2:
                fresh = self.new()
                if choice == 3:
                    fresh = victim | dict(self.rng.sample(list(fresh.items()), 2))
                self.put("PUT", fresh | {"id": victim["id"], "pk": victim["pk"]})

    def put(self, method: str, document: dict) -> None:
        self.steps.append((method, document))
        if method == "DELETE":
            del self.current[document["id"]]
        else:
            self.current[document["id"]] = normal_tree(document)

    def documents(self, key: str | None = None) -> list[dict]:
        return [document for document in self.current.values() if key in (None, document["pk"])]


@dataclass
class Container:
    name: str
    link: str
    policy: Policy


class Containers:
    """One for each policy."""

    def __init__(self, client: Client, data: Data, name: str):
        self.data, self.written = data, 0
        self.all = [Container(policy.name, create(client, policy, f"{name}-{policy.name}"), policy)
                    for policy in policies(data.rng)]
        self.write(client)

    def write(self, client: Client) -> None:
        """What has been done to the data since the last time; a thread for each container."""
        steps = self.data.steps[self.written:]
        self.written = len(self.data.steps)

        def load(container: Container) -> None:
            wire = Wire(client.connection.port)
            for method, document in steps:
                write(wire, method, container.link, document)
            wire.close()

        with ThreadPoolExecutor(len(self.all)) as pool:
            list(pool.map(load, self.all))

    def change_policies(self, client: Client) -> None:
        """Each container with one partition, but the first, gets the policy of the next one; the
        index follows while queries go on."""
        changed = [each for each in self.all[1:] if each.policy.partitions == 1]
        for container, policy in zip(changed, [each.policy for each in changed[1:] + changed[:1]]):
            container.policy = Changing(container.policy, policy)
            definition = policy.definition(container.link.rsplit("/", 1)[1])
            answer = client.request("PUT", f"/{container.link}", definition)
            if answer.status != 200:
                raise ServerFault(f"replace container: {answer.status} {answer.body[:300]!r}")

    def drop(self, client: Client) -> None:
        for container in self.all:
            drop(client, container.link)
