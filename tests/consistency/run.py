#!/usr/bin/env python3
"""Records what clients read while others write, partitions split and the server is killed, and checks the history
against the guarantees of the account's consistency level.

    tests/consistency/run.py [--server build/release/orrery] [--seconds 4] [--seed 1]

Every register is an item that one client writes, counting up, so a history is linearizable exactly if each read
returns a number between the last write that ended before it and the last that began before its end, and never less
than a read that ended before it. As docs/compatibility.md says, that must hold at every level on one machine.
Sessions are also handed from one client to another by their token, and pairs of items are written together.
"""
import argparse
import bisect
import heapq
import json
import random
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

LEVELS = ["strong", "bounded-staleness", "session", "consistent-prefix", "eventual"]
REGISTERS = 6
READERS = 4
KEY = {"paths": ["/pk"], "kind": "Hash", "version": 2}
QUERY = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "True"}
BATCH = {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}


@dataclass
class Write:
    value: int
    began: float
    ended: float | None = None  # nothing: no answer came, it may have happened or not


@dataclass
class Read:
    register: int
    value: int
    began: float
    ended: float


@dataclass
class History:
    writes: list[list[Write]] = field(default_factory=lambda: [[] for _ in range(REGISTERS)])
    reads: list[Read] = field(default_factory=list)
    tokens: list[tuple[int, int, str] | None] = field(default_factory=lambda: [None] * REGISTERS)


def check_linearizable(history: History) -> int:
    for register in range(REGISTERS):
        # One client writes, so the times rise with the values, which count up from 1.
        writes = history.writes[register]
        began = [write.began for write in writes]
        ended = [write.ended for write in writes if write.ended is not None]
        under_way: list[tuple[float, int]] = []  # reads, by their end
        seen = 0  # by a read that has ended
        for read in sorted((one for one in history.reads if one.register == register), key=lambda one: one.began):
            while under_way and under_way[0][0] < read.began:
                seen = max(seen, heapq.heappop(under_way)[1])
            least, most = bisect.bisect_left(ended, read.began), bisect.bisect_left(began, read.ended)
            expect(least <= read.value <= most, f"register {register}: {read} is not between {least} and {most}")
            expect(read.value >= seen, f"register {register}: {read} after {seen} had been read")
            heapq.heappush(under_way, (read.ended, read.value))
    return len(history.reads)


