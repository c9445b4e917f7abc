#!/usr/bin/env python3
"""Many clients work on a few partition keys concurrently, by scripts, batches and single requests, while
the server is killed now and then. bank.py moves amounts: every snapshot has the same total. erasures.py
deletes whole partition keys: they disappear atomically. lists.py records what all clients saw, and
checker.py searches the record for anomalies.

    tests/isolation/run.py [--server build/release/orrery] [--seconds 16] [--kills 4] [--seed 1]
"""

import argparse
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import NO_ANSWER, Client  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, inspect  # noqa: E402
from bank import Bank  # noqa: E402
from checker import check  # noqa: E402
from erasures import Erasures  # noqa: E402
from faults import unnoticed  # noqa: E402
from lists import Lists  # noqa: E402

CLIENTS = {"bank": 5, "erasures": 5, "lists": 8}
PROBLEMS_SHOWN = 5
ATTEMPTS_ENOUGH = 50  # of these at least one must succeed


class Load:
    """Runs all clients, each on its own connection, until they are stopped or the server is killed."""

    def __init__(self, world: "World", port: int, rng: random.Random):
        self.world = world
        self.stopping = threading.Event()
        self.killed = False
        self.problems: list[str] = []
        self.threads = [threading.Thread(target=self.run, daemon=True,
                                         args=(part.work, Client(port), random.Random(rng.random())))
                        for name, part in world.parts.items() for _ in range(CLIENTS[name])]
        for thread in self.threads:
            thread.start()

    def run(self, work: Callable[[Client, random.Random], str], client: Client, rng: random.Random) -> None:
        try:
            with client:
                self.repeat(lambda: work(client, rng))
        except NO_ANSWER as error:
            if not self.killed:
                self.problems.append(f"no answer: {type(error).__name__}: {error}")
        except Exception as error:  # the round reports it
            self.problems.append(f"{type(error).__name__}: {error}")

    def repeat(self, work: Callable[[], str]) -> None:
        ended: Counter[str] = Counter()
        try:
            while not self.stopping.is_set():
                ended[work()] += 1
        finally:
            self.world.count(ended)

    def finish(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a client still waits for its answer")
        expect(not self.problems, "; ".join(self.problems[:PROBLEMS_SHOWN]))


class World:
    """A data directory and the expected state of its content."""

    def __init__(self, binary: Path, data: Path, partitions: int, only: list[str], rng: random.Random):
        self.binary = binary
        self.data = data
        self.options = ("--partitions", str(partitions))
        self.rng = rng
        self.lists = Lists()
        all_parts = {"bank": Bank(), "erasures": Erasures(), "lists": self.lists}
        self.parts = {name: all_parts[name] for name in only}
        self.filled = False
        self.lock = threading.Lock()
        self.ended: Counter[str] = Counter()

    def count(self, ended: Counter[str]) -> None:
        with self.lock:
            self.ended += ended

    def play_round(self, seconds: float, killed: bool) -> str:
        before = self.ended.total()
        with Server(self.binary, self.data, *self.options).wait_until_ready() as server, \
                Client(server.port) as client:
            self.begin(client)
            load = Load(self, server.port, self.rng)
            time.sleep(seconds)
            expect(server.running(), f"the server died\n{server.tail()}")
            if killed:
                load.killed = True
                server.kill()
            load.finish()
            if not killed:
                self.look(client)
                server.stop()
        unknown = sum(one.end is None for one in self.lists.history.transactions)
        return f"{self.ended.total() - before} answers, {unknown} list transactions without one"

    def begin(self, client: Client) -> None:
        for part in self.parts.values() if not self.filled else ():
            part.fill(client)
        self.filled = True
        self.lists.history.restarted()
        self.look(client)

    def look(self, client: Client) -> None:
        for part in self.parts.values():
            part.settle(client)

    def everything_worked(self) -> str:
        """Every kind of request must succeed at least once, or it would not be tested."""
        tried: Counter[str] = Counter()
        done: Counter[str] = Counter()
        for what, count in self.ended.items():
            name, _, how = what.partition(" ")
            tried[name] += count
            done[name] += count if how == "done" else 0
        missing = [name for name, count in tried.items() if count >= ATTEMPTS_ENOUGH and not done[name]]
        expect(not missing, f"never succeeded: {missing}; {dict(self.ended)}")
        return ", ".join(f"{name} {done[name]} of {count}" for name, count in sorted(tried.items()))

    def judge(self) -> str:
        verdict = check(self.lists.history.transactions)
        expect(not verdict.violations, f"{len(verdict.violations)} anomalies\n" +
               "\n".join(str(one) for one in verdict.violations[:PROBLEMS_SHOWN]))
        outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(verdict.outcomes.items()))
        return f"{outcomes}; {verdict.write_skews} write skews, which are allowed"

    def check_checker(self) -> str:
        missed, tried = unnoticed(self.lists.history.transactions, self.rng)
        expect(not missed, "; ".join(missed))
        return f"{tried} faults"


def play(world: World, report: Report, name: str, seconds: float, kills: int) -> None:
    for number in range(1, kills + 2):
        killed = number <= kills
        what = f"{name}: round {number}, {'killed' if killed else 'stopped'} and checked"
        length = seconds / (kills + 1)
        if not report.run(what, lambda: world.play_round(length, killed)):
            break  # the expected state is no longer valid
    else:
        report.run(f"{name}: inspect", lambda: inspect(world.binary, world.data))
        report.run(f"{name}: every kind of request succeeded", world.everything_worked)
    if report.run(f"{name}: no anomaly in the recorded history", world.judge):
        report.run(f"{name}: faults injected into that history are found", world.check_checker)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seconds", type=float, default=16, help="total run time of all rounds")
    parser.add_argument("--kills", type=int, default=4, help="rounds that end with kill -9, before the last one")
    parser.add_argument("--partitions", default="1,7", help="partition counts, which share the seconds and kills")
    parser.add_argument("--only", default=",".join(CLIENTS), help="kinds of clients to run")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    numbers = [int(number) for number in options.partitions.split(",")]
    report = Report()
    with scratch_directory("isolation") as scratch:
        for place, partitions in enumerate(numbers):
            world = World(options.server, scratch / f"data{partitions}", partitions,
                          options.only.split(","), random.Random(options.seed + partitions))
            kills = len(range(place, options.kills, len(numbers)))
            play(world, report, f"{partitions} partitions", options.seconds / len(numbers), kills)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
