#!/usr/bin/env python3
"""Measures server-side query times at growing numbers of items, and prints one table.

    cmake --preset release && cmake --build --preset release
    bench/queries.py [--sizes 10000,100000,1000000] [--check]

Selective queries must not take longer when there are more items; the scan is compared with a scan
of the same bytes by RocksDB alone (raw_scan). After loading the items of a size, the server gets
time for compactions. With --check a missed target gives exit code 1.
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
from lib.client import Client  # noqa: E402
from lib.server import Server  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
GROWTH_MAX = 1.5
SELECTIVE_MS_MAX = 1.0
SCAN_RATIO_MIN = 0.25
ROUNDS = 200

# name, query, whether its cost must be independent of the data size
QUERIES = [
    ("point lookup by property", "SELECT * FROM c WHERE c.n = @middle", True),
    ("two equalities", "SELECT * FROM c WHERE c.city = 'city-17' AND c.n = @middle", True),
    ("range + ORDER BY TOP 20",
     "SELECT TOP 20 * FROM c WHERE c.rank > @start ORDER BY c.rank", True),
    ("ORDER BY DESC TOP 20", "SELECT TOP 20 c.id, c.n FROM c ORDER BY c.n DESC", True),
    ("prefix TOP 20", "SELECT TOP 20 c.id FROM c WHERE STARTSWITH(c.address.street, 's12')", True),
    ("MAX", "SELECT VALUE MAX(c.n) FROM c", True),
    ("COUNT", "SELECT VALUE COUNT(1) FROM c", True),
    ("COUNT with filter", "SELECT VALUE COUNT(1) FROM c WHERE c.city = 'city-17'", False),
    ("GROUP BY", "SELECT c.type, COUNT(1) AS n FROM c GROUP BY c.type", False),
    ("JOIN", "SELECT TOP 100 c.id FROM c JOIN t IN c.tags WHERE t = 't7'", True),
    ("scan with filter", "SELECT VALUE COUNT(1) FROM c WHERE c.payload = 'x' OR c.price % 7 = 8",
     False),
]


def server_ms(client: Client, query: str, parameters: list) -> float:
    answer = client.request("POST", "/dbs/bench/colls/items/docs",
                            {"query": query, "parameters": parameters},
                            {"Content-Type": "application/query+json",
                             "x-ms-documentdb-isquery": "True",
                             "x-ms-documentdb-partitionkeyrangeid": "0",
                             "x-ms-documentdb-populatequerymetrics": "True"})
    if answer.status != 200:
        sys.exit(f"{query}: {answer.status} {answer.body!r}")
    metrics = answer.headers["x-ms-documentdb-query-metrics"]
    return float(re.search(r"totalExecutionTimeInMs=([0-9.]+)", metrics)[1])


def fill(port: int, first: int, until: int) -> None:
    subprocess.run([ROOT / "build/release/bench/orrery-load", "--mode", "fill", "--port", str(port),
                    "--setup", "--first", str(first), "--items", str(until - first),
                    "--connections", "64", "--seconds", "840", "--warm-up", "0"],
                   check=True, stdout=subprocess.DEVNULL)


def wait_until_idle(pid: int) -> None:
    """Waits for a second with less than 5 % of a core used, for at most two minutes."""
    def used() -> int:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])  # in hundredths of a second

    for _ in range(120):
        before = used()
        time.sleep(1)
        if used() - before < 5:
            return


def measure(client: Client, size: int) -> dict[str, float]:
    middle = size // 2
    mixed = (middle * 0x9E3779B97F4A7C15) % 2**64 >> 24
    parameters = [{"name": "@middle", "value": middle}, {"name": "@start", "value": mixed}]
    out = {}
    for name, query, _ in QUERIES:
        first = server_ms(client, query, parameters)
        rounds = ROUNDS if first < 50 else 3
        out[name] = statistics.median(server_ms(client, query, parameters) for _ in range(rounds))
    return out


def raw_scan_ms(directory: pathlib.Path, size: int) -> float:
    done = subprocess.run([ROOT / "build/release/bench/raw_scan", "--items", str(size), "--directory",
                           str(directory)], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["scan_ms"]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", default="10000,100000,1000000")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    table: dict[int, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        data = pathlib.Path(scratch) / "data"
        with Server(ROOT / "build/release/orrery", data).wait_until_ready() as server, \
                Client(server.port, timeout=600) as client:
            filled = 0
            for size in sizes:
                fill(server.port, filled, size)
                filled = size
                wait_until_idle(server.process.pid)
                table[size] = measure(client, size)
        limit = raw_scan_ms(pathlib.Path(scratch) / "raw", sizes[-1])

    missed = []
    print(f"{'server time in ms':28}" + "".join(f"{size:>12,}" for size in sizes))
    for name, _, selective in QUERIES:
        times = [table[size][name] for size in sizes]
        print(f"{name:28}" + "".join(f"{one:12.3f}" for one in times))
        grown = times[-1] / max(times[0], 0.05)
        if selective and (grown > GROWTH_MAX or times[-1] > SELECTIVE_MS_MAX):
            missed.append(f"{name}: {times[-1]:.2f} ms, {grown:.1f} times as long")
    ratio = limit / table[sizes[-1]]["scan with filter"]
    print(f"{'raw RocksDB scan':28}{'':{12 * (len(sizes) - 1)}}{limit:12.3f}   ratio {ratio:.2f}")
    if ratio < SCAN_RATIO_MIN:
        missed.append(f"scan: {ratio:.2f} of RocksDB's")
    for line in missed:
        print("missed:", line)
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
