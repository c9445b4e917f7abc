#!/usr/bin/env python3
"""Measures scripts, batches and patches against single operations and prints one table.

    cmake --preset release && cmake --build --preset release
    bench/transactions.py [--rounds 3] [--seconds 3] [--check]

Every number is the median of several rounds, which alternate with those they are compared with.
With --check a missed target gives exit code 1.
"""
import argparse
import contextlib
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
from lib.client import Client  # noqa: E402
from lib.server import Server  # noqa: E402
from run import conclude, parse_arguments  # noqa: E402

COLL = "dbs/bench/colls/items"
DOCS = f"/{COLL}/docs"
JSON = {"Content-Type": "application/json"}
ITEMS = 10_000
VARIATIONS = 500
SCRIPTS = 10_000
HOSTILE = {
    "loop": "function () { for (;;); }",
    "memory": "function () { const a = []; for (;;) a.push({x: a.length}); }",
    "regex": "function () { for (;;) /(x+x+)+y/.test('x'.repeat(40)); }",
    "recursion": "function () { const f = () => { try { f(); } catch (e) { f(); } }; f(); }",
}
PROCEDURES = {
    "empty": "function () {}",
    "hundred": """function () {
        const c = getContext().getCollection(), text = 'x'.repeat(900);
        for (let i = 0; i < 100; i++) c.createDocument(c.getSelfLink(), {pk: 'many', text});
    }""",
}
PAYLOAD = "x" * 900


def described(method: str, path: str, kind: str, link: str, key: str, body: str = "",
              headers: dict | None = None, variations: int = VARIATIONS) -> str:
    """The requests for orrery-load to send; see workload.h."""
    return json.dumps({"method": method, "path": path, "type": kind, "link": link,
                       "partitionKey": key, "headers": headers or {}, "body": body,
                       "variations": variations})


def procedure(name: str) -> str:
    link = f"{COLL}/sprocs/{name}"
    return described("POST", f"/{link}", "sprocs", link, "many", "[]", variations=1)


def upsert() -> str:
    return described("POST", DOCS, "docs", COLL, "many",
                     json.dumps({"id": "single-$N", "pk": "many", "text": PAYLOAD, "n": 1}),
                     {"x-ms-documentdb-is-upsert": "True"})


def patch() -> str:
    link = f"{COLL}/docs/single-$N"
    return described("PATCH", f"/{link}", "docs", link, "many",
                     json.dumps({"operations": [{"op": "incr", "path": "/n", "value": 1}]}))


