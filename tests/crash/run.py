#!/usr/bin/env python3
"""Kills the server at random moments under load and checks its data after the next start."""

import argparse
import random
import shutil
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, inspect  # noqa: E402
from attachments import AttachmentWorker  # noqa: E402
from batches import BatchWorker  # noqa: E402
from items import LOGICAL_PARTITIONS, Container, Counter, Key, Worker  # noqa: E402
from ledger import Ledger  # noqa: E402
from policies import POLICIES, PolicyWorker  # noqa: E402
from resources import ResourceWorker  # noqa: E402
from verify import verify_items  # noqa: E402

WORKERS = 6
KEYS_PER_WORKER_AND_CONTAINER = 14
COUNTERS = 3
ROUNDS_PER_INSPECTION = 10
ROUNDS_PER_DIRECTORY = 50
FAILURES_MAX = 3


class World:
    """A data directory and the oracles for its content."""

    def __init__(self, binary: Path, data: Path, rng: random.Random):
        self.binary = binary
        self.data = data
        # Small memtables make tables and compactions part of it.
        self.options = ("--partitions", str(rng.choice([1, 2, 5])), "--ttl-sweep-ms", "50",
                        "--memtable-mb", str(rng.choice([1, 1, 64])))
        self.containers: list[Container] = []
        self.keys: list[Key] = []
        self.counters: list[Counter] = []
        self.workers: list[Worker] = []
        self.resources = ResourceWorker()
        self.policies: PolicyWorker | None = None
        self.batches: BatchWorker | None = None
        self.attachments: AttachmentWorker | None = None
        self.ledger = Ledger()

    def start(self, rng: random.Random) -> Server:
        """Starts the server, sometimes after killing it during a few earlier starts."""
        while rng.random() < 0.2:
            with Server(self.binary, self.data, *self.options) as server:
                time.sleep(rng.uniform(0, 0.08))
                expect(server.running(), f"ended at start\n{server.tail()}")
        return Server(self.binary, self.data, *self.options).wait_until_ready()

    def fill(self, client: Client) -> None:
        key_path = {"paths": ["/pk"], "kind": "Hash", "version": 2}
        plain = {"id": "plain", "partitionKey": key_path, "indexingPolicy": POLICIES[0]}
        expiring = {"id": "expiring", "partitionKey": key_path, "defaultTtl": 2}
        unique = {"id": "unique", "partitionKey": key_path, "defaultTtl": -1,
                  "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/u"]}]}}
        self.containers = [
            Container(make_container(client, "load", plain)),
            Container(make_container(client, "load", expiring), default_ttl=2),
            Container(make_container(client, "load", unique), default_ttl=-1, unique=True)]
        self.policies = PolicyWorker(self.containers[0].link, plain)
        self.batches = BatchWorker(make_container(client, "load", {"id": "batches", "partitionKey": key_path}))
        self.attachments = AttachmentWorker(
            make_container(client, "load", {"id": "attachments", "partitionKey": key_path}))
        for number in range(COUNTERS):
            counter = Counter(self.containers[0], f"pk{number}")
            made = client.item("POST", counter.container.link, counter.pk,
                               body={"id": "counter", "pk": counter.pk, "n": 0})
            expect(made.status == 201, f"create counter: {made.status}")
            self.counters.append(counter)
        for worker in range(WORKERS):
            keys = [Key(container, f"pk{number % LOGICAL_PARTITIONS}", f"w{worker}-{number}")
                    for container in self.containers
                    for number in range(KEYS_PER_WORKER_AND_CONTAINER)]
            self.workers.append(Worker(keys, self.counters, self.ledger))
            self.keys += keys

    def all_workers(self) -> list:
        return [self.resources, self.policies, self.batches, self.attachments, *self.workers]

    def verify(self, client: Client, rng: random.Random) -> int:
        self.resources.verify(client)
        self.policies.verify(client)
        batched = self.batches.verify(client) + self.attachments.verify(client)
        return batched + verify_items(client, self.containers, self.keys, self.counters, self.ledger, rng)


class Load:
    """Runs all workers, each on its own connection."""

    def __init__(self, world: World, port: int, rng: random.Random):
        self.world = world
        self.problems: list[str] = []
        runs = [worker.run for worker in world.all_workers()]
        self.threads = [
            threading.Thread(target=self.guard, daemon=True,
                             args=(run, Client(port, secure=number == 1), random.Random(rng.random())))
            for number, run in enumerate(runs)]
        self.before = self.acknowledged()
        for thread in self.threads:
            thread.start()

    def guard(self, run, client: Client, rng: random.Random) -> None:
        try:
            with client:
                run(client, rng)
        except Exception as error:  # the round reports it
            self.problems.append(f"{type(error).__name__}: {error}")

    def acknowledged(self) -> int:
        return sum(worker.acknowledged for worker in self.world.all_workers())

    def finish(self) -> int:
        """Call after the server has ended; returns the number of acknowledged writes."""
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a client still waits though the server has ended")
        expect(not self.problems, "; ".join(self.problems))
        return self.acknowledged() - self.before


def play_round(world: World, rng: random.Random, polite: bool) -> str:
    with world.start(rng) as server:
        with Client(server.port) as client:
            if not world.containers:
                world.fill(client)
            items = world.verify(client, rng)
        load = Load(world, server.port, rng)
        delay = rng.uniform(0.02, 0.5)
        time.sleep(delay)
        expect(server.running(), f"the server died\n{server.tail()}")
        if polite:
            server.stop()
        else:
            server.kill()
        acknowledged = load.finish()
    pending = sum(key.pending is not None for key in world.keys)
    how = "stopped" if polite else "killed"
    return (f"{items} items verified, {how} after {delay * 1000:.0f} ms and {acknowledged} "
            f"acknowledged writes, {pending + (world.resources.pending is not None)} pending")


def final_check(world: World, rng: random.Random) -> str:
    with world.start(rng) as server:
        with Client(server.port) as client:
            items = world.verify(client, rng)
        server.stop()
    return f"{items} items verified; {inspect(world.binary, world.data)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--keep", type=Path, help="copy the data directory of a failed round here")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    rng = random.Random(options.seed)
    report = Report()
    with scratch_directory("crash") as scratch:
        world = None
        for number in range(1, options.rounds + 1):
            if world is None:
                world = World(options.server, scratch / f"data{number}", rng)
            good = report.run(f"round {number}", lambda: play_round(world, rng, number % 25 == 0))
            last = number == options.rounds or number % ROUNDS_PER_DIRECTORY == 0
            if good and number % ROUNDS_PER_INSPECTION == 0:
                good = report.run(f"inspect after round {number}",
                                  lambda: inspect(options.server, world.data))
            if good and last:
                good = report.run(f"final check after round {number}", lambda: final_check(world, rng))
            if not good and options.keep:
                shutil.copytree(world.data, options.keep / world.data.name)
            if not good or last:
                shutil.rmtree(world.data, ignore_errors=True)
                world = None
            if report.failed >= FAILURES_MAX:
                print(f"gave up after {FAILURES_MAX} failures", flush=True)
                break
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
