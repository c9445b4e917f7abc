#!/usr/bin/env python3
"""Measures `orrery import` and `orrery export` against the server alone. Prints one table.

    cmake --preset release && cmake --build --preset release
    bench/tools.py [--items 400000] [--rounds 3] [--connections 16] [--check]

Import: items of 1 KB from a file of JSON lines, against bulk requests of the same items that the load generator sends
over as many connections; each into a new container of one partition.
Export: all items into a file of JSON lines, against a client that reads the same pages, one after the other, and
throws them away. Then the largest memory of both tools with a quarter of the items and with all.
With --check a missed target gives exit code 1.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from lib.client import Client, make_container  # noqa: E402
from lib.server import Server  # noqa: E402
from queries import wait_until_idle  # noqa: E402
from run import argument_parser, conclude  # noqa: E402

KEY = {"paths": ["/pk"], "kind": "Hash", "version": 2}
DATABASE = "bench"
IMPORT_MIN = 0.8
EXPORT_MIN = 0.8
# Of the larger memory, so that buffers may fill up and the allocator may keep some.
GROWTH_MAX = 1.25


class Bench:
    def __init__(self, options: argparse.Namespace, scratch: pathlib.Path, server: Server, client: Client):
        self.options, self.scratch, self.server, self.client = options, scratch, server, client
        self.build = pathlib.Path(options.build)
        self.containers = 0

    def container(self) -> str:
        self.containers += 1
        name = f"items{self.containers}"
        make_container(self.client, DATABASE, {"id": name, "partitionKey": KEY})
        return name

    def drop(self, container: str) -> None:
        self.client.request("DELETE", f"/dbs/{DATABASE}/colls/{container}")
        wait_until_idle(self.server.process.pid)

    def tool(self, *arguments) -> tuple[float, int]:
        """Runs orrery; returns its seconds and the most memory it had, in KB."""
        command = [self.build / "orrery", *arguments, "--database", DATABASE, "--endpoint",
                   f"http://127.0.0.1:{self.server.port}/", "--quiet"]
        begin = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command])
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{command} ended with {process.returncode}")
        return seconds, usage.ru_maxrss

    def bulk(self, container: str, items: int) -> float:
        """Items per second that the server creates, when nothing but sending them limits it."""
        command = [self.build / "bench/orrery-load", "--mode", "bulk", "--port", self.server.port, "--database", DATABASE,
                   "--container", container, "--items", items, "--connections", self.options.connections,
                   "--seconds", 800, "--warm-up", 0]
        begin = time.perf_counter()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        seconds = time.perf_counter() - begin
        if done.returncode != 0:
            sys.exit(f"{command}\n{done.stdout}{done.stderr}")
        return items / seconds

    def import_file(self, container: str, file: pathlib.Path) -> tuple[float, int]:
        return self.tool("import", "--container", container, "--parallel", self.options.connections,
                         "--no-checkpoint", "--mode", "create", "--errors", self.scratch / "errors", file)

    def export(self, container: str, file: pathlib.Path) -> tuple[float, int]:
        file.unlink(missing_ok=True)  # the time that this takes is not the exporter's
        return self.tool("export", "--container", container, "--output", file)

    def pages(self, container: str) -> tuple[float, int]:
        """Seconds and items of a client that reads the largest pages."""
        headers = {"x-ms-max-item-count": "-1"}
        items = 0
        begin = time.perf_counter()
        while True:
            answer = self.client.request("GET", f"/dbs/{DATABASE}/colls/{container}/docs", headers=headers)
            if answer.status != 200:
                sys.exit(f"reading pages: {answer.status} {answer.body[:300]!r}")
            items += int(answer.headers["x-ms-item-count"])
            if "x-ms-continuation" not in answer.headers:
                return time.perf_counter() - begin, items
            headers["x-ms-continuation"] = answer.headers["x-ms-continuation"]


def measure(bench: Bench, table: list) -> None:
    count = bench.options.items
    whole, part = bench.scratch / "items.jsonl", bench.scratch / "part.jsonl"
    rates: dict[str, list[float]] = {"bulk": [], "import": [], "pages": [], "export": []}
    memory: dict[str, tuple[int, int]] = {}
    for number in range(bench.options.rounds):
        filled = bench.container()
        rates["bulk"].append(bench.bulk(filled, count))
        wait_until_idle(bench.server.process.pid)
        bench.pages(filled)  # reads the files once
        seconds, read = bench.pages(filled)
        if read != count:
            sys.exit(f"{read} items in the pages, expected {count}")
        rates["pages"].append(count / seconds)
        seconds, export_kb = bench.export(filled, whole)
        rates["export"].append(count / seconds)
        bench.drop(filled)
        copy = bench.container()
        seconds, import_kb = bench.import_file(copy, whole)
        rates["import"].append(count / seconds)
        bench.drop(copy)
        if number == 0:
            with open(whole, "rb") as lines, open(part, "wb") as some:
                some.writelines(next(lines) for _ in range(count // 4))
            fewer = bench.container()
            _, small_import_kb = bench.import_file(fewer, part)
            _, small_export_kb = bench.export(fewer, part)
            bench.drop(fewer)
            memory = {"import": (small_import_kb, import_kb), "export": (small_export_kb, export_kb)}
        print(f"  {json.dumps({name: round(values[-1]) for name, values in rates.items()})} items/s", file=sys.stderr)
    medians = {name: statistics.median(values) for name, values in rates.items()}
    for tool, limit, target in [("import", "bulk", IMPORT_MIN), ("export", "pages", EXPORT_MIN)]:
        share = medians[tool] / medians[limit]
        what = "bulk creates by the load generator" if limit == "bulk" else "pages read and thrown away"
        small, large = memory[tool]
        table += [
            (what, f"{medians[limit]:,.0f}/s", "limit", None),
            (f"orrery {tool}", f"{medians[tool]:,.0f}/s", "", None),
            ("  of the limit", f"{share:.2f}", f">= {target}", share >= target),
            (f"  memory, {count // 4:,} items", f"{small / 1024:.0f} MB", "", None),
            (f"  memory, {count:,} items", f"{large / 1024:.0f} MB", f"< {GROWTH_MAX} times", large < GROWTH_MAX * small)]


def main() -> int:
    parser = argument_parser(__doc__, rounds=3)
    parser.add_argument("--items", type=int, default=400_000)
    parser.add_argument("--connections", type=int, default=16)
    options = parser.parse_args()
    table: list = []
    with tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=options.scratch) as scratch:
        directory = pathlib.Path(scratch)
        with Server(pathlib.Path(options.build) / "orrery", directory / "data").wait_until_ready() as server, \
                Client(server.port, timeout=600) as client:
            measure(Bench(options, directory, server, client), table)
    return conclude(options, table)


if __name__ == "__main__":
    sys.exit(main())
