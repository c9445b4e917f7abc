#!/usr/bin/env python3
"""Measures the change feed: reading it, what it adds to writes, and idle readers. Prints one table.

    cmake --preset release && cmake --build --preset release
    bench/feed.py [--items 200000] [--readers 1000] [--idle-seconds 20] [--baseline SERVER] [--rounds 5] [--check]

Reading: all pages of one partition from the beginning, against RocksDB alone, which reads as many bytes and copies them
into pages of 4 MB (raw_scan --copy).
The ratio is that of the server's time, as a query's is; the time of the client includes the transport.
Writes: creates and replaces in a container that keeps all versions, against one that does not. The log of latest
versions is part of every container; what it costs can be seen against an older server (--baseline).
Idle readers: CPU time of the server per second, less that without readers. With --check a missed target gives exit
code 1.
"""
import argparse
import contextlib
import json
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
from transactions import Bench, described  # noqa: E402

KEY = {"paths": ["/pk"], "kind": "Hash", "version": 2}
ITEMS = "dbs/bench/colls/items"
CONTAINERS = {"off": {}, "on": {"changeFeedPolicy": {"retentionDuration": 60}}}
REPLACED = 10_000
READ_MIN = 0.8
WRITE_MIN = {"off": 1 / 1.05, "on": 1 / 1.35}
IDLE_MAX = 0.01
POLL_SECONDS = 5  # the default of the change feed processors of the SDKs


def cpu_seconds(pid: int) -> float:
    """CPU time of all threads, to the nanosecond."""
    return sum(int(path.read_text().split()[0])
               for path in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


# --- reading -----------------------------------------------------------------------------------

def read_feed(client: Client) -> dict[str, float]:
    """Reads everything; returns items, bytes, and the time of server and client in ms."""
    headers = {"A-IM": "Incremental feed", "x-ms-max-item-count": "-1",
               "x-ms-documentdb-partitionkeyrangeid": "0"}
    out = {"items": 0, "bytes": 0, "server": 0.0, "client": 0.0}
    begin = time.perf_counter()
    while True:
        answer = client.request("GET", f"/{ITEMS}/docs", headers=headers)
        if answer.status == 304:
            break
        if answer.status != 200:
            sys.exit(f"change feed: {answer.status} {answer.body[:300]!r}")
        headers["If-None-Match"] = answer.headers["etag"]
        out["items"] += int(answer.headers["x-ms-item-count"])
        out["bytes"] += len(answer.body)
        out["server"] += float(answer.headers["x-ms-request-duration-ms"])
    out["client"] = (time.perf_counter() - begin) * 1000
    return out


def raw_scan_ms(bench: Bench, directory: pathlib.Path, read: dict, filled: bool) -> float:
    command = [bench.build / "bench/raw_scan", "--directory", directory, "--items", int(read["items"]),
               "--record-bytes", round(read["bytes"] / read["items"]), "--copy", *(["--filled"] if filled else [])]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout)["scan_ms"]


def measure_reading(options: argparse.Namespace, bench: Bench, server: Server, client: Client,
                    scratch: pathlib.Path, table: list) -> None:
    made = subprocess.run([bench.build / "bench/orrery-load", "--mode", "fill", "--setup", "--port", str(server.port),
                           "--items", str(options.items), "--connections", "64", "--seconds", "840", "--warm-up", "0"],
                          stdout=subprocess.DEVNULL)
    if made.returncode != 0:
        sys.exit("the items could not be created")
    wait_until_idle(server.process.pid)
    read_feed(client)  # reads the files once
    reads, scans = [], []
    for number in range(options.rounds):
        reads.append(read_feed(client))
        if reads[-1]["items"] != options.items:
            sys.exit(f"{reads[-1]['items']} items in the feed, expected {options.items}")
        scans.append(raw_scan_ms(bench, scratch / "raw", reads[-1], filled=number > 0))
        print(f"  feed {reads[-1]}, raw scan {scans[-1]:.0f} ms", file=sys.stderr)
    scan = statistics.median(scans)
    server_ms, client_ms = (statistics.median(read[name] for read in reads) for name in ("server", "client"))
    megabytes = reads[0]["bytes"] / 1e6
    table += [
        (f"raw scan, {megabytes:.0f} MB", f"{scan:.0f} ms", "limit", None),
        ("change feed, server", f"{server_ms:.0f} ms", "", None),
        ("  of the raw scan", f"{scan / server_ms:.2f}", f">= {READ_MIN}", scan / server_ms >= READ_MIN),
        ("change feed, client", f"{client_ms:.0f} ms", "", None),
        ("  of the raw scan", f"{scan / client_ms:.2f}", "", None)]


