#!/usr/bin/env python3
"""Measures what partitions and containers cost: many of them, and a split while clients read and write.

    cmake --preset release && cmake --build --preset release
    bench/partitions.py [--items 1000000] [--containers 10000] [--rounds 5] [--check]

Point reads of a container with 100 partitions alternate with those of a container with one. With --check a
missed target gives exit code 1.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.client import Client, make_container  # noqa: E402
from lib.server import Server  # noqa: E402
from queries import wait_until_idle  # noqa: E402
from run import conclude  # noqa: E402

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/release"
KEY = {"paths": ["/pk"], "kind": "Hash", "version": 2}
PARTITIONS = 100
REQUEST_UNITS_PER_PARTITION = 6000  # a new container has as many partitions
READ_ITEMS = 100_000
LOAD = ("--database", "bench")


def start(server: Server, *arguments) -> subprocess.Popen:
    command = [BUILD / "bench/orrery-load", "--port", server.port, *LOAD, *arguments]
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)


def result_of(load: subprocess.Popen) -> dict:
    output = load.communicate()[0]
    if load.returncode != 0:
        sys.exit(f"{load.args}\n{output}")
    return json.loads(output)


def fill(server: Server, container: str, items: int) -> None:
    result_of(start(server, "--mode", "fill", "--container", container, "--items", items, "--connections", 64,
                    "--seconds", 1800, "--warm-up", 0))


def serve(scratch: pathlib.Path, name: str) -> Server:
    return Server(BUILD / "orrery", scratch / name).wait_until_ready()


def measure_many_partitions(options: argparse.Namespace, scratch: pathlib.Path, table: list) -> None:
    counts = {"one": 1, "many": PARTITIONS}
    reads = {name: [] for name in counts}
    with serve(scratch, "partitions") as server:
        with Client(server.port) as client:
            for name, count in counts.items():
                throughput = REQUEST_UNITS_PER_PARTITION * count
                link = make_container(client, "bench", {"id": name, "partitionKey": KEY},
                                      {"x-ms-offer-throughput": str(throughput)})
                ranges, _ = client.feed(f"/{link}/pkranges", "PartitionKeyRanges")
                if len(ranges) != count:
                    sys.exit(f"{len(ranges)} partitions, expected {count}")
        for name in counts:
            fill(server, name, READ_ITEMS)
        wait_until_idle(server.process.pid)
        for _ in range(options.rounds):
            for name in counts:
                reads[name].append(result_of(start(
                    server, "--mode", "read", "--container", name, "--items", READ_ITEMS,
                    "--connections", 32, "--seconds", 4))["per_second"])
    one, many = (statistics.median(reads[name]) for name in counts)
    table += [("point reads, 1 partition", f"{one:.0f}/s", "", None),
              (f"point reads, {PARTITIONS} partitions", f"{many:.0f}/s", "", None),
              ("  of one partition", f"{many / one:.2f}", ">= 0.9", many / one >= 0.9)]


def measure_many_containers(options: argparse.Namespace, scratch: pathlib.Path, table: list) -> None:
    count = options.containers
    with serve(scratch, "containers") as server, Client(server.port) as client:
        began = time.perf_counter()
        for number in range(count):
            link = make_container(client, "bench", {"id": f"container-{number}", "partitionKey": KEY})
        created = time.perf_counter() - began
        made = client.item("POST", link, "a", body={"id": "1", "pk": "a"})
        if made.status != 201:
            sys.exit(f"create an item: {made.status} {made.body!r}")
        began = time.perf_counter()
        listed, _ = client.feed("/dbs/bench/colls", "DocumentCollections")
        listing = time.perf_counter() - began
        memory = server.memory_mb()
        server.kill()
    if len(listed) != count:
        sys.exit(f"{len(listed)} containers listed")
    began = time.perf_counter()
    with serve(scratch, "containers") as server, Client(server.port) as client:
        if client.item("GET", link, "a", "1").status != 200:
            sys.exit("the item is missing")
        restart = time.perf_counter() - began
    table += [(f"{count} containers, creating one", f"{created / count * 1000:.2f} ms", "", None),
              ("  listing all", f"{listing:.2f} s", "", None),
              ("  memory of the server", f"{memory:.0f} MB", "", None),
              ("  start after kill -9 to first read", f"{restart:.2f} s", "<= 2 s", restart <= 2)]


def measure_split(options: argparse.Namespace, scratch: pathlib.Path, table: list) -> None:
    with serve(scratch, "split") as server, Client(server.port) as client:
        link = make_container(client, "bench", {"id": "items", "partitionKey": KEY})
        fill(server, "items", options.items)
        wait_until_idle(server.process.pid)
        read = ("--mode", "read", "--connections", 8, "--items", options.items)
        alone = result_of(start(server, *read, "--seconds", 10))
        answer = client.request("POST", f"/{link}/pkranges/0/split", b"", {"Content-Type": "application/json"})
        if answer.status != 202:
            sys.exit(f"split: {answer.status} {answer.body!r}")
        began = time.perf_counter()
        writer = start(server, "--mode", "fill", "--first", 10**9, "--items", 10**9, "--connections", 4,
                       "--seconds", 15, "--warm-up", 0)
        beside = result_of(start(server, *read, "--seconds", 14))
        written = result_of(writer)
        # The rest of the copy, with readers only.
        while b"partition_split" not in server.log.read_bytes():
            if time.perf_counter() - began > 1800:
                sys.exit("the split does not end")
            time.sleep(0.1)
        line = re.search(r"event=partition_split.*", server.log.read_text())[0]
    seconds = int(re.search(r"\bms=(\d+)", line)[1]) / 1000
    pause = int(re.search(r"pause_ms=(\d+)", line)[1])
    megabytes = options.items * 1.2 / 1000  # JSON as stored, system properties included
    table += [(f"split of {megabytes:.0f} MB", f"{seconds:.1f} s", "", None),
              ("  copied", f"{megabytes / seconds:.0f} MB/s", "", None),
              ("  pause of writers", f"{pause} ms", "<= 100 ms", pause <= 100),
              ("  p99 of reads before it", f"{alone['p99_us'] / 1000:.1f} ms", "", None),
              ("  p99 of reads during it", f"{beside['p99_us'] / 1000:.1f} ms", "", None),
              ("  longest create during it", f"{written['max_us'] / 1000:.0f} ms", "", None)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=1_000_000, help="1 KB each, in the partition to split")
    parser.add_argument("--containers", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scratch", help="directory for the data, on the disk to measure")
    parser.add_argument("--only", choices=["partitions", "containers", "split"])
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    options = parser.parse_args()
    parts = {"partitions": measure_many_partitions, "containers": measure_many_containers, "split": measure_split}
    table: list = []
    with tempfile.TemporaryDirectory(prefix="orrery-partitions-", dir=options.scratch) as scratch:
        for name, measure in parts.items():
            if options.only in (None, name):
                measure(options, pathlib.Path(scratch), table)
    return conclude(options, table)


if __name__ == "__main__":
    sys.exit(main())
