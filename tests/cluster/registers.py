"""Clients that write and read single items in every way, and record it for checker/main.go.

An item is replaced by a new one after some requests, so that histories stay short."""

import itertools
import json
import random
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from any_node import Unanswered
from lib.client import Answer, Client, make_container
from lib.report import expect

JSON = {"Content-Type": "application/json"}
QUERY = {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"}
BATCH = JSON | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
PARTITION_KEYS = tuple(f"p{number}" for number in range(6))
SLOTS = 2
REQUESTS_MAX = 80  # on one item
UNANSWERED_MAX = 8  # on one item; each doubles the possibilities


@dataclass
class Request:
    item: str
    client: int
    kind: str
    value: int = 0
    wanted: int = 0
    called: int = 0
    ended: int | None = None
    status: int = 0
    seen: int = 0
    seen_count: int = 0


class Registers:
    """The container, and the state shared by all clients."""

    def __init__(self):
        self.lock = threading.Lock()
        self.link = ""
        self.values = itertools.count(1)
        self.clients = itertools.count(1)
        self.requests: list[Request] = []
        self.generations = {(pk, slot): 0 for pk in PARTITION_KEYS for slot in range(SLOTS)}
        self.used = dict.fromkeys(self.generations, 0)
        self.unanswered = dict.fromkeys(self.generations, 0)

    def fill(self, client: Client) -> None:
        self.link = make_container(client, "cluster", {
            "id": "registers", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})

    def worker(self, client: Client, rng: random.Random) -> "RegistersClient":
        return RegistersClient(self, client, rng, next(self.clients))

    def id_of(self, pk: str, slot: int) -> str:
        return f"{slot}.{self.generations[pk, slot]}"

    def begin(self, number: int, kind: str, pk: str, item_id: str, value: int = 0, wanted: int = 0) -> Request:
        """Call before sending it. Without an end, its outcome stays unknown."""
        request = Request(f"{pk}/{item_id}", number, kind, value, wanted, time.monotonic_ns())
        place = (pk, int(item_id.partition(".")[0]))
        with self.lock:
            if kind != "read":
                self.requests.append(request)
                self.unanswered[place] += 1
            self.used[place] += 1
            if self.used[place] > REQUESTS_MAX or self.unanswered[place] > UNANSWERED_MAX:
                self.generations[place] += 1
                self.used[place] = self.unanswered[place] = 0
        return request

    def end(self, request: Request, status: int, item: dict | None = None) -> None:
        request.ended = time.monotonic_ns()
        request.status = status
        if item is not None:
            request.seen, request.seen_count = item["value"], item["count"]
        pk, _, item_id = request.item.partition("/")
        place = (pk, int(item_id.partition(".")[0]))
        with self.lock:
            if request.kind == "read":
                self.requests.append(request)  # one without an answer tells nothing
            elif self.id_of(*place) == item_id:
                self.unanswered[place] -= 1

    def settle(self, client: Client, rng: random.Random) -> None:
        """Reads everything, for the history."""
        worker = self.worker(client, rng)
        for (pk, slot), newest in sorted(self.generations.items()):
            for generation in range(newest + 1):
                worker.read_item(pk, f"{slot}.{generation}")

    def save(self, path: Path) -> None:
        with open(path, "w") as file:
            for request in self.requests:
                file.write(json.dumps(asdict(request)) + "\n")


class RegistersClient:
    def __init__(self, registers: Registers, client: Client, rng: random.Random, number: int):
        self.registers, self.client, self.rng, self.number = registers, client, rng, number

    def work(self) -> str:
        pk, slot = self.rng.choice(PARTITION_KEYS), self.rng.randrange(SLOTS)
        what = self.rng.choices([self.read_item, self.create, self.upsert, self.replace, self.exchange, self.patch,
                                 self.delete, self.query, self.batch], [30, 10, 8, 8, 12, 12, 7, 8, 5])[0]
        what(pk, self.registers.id_of(pk, slot))
        return what.__name__

    def send(self, method: str, path: str, pk: str, body=None, headers: dict | None = None) -> Answer:
        return self.client.request(method, f"/{self.registers.link}/docs{path}", body,
                                   JSON | {"x-ms-documentdb-partitionkey": json.dumps([pk])} | (headers or {}))

    def begin(self, kind: str, pk: str, item_id: str, wanted: int = 0) -> Request:
        return self.registers.begin(self.number, kind, pk, item_id, next(self.registers.values), wanted)

    def settle(self, request: Request, answer: Answer, *statuses: int) -> dict | None:
        if answer.status == 449:
            raise Unanswered("449")  # it did not happen, which is one of the possibilities
        expect(answer.status in statuses, f"{request.kind} of {request.item}: {answer.status} {answer.body[:300]!r}")
        item = answer.json() if answer.status in (200, 201) else None
        self.registers.end(request, answer.status, item)
        return item

    def read_item(self, pk: str, item_id: str) -> dict | None:
        request = self.registers.begin(self.number, "read", pk, item_id)
        return self.settle(request, self.send("GET", f"/{item_id}", pk), 200, 404)

    def create(self, pk: str, item_id: str) -> None:
        request = self.begin("create", pk, item_id)
        self.settle(request, self.send("POST", "", pk, body_of(request)), 201, 409)

    def upsert(self, pk: str, item_id: str) -> None:
        request = self.begin("upsert", pk, item_id)
        answer = self.send("POST", "", pk, body_of(request), {"x-ms-documentdb-is-upsert": "True"})
        self.settle(request, answer, 200, 201)

    def replace(self, pk: str, item_id: str) -> None:
        request = self.begin("replace", pk, item_id)
        self.settle(request, self.send("PUT", f"/{item_id}", pk, body_of(request)), 200, 404)

    def exchange(self, pk: str, item_id: str) -> None:
        """Replaces exactly the version that was read."""
        item = self.read_item(pk, item_id)
        if item is None:
            return
        request = self.begin("exchange", pk, item_id, item["value"])
        answer = self.send("PUT", f"/{item_id}", pk, body_of(request), {"If-Match": item["_etag"]})
        self.settle(request, answer, 200, 404, 412)

    def patch(self, pk: str, item_id: str) -> None:
        request = self.begin("patch", pk, item_id)
        answer = self.send("PATCH", f"/{item_id}", pk, patch_of(request),
                           {"Content-Type": "application/json_patch+json"})
        self.settle(request, answer, 200, 404)

    def delete(self, pk: str, item_id: str) -> None:
        request = self.begin("delete", pk, item_id)
        self.settle(request, self.send("DELETE", f"/{item_id}", pk), 204, 404)

    def query(self, pk: str, _item_id: str) -> None:
        """Sees all items of the partition key at one moment."""
        ids = [self.registers.id_of(pk, slot) for slot in range(SLOTS)]
        reads = [self.registers.begin(self.number, "read", pk, one) for one in ids]
        answer = self.send("POST", "", pk, {
            "query": "SELECT * FROM c WHERE ARRAY_CONTAINS(@ids, c.id)" + self.rng.choice(["", " ORDER BY c.id"]),
            "parameters": [{"name": "@ids", "value": ids}]}, QUERY)
        expect(answer.status == 200, f"query: {answer.status} {answer.body[:300]!r}")
        found = {item["id"]: item for item in answer.json()["Documents"]}
        expect(len(found) == len(answer.json()["Documents"]), f"an item is in the answer twice: {answer.body!r}")
        for one, read in zip(ids, reads):
            self.registers.end(read, 200 if one in found else 404, found.get(one))

    def batch(self, pk: str, _item_id: str) -> None:
        """All items of the key are written together; half of it would show in the histories."""
        ids = [self.registers.id_of(pk, slot) for slot in range(SLOTS)]
        upserts = [self.begin("upsert", pk, one) for one in ids]
        answer = self.send("POST", "", pk, [{"operationType": "Upsert", "resourceBody": body_of(one)}
                                            for one in upserts], BATCH)
        if answer.status == 449:
            raise Unanswered("449")
        expect(answer.status == 200, f"batch: {answer.status} {answer.body[:300]!r}")
        for upsert, result in zip(upserts, answer.json(), strict=True):
            expect(result["statusCode"] in (200, 201), f"batch: {result}")
            self.registers.end(upsert, result["statusCode"], result["resourceBody"])


def body_of(request: Request) -> dict:
    pk, _, item_id = request.item.partition("/")
    return {"id": item_id, "pk": pk, "value": request.value, "count": 0}


def patch_of(request: Request) -> dict:
    return {"operations": [{"op": "set", "path": "/value", "value": request.value},
                           {"op": "incr", "path": "/count", "value": 1}]}