# --- writes ------------------------------------------------------------------------------------

def replace_in(container: str) -> str:
    """Upserts of items that exist."""
    link = f"dbs/bench/colls/{container}"
    body = json.dumps({"id": "single-$N", "pk": "many", "text": "x" * 900, "n": 1})
    return described("POST", f"/{link}/docs", "docs", link, "many", body, {"x-ms-documentdb-is-upsert": "True"},
                     variations=REPLACED)


class Writes:
    """One container that is written to, and what its writes took."""

    def __init__(self, arguments: argparse.Namespace, server: Server, container: str):
        self.bench = Bench(arguments, server.port)
        self.pid = server.process.pid
        self.container = container
        self.rates: dict[str, list[float]] = {"create": [], "replace": []}
        self.costs: dict[str, list[float]] = {"create": [], "replace": []}

    def run(self, kind: str, number: int) -> None:
        more = ["--container", self.container]
        if kind == "create":
            more += ["--first", str((number + 1) * 100_000_000)]
        else:
            more += ["--description", replace_in(self.container)]
        before = cpu_seconds(self.pid)
        # Without warm-up, every request that is counted belongs to the CPU time.
        load = self.bench.load("create" if kind == "create" else "described", 64, "--warm-up", "0", *more)
        self.costs[kind].append((cpu_seconds(self.pid) - before) * 1e6 / load["requests"])
        self.rates[kind].append(load["per_second"])


def measure_writes(options: argparse.Namespace, servers: dict[str, Server], table: list) -> None:
    targets = {name: Writes(options, server, name if name in CONTAINERS else "off")
               for name, server in servers.items()}
    for number in range(-1, options.rounds):  # the first one warms up
        for kind in ("create", "replace"):
            for target in targets.values():
                target.run(kind, number + 1)
    for kind in ("create", "replace"):
        rates = {name: statistics.median(target.rates[kind][1:]) for name, target in targets.items()}
        costs = {name: statistics.median(target.costs[kind][1:]) for name, target in targets.items()}
        for name, base in (("off", "baseline"), ("on", "off")):
            label = f"{kind} 1 KB, all versions {name}"
            table.append((label, f"{rates[name]:.0f}/s", f"{costs[name]:.0f} us of CPU each", None))
            if base not in rates:
                continue
            ratio = rates[name] / rates[base]
            table.append((f"  of {base}", f"{ratio:.2f}", f">= {WRITE_MIN[name]:.2f}", ratio >= WRITE_MIN[name]))


# --- idle readers ------------------------------------------------------------------------------

def cpu_share(server: Server, seconds: float) -> float:
    before, begin = cpu_seconds(server.process.pid), time.monotonic()
    time.sleep(seconds)
    return (cpu_seconds(server.process.pid) - before) / (time.monotonic() - begin)


def open_streams(server: Server, count: int, stack: contextlib.ExitStack) -> None:
    """Connections that wait for events, and never get one."""
    for _ in range(count):
        client = stack.enter_context(Client(server.port))
        headers = client.signed("GET", f"/{ITEMS}/docs") | {
            "Accept": "text/event-stream", "A-IM": "Incremental feed", "If-None-Match": "*"}
        client.connection.request("GET", f"/{ITEMS}/docs", headers=headers)
        answer = client.connection.getresponse()
        if answer.status != 200:
            sys.exit(f"stream: {answer.status} {answer.read()[:300]!r}")


