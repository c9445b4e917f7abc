"""Clients that write generations of items, each in one batch, and delete their whole partition key.
A generation can only be written when there is none, so a reader finds one complete generation or
nothing, and never one that was deleted before."""

import itertools
import random
import threading
import time

from answers import UNCERTAIN, had_no_effect
from lib.client import Client, make_container
from lib.report import expect

KEY = {"x-ms-documentdb-partitionkey": '["erased"]', "Content-Type": "application/json"}
BATCH = KEY | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
QUERY = KEY | {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"}
ITEMS = 5  # per generation
OTHER_IDS = 6  # this many consecutive generations share only the id of the first item

PROCEDURE = """function () {
    var c = getContext().getCollection();
    function accepted(yes) { if (!yes) throw new Error('not accepted'); }
    accepted(c.readDocuments(c.getSelfLink(), {pageSize: 100}, function (e1, all) {
        if (e1) throw e1;
        accepted(c.queryDocuments(c.getSelfLink(), 'SELECT * FROM c', {pageSize: 100}, function (e2, same) {
            if (e2) throw e2;
            getContext().getResponse().setBody([all, same]);
        }));
    }));
}"""


class Erasures:
    """The container, and the state shared by all clients."""

    def __init__(self):
        self.lock = threading.Lock()
        self.link = ""
        self.numbers = itertools.count(1)
        self.known: set[int] = set()  # acknowledged or seen
        self.erased_at: dict[int, int] = {}

    def fill(self, client: Client) -> None:
        self.link = "/" + make_container(client, "isolation", {
            "id": "erasures", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
        made = client.request("POST", self.link + "/sprocs", {"id": "look", "body": PROCEDURE}, KEY)
        expect(made.status == 201, f"look: {made.status} {made.body!r}")

    def work(self, client: Client, rng: random.Random) -> str:
        """Performs one operation; returns its outcome."""
        what = rng.choices([self.write_generation, self.erase, self.query_generation,
                            self.read_generation, self.run_on_generation], [3, 2, 2, 2, 2])[0]
        return f"{what.__name__} {what(client)}"

    def write_generation(self, client: Client) -> str:
        number = next(self.numbers)
        ids = ["first"] + [f"{number % OTHER_IDS}.{place}" for place in range(1, ITEMS)]
        answer = client.request("POST", self.link + "/docs", [
            {"operationType": "Create", "resourceBody": {"id": one, "pk": "erased", "generation": number}}
            for one in ids], BATCH)
        expect(answer.status in (200, 207, UNCERTAIN), f"batch: {answer.status} {answer.body!r}")
        if answer.status == 200:
            with self.lock:
                self.known.add(number)
        return "done" if answer.status == 200 else str(answer.status)

    def erase(self, client: Client) -> str:
        with self.lock:
            before = set(self.known)
        answer = client.request("POST", self.link + "/operations/partitionkeydelete", b"", KEY)
        expect(answer.status in (200, UNCERTAIN), f"erase: {answer.status} {answer.body!r}")
        if answer.status != 200:
            return str(answer.status)
        now = time.monotonic_ns()
        with self.lock:
            self.known -= before
            for number in before:
                self.erased_at.setdefault(number, now)
        return "done"

    def query_generation(self, client: Client) -> str:
        begin = time.monotonic_ns()
        answer = client.request("POST", self.link + "/docs", {"query": "SELECT * FROM c"}, QUERY)
        expect(answer.status == 200, f"query: {answer.status} {answer.body!r}")
        return self.judge(answer.json()["Documents"], begin)

    def read_generation(self, client: Client) -> str:
        begin = time.monotonic_ns()
        answer = client.request("GET", self.link + "/docs", None, KEY)
        expect(answer.status == 200, f"feed: {answer.status} {answer.body!r}")
        return self.judge(answer.json()["Documents"], begin)

    def run_on_generation(self, client: Client) -> str:
        begin = time.monotonic_ns()
        answer = client.request("POST", self.link + "/sprocs/look", [], KEY)
        if had_no_effect(answer):
            return str(answer.status)
        expect(answer.status == 200, f"procedure: {answer.status} {answer.body!r}")
        first, second = answer.json()
        expect(by_id(first) == by_id(second), f"a procedure found first {first}, then {second}")
        return self.judge(first, begin)

    def judge(self, items: list[dict], begin: int) -> str:
        if not items:
            return "done"
        generations = by_id(items)
        expect(len(items) == ITEMS and len(set(generations.values())) == 1,
               f"not one complete generation: {generations}")
        number = items[0]["generation"]
        with self.lock:
            expect(self.erased_at.get(number, begin) >= begin, f"{number} was deleted before")
            if number not in self.erased_at:
                self.known.add(number)
        return "done"

    def settle(self, client: Client) -> None:
        for look in (self.query_generation, self.read_generation, self.run_on_generation):
            look(client)


def by_id(items: list[dict]) -> dict[str, int]:
    return {item["id"]: item["generation"] for item in items}
