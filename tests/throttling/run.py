#!/usr/bin/env python3
"""Request units as limits: clients get what was provisioned and what is beyond is refused, whatever the
kind of request; debts, bursts, priorities, and who shares with whom.

    tests/throttling/run.py [--server build/release/orrery] [--only REGEX]

Each partition is limited separately, so most checks run at the same time in containers of their own.
"""

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
import debts  # noqa: E402
import kinds  # noqa: E402
import neighbours  # noqa: E402
import rates  # noqa: E402
from load import Load  # noqa: E402
from world import Creates, container, manual  # noqa: E402

Checks = dict[str, Callable[[int], str]]


def run_together(report: Report, checks: Checks, port: int, only: str) -> None:
    chosen = {name: check for name, check in checks.items() if re.search(only, name)}
    with ThreadPoolExecutor(max(1, len(chosen))) as pool:
        begun = {name: pool.submit(check, port) for name, check in chosen.items()}
        for name, check in begun.items():
            report.run(name, check.result)


def check_status(server: Server, wanted: str) -> str:
    with Client(server.port) as client:
        status = client.request("GET", "/status").json()
    expect(status.get("throttling") == wanted, f"{status}")
    return f"throttling {wanted}"


def unlimited(port: int) -> str:
    with Client(port) as client:
        link = container(client, "unlimited", manual(400))
    load = Load(port, Creates(link, ["a"]), clients=4, seconds=3).finish()
    expect(load.refusals == 0, f"{load.refusals} requests were refused")
    expect(load.rate(load.begin) > 800, f"only {load.rate(load.begin):.0f} RU/s")
    return f"{load.rate(load.begin):.0f} RU/s of 400"


def without_throttling(report: Report, binary: Path, data: Path, only: str) -> None:
    """Also writes what would take long with few request units."""
    with Server(binary, data).wait_until_ready() as server:
        report.run("--no-throttle: status", lambda: check_status(server, "off"))
        run_together(report, {"--no-throttle: nothing is refused": unlimited}, server.port, only)
        debts.fill(server.port)
        kinds.fill(server.port)
        server.stop()
    with Server(binary, data, "--partitions", str(kinds.WIDE)).wait_until_ready() as server:
        kinds.fill_wide(server.port)
        server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--only", default="", metavar="REGEX", help="only these checks")
    options = parser.parse_args()
    report = Report()
    with scratch_directory("throttling") as scratch:
        without_throttling(report, options.server, scratch / "data", options.only)
        with Server(options.server, scratch / "data", throttle=True).wait_until_ready() as server:
            report.run("status", lambda: check_status(server, "on"))
            run_together(report, rates.CHECKS | neighbours.CHECKS, server.port, options.only)
            run_together(report, debts.CHECKS | kinds.CHECKS, server.port, options.only)
            run_together(report, kinds.CHECKS_ALONE, server.port, options.only)
            server.stop()
        with Server(options.server, scratch / "burst", "--burst-capacity", throttle=True) as server:
            port = server.wait_until_ready().port
            run_together(report, {"--burst-capacity: idle time is saved": debts.burst}, port, options.only)
            server.stop()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
