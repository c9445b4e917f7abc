"""Clients that write, and remember what must be there."""

import json
import random
import threading

from lib.client import Client
from lib.report import expect

IDS = 12
ITEMS_PER_TRANSACTION = 5
PROCEDURE = {"id": "writeAll", "body": """function (items) {
    items.forEach((item) => {
        if (!__.upsertDocument(__.getSelfLink(), item, (error) => { if (error) throw error; })) throw new Error("full");
    });
}"""}

_transactions = threading.Lock()
_last_transaction = 0


def next_transaction() -> int:
    global _last_transaction
    with _transactions:
        _last_transaction += 1
        return _last_transaction


class Writer:
    """Writes to keys that are its own. Versions rise with every write of an item, also across deletes."""

    def __init__(self, link: str, keys: list[str]):
        self.link, self.keys = link, keys
        self.versions: dict[tuple[str, str], int] = {}
        self.newest = 0
        self.written = 0
        # The changes of a write without an answer: None for a delete.
        self.unsure: dict[tuple[str, str], int | None] = {}

    def work(self, client: Client, rng: random.Random) -> None:
        key = rng.choice(self.keys)
        what = rng.random()
        place = (key, str(rng.randrange(IDS)))
        if what < 0.2:
            self.write_together(client, rng, key, self.batch)
        elif what < 0.3:
            self.write_together(client, rng, key, self.procedure)
        elif what < 0.32:
            self.send({each: None for each in self.versions if each[0] == key} or {place: None},
                      lambda: client.request("POST", f"/{self.link}/operations/partitionkeydelete", None,
                                             {"x-ms-documentdb-partitionkey": json.dumps([key])}), 200)
        elif place not in self.versions:
            item = self.item(place)
            self.send({place: item["v"]}, lambda: client.item("POST", self.link, key, None, item), 201)
        elif what < 0.45:
            self.send({place: None}, lambda: client.item("DELETE", self.link, key, place[1]), 204)
        else:
            item = self.item(place)
            self.send({place: item["v"]}, lambda: client.item("PUT", self.link, key, place[1], item), 200)

    def item(self, place: tuple[str, str], **more) -> dict:
        self.newest += 1
        return {"id": place[1], "pk": place[0], "v": self.newest, "text": "x" * (self.newest % 300)} | more

    def send(self, changes: dict, request, *statuses: int) -> None:
        self.unsure = changes
        answer = request()
        expect(answer.status in statuses, f"{list(changes)}: {answer.status} {answer.body[:300]!r}")
        self.apply(changes)
        self.unsure = {}
        self.written += 1

    def apply(self, changes: dict) -> None:
        for place, version in changes.items():
            if version is None:
                self.versions.pop(place, None)
            else:
                self.versions[place] = version

    def write_together(self, client: Client, rng: random.Random, key: str, how) -> None:
        number = next_transaction()
        ids = rng.sample(range(IDS), rng.randint(2, ITEMS_PER_TRANSACTION))
        items = [self.item((key, str(each)), transaction=number, ordinal=place) for place, each in enumerate(ids)]
        self.send({(key, item["id"]): item["v"] for item in items}, lambda: how(client, key, items), 200)

    def batch(self, client: Client, key: str, items: list[dict]):
        operations = [{"operationType": "Upsert", "resourceBody": item} for item in items]
        return client.item("POST", self.link, key, None, operations, {
            "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"})

    def procedure(self, client: Client, key: str, items: list[dict]):
        return client.request("POST", f"/{self.link}/sprocs/{PROCEDURE['id']}", [items], {
            "x-ms-documentdb-partitionkey": json.dumps([key])})

    def settle(self, content: dict) -> None:
        """A write without an answer has happened as a whole or not at all."""
        if not self.unsure:
            return
        happened = {content.get(place) == version for place, version in self.unsure.items()}
        expect(len(happened) == 1, f"half of a transaction: {self.unsure}")
        if happened.pop():
            self.apply(self.unsure)
        self.unsure = {}

