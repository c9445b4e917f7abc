#!/usr/bin/env python3
"""Measures how long the partitions of a node cannot be written to when it is killed, and when it is stopped.

    bench/cluster.py [--rounds 10] [--lease-ms 3000] [--partitions 12] [--check]

Writers use one key of each partition through a node that stays. With --check a missed target gives exit code 1.
"""
import argparse
import json
import pathlib
import statistics
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from typing import Iterator

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.cluster import Cluster, Node  # noqa: E402
from run import conclude  # noqa: E402

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/release"
NODES = ["n1", "n2", "n3"]
KEY = {"paths": ["/pk"], "kind": "Hash", "version": 2}
PAUSE_SECONDS = 0.002
SETTLE_SECONDS = 3
PLANNED_SECONDS = 0.2
STOP, KILL = "planned stop", "kill -9"


class Writer(threading.Thread):
    """Writes to a partition all the time, and knows the longest time between two answers that were good."""

    def __init__(self, node: Node, key: str, link: str, pk: str):
        super().__init__(daemon=True)
        self.client = Client(node.port, key, timeout=60, host=node.address)
        self.link, self.pk = link, pk
        self.stopping = False
        self.longest = 0.0
        self.last = time.monotonic()
        self.start()

    def run(self) -> None:
        with self.client:
            while not self.stopping:
                if self.write():
                    now = time.monotonic()
                    self.longest, self.last = max(self.longest, now - self.last), now
                time.sleep(PAUSE_SECONDS)

    def write(self) -> bool:
        try:
            answer = self.client.item("POST", self.link, self.pk, body={"id": "probe", "pk": self.pk},
                                      headers={"x-ms-documentdb-is-upsert": "True"})
        except NO_ANSWER:
            return False
        if answer.status not in (200, 201, 408, 410, 429, 449, 503):
            sys.exit(f"{answer.status} {answer.body[:300]!r}")
        return answer.status in (200, 201)

    def finish(self) -> float:
        self.stopping = True
        self.join()
        return self.longest


def key_of_each_partition(client: Client, link: str) -> list[str]:
    """Writes items until every partition has one."""
    keys: dict[str, str] = {}
    count = len(client.request("GET", f"/{link}/pkranges").json()["PartitionKeyRanges"])
    for number in range(100 * count):
        answer = client.item("POST", link, str(number), body={"id": "first", "pk": str(number)})
        keys.setdefault(answer.headers["x-ms-session-token"].split(":")[0], str(number))
        if len(keys) == count:
            return list(keys.values())
    sys.exit(f"{len(keys)} of {count} partitions have items")


@contextmanager
def writers(cluster: Cluster, node: Node, link: str, keys: list[str]) -> Iterator[list[Writer]]:
    made = [Writer(node, cluster.key, link, pk) for pk in keys]
    try:
        yield made
    finally:
        for writer in made:
            writer.finish()


def description(cluster: Cluster, node: Node) -> dict:
    with Client(node.port, cluster.key, host=node.address) as client:
        return client.request("GET", "/_admin/cluster").json()


def wait_until_balanced(cluster: Cluster, node: Node) -> dict:
    """Until every node has some partitions and nothing moves."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        told = description(cluster, node)
        live = [one for one in told["nodes"] if one["state"] == "alive"]
        if len(live) == len(NODES) and all(one["partitionsAssigned"] for one in live) and not told["moves"]:
            time.sleep(SETTLE_SECONDS)
            if not description(cluster, node)["moves"]:
                return told
        time.sleep(0.2)
    sys.exit(f"not balanced after two minutes: {json.dumps(told)}")


def measure(cluster: Cluster, kind: str, number: int, link: str, keys: list[str]) -> tuple[list[float], float]:
    """Seconds without an owner of the partitions that the node had, and of the slowest of the others."""
    victim = cluster.nodes[number % len(cluster.nodes)]
    other = cluster.nodes[(number + 1) % len(cluster.nodes)]
    told = wait_until_balanced(cluster, other)
    had = next(one["partitionsAssigned"] for one in told["nodes"] if one["name"] == victim.name)
    had -= told["coordinator"]["node"] == victim.name  # it has the catalog, too
    with writers(cluster, other, link, keys) as running:
        time.sleep(1)
        for writer in running:
            writer.longest = 0.0
        if kind == KILL:
            victim.wanted = False
            cluster.kill(victim)
        else:
            cluster.stop(victim)
        time.sleep(cluster.lease_ms / 1000 + SETTLE_SECONDS)
        gaps = sorted((writer.finish() for writer in running), reverse=True)
        if kind == KILL:  # plain to see, while the number it had may have changed a moment before
            had = sum(gap > cluster.lease_ms / 2000 for gap in gaps)
    cluster.resume(victim)
    cluster.await_ready()
    return gaps[:had], max(gaps[had:], default=0.0)


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=pathlib.Path, default=BUILD / "orrery")
    parser.add_argument("--rounds", type=int, default=10, help="of each kind")
    parser.add_argument("--lease-ms", type=int, default=3000)
    parser.add_argument("--partitions", type=int, default=12)
    parser.add_argument("--store", choices=["memstore", "bluestore"], default="bluestore")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table: list = []
    limits = {STOP: PLANNED_SECONDS, KILL: options.lease_ms / 1000 + 1}
    with tempfile.TemporaryDirectory(prefix="orrery-bench-") as scratch, \
            Cluster(options.server, pathlib.Path(scratch), NODES, "--partitions", str(options.partitions),
                    lease_ms=options.lease_ms, store=options.store) as cluster:
        with Client(cluster.nodes[0].port, cluster.key) as client:
            link = make_container(client, "bench", {"id": "takeover", "partitionKey": KEY})
            keys = key_of_each_partition(client, link)
        for kind, limit in limits.items():
            gaps, others = [], []
            for number in range(options.rounds):
                away, other = measure(cluster, kind, number, link, keys)
                gaps += away
                others.append(other)
                print(f"{kind} {number + 1}: {' '.join(f'{1000 * gap:.0f}' for gap in away)} ms, others at most "
                      f"{1000 * other:.0f} ms", flush=True)
            p50, p99 = percentile(gaps, 0.5), percentile(gaps, 0.99)
            table += [(f"{kind}, {len(gaps)} partitions, p50", f"{1000 * p50:.0f} ms", "", None),
                      ("  p99", f"{1000 * p99:.0f} ms", f"<= {1000 * limit:.0f} ms", p99 <= limit),
                      ("  other partitions meanwhile, median of the slowest",
                       f"{1000 * statistics.median(others):.0f} ms", "", None)]
    return conclude(options, table)


if __name__ == "__main__":
    sys.exit(main())