def poll(server: Server, count: int, seconds: float, stack: contextlib.ExitStack) -> tuple[float, float]:
    """Polls on each of `count` connections; returns the CPU share and the polls per second."""
    with Client(server.port) as client:
        answer = client.request("GET", f"/{ITEMS}/docs", headers={
            "A-IM": "Incremental feed", "If-None-Match": "*", "x-ms-documentdb-partitionkeyrangeid": "0"})
        headers = client.signed("GET", f"/{ITEMS}/docs") | {
            "A-IM": "Incremental feed", "If-None-Match": answer.headers["etag"],
            "x-ms-documentdb-partitionkeyrangeid": "0"}
    lines = [f"GET /{ITEMS}/docs HTTP/1.1", f"host: 127.0.0.1:{server.port}",
             *(f"{name}: {value}" for name, value in headers.items())]
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    sockets = []
    for _ in range(count):
        connection = stack.enter_context(Client(server.port)).connection
        connection.connect()
        sockets.append(connection.sock)
    polls, before, begin = 0, cpu_seconds(server.process.pid), time.monotonic()
    while time.monotonic() - begin < seconds:
        for socket in sockets:
            socket.sendall(request)
            head = socket.recv(65536)  # an answer without body, in one piece
            if b" 304 " not in head.split(b"\r\n", 1)[0]:
                sys.exit(f"poll: {head[:300]!r}")
            polls += 1
            time.sleep(max(0.0, begin + polls * POLL_SECONDS / count - time.monotonic()))
    elapsed = time.monotonic() - begin
    return (cpu_seconds(server.process.pid) - before) / elapsed, polls / elapsed


def measure_idle(options: argparse.Namespace, server: Server, table: list) -> None:
    wait_until_idle(server.process.pid)
    alone = cpu_share(server, options.idle_seconds)
    with contextlib.ExitStack() as stack:
        open_streams(server, options.readers, stack)
        time.sleep(1)
        streams = cpu_share(server, options.idle_seconds) - alone
    with contextlib.ExitStack() as stack:
        polled, rate = poll(server, options.readers, options.idle_seconds, stack)
        polled -= alone
    table += [
        ("idle server", f"{alone * 100:.2f} %", "of a core", None),
        (f"  {options.readers} event streams more", f"{streams * 100:.2f} %", "< 1 %", streams < IDLE_MAX),
        (f"  {rate:.0f} polls per second more", f"{polled * 100:.2f} %", "< 1 %", polled < IDLE_MAX)]


# --- all ---------------------------------------------------------------------------------------

def parse_options() -> argparse.Namespace:
    parser = argument_parser(__doc__, rounds=5)
    parser.add_argument("--items", type=int, default=200_000)
    parser.add_argument("--readers", type=int, default=1000)
    parser.add_argument("--idle-seconds", type=float, default=20)
    parser.add_argument("--baseline", type=pathlib.Path, help="an older server, for the cost of writes")
    return parser.parse_args()


def main() -> int:
    options = parse_options()
    table: list = []
    with contextlib.ExitStack() as stack:
        scratch = pathlib.Path(stack.enter_context(
            tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=options.scratch)))

        def serve(binary: pathlib.Path, name: str) -> tuple[Server, Client]:
            server = stack.enter_context(Server(binary, scratch / name).wait_until_ready())
            return server, stack.enter_context(Client(server.port, timeout=600))

        server, client = serve(pathlib.Path(options.build) / "orrery", "data")
        measure_reading(options, Bench(options, server.port), server, client, scratch, table)
        for name, more in CONTAINERS.items():
            make_container(client, "bench", {"id": name, "partitionKey": KEY} | more)
        servers = {"off": server, "on": server}
        if options.baseline:
            older, its_client = serve(options.baseline, "baseline")
            make_container(its_client, "bench", {"id": "off", "partitionKey": KEY})
            servers = {"baseline": older} | servers
        measure_writes(options, servers, table)
        measure_idle(options, server, table)
    return conclude(options, table)


if __name__ == "__main__":
    sys.exit(main())
