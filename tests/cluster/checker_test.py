#!/usr/bin/env python3
"""The checker of single items accepts what a correct store does, and finds what broken ones do."""

import random
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / "isolation"), str(HERE.parent / "changefeed")]

import linearizability  # noqa: E402
import planted  # noqa: E402
from lib.report import Skip, in_ci  # noqa: E402
from registers import Registers, Request  # noqa: E402

CLIENTS, TURNS, ITEMS = 5, 300, 10
LOSES_WRITES, DOUBLES_PATCHES, READS_COPIES = "loses writes", "doubles patches", "reads a copy that is behind"
KINDS = ("read", "read", "create", "upsert", "replace", "exchange", "patch", "delete")


class Store:
    """One item, and clients that take turns: a request begins, is carried out and is answered in three turns."""

    def __init__(self, name: str, rng: random.Random, broken: str):
        self.name, self.rng = name, rng
        self.broken = broken
        self.item: tuple[int, int] | None = None  # value and count
        self.copy: tuple[int, int] | None = None
        self.clock = 0
        self.requests: list[Request] = []

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def client(self, number: int):
        while True:
            wanted = self.item[0] if self.item else 0
            request = Request(self.name, number, self.rng.choice(KINDS), self.rng.getrandbits(60), wanted, self.tick())
            if request.kind == "exchange" and not wanted:
                continue
            self.requests.append(request)
            yield
            answered, happens = self.rng.random() < 0.95, self.rng.random() < 0.5
            status, seen = 0, None
            if answered or happens:
                status, seen = self.carry_out(request)
            yield
            if answered:
                request.ended, request.status = self.tick(), status
                request.seen, request.seen_count = seen or (0, 0)
            yield

    def carry_out(self, request: Request) -> tuple[int, tuple[int, int] | None]:
        before, kind = self.item, request.kind
        if self.rng.random() < 0.2:
            self.copy = before
        if kind == "read":
            seen = self.copy if self.broken == READS_COPIES else before
            return (200, seen) if seen else (404, None)
        if kind == "create" and before:
            return 409, None
        if kind not in ("create", "upsert") and not before:
            return 404, None
        if kind == "exchange" and before[0] != request.wanted:
            return 412, None
        if kind == "delete":
            self.item = None
            return 204, None
        count = before[1] + (2 if self.broken == DOUBLES_PATCHES else 1) if kind == "patch" else 0
        written = (request.value, count)
        if self.broken != LOSES_WRITES or self.rng.random() < 0.9:
            self.item = written
        return (200 if before else 201), written

    def history(self) -> list[Request]:
        clients = [self.client(number) for number in range(CLIENTS)]
        for _ in range(TURNS):
            next(self.rng.choice(clients))
        return self.requests


def history_of(seed: int, broken: str = "") -> list[Request]:
    rng = random.Random(seed)
    return [request for number in range(ITEMS) for request in Store(f"p/{number}.0", rng, broken).history()]


class Checker(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "history.jsonl"

    def wrong(self, requests: list[Request]) -> str:
        registers = Registers()
        registers.requests = requests
        registers.save(self.path)
        return linearizability.violations(self.path)[0]

    def test_correct_store(self):
        for seed in range(10):
            self.assertEqual(self.wrong(history_of(seed)), "", f"seed {seed}")

    def test_broken_stores(self):
        for broken in (LOSES_WRITES, DOUBLES_PATCHES, READS_COPIES):
            for seed in range(5):
                self.assertIn("not linearizable: p/", self.wrong(history_of(seed, broken)),
                              f"{broken}, seed {seed}")

    def test_planted_faults(self):
        for seed in range(5):
            self.assertEqual(planted.unnoticed(history_of(seed), self.path, random.Random(seed)), [],
                             f"seed {seed}")

    def test_unanswered_requests(self):
        def history(*reads: int) -> list[Request]:
            """A create without an answer, and what was read afterwards."""
            lost = Request("p/0.0", 1, "create", value=7, called=1)
            return [lost] + [Request("p/0.0", 2, "read", called=2 * number, ended=2 * number + 1,
                                     status=200 if value else 404, seen=value)
                             for number, value in enumerate(reads, 1)]

        self.assertEqual(self.wrong(history(0, 0)), "")
        self.assertEqual(self.wrong(history(0, 7)), "")
        self.assertEqual(self.wrong(history(7, 7)), "")
        self.assertNotEqual(self.wrong(history(7, 0)), "")
        self.assertNotEqual(self.wrong(history(8)), "")


if __name__ == "__main__":
    try:
        linearizability.build()
    except Skip as reason:
        print(f"skip the checker of single items: {reason}")
        sys.exit(1 if in_ci() else 0)
    unittest.main()
