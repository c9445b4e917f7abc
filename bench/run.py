#!/usr/bin/env python3
"""Measures a release build of Orrery against its limits and prints one table.

    cmake --preset release && cmake --build --preset release
    bench/run.py [--rounds 5] [--seconds 3] [--check]

Every number is the median of several rounds, and the rounds of a measurement and of its limit
alternate, so that a busy machine affects both alike. With --check a missed target gives exit code 1.
"""
import argparse
import base64
import contextlib
import email.utils
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

# The well-known key of emulators for this API; the server's default on loopback.
KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
ITEMS = 10_000
CONTAINERS = 1_000
# With 64 connections one half waits for a sync while the other half is in transit: the server makes
# 31 to 34 creates per sync.
CREATES_PER_SYNC = 32
START_TIMEOUT_SECONDS = 30


class Program:
    """A running server, stopped at the end of a with block."""

    def __init__(self, command: list[str], directory: pathlib.Path):
        self.port_file = directory / f"port-{time.monotonic_ns()}"
        self.log = open(directory / f"{pathlib.Path(command[0]).name}.log", "ab")
        self.started = time.perf_counter()
        self.process = subprocess.Popen(command + ["--port-file", str(self.port_file)],
                                        stdout=self.log, stderr=self.log)
        self.port = self._wait_for_port()

    def _wait_for_port(self) -> int:
        while time.perf_counter() - self.started < START_TIMEOUT_SECONDS:
            with contextlib.suppress(FileNotFoundError):
                text = self.port_file.read_text()
                if text.strip():
                    return int(text)
            if self.process.poll() is not None:
                sys.exit(f"{self.process.args[0]} exited at start, see {self.log.name}")
            time.sleep(0.0005)
        sys.exit(f"{self.process.args[0]} did not start, see {self.log.name}")

    def rss_mb(self) -> float:
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("no VmRSS")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(timeout=START_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


class Bench:
    def __init__(self, arguments: argparse.Namespace, scratch: pathlib.Path):
        self.build = pathlib.Path(arguments.build)
        self.rounds = arguments.rounds
        self.seconds = arguments.seconds
        self.scratch = scratch

    def find(self, name: str) -> str:
        for path in (self.build / name, self.build / "bench" / name):
            if path.is_file():
                return str(path)
        sys.exit(f"{name} is not in {self.build}: build the release preset first")

    def serve(self, data: pathlib.Path) -> Program:
        return Program([self.find("orrery"), "serve", "--listen", "127.0.0.1:0",
                        "--data", str(data), "--no-throttle"], self.scratch)

    def load(self, port: int, mode: str, connections: int, *more: str) -> float:
        command = [self.find("orrery-load"), "--port", str(port), "--mode", mode,
                   "--connections", str(connections), "--seconds", str(self.seconds), *more]
        return self._per_second(command)

    def raw_rocksdb(self, batch: int, first: int) -> float:
        """Uses one database for all rounds, so that it grows and compacts like the server's."""
        return self._per_second([self.find("raw_rocksdb"), "--path", str(self.scratch / "raw"),
                                 "--batch", str(batch), "--first", str(first),
                                 "--seconds", str(self.seconds)])

    @staticmethod
    def _per_second(command: list[str]) -> float:
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")
        print("  " + ended.stdout.strip(), file=sys.stderr)
        return json.loads(ended.stdout)["per_second"]


def signed_headers(method: str, resource_type: str, link: str) -> dict[str, str]:
    date = email.utils.formatdate(usegmt=True)
    text = f"{method.lower()}\n{resource_type}\n{link}\n{date.lower()}\n\n"
    digest = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
    signature = base64.b64encode(digest).decode()
    return {"authorization": urllib.parse.quote(f"type=master&ver=1.0&sig={signature}", safe=""),
            "x-ms-date": date, "x-ms-version": "2020-07-15"}


def create(connection: http.client.HTTPConnection, feed: str, parent: str, body: dict) -> None:
    path = f"/{parent}/{feed}" if parent else f"/{feed}"
    headers = {**signed_headers("POST", feed, parent), "content-type": "application/json"}
    connection.request("POST", path, json.dumps(body), headers)
    response = connection.getresponse()
    answer = response.read()
    if response.status != 201:
        sys.exit(f"POST {path} returned {response.status}: {answer.decode(errors='replace')}")


def record_point_read(port: int, path: pathlib.Path) -> None:
    """Stores the headers and body of one point read for http_echo, byte for byte, without the
    headers that the HTTP stack adds."""
    link = "dbs/bench/colls/items/docs/item-0000000000"
    lines = [f"GET /{link} HTTP/1.1", f"host: 127.0.0.1:{port}", "connection: close",
             'x-ms-documentdb-partitionkey: ["item-0000000000"]']
    lines += [f"{name}: {value}" for name, value in signed_headers("GET", "docs", link).items()]
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        answer = b""
        while piece := client.recv(65536):
            answer += piece
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *headers = head.split(b"\r\n")
    if b" 200 " not in status:
        sys.exit(f"the point read returned {answer.decode(errors='replace')}")
    added = (b"date:", b"content-length:", b"connection:")
    kept = [line for line in headers if not line.lower().startswith(added)]
    path.write_bytes(b"\r\n".join(kept) + b"\r\n\r\n" + body)


def measure_throughput(bench: Bench, table: list) -> None:
    response = bench.scratch / "response"
    numbers = {name: [] for name in ("echo32", "read32", "echo64", "create64", "raw")}
    with bench.serve(bench.scratch / "data") as server:
        bench.load(server.port, "read", 32, "--setup", "--items", str(ITEMS))
        record_point_read(server.port, response)
        with Program([bench.find("http_echo"), "--response", str(response)],
                     bench.scratch) as echo:
            for number in range(bench.rounds):
                first = (number + 1) * 100_000_000
                numbers["echo32"].append(bench.load(echo.port, "echo", 32))
                numbers["read32"].append(
                    bench.load(server.port, "read", 32, "--items", str(ITEMS)))
                numbers["echo64"].append(bench.load(echo.port, "echo", 64))
                numbers["create64"].append(
                    bench.load(server.port, "create", 64, "--setup", "--container", "creates",
                               "--first", str(first)))
                numbers["raw"].append(bench.raw_rocksdb(CREATES_PER_SYNC, first))
    median = {name: statistics.median(values) for name, values in numbers.items()}
    limit = min(median["echo64"], median["raw"])
    table += [
        ("http_echo, 32 connections", f"{median['echo32']:.0f}/s", "limit", None),
        ("point read 1 KB, 32 connections", f"{median['read32']:.0f}/s", "", None),
        ("  of http_echo", f"{median['read32'] / median['echo32']:.2f}", ">= 0.65",
         median["read32"] / median["echo32"] >= 0.65),
        ("http_echo, 64 connections", f"{median['echo64']:.0f}/s", "limit", None),
        (f"raw_rocksdb, batches of {CREATES_PER_SYNC}", f"{median['raw']:.0f}/s", "limit", None),
        ("durable create 1 KB, 64 connections", f"{median['create64']:.0f}/s", "", None),
        ("  of the smaller limit", f"{median['create64'] / limit:.2f}", ">= 0.50",
         median["create64"] / limit >= 0.5),
    ]


def milliseconds_to_first_answer(bench: Bench, data: pathlib.Path) -> float:
    with bench.serve(data) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        while True:
            connection.request("GET", "/", headers=signed_headers("GET", "", ""))
            response = connection.getresponse()
            response.read()
            if response.status == 200:
                return (time.perf_counter() - server.started) * 1000
            time.sleep(0.0005)


def measure_start(bench: Bench, table: list) -> None:
    fresh, existing = [], []
    for number in range(bench.rounds):
        fresh.append(milliseconds_to_first_answer(bench, bench.scratch / f"fresh-{number}"))
        existing.append(milliseconds_to_first_answer(bench, bench.scratch / "data"))
    for name, values in (("new data directory", fresh), ("existing data directory", existing)):
        median = statistics.median(values)
        table.append((f"start to first 200, {name}", f"{median:.0f} ms", "<= 100 ms",
                      median <= 100))


def measure_memory(bench: Bench, table: list) -> None:
    with bench.serve(bench.scratch / "containers") as server:
        time.sleep(2)
        idle = server.rss_mb()
        connection = http.client.HTTPConnection("127.0.0.1", server.port)
        create(connection, "dbs", "", {"id": "many"})
        begin = time.perf_counter()
        for number in range(CONTAINERS):
            create(connection, "colls", "dbs/many", {
                "id": f"container-{number}",
                "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
        elapsed = time.perf_counter() - begin
        grown = server.rss_mb() - idle
    table += [
        ("idle memory", f"{idle:.0f} MB", "<= 64 MB", idle <= 64),
        (f"{CONTAINERS} containers created", f"{elapsed:.1f} s", "<= 5 s", elapsed <= 5),
        ("  memory for them", f"{grown:.0f} MB", "<= 100 MB", grown <= 100),
    ]


def print_table(table: list) -> None:
    print(f"\n{'':40} {'measured':>12}  {'target':12}")
    for name, measured, target, reached in table:
        verdict = "" if reached is None else ("reached" if reached else "MISSED")
        print(f"{name:40} {measured:>12}  {target:12} {verdict}")


def argument_parser(description: str, rounds: int) -> argparse.ArgumentParser:
    root = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=root / "build" / "release")
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--scratch", help="directory for the data, on the disk to measure")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    return parser


def parse_arguments(description: str, rounds: int) -> argparse.Namespace:
    return argument_parser(description, rounds).parse_args()


def conclude(arguments: argparse.Namespace, table: list) -> int:
    """Prints everything and returns the exit code."""
    load = ", ".join(f"{value:.2f}" for value in os.getloadavg())
    print_table(table)
    print(f"\n{os.cpu_count()} cores, load average at the end {load}")
    missed = any(reached is False for *_, reached in table)
    return 1 if arguments.check and missed else 0


def main() -> int:
    arguments = parse_arguments(__doc__, rounds=5)
    table: list = []
    with tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=arguments.scratch) as scratch:
        bench = Bench(arguments, pathlib.Path(scratch))
        measure_throughput(bench, table)
        measure_start(bench, table)
        measure_memory(bench, table)
    return conclude(arguments, table)


if __name__ == "__main__":
    sys.exit(main())
