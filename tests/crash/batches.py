"""The oracle for batches and deletes of partition keys: each takes effect completely or not at all."""

import json
import random

from lib.client import NO_ANSWER, Client
from lib.report import expect

KEYS = ("t0", "t1", "t2")
ITEMS_PER_BATCH = 60
GENERATIONS_MAX = 6  # per key, before it is deleted
BATCH = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}


class BatchWorker:
    """Writes generations of items, one transaction each, and deletes whole keys."""

    def __init__(self, link: str):
        self.link = link
        self.numbers = 0
        # The generations a key may have: two sets after a request without an answer.
        self.possible: dict[str, list[frozenset[int]]] = {key: [frozenset()] for key in KEYS}
        self.acknowledged = 0

    def run(self, client: Client, rng: random.Random) -> None:
        """Sends requests until the server is killed."""
        try:
            while True:
                self.work_on(client, rng.choice(KEYS), rng)
        except NO_ANSWER:
            return

    def work_on(self, client: Client, key: str, rng: random.Random) -> None:
        (now,) = self.possible[key]
        self.numbers += 1
        after = now | {self.numbers}
        path, headers, body = f"{self.link}/docs", BATCH, self.operations(key)
        if len(now) == GENERATIONS_MAX or rng.random() < 0.1:
            after = frozenset()
            path, headers, body = f"{self.link}/operations/partitionkeydelete", {}, b""
        elif now and rng.random() < 0.2:
            # The last operation conflicts, so none may be applied.
            after = now
            body.append({"operationType": "Create", "resourceBody": {"id": f"{min(now)}-0", "pk": key}})
        self.possible[key] = [now, after]
        answer = client.request("POST", path, json.dumps(body).encode() if body else b"",
                                headers | {"x-ms-documentdb-partitionkey": json.dumps([key])})
        wanted = 207 if after == now and body else 200
        expect(answer.status == wanted, f"POST {path}: {answer.status} {answer.body[:300]!r}")
        self.possible[key] = [after]
        self.acknowledged += 1

    def operations(self, key: str) -> list[dict]:
        return [{"operationType": "Upsert", "resourceBody": {"id": f"{self.numbers}-{i}", "pk": key, "n": self.numbers}}
                for i in range(ITEMS_PER_BATCH)]

    def verify(self, client: Client) -> int:
        total = 0
        for key in KEYS:
            items, _ = client.feed(f"/{self.link}/docs", "Documents",
                                   {"x-ms-documentdb-partitionkey": json.dumps([key])})
            total += len(items)
            counts: dict[int, int] = {}
            for item in items:
                counts[item["n"]] = counts.get(item["n"], 0) + 1
            expect(all(count == ITEMS_PER_BATCH for count in counts.values()), f"{key}: a partial batch: {counts}")
            found = frozenset(counts)
            expect(found in self.possible[key], f"{key}: has {sorted(found)}, not one of "
                                                f"{[sorted(one) for one in self.possible[key]]}")
            self.possible[key] = [found]
        return total
