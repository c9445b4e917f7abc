"""What every item was at every moment, as far as a client can know: kept outside the server."""

import json
import random
import threading
import time
from dataclasses import dataclass, field

from lib.client import NO_ANSWER, Client
from lib.report import expect

ITEMS_PER_WRITER = 12
MARGIN = 2e-6  # the server's times are in microseconds


@dataclass
class Change:
    sent: float
    n: int | None  # None: removed
    done: float = float("inf")  # acknowledged


@dataclass
class Item:
    pk: str
    id: str
    changes: list[Change] = field(default_factory=list)

    def possible(self, at: float) -> set[int | None]:
        """The values it may have had at that time."""
        certain, open_ones = None, set()
        for change in self.changes:
            if change.done <= at - MARGIN:
                certain, open_ones = change.n, set()
            elif change.sent <= at + MARGIN:
                open_ones.add(change.n)
        return {certain} | open_ones

    @property
    def newest(self) -> int | None:
        return self.changes[-1].n if self.changes else None


class Writer:
    """Changes its own items, one request at a time. The twins change together, in transactions."""

    def __init__(self, name: str, link: str, rng: random.Random):
        self.link, self.rng = link, rng
        self.items = [Item(f"{name}-{number % 3}", f"{name}-{number}") for number in range(ITEMS_PER_WRITER)]
        self.twins = [Item(f"{name}-twins", f"{name}-left"), Item(f"{name}-twins", f"{name}-right")]
        self.n = 0

    def run(self, client: Client, stop: threading.Event) -> None:
        while not stop.is_set():
            try:
                self.change(client)
            except NO_ANSWER:
                return  # settle() finds out

    def change(self, client: Client) -> None:
        self.n += 1
        if self.rng.random() < 0.3:
            return self.change_twins(client)
        item = self.rng.choice(self.items)
        remove = item.newest is not None and self.rng.random() < 0.2
        change = Change(time.time(), None if remove else self.n)
        item.changes.append(change)
        if remove:
            answer = client.item("DELETE", self.link, item.pk, item.id)
        else:
            answer = client.item("POST", self.link, item.pk, body=self.body(item, self.n),
                                 headers={"x-ms-documentdb-is-upsert": "True"})
        change.done = time.time()
        expect(answer.status in (200, 201, 204), f"{item.id}: {answer.status} {answer.body[:200]!r}")

    def change_twins(self, client: Client) -> None:
        changes = [Change(time.time(), self.n) for _ in self.twins]
        for twin, change in zip(self.twins, changes):
            twin.changes.append(change)
        operations = [{"operationType": "Upsert", "resourceBody": self.body(twin, self.n)} for twin in self.twins]
        answer = client.item("POST", self.link, self.twins[0].pk, body=operations, headers={
            "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"})
        for change in changes:
            change.done = time.time()
        expect(answer.status == 200, f"twins: {answer.status} {answer.body[:200]!r}")

    def body(self, item: Item, n: int) -> dict:
        return {"id": item.id, "pk": item.pk, "n": n, "text": "x" * self.rng.choice([10, 500, 4000])}

    def settle(self, found: dict[str, dict]) -> None:
        """After a restart: a request without an answer has happened or not."""
        now = time.time()
        for item in self.items + self.twins:
            open_ones = [change for change in item.changes if change.done == float("inf")]
            have = found.get(item.id, {}).get("n")
            expect(have in item.possible(now), f"{item.id}: {have} after a restart, not {item.possible(now)}")
            for change in open_ones:
                if change.n == have:
                    change.done = now
                else:
                    item.changes.remove(change)


class Load:
    """Writers at work, each on a connection of its own."""

    def __init__(self, writers: list[Writer], port: int):
        self.stop_event = threading.Event()
        self.problems: list[str] = []
        self.threads = [threading.Thread(target=self.guard, args=(writer, port), daemon=True) for writer in writers]
        for thread in self.threads:
            thread.start()

    def guard(self, writer: Writer, port: int) -> None:
        try:
            with Client(port) as client:
                writer.run(client, self.stop_event)
        except Exception as error:  # the check reports it
            self.problems.append(f"{type(error).__name__}: {error}")

    def finish(self) -> None:
        self.stop_event.set()
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a client still waits")
        expect(not self.problems, "; ".join(self.problems))


def read_items(client: Client, link: str) -> dict[str, dict]:
    ranges, _ = client.feed(f"/{link}/pkranges", "PartitionKeyRanges")
    found: dict[str, dict] = {}
    for entry in ranges:
        items, _ = client.feed(f"/{link}/docs", "Documents", {"x-ms-documentdb-partitionkeyrangeid": entry["id"]})
        found |= {item["id"]: item for item in items}
    return found


def compare(writers: list[Writer], found: dict[str, dict], at: float) -> int:
    """Expects what the items were at that time; returns how many there are."""
    known = 0
    for writer in writers:
        for item in writer.items + writer.twins:
            have = found.get(item.id, {}).get("n")
            possible = item.possible(at)
            expect(have in possible, f"{item.id} at {at:.6f}: {have}, but it was one of {json.dumps(list(possible))}")
            known += have is not None
        left, right = (found.get(twin.id, {}).get("n") for twin in writer.twins)
        expect(left == right, f"half of a transaction: {left} and {right}")
    expect(known == len(found), f"{len(found) - known} unknown items")
    return known
