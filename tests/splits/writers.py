"""Clients that write items of partition keys of their own, so that they can predict every answer."""

import json
import random
import zlib

from lib.client import Answer, Client
from lib.report import expect
from oracle import Oracle, Place, user_part
from session import JSON, RANGE, Counts, Tokens, described, is_gone, with_session

BATCH = JSON | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
BULK = JSON | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "False",
               "x-ms-cosmos-batch-continue-on-error": "True"}
UPSERT = {"x-ms-documentdb-is-upsert": "True"}
KEYS = 8
IDS = 12
TAGS = 4
SHARED_VALUES = 3  # of the unique path, per key
TEXT = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=2000))


def key_header(pk: str) -> dict[str, str]:
    return {"x-ms-documentdb-partitionkey": json.dumps([pk])}


def rank_of(place: Place) -> str:
    """Never changes, differs for all items, and says nothing about the place."""
    name = "/".join(place)
    return f"{zlib.crc32(name.encode()):08x} {name}"


def tag_of(place: Place) -> str:
    return f"t{zlib.crc32(('tag ' + '/'.join(place)).encode()) % TAGS}"


class Writer:
    def __init__(self, number: int, link: str, oracle: Oracle, counts: Counts):
        self.link = "/" + link
        self.oracle = oracle
        self.counts = counts
        self.keys = [f"w{number}-{key}" for key in range(KEYS)]
        self.tokens = Tokens()
        self.range_of: dict[str, str] = {}  # of a partition key, as last seen
        self.stale: dict[Place, str] = {}  # an etag that no longer fits

    def work(self, client: Client, rng: random.Random) -> str:
        place = (rng.choice(self.keys), f"i{rng.randrange(IDS)}")
        what = rng.choices([self.create, self.upsert, self.replace, self.patch, self.delete, self.read,
                            self.batch, self.bulk, self.delete_key], [20, 20, 15, 15, 10, 20, 8, 8, 1])[0]
        what(client, place, rng)
        return what.__name__

    # The expected state.

    def new_body(self, place: Place, rng: random.Random, shared: bool = True) -> dict:
        value = f"own {place[1]}"
        if shared and rng.random() < 0.3:
            value = f"shared {rng.randrange(SHARED_VALUES)}"
        return {"id": place[1], "pk": place[0], "n": next(self.oracle.numbers), "rank": rank_of(place),
                "tag": tag_of(place), "u": value, "text": TEXT[:rng.choice([0, 10, 200, 2000])]}

    def exists(self, place: Place) -> bool:
        return place in self.oracle.versions

    def clashes(self, place: Place, body: dict) -> bool:
        """Whether another item of the key has the unique value."""
        others = ((place[0], f"i{number}") for number in range(IDS))
        return any(other != place and self.exists(other) and
                   self.oracle.versions[other].body["u"] == body["u"] for other in others)

    def etag(self, place: Place) -> str | None:
        version = self.oracle.versions.get(place)
        return version and version.etag

    # Requests on one item.

    def send(self, client: Client, method: str, place: Place, body: dict | None, expected: int,
             change: dict | None, headers: dict | None = None, feed: bool = False) -> Answer:
        """`change`: the new body if it succeeds, None for a removal."""
        path = f"{self.link}/docs" + ("" if feed else f"/{place[1]}")
        pending = self.oracle.begin({place: change})
        answer = client.request(method, path, body, JSON | key_header(place[0]) | (headers or {}))
        self.check(answer, expected, f"{method} {place} {headers or ''}")
        token = self.saw(place[0], answer)
        if expected not in (200, 201, 204):
            self.oracle.refused(pending)
            return answer
        self.stale[place] = self.etag(place) or self.stale.get(place, "")
        if change is not None:
            expect(user_part(answer.json()) == change, f"{method} {place}: another body was returned")
        self.oracle.applied(pending, {place: answer.headers.get("etag", "")}, token)
        return answer

    def check(self, answer: Answer, expected: int, what: str) -> None:
        expect(answer.status == expected, f"{what}: expected {expected}, not {described(answer)}")

    def saw(self, pk: str, answer: Answer) -> str:
        if RANGE in answer.headers:
            self.range_of[pk] = answer.headers[RANGE]
        return self.tokens.saw(answer)

    def create(self, client: Client, place: Place, rng: random.Random) -> None:
        body = self.new_body(place, rng)
        refused = self.exists(place) or self.clashes(place, body)
        self.send(client, "POST", place, body, 409 if refused else 201, body, feed=True)

    def upsert(self, client: Client, place: Place, rng: random.Random) -> None:
        body = self.new_body(place, rng)
        expected = 409 if self.clashes(place, body) else 200 if self.exists(place) else 201
        self.send(client, "POST", place, body, expected, body, UPSERT, feed=True)

    def condition(self, place: Place, rng: random.Random) -> tuple[dict, bool]:
        """If-Match or nothing, and whether it fits."""
        kind = rng.random()
        if kind < 0.4 or not self.exists(place):
            return {}, True
        if kind < 0.8 or not self.stale.get(place):
            return {"If-Match": self.etag(place)}, True
        return {"If-Match": self.stale[place]}, False

    def replace(self, client: Client, place: Place, rng: random.Random) -> None:
        body = self.new_body(place, rng)
        headers, fits = self.condition(place, rng)
        expected = 404 if not self.exists(place) else 412 if not fits else \
            409 if self.clashes(place, body) else 200
        self.send(client, "PUT", place, body, expected, body, headers)

    def patch(self, client: Client, place: Place, rng: random.Random) -> None:
        headers, fits = self.condition(place, rng)
        change, operations = self.patched(place, rng)
        expected = 404 if not self.exists(place) else 200 if fits else 412
        self.send(client, "PATCH", place, {"operations": operations}, expected, change, headers)

    def patched(self, place: Place, rng: random.Random) -> tuple[dict, list]:
        version = self.oracle.versions.get(place)
        text = TEXT[:rng.randrange(50)]
        number = next(self.oracle.numbers)
        change = (version.body if version else {"pk": place[0], "id": place[1]}) | {"n": number, "text": text}
        return change, [{"op": "set", "path": "/n", "value": number},
                        {"op": "replace", "path": "/text", "value": text}]

    def delete(self, client: Client, place: Place, rng: random.Random) -> None:
        headers, fits = self.condition(place, rng)
        expected = 404 if not self.exists(place) else 204 if fits else 412
        self.send(client, "DELETE", place, None, expected, None, headers)

    def read(self, client: Client, place: Place, rng: random.Random) -> None:
        version = self.oracle.versions.get(place)
        own = [version.token] if version and version.token else []
        token = rng.choice([self.tokens.all(), "", *own])
        answer = with_session(client, self.counts, "GET", f"{self.link}/docs/{place[1]}", token, None,
                              key_header(place[0]))
        self.check(answer, 200 if version else 404, f"read {place}, token {token[:100]}")
        self.saw(place[0], answer)
        if version:
            expect(user_part(answer.json()) == version.body, f"read {place}: not what was last written")
            expect(answer.headers["etag"] == version.etag, f"read {place}: another etag")

    # Requests on several items.

    def operation(self, place: Place, rng: random.Random) -> tuple[dict, dict | None, int]:
        """An operation, the new body, and the expected status."""
        body = self.new_body(place, rng, shared=False)
        kind = rng.choice(["Create", "Upsert", "Replace", "Delete", "Patch"])
        if kind in ("Create", "Upsert"):
            status = 201 if not self.exists(place) else 200 if kind == "Upsert" else 409
            return {"operationType": kind, "resourceBody": body}, body, status
        if kind == "Delete":
            return {"operationType": kind, "id": place[1]}, None, 204 if self.exists(place) else 404
        status = 200 if self.exists(place) else 404
        if kind == "Patch":
            body, operations = self.patched(place, rng)
            return {"operationType": kind, "id": place[1],
                    "resourceBody": {"operations": operations}}, body, status
        return {"operationType": kind, "id": place[1], "resourceBody": body}, body, status

    def batch(self, client: Client, place: Place, rng: random.Random) -> None:
        places = [(place[0], f"i{number}") for number in rng.sample(range(IDS), rng.randint(1, 5))]
        planned = [self.operation(one, rng) for one in places]
        if rng.random() < 0.8:  # mostly a batch that succeeds
            kept = [at for at, plan in enumerate(planned) if plan[2] < 300]
            places, planned = [places[at] for at in kept], [planned[at] for at in kept]
        if not planned:
            return
        good = all(status < 300 for _, _, status in planned)
        pending = self.oracle.begin({one: plan[1] for one, plan in zip(places, planned)})
        answer = client.request("POST", f"{self.link}/docs", [plan[0] for plan in planned],
                                BATCH | key_header(place[0]))
        self.check(answer, 200 if good else 207, f"batch on {places}")
        token = self.saw(place[0], answer)
        results = answer.json()
        if not good:
            self.oracle.refused(pending)
            return
        found = [result["statusCode"] for result in results]
        expect(found == [status for _, _, status in planned], f"batch on {places}: {found}")
        self.oracle.applied(pending, {one: result.get("eTag", "") for one, result in zip(places, results)},
                            token)

    def bulk(self, client: Client, place: Place, rng: random.Random) -> None:
        range_id = self.range_of.get(place[0])
        if range_id is None:
            return self.read(client, place, rng)
        keys = [key for key, known in self.range_of.items() if known == range_id]
        places = list({(rng.choice(keys), f"i{rng.randrange(IDS)}") for _ in range(rng.randint(1, 8))})
        planned = [self.operation(one, rng) for one in places]
        pending = [self.oracle.begin({one: plan[1]}) for one, plan in zip(places, planned)]
        answer = client.request(
            "POST", f"{self.link}/docs",
            [plan[0] | {"partitionKey": json.dumps([one[0]])} for one, plan in zip(places, planned)],
            BULK | {RANGE: range_id})
        if is_gone(answer):
            results = [{"statusCode": 410}] * len(places)
        else:
            expect(answer.status in (200, 207), f"bulk on range {range_id}: {described(answer)}")
            results = answer.json()
        token = self.tokens.saw(answer) if answer.status != 410 else ""
        for one, plan, begun, result in zip(places, planned, pending, results):
            self.end_of_bulk(one, plan[2], begun, result, token)

    def end_of_bulk(self, place: Place, expected: int, pending, result: dict, token: str) -> None:
        status = result["statusCode"]
        if status == 410:  # the range, or this key's part of it, is gone
            self.counts.add("bulk operations on gone ranges")
            self.range_of.pop(place[0], None)
            return self.oracle.refused(pending)
        expect(status == expected, f"bulk on {place}: expected {expected}, not {result}")
        if status < 300:
            self.oracle.applied(pending, {place: result.get("eTag", "")}, token)
        else:
            self.oracle.refused(pending)

    def delete_key(self, client: Client, place: Place, _rng: random.Random) -> None:
        pending = self.oracle.begin({(place[0], f"i{number}"): None for number in range(IDS)})
        answer = client.request("POST", f"{self.link}/operations/partitionkeydelete", b"",
                                JSON | key_header(place[0]))
        self.check(answer, 200, f"delete key {place[0]}")
        self.oracle.applied(pending, {}, self.saw(place[0], answer))
