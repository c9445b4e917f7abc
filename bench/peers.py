#!/usr/bin/env python3
"""Measures Orrery beside PostgreSQL, with the same items and the same kind of client; prints ratios.

    cmake --preset release && cmake --build --preset release
    bench/peers.py [--sizes 10000,100000,1000000] [--rounds 5] [--only REGEX] [--check]

Needs Debian's `postgresql` and `libpq-dev`, and installs nothing. It starts its own PostgreSQL in a
temporary directory, with SETTINGS below; docs/performance.md explains the set-up. The systems take turns
within each round, and every number is the median of the rounds, so that a busy machine affects both alike.
With --check a missed target gives exit code 1.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.client import Client  # noqa: E402
from lib.server import Server  # noqa: E402
from queries import wait_until_idle  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
# What a database server of its size gets, the rest as Debian ships it: fsync and synchronous_commit are on.
SETTINGS = {
    "shared_buffers": "1GB",
    "effective_cache_size": "3GB",
    "work_mem": "32MB",
    "max_wal_size": "4GB",
    "checkpoint_completion_target": "0.9",
    "random_page_cost": "1.1",
    "max_connections": "200",
    "listen_addresses": "'127.0.0.1'",
}
# As much for Orrery, which would take a quarter of the memory by default.
CACHE = ("--block-cache-mb", "1024")
TABLE = """
CREATE TABLE items (id text PRIMARY KEY, doc jsonb NOT NULL);
CREATE INDEX items_doc ON items USING gin (doc jsonb_path_ops);
CREATE INDEX items_rank ON items (((doc->>'rank')::bigint));
"""
VARIATIONS = 1000
WARM_UP_SECONDS = 6  # enough to ask for every item once, so that both systems answer from their caches


@dataclass(frozen=True)
class Operation:
    name: str
    connections: int
    target: float  # how many times as fast as PostgreSQL
    sql: str
    parameters: tuple[str, ...] = ()  # of the statement; $N, $ID and $BODY vary
    query: str = ""                   # ours, or else a request
    request: dict | None = None
    values: tuple[str, ...] = ()      # of the query's parameters @p0, @p1, ..., as JSON
    span: str = "items"               # what $N varies over
    creates: bool = False


LINK = "dbs/bench/colls/items/docs/$ID"
OPERATIONS = [
    Operation("point read", 32, 1.8, "SELECT doc FROM items WHERE id = $1", ("$ID",),
              request={"method": "GET", "body": ""}),
    Operation("equality, 10 items", 32, 1.5, "SELECT doc FROM items WHERE doc @> $1::jsonb",
              ('{"group":"g-$N"}',), "SELECT * FROM c WHERE c['group'] = @p0", values=('"g-$N"',), span="groups"),
    Operation("range + ORDER BY + TOP 20", 32, 1.5,
              "SELECT doc FROM items WHERE (doc->>'rank')::bigint > $1 ORDER BY (doc->>'rank')::bigint LIMIT 20",
              ("$N",), "SELECT TOP 20 * FROM c WHERE c.rank > @p0 ORDER BY c.rank", values=("$N",), span="ranks"),
    Operation("COUNT with a filter", 8, 1.3, "SELECT count(*) FROM items WHERE doc @> $1::jsonb",
              ('{"city":"city-$N"}',), "SELECT VALUE COUNT(1) FROM c WHERE c.city = @p0",
              values=('"city-$N"',), span="cities"),
    Operation("GROUP BY over all", 4, 3, "SELECT doc->>'type', count(*) FROM items GROUP BY 1",
              query="SELECT c.type, COUNT(1) AS n FROM c GROUP BY c.type"),
    Operation("aggregate over all", 4, 3, "SELECT avg((doc->>'price')::numeric) FROM items",
              query="SELECT VALUE AVG(c.price) FROM c"),
    # Last, as they change the items.
    Operation("replace", 32, 1.8, "UPDATE items SET doc = $2 WHERE id = $1", ("$ID", "$BODY"),
              request={"method": "PUT", "body": "$BODY"}),
    Operation("create", 64, 1.3, "INSERT INTO items VALUES ($1, $2)", creates=True),
    Operation("create", 32, 1.3, "INSERT INTO items VALUES ($1, $2)", creates=True),
]


def variations(operation: Operation, size: int) -> tuple[int, int]:
    """How many requests differ, and the step between their numbers."""
    whole = {"items": size, "groups": size // 10, "ranks": 2**40, "cities": 1024}[operation.span]
    count = min(whole, 100 * VARIATIONS if operation.span == "items" else VARIATIONS)
    return count, whole // count


def run(command: list, **more) -> str:
    done = subprocess.run([str(part) for part in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def written_bytes(pid: int) -> int:
    text = pathlib.Path(f"/proc/{pid}/io").read_text()
    return int(re.search(r"^write_bytes: (\d+)", text, re.MULTILINE)[1])


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def used_bytes(directory: pathlib.Path) -> int:
    return int(run(["du", "-s", "--block-size=1", directory]).split()[0])


class Postgres:
    """PostgreSQL in its own directory, reached over TCP, as Orrery is. Does not run as root."""

    def __init__(self, scratch: pathlib.Path):
        self.programs = max(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), default=None,
                            key=lambda path: int(path.parent.name))
        if self.programs is None:
            sys.exit("PostgreSQL is not installed")
        self.data = scratch / "postgres"
        self.user = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        self.data.mkdir()
        if self.user:
            shutil.chown(self.data, "postgres")
        run([*self.user, self.programs / "initdb", "-D", self.data, "-U", "bench", "--encoding=UTF8", "--locale=C"],
            cwd="/")
        lines = "".join(f"{name} = {value}\n" for name, value in SETTINGS.items())
        with open(self.data / "postgresql.conf", "a", encoding="utf-8") as settings:
            port = free_port()
            settings.write(lines + f"port = {port}\nunix_socket_directories = '{self.data}'\n")
        run([*self.user, self.programs / "pg_ctl", "-D", self.data, "-w", "-l", self.data / "log", "start"], cwd="/")
        self.server = f"host=127.0.0.1 port={port} user=bench dbname=postgres sslmode=disable"
        self.command(TABLE)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        run([*self.user, self.programs / "pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop"], cwd="/")

    def command(self, sql: str) -> str:
        return run(["psql", self.server, "-v", "ON_ERROR_STOP=1", "-qAtc", sql])

    def fill(self, size: int) -> None:
        loader = subprocess.Popen([BUILD / "bench/pg-load", "--copy", str(size)], stdout=subprocess.PIPE)
        run(["psql", self.server, "-v", "ON_ERROR_STOP=1", "-qc", "\\copy items from stdin"], stdin=loader.stdout)
        loader.wait()

    def settle(self) -> None:
        # Otherwise the pending list of the GIN index is merged in the middle of a measurement.
        self.command("VACUUM ANALYZE items")
        self.command("CHECKPOINT")

    def measure(self, operation: Operation, size: int, first: int, seconds: float) -> dict:
        count, step = variations(operation, size)
        command = [BUILD / "bench/pg-load", "--server", self.server, "--sql", operation.sql, "--seconds", seconds,
                   "--connections", operation.connections, "--variations", count, "--step", step]
        for parameter in operation.parameters:
            command += ["--parameter", parameter]
        if operation.creates:
            command += ["--creates", "--first", first]
        return json.loads(run(command))


class Orrery:
    def __init__(self, scratch: pathlib.Path):
        self.data = scratch / "orrery"
        self.server = Server(BUILD / "orrery", self.data, *CACHE).wait_until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.kill()

    def load(self, *arguments) -> dict:
        return json.loads(run([BUILD / "bench/orrery-load", "--port", self.server.port, *arguments]))

    def fill(self, size: int) -> None:
        self.load("--mode", "fill", "--setup", "--items", size, "--connections", 64, "--seconds", 800, "--warm-up", 0)

    def settle(self) -> None:
        wait_until_idle(self.server.process.pid)

    def measure(self, operation: Operation, size: int, first: int, seconds: float) -> dict:
        common = ["--connections", operation.connections, "--seconds", seconds]
        if operation.creates:
            return self.load("--mode", "fill", "--first", first, "--items", 10**9, *common)
        count, step = variations(operation, size)
        request = {"type": "docs", "variations": count, "step": step}
        if operation.request:
            request |= operation.request | {"path": f"/{LINK}", "link": LINK, "partitionKey": "$ID", "headers": {}}
        else:
            values = ",".join(f'{{"name":"@p{i}","value":{value}}}' for i, value in enumerate(operation.values))
            link = LINK.removesuffix("/docs/$ID")
            request |= {"method": "POST", "path": f"/{link}/docs", "link": link, "partitionKey": "",
                        "headers": {"x-ms-documentdb-isquery": "True", "x-ms-documentdb-partitionkeyrangeid": "0"},
                        "body": f'{{"query":{json.dumps(operation.query)},"parameters":[{values}]}}'}
        return self.load("--mode", "described", "--description", json.dumps(request), *common)


def check_answers(orrery: Orrery, postgres: Postgres) -> None:
    """Both must hold the same items, or the comparison is worth nothing."""
    query = "SELECT c.type, COUNT(1) AS n, SUM(c.rank) AS ranks FROM c GROUP BY c.type"
    with Client(orrery.server.port, timeout=600) as client:
        answer = client.request("POST", "/dbs/bench/colls/items/docs", {"query": query, "parameters": []},
                                {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True",
                                 "x-ms-documentdb-partitionkeyrangeid": "0"})
    ours = sorted((row["type"], row["n"], float(row["ranks"])) for row in json.loads(answer.body)["Documents"])
    lines = postgres.command("SELECT doc->>'type', count(*), sum((doc->>'rank')::numeric) FROM items GROUP BY 1 ORDER BY 1")
    theirs = [(kind, int(count), float(ranks)) for kind, count, ranks in (line.split("|") for line in lines.split())]
    if ours != theirs:
        sys.exit(f"the systems hold different items:\n{ours}\n{theirs}")


def measure(systems: tuple, operations: list[Operation], size: int, options: argparse.Namespace) -> list[tuple]:
    rows = []
    first = 10**8  # number of the first item that creates add
    for operation in operations:
        rates: tuple[list, list] = ([], [])
        if not operation.creates:
            for system in systems:
                system.measure(operation, size, first, WARM_UP_SECONDS)
        for _ in range(options.rounds):
            for system, rate in zip(systems, rates):
                found = system.measure(operation, size, first, options.seconds)
                rate.append(found["per_second"])
                print(f"  {size:>9,} {operation.name:27} {type(system).__name__:9} {found}", file=sys.stderr, flush=True)
            first += 10**6
        ours, theirs = map(statistics.median, rates)
        rows.append((f"{operation.name}, {operation.connections}", ours, theirs, operation.target))
    return rows


def print_rows(size: int, rows: list[tuple]) -> int:
    missed = 0
    print(f"\n{size:,} items{'':24} Orrery/s  PostgreSQL/s   ratio  target")
    for name, ours, theirs, target in rows:
        reached = ours / theirs >= target
        missed += not reached
        print(f"  {name:32} {ours:9.0f} {theirs:13.0f} {ours / theirs:7.2f}  {target:6.2f}{'' if reached else '  MISSED'}")
    return missed


def fill(systems: tuple, size: int) -> None:
    for system in systems:
        start = time.monotonic()
        system.fill(size)
        seconds = time.monotonic() - start
        system.settle()
        share = used_bytes(system.data) / (size * 1024)
        print(f"  {type(system).__name__}: {size:,} items, {seconds:.0f} s, on disk {share:.2f} times the JSON",
              flush=True)
        if isinstance(system, Orrery):
            print(f"  {written_bytes(system.server.process.pid) / 2**20:.0f} MB written since the start")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--only", default="", metavar="REGEX", help="only these operations")
    parser.add_argument("--scratch", help="directory for the data, on the disk to measure")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    options = parser.parse_args()
    operations = [operation for operation in OPERATIONS if re.search(options.only, operation.name)]
    missed = 0
    for size in map(int, options.sizes.split(",")):
        with tempfile.TemporaryDirectory(prefix="orrery-peers-", dir=options.scratch) as scratch:
            os.chmod(scratch, 0o755)  # PostgreSQL may run as another user
            with Orrery(pathlib.Path(scratch)) as orrery, Postgres(pathlib.Path(scratch)) as postgres:
                fill((orrery, postgres), size)
                check_answers(orrery, postgres)
                missed += print_rows(size, measure((orrery, postgres), operations, size, options))
    print(f"\n{os.cpu_count()} cores, load average at the end {os.getloadavg()[0]:.2f}")
    return 1 if options.check and missed else 0


if __name__ == "__main__":
    sys.exit(main())
