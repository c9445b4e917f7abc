#!/usr/bin/env python3
"""Splits and merges partitions without end while clients write, read, query and run procedures, and
kills the server in between. Every client knows what it must find.

    tests/splits/run.py [--server build/release/orrery] [--seconds 45] [--kills 5] [--seed 1]
"""

import argparse
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, inspect  # noqa: E402
from extras import Counters, Expiring  # noqa: E402
from growth import full_key, grow_by_data, grow_by_throughput, one_key_stays  # noqa: E402
from oracle import Oracle  # noqa: E402
from pagers import Pager, Reader  # noqa: E402
from ranges import Splitter, Watcher, check_tiles, list_ranges  # noqa: E402
from session import JSON, Counts, described  # noqa: E402
from writers import Writer  # noqa: E402

WRITERS = 4
PAGERS = 4
CHURN = ("--churn-partitions-ms", "100")
SWEEPS = ("--ttl-sweep-ms", "100")
PROBLEMS_SHOWN = 5
PATIENCE_SECONDS = 120  # as long as a busy machine may take for what takes a moment
POLICY = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}]}
POLICIES = [
    POLICY | {"excludedPaths": [{"path": "/text/?"}]},
    POLICY | {"excludedPaths": [{"path": "/text/?"}, {"path": "/tag/?"}]},
    POLICY | {"excludedPaths": [], "compositeIndexes": [[
        {"path": "/tag", "order": "ascending"}, {"path": "/n", "order": "descending"}]]},
]
DEFINITION = {"id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
              "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/u"]}]}, "indexingPolicy": POLICIES[0]}


class Policies:
    """Changes what is indexed."""

    def __init__(self, link: str):
        self.link = link

    def work(self, client: Client, rng: random.Random) -> str:
        answer = client.request("PUT", f"/{self.link}", DEFINITION | {"indexingPolicy": rng.choice(POLICIES)},
                                JSON)
        expect(answer.status == 200, f"index policy: {described(answer)}")
        answer = client.request("GET", f"/{self.link}", None, {"x-ms-documentdb-populatequotainfo": "True"})
        expect(answer.status == 200, f"read the container: {described(answer)}")
        time.sleep(rng.uniform(0, 1))
        return "policy_changes"


