"""Prints how long it takes from the call of orrery.server() to the first answer, and until it is closed."""

import statistics
import time

import orrery
from lib.client import Client

ROUNDS = 15


def main() -> None:
    starts, ends = [], []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        with orrery.server() as server:
            with Client(server.port, server.key) as client:
                assert client.request("GET", "/dbs").status == 200
                starts.append(time.perf_counter() - begun)
            begun = time.perf_counter()
        ends.append(time.perf_counter() - begun)
    starts, ends = ([1000 * seconds for seconds in times] for times in (starts, ends))
    print(f"first answer after {statistics.median(starts):.0f} ms ({min(starts):.0f} to {max(starts):.0f}), "
          f"closed in {statistics.median(ends):.0f} ms")


if __name__ == "__main__":
    main()