def batch() -> str:
    operations = [{"operationType": "Upsert",
                   "resourceBody": {"id": f"batch-$N-{i}", "pk": "many", "text": PAYLOAD, "n": 1}}
                  for i in range(10)]
    return described("POST", DOCS, "docs", COLL, "many", json.dumps(operations),
                     {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"},
                     variations=100)


class Bench:
    def __init__(self, arguments: argparse.Namespace, port: int):
        self.build = pathlib.Path(arguments.build)
        self.seconds = arguments.seconds
        self.rounds = arguments.rounds
        self.port = port

    def load(self, mode: str, connections: int, *more: str) -> dict:
        command = [str(self.build / "bench" / "orrery-load"), "--port", str(self.port), "--mode",
                   mode, "--connections", str(connections), "--seconds", str(self.seconds), *more]
        ended = subprocess.run(command, capture_output=True, text=True)
        if ended.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{ended.stdout}{ended.stderr}")
        print("  " + ended.stdout.strip(), file=sys.stderr)
        return json.loads(ended.stdout)

    def rates(self, connections: int, works: dict[str, tuple]) -> dict[str, float]:
        """The requests per second of each workload, in alternating rounds."""
        numbers: dict[str, list[float]] = {name: [] for name in works}
        for number in range(self.rounds):
            for name, (mode, *more) in works.items():
                if mode == "create":
                    more = ["--first", str((number + 1) * 100_000_000 + connections * 1_000_000)]
                numbers[name].append(self.load(mode, connections, *more)["per_second"])
        return {name: statistics.median(values) for name, values in numbers.items()}


def send(client: Client, method: str, path: str, body, headers: dict | None = None,
         accepted: tuple = (200, 201)):
    answer = client.request(method, path, body, JSON | (headers or {}))
    if answer.status not in accepted:
        sys.exit(f"{method} {path}: {answer.status} {answer.body!r}")
    return answer


def measure_procedures(bench: Bench, table: list) -> None:
    rate = bench.rates(32, {
        "read": ("read", "--items", str(ITEMS)),
        "empty": ("described", "--description", procedure("empty"))})
    ratio = rate["empty"] / rate["read"]
    single = bench.rates(1, {
        "create": ("create",),
        "hundred": ("described", "--description", procedure("hundred"))})
    gain = single["hundred"] * 100 / single["create"]
    table += [
        ("point read 1 KB, 32 connections", f"{rate['read']:.0f}/s", "", None),
        ("empty procedure, 32 connections", f"{rate['empty']:.0f}/s", "", None),
        ("  of point reads", f"{ratio:.2f}", ">= 0.50", ratio >= 0.5),
        ("create 1 KB, 1 connection", f"{single['create']:.0f}/s", "", None),
        ("procedure of 100 creates, 1 connection", f"{single['hundred']:.0f}/s", "", None),
        ("  documents, times those of creates", f"{gain:.1f}", ">= 5", gain >= 5)]


def measure_writes(bench: Bench, table: list) -> None:
    for connections in (1, 32):
        rate = bench.rates(connections, {
            "upsert": ("described", "--description", upsert()),
            "patch": ("described", "--description", patch()),
            "batch": ("described", "--description", batch())})
        table += [
            (f"upsert 1 KB, {connections} connections", f"{rate['upsert']:.0f}/s", "", None),
            ("  patch", f"{rate['patch']:.0f}/s", "", None),
            ("  batch of 10 upserts", f"{rate['batch']:.0f}/s", "", None),
            ("  operations in batches, times single",
             f"{rate['batch'] * 10 / rate['upsert']:.1f}", "", None)]


def query_ms(client: Client, query: str) -> float:
    answer = send(client, "POST", DOCS, {"query": query}, {
        "Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True",
        "x-ms-documentdb-partitionkeyrangeid": "0", "x-ms-max-item-count": "-1",
        "x-ms-documentdb-populatequerymetrics": "True"})
    metrics = answer.headers["x-ms-documentdb-query-metrics"]
    return float(re.search(r"totalExecutionTimeInMs=([0-9.]+)", metrics)[1])


def measure_udf(client: Client, rows: int, table: list) -> None:
    plain, with_udf = [], []
    for _ in range(20):
        plain.append(query_ms(client, "SELECT VALUE COUNT(1) FROM c WHERE c.n * 2 > 5000"))
        with_udf.append(query_ms(client, "SELECT VALUE COUNT(1) FROM c WHERE udf.twice(c.n) > 5000"))
    cost = (statistics.median(with_udf) - statistics.median(plain)) * 1000 / rows
    table.append((f"UDF in a scan of {rows} rows", f"{cost:.2f} us", "<= 3 us", cost <= 3))


def run_hostile(port: int, name: str, stop: threading.Event) -> None:
    """Runs a hostile script repeatedly; storing it again unblocks it."""
    path = f"/{COLL}/sprocs/hostile-{name}"
    with Client(port) as client:
        while not stop.is_set():
            send(client, "PUT", path, {"id": f"hostile-{name}", "body": HOSTILE[name]})
            for _ in range(3):
                with contextlib.suppress(OSError):
                    client.request("POST", path, [], JSON | {
                        "x-ms-documentdb-partitionkey": '["many"]'})


def measure_hostile(bench: Bench, client: Client, table: list) -> None:
    """Two connections leave the machine some capacity, eight use all of it."""
    def reads() -> dict[int, dict]:
        return {count: bench.load("read", count, "--items", str(ITEMS)) for count in (2, 8)}

    alone = reads()
    stop = threading.Event()
    for name, body in HOSTILE.items():
        send(client, "POST", f"/{COLL}/sprocs", {"id": f"hostile-{name}", "body": body})
    threads = [threading.Thread(target=run_hostile, args=(bench.port, name, stop))
               for name in HOSTILE]
    for thread in threads:
        thread.start()
    time.sleep(1)
    beside = reads()
    stop.set()
    for thread in threads:
        thread.join()
    for count in alone:
        for name, numbers in (("alone", alone[count]), ("4 hostile scripts", beside[count])):
            table.append((f"reads, {count} connections, {name}", f"{numbers['per_second']:.0f}/s",
                          f"p50 {numbers['p50_us']:.0f} us, p99 {numbers['p99_us']:.0f} us, "
                          f"p99.9 {numbers['p999_us']:.0f} us", None))


def resident_mb(pid: int) -> float:
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def measure_memory(arguments: argparse.Namespace, scratch: pathlib.Path, table: list) -> None:
    """Runs a procedure with a new body before every call, on a separate server."""
    path = f"/{COLL}/sprocs/changing"
    with Server(pathlib.Path(arguments.build) / "orrery", scratch).wait_until_ready() as server, \
            Client(server.port) as client:
        send(client, "POST", "/dbs", {"id": "bench"})
        send(client, "POST", "/dbs/bench/colls", {
            "id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
        send(client, "POST", f"/{COLL}/sprocs", {"id": "changing", "body": "function () {}"})
        sizes = []
        for number in range(2 * SCRIPTS):
            body = f"function () {{ const text{number} = '{number:010}{PAYLOAD}'; }}"
            send(client, "PUT", path, {"id": "changing", "body": body})
            send(client, "POST", path, [], {"x-ms-documentdb-partitionkey": '["many"]'})
            if (number + 1) % SCRIPTS == 0:
                sizes.append(resident_mb(server.process.pid))
    growth = sizes[1] / sizes[0]
    table += [(f"memory after {SCRIPTS} scripts", f"{sizes[0]:.0f} MB", "", None),
              (f"  after {2 * SCRIPTS}, times that", f"{growth:.2f}", "<= 1.10", growth <= 1.1)]


def set_up(client: Client) -> None:
    for path, body in [
            *[(f"/{COLL}/sprocs", {"id": name, "body": body}) for name, body in PROCEDURES.items()],
            (f"/{COLL}/udfs", {"id": "twice", "body": "function (x) { return x * 2; }"})]:
        send(client, "POST", path, body)
    for number in range(VARIATIONS):
        send(client, "POST", DOCS, {"id": f"single-{number}", "pk": "many", "n": 1},
             {"x-ms-documentdb-partitionkey": '["many"]'})


def main() -> int:
    arguments = parse_arguments(__doc__, rounds=3)
    table: list = []
    with tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=arguments.scratch) as scratch, \
            Server(pathlib.Path(arguments.build) / "orrery",
                   pathlib.Path(scratch) / "data").wait_until_ready() as server, \
            Client(server.port) as client:
        bench = Bench(arguments, server.port)
        bench.load("read", 32, "--setup", "--items", str(ITEMS))
        set_up(client)
        measure_udf(client, ITEMS, table)
        measure_procedures(bench, table)
        measure_writes(bench, table)
        measure_hostile(bench, client, table)
    with tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=arguments.scratch) as scratch:
        measure_memory(arguments, pathlib.Path(scratch) / "data", table)
    return conclude(arguments, table)


if __name__ == "__main__":
    sys.exit(main())
