#!/usr/bin/env python3
"""Measures storage on a Ceph cluster beside the same on the local disk: an own cluster, one machine.

    cmake --preset release && cmake --build --preset release
    bench/rados.py [--rounds 5] [--partitions 1000] [--store bluestore] [--check]

Rounds on the disk and on the cluster alternate. With --check a missed goal gives exit code 1.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.ceph import POOL, Cluster  # noqa: E402
from run import conclude  # noqa: E402

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/release/bench"
# Partitions and creates in each commit: how 64 writers may be spread.
SHAPES = ((1, 64), (8, 8), (64, 1))
READS = 50_000
COMMITS_GOAL, READS_GOAL, TAKEOVER_GOAL_MS = 0.5, 0.9, 200


def run(*command: object) -> list[dict]:
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def measure_shapes(options: argparse.Namespace, cluster: Cluster, scratch: pathlib.Path, table: list) -> None:
    for partitions, batch in SHAPES:
        numbers = {"disk": [], "cluster": []}
        for turn in range(options.rounds):
            for place in numbers:
                where = ["--path", scratch / f"{partitions}.{turn}"]
                if place == "cluster":
                    where = ["--path", f"{partitions}.{turn}", "--ceph", cluster.conf, "--pool", POOL]
                numbers[place].append(run(BUILD / "raw_rocksdb", *where, "--partitions", partitions, "--batch",
                                          batch, "--seconds", options.seconds, "--reads", READS)[0])
        disk, ceph = ({key: statistics.median(one[key] for one in ones)
                       for key in ("per_second", "p50_us", "p99_us", "read_us")} for ones in numbers.values())
        name = f"{partitions} partitions, {batch} creates a commit"
        share = ceph["per_second"] / disk["per_second"]
        table.append((f"creates, {name}",
                      f"{ceph['per_second']:.0f}/s, p50 {ceph['p50_us'] / 1000:.1f} ms, "
                      f"p99 {ceph['p99_us'] / 1000:.1f} ms; disk {disk['per_second']:.0f}/s: {share:.2f}",
                      f">= {COMMITS_GOAL}", share >= COMMITS_GOAL))
        share = disk["read_us"] / ceph["read_us"]
        table.append((f"cached gets, {name}", f"{ceph['read_us']:.1f} µs; disk {disk['read_us']:.1f} µs: {share:.2f}",
                      f">= {READS_GOAL}", share >= READS_GOAL))


def measure_moves(cluster: Cluster, table: list) -> None:
    for kilobytes in (64, 4096, 15000):
        found = run(BUILD / "rados_limits", "--ceph", cluster.conf, "--pool", POOL, "--namespace",
                    f"moves{kilobytes}", "--log", kilobytes)
        for one in found:
            is_planned = one["mode"] == "planned move"
            table.append((f"{one['mode']}, {kilobytes} KB written",
                          f"p50 {one['p50_ms']:.0f} ms, p90 {one['p90_ms']:.0f}, longest {one['max_ms']:.0f}",
                          f"p90 < {TAKEOVER_GOAL_MS}" if is_planned else "",
                          one["p90_ms"] < TAKEOVER_GOAL_MS if is_planned else None))


def measure_many(options: argparse.Namespace, cluster: Cluster, table: list) -> None:
    for one in run(BUILD / "rados_limits", "--ceph", cluster.conf, "--pool", POOL, "--namespace", "many",
                   "--partitions", options.partitions):
        mode = one.pop("mode")
        table.append((mode, ", ".join(f"{value} {key}" for key, value in one.items()), "", None))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--partitions", type=int, default=1000)
    parser.add_argument("--store", choices=["memstore", "bluestore"], default="memstore")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    table: list = []
    with tempfile.TemporaryDirectory(prefix="orrery-bench-") as directory:
        scratch = pathlib.Path(directory)
        with Cluster(scratch / "ceph", options.store, pgs=32) as cluster:
            measure_shapes(options, cluster, scratch, table)
            measure_moves(cluster, table)
            if options.partitions:
                measure_many(options, cluster, table)
    return conclude(options, table)


if __name__ == "__main__":
    sys.exit(main())
