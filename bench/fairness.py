#!/usr/bin/env python3
"""Measures short requests while heavy queries run, and prints one table.

    cmake --preset release && cmake --build --preset release
    bench/fairness.py [--heavy 8] [--seconds 20] [--check]

The heavy queries are JOINs of arrays with themselves that run until their page's time is up. Short
requests are sent one after the other by a client of their own, so their times contain no queueing
behind each other. With --check a missed target gives exit code 1.
"""
import argparse
import multiprocessing
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.client import Client, make_container  # noqa: E402
from lib.server import Server  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
ITEMS = 2000
HEAVY = ["SELECT VALUE a FROM c JOIN a IN c.tags JOIN b IN c.tags JOIN d IN c.tags WHERE a + b + d < 0",
         "SELECT VALUE COUNT(1) FROM c JOIN a IN c.tags JOIN b IN c.tags JOIN d IN c.tags WHERE a + b = d",
         "SELECT c.id FROM c JOIN a IN c.tags JOIN b IN c.tags JOIN d IN c.tags WHERE a * b < d - 99 ORDER BY c.grp"]
# Name, limit of the 99th percentile in ms.
TARGETS = {"point read": 10, "query by id": 10, "query by property": 10, "GET /dbs": 50, "batch of one": 50}
PAGE_SECONDS_MAX = 5.5
LINK = "/dbs/d/colls/c"


def query(client: Client, text: str, range_id: str = "0"):
    return client.request("POST", f"{LINK}/docs", {"query": text},
                          {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True",
                           "x-ms-documentdb-partitionkeyrangeid": range_id})


def run_heavy(port: int, text: str, end: float, pages: multiprocessing.Queue) -> None:
    with Client(port, timeout=120) as client:
        while time.monotonic() < end:
            started = time.monotonic()
            answer = query(client, text)
            pages.put((answer.status, time.monotonic() - started))


def short_requests(client: Client):
    batch = [{"operationType": "Read", "id": "7"}]
    key = {"x-ms-documentdb-partitionkey": '["7"]'}
    return {
        "point read": lambda: client.item("GET", LINK[1:], "7", "7"),
        "query by id": lambda: query(client, "SELECT * FROM c WHERE c.id = '7'"),
        "query by property": lambda: query(client, "SELECT * FROM c WHERE c.n = 7"),
        "GET /dbs": lambda: client.request("GET", "/dbs"),
        "batch of one": lambda: client.request(
            "POST", f"{LINK}/docs", batch, key | {"x-ms-cosmos-is-batch-request": "True"}),
    }


def load(client: Client) -> None:
    make_container(client, "d", {"id": "c", "partitionKey": {"paths": ["/pk"]}})
    for i in range(ITEMS):
        item = {"id": str(i), "pk": str(i), "n": i, "tags": [(i * k) % 97 for k in range(100)],
                "grp": i % 13}
        answer = client.item("POST", LINK[1:], str(i), body=item)
        if answer.status != 201:
            sys.exit(f"create: {answer.status} {answer.body!r}")


def measure(port: int, end: float) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in TARGETS}
    with Client(port, timeout=120) as client:
        requests = short_requests(client)
        while time.monotonic() < end:
            for name, send in requests.items():
                started = time.perf_counter()
                answer = send()
                times[name].append((time.perf_counter() - started) * 1000)
                if answer.status not in (200, 207):
                    sys.exit(f"{name}: {answer.status} {answer.body!r}")
            time.sleep(0.005)
    return times


def percentile(values: list[float], part: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * part))]


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--heavy", type=int, default=8, help="heavy queries at a time (default: 8)")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--server", type=pathlib.Path, default=ROOT / "build/release/orrery")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pages: multiprocessing.Queue = multiprocessing.Queue()
    with tempfile.TemporaryDirectory() as scratch, \
            Server(options.server, pathlib.Path(scratch) / "data").wait_until_ready() as server:
        with Client(server.port) as client:
            load(client)
        end = time.monotonic() + options.seconds
        heavy = [multiprocessing.Process(target=run_heavy,
                                         args=(server.port, HEAVY[i % len(HEAVY)], end, pages))
                 for i in range(options.heavy)]
        for process in heavy:
            process.start()
        time.sleep(0.5)
        times = measure(server.port, end)
        took = []
        while any(process.is_alive() for process in heavy) or not pages.empty():
            while not pages.empty():
                took.append(pages.get())
            time.sleep(0.05)
    missed = []
    print(f"{'ms, beside ' + str(options.heavy) + ' heavy queries':32}{'median':>10}{'p99':>10}{'longest':>10}")
    for name, limit in TARGETS.items():
        p99 = percentile(times[name], 0.99)
        print(f"{name:32}{percentile(times[name], 0.5):10.2f}{p99:10.2f}{max(times[name]):10.2f}")
        if p99 > limit:
            missed.append(f"{name}: {p99:.1f} ms, limit {limit}")
    longest = max((seconds for _, seconds in took), default=0)
    refused = sum(status != 200 for status, _ in took)
    print(f"{len(took)} heavy pages, {refused} refused, the longest took {longest:.2f} s")
    if longest > PAGE_SECONDS_MAX:
        missed.append(f"a page took {longest:.1f} s, limit {PAGE_SECONDS_MAX}")
    for line in missed:
        print("missed:", line)
    return 1 if missed and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