class Clients:
    def __init__(self, port: int, link: str, history: History, rng: random.Random):
        self.port, self.link, self.history = port, link, history
        self.stopping = threading.Event()
        self.killed = False
        self.problems: list[str] = []
        jobs = [(self.write, number) for number in range(REGISTERS)] + [(self.read, None)] * READERS
        self.threads = [threading.Thread(target=self.run, args=(*job, random.Random(rng.random())), daemon=True)
                        for job in jobs]
        for thread in self.threads:
            thread.start()

    def run(self, work, number, rng) -> None:
        try:
            with Client(self.port) as client:
                while not self.stopping.is_set():
                    work(client, rng, number)
        except NO_ANSWER as error:
            if not self.killed:
                self.problems.append(f"no answer: {error}")
        except AssertionError as error:
            self.problems.append(str(error))

    def stop(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
        expect(not self.problems, "; ".join(self.problems[:3]))

    def write(self, client: Client, rng: random.Random, register: int) -> None:
        writes = self.history.writes[register]
        value = writes[-1].value + 1 if writes else 1
        write = Write(value, time.monotonic())
        writes.append(write)
        pair = [{"operationType": "Upsert", "resourceBody": {"id": name, "pk": str(register), "value": value}}
                for name in ("first", "second")]
        answer = client.item("POST", self.link, str(register), body=pair, headers=BATCH)
        expect(answer.status == 200, f"write: {answer.status} {answer.body[:200]!r}")
        write.ended = time.monotonic()
        token = answer.headers["x-ms-session-token"]
        self.history.tokens[register] = (register, value, token)
        # Its own write, with its own token.
        self.read_item(client, rng, register, token, value)

    def read(self, client: Client, rng: random.Random, _) -> None:
        handed = rng.choice(self.history.tokens)
        if handed and rng.random() < 0.5:
            register, value, token = handed
            self.read_item(client, rng, register, token, value)
        else:
            self.read_item(client, rng, rng.randrange(REGISTERS), None, 0)

    def read_item(self, client: Client, rng: random.Random, register: int, token: str | None, least: int) -> None:
        headers = {"x-ms-session-token": token} if token else {}
        began = time.monotonic()
        if rng.random() < 0.3:
            values = self.query_pair(client, register, headers)
        else:
            answer = client.item("GET", self.link, str(register), "first", headers=headers)
            expect(answer.status in (200, 404) and answer.headers.get("x-ms-substatus", "0") == "0",
                   f"read: {answer.status} {answer.body[:200]!r}")
            values = [answer.json()["value"]] if answer.status == 200 else [0]
        ended = time.monotonic()
        expect(len(set(values)) <= 1, f"half of a transaction: {values}")
        value = values[0] if values else 0
        expect(value >= least, f"register {register}: {value} with a token of {least}")
        self.history.reads.append(Read(register, value, began, ended))

    def query_pair(self, client: Client, register: int, headers: dict) -> list[int]:
        key = {"x-ms-documentdb-partitionkey": json.dumps([str(register)])}
        answer = client.request("POST", f"/{self.link}/docs", {"query": "SELECT VALUE c[\"value\"] FROM c"},
                                QUERY | key | headers)
        expect(answer.status == 200, f"query: {answer.status} {answer.body[:200]!r}")
        values = answer.json()["Documents"]
        expect(len(values) in (0, 2), f"half of a transaction: {values}")
        return values


def settle(client: Client, link: str, history: History) -> None:
    """After a kill: finds out which writes without an answer happened."""
    for register in range(REGISTERS):
        writes = history.writes[register]
        answer = client.item("GET", link, str(register), "first")
        now = answer.json()["value"] if answer.status == 200 else 0
        for write in writes:
            if write.ended is None and write.value <= now:
                write.ended = time.monotonic()
        history.writes[register] = [write for write in writes if write.ended is not None]
        known = max((write.value for write in history.writes[register]), default=0)
        expect(now == known, f"register {register}: {now} after a kill, expected {known}")


def check_level(binary: Path, data: Path, level: str, seconds: float, rng: random.Random) -> str:
    history = History()
    options = ("--consistency", level, "--churn-partitions-ms", "150")
    link = ""
    for killed in (True, False):
        with Server(binary, data, *options).wait_until_ready() as server, Client(server.port) as client:
            if link:
                settle(client, link, history)
            else:
                link = make_container(client, "consistency", {"id": "registers", "partitionKey": KEY})
            clients = Clients(server.port, link, history, rng)
            time.sleep(seconds)
            if killed:
                clients.killed = True
                server.kill()
            clients.stop()
    return f"{sum(len(writes) for writes in history.writes)} writes, {check_linearizable(history)} reads"


def check_checker() -> str:
    """The checker must find what is wrong."""
    def refuses(reads: list[Read]) -> bool:
        history = History(reads=reads)
        history.writes[0] = [Write(1, 1, 2), Write(2, 3, 4), Write(3, 6, None)]
        try:
            check_linearizable(history)
        except AssertionError:
            return True
        return False

    good = [[Read(0, 0, 0, 0.5)], [Read(0, 0, 0, 1.5)], [Read(0, 1, 1.5, 5)], [Read(0, 2, 5, 7)], [Read(0, 3, 5, 7)],
            [Read(0, 2, 8, 9)], [Read(0, 1, 3.1, 3.9), Read(0, 2, 3.2, 3.8)]]
    bad = [[Read(0, 0, 2.5, 2.6)], [Read(0, 1, 5, 7)], [Read(0, 2, 2.1, 2.9)], [Read(0, 4, 8, 9)],
           [Read(0, 2, 3.1, 3.2), Read(0, 1, 3.3, 3.4)], [Read(0, 3, 6.5, 7), Read(0, 2, 8, 9)]]
    expect(not any(map(refuses, good)), "a history that is right was refused")
    expect(all(map(refuses, bad)), "a history that is wrong was accepted")
    return f"{len(good)} right and {len(bad)} wrong histories"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seconds", type=float, default=4, help="of each of two runs at every level")
    parser.add_argument("--seed", type=int, default=random.randrange(2**31))
    options = parser.parse_args()
    print(f"seed {options.seed}")
    rng = random.Random(options.seed)
    report = Report()
    report.run("the checker", check_checker)
    with scratch_directory("consistency") as scratch:
        for level in LEVELS:
            report.run(level, lambda level=level: check_level(
                options.server, scratch / level, level, options.seconds, rng))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