class Load:
    """Runs all clients, each on its own connection, until they are stopped or the server is killed."""

    def __init__(self, parts: list, port: int, rng: random.Random, counts: Counts):
        self.stopping = threading.Event()
        self.killed = False
        self.counts = counts
        self.problems: list[str] = []
        self.threads = [threading.Thread(target=self.run, daemon=True,
                                         args=(part, Client(port), random.Random(rng.random())))
                        for part in parts]
        for thread in self.threads:
            thread.start()

    def run(self, part, client: Client, rng: random.Random) -> None:
        try:
            with client:
                while not self.stopping.is_set():
                    self.counts.add(part.work(client, rng))
        except NO_ANSWER as error:
            if not self.killed:
                self.problems.append(f"{type(part).__name__}: no answer: {type(error).__name__}: {error}")
        except Exception as error:  # the round reports it
            if not self.killed:  # a client may wait for another that has ended
                self.problems.append(f"{type(part).__name__}: {type(error).__name__}: {error}")
            elif isinstance(error, AssertionError):
                self.problems.append(f"{type(part).__name__}: {error}")

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.problems:
            time.sleep(0.02)

    def finish(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a client still waits for its answer")
        expect(not self.problems, f"{len(self.problems)} problems\n" +
               "\n".join(self.problems[:PROBLEMS_SHOWN]))


class World:
    """A data directory and the expected state of its content."""

    def __init__(self, binary: Path, data: Path, rng: random.Random):
        self.binary = binary
        self.data = data
        self.rng = rng
        self.counts = Counts()
        self.oracle = Oracle()
        self.counters = Counters(self.counts)
        self.expiring = Expiring(self.counts)
        self.watcher: Watcher | None = None
        self.link = ""
        self.parts: list = []

    def fill(self, client: Client) -> None:
        self.link = make_container(client, "splits", DEFINITION)
        self.counters.fill(client)
        self.expiring.fill(client)
        self.watcher = Watcher(self.link, self.counts)
        self.parts = [Writer(number, self.link, self.oracle, self.counts) for number in range(WRITERS)]
        self.parts += [Pager(self.link, self.oracle, self.counts) for _ in range(PAGERS)]
        self.parts += [Reader(self.link, self.oracle, self.counts), self.counters, self.counters,
                       self.expiring, self.watcher, Policies(self.link)]

    def start(self, *options: str) -> Server:
        return Server(self.binary, self.data, *SWEEPS, *options).wait_until_ready()

    def play(self, seconds: float, churn: bool, killed: bool) -> str:
        with self.start(*(CHURN if churn else ())) as server:
            with Client(server.port) as client:
                if not self.link:
                    self.fill(client)
            by_hand = [] if churn else [Splitter(self.link, self.counts)]
            load = Load(self.parts + by_hand, server.port, self.rng, self.counts)
            load.wait(seconds)
            begun = time.monotonic()
            while not (splits_of(server) or load.problems) and time.monotonic() < begun + PATIENCE_SECONDS:
                load.wait(1)
            expect(server.running(), f"the server died\n{server.tail()}")
            if killed:
                load.killed = True
                server.kill()
            load.finish()
            splits = splits_of(server)
            expect(splits, f"no split in {PATIENCE_SECONDS} s\n{server.tail()}")
            if not killed:
                server.stop()
        return f"{splits} splits and merges; {self.counts.take()}"

    def verify(self) -> str:
        """Without splits: compares everything, and waits until what they left is dropped."""
        with self.start() as server:
            with Client(server.port) as client:
                count = self.oracle.settle(self.read_everything(client))
                self.counters.settle(client)
                self.expiring.settle(client)
                ranges = list_ranges(client, self.link)
                check_tiles(ranges)
                self.watcher.check(ranges)
            server.stop()
        self.wait_for_sweep()
        return f"{count} items in {len(ranges)} ranges; {inspect(self.binary, self.data)}"

    def wait_for_sweep(self) -> None:
        """Only a stopped server can be inspected, so it runs again for as long as something is left."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (count := self.leftovers()) and time.monotonic() < deadline:
            with self.start() as server:
                time.sleep(1)
                server.stop()
        expect(count == 0, f"{count} partitions that nobody needs are not dropped")

    def leftovers(self) -> int:
        said = subprocess.run([str(self.binary), "inspect", "--data", str(self.data)],
                              capture_output=True, text=True).stdout
        lines = [line for line in said.splitlines() if line.endswith("partitions to drop")]
        expect(lines, f"inspect says nothing about partitions to drop\n{said}")
        return int(lines[0].split()[0])

    def read_everything(self, client: Client) -> dict:
        items, _ = client.feed(f"/{self.link}/docs", "Documents",
                               {"x-ms-max-item-count": self.rng.choice(["-1", "100", "17"])})
        found = {(item["pk"], item["id"]): item for item in items}
        expect(len(found) == len(items), "an item is in the feed twice")
        for place, version in self.oracle.versions.items():  # no session of before is forgotten
            if version.token and self.rng.random() < 0.2:
                answer = client.item("GET", self.link, place[0], place[1],
                                     headers={"x-ms-session-token": version.token})
                expect(answer.status == (200 if place in found else 404),
                       f"{place} with session {version.token}: {described(answer)}")
        return found


def splits_of(server: Server) -> int:
    return server.log.read_text().count("event=partition")


def play(world: World, report: Report, seconds: float, kills: int) -> None:
    """A third of the time with splits by the server, a third with splits by hand, a third with kills."""
    rounds = [("splits by the server", seconds / 3, True, False), ("splits by hand", seconds / 3, False, False)]
    for number in range(kills):
        length = world.rng.uniform(0.5, 1.5) * seconds / 3 / kills
        rounds.append((f"kill {number + 1}", length, number % 2 == 0, True))
    for name, length, churn, killed in rounds:
        if not report.run(name, lambda: world.play(length, churn, killed)):
            return  # the expected state is no longer valid
        if not report.run(f"{name}: verified after a restart", world.verify):
            return


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seconds", type=float, default=45, help="run time under load, in all")
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    report = Report()
    with scratch_directory("splits") as scratch:
        world = World(options.server, scratch / "data", random.Random(options.seed))
        play(world, report, options.seconds, options.kills)
        for name, check in [("growth by data", grow_by_data), ("one key is not split", one_key_stays),
                            ("growth by throughput", grow_by_throughput), ("a full key", full_key)]:
            report.run(name, lambda: check(options.server, scratch / name.replace(" ", "-")))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
