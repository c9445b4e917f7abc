#!/usr/bin/env python3
"""Shows the slowest requests, second by second: point reads alone, then beside creates that compact.

    cmake --preset release && cmake --build --preset release
    bench/tails.py [--items 300000] [--seconds 60] [--check]

32 connections read, 64 create. With --check a missed target gives exit code 1.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests"))
from lib.server import Server  # noqa: E402
from queries import wait_until_idle  # noqa: E402

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build/release"
TAIL_MAX = 10           # p99.9 of reads, in times of their p50
STALL_MS_MAX = 100      # the longest create


def start(server: Server, *arguments) -> subprocess.Popen:
    command = [BUILD / "bench/orrery-load", "--port", server.port, "--series", *arguments]
    return subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)


def result_of(load: subprocess.Popen) -> dict:
    output = load.communicate()[0]
    if load.returncode != 0:
        sys.exit(f"{load.args}\n{output}")
    return json.loads(output)


def print_series(name: str, result: dict) -> None:
    print(f"\n{name}\n  second  per s   p50 ms  p99.9 ms   max ms")
    for second, row in enumerate(result["series"]):
        print(f"  {second:6} {row['answers']:6} {row['p50_us'] / 1000:8.2f} {row['p999_us'] / 1000:9.2f}"
              f" {row['max_us'] / 1000:8.2f}")


def check_reads(name: str, result: dict) -> bool:
    tail = result["p999_us"] / result["p50_us"]
    print(f"{name}: {result['per_second']}/s, p50 {result['p50_us'] / 1000:.2f} ms, "
          f"p99.9 {result['p999_us'] / 1000:.2f} ms, {tail:.1f} times as long (at most {TAIL_MAX})")
    return tail <= TAIL_MAX


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=300_000)
    parser.add_argument("--seconds", type=int, default=60, help="of reads beside creates")
    parser.add_argument("--scratch", help="directory for the data, on the disk to measure")
    parser.add_argument("--check", action="store_true", help="fail when a target is missed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="orrery-tails-", dir=options.scratch) as scratch:
        server = Server(BUILD / "orrery", pathlib.Path(scratch) / "data").wait_until_ready()
        try:
            result_of(start(server, "--mode", "fill", "--setup", "--items", options.items, "--connections", 64,
                            "--seconds", 800, "--warm-up", 0))
            wait_until_idle(server.process.pid)
            read = ("--mode", "read", "--connections", 32, "--items", 10_000)
            alone = result_of(start(server, *read, "--seconds", options.seconds // 4))
            creates = start(server, "--mode", "fill", "--first", 10**8, "--items", 10**9, "--connections", 64,
                            "--seconds", options.seconds)
            beside = result_of(start(server, *read, "--seconds", options.seconds))
            created = result_of(creates)
        finally:
            server.kill()
    print_series("reads alone", alone)
    print_series("reads beside creates", beside)
    print_series("creates", created)
    print()
    reached = [check_reads("reads alone", alone), check_reads("reads beside creates", beside)]
    stall = created["max_us"] / 1000
    print(f"creates: {created['per_second']}/s, longest {stall:.0f} ms (at most {STALL_MS_MAX})")
    return 0 if all(reached) and stall <= STALL_MS_MAX or not options.check else 1


if __name__ == "__main__":
    sys.exit(main())
