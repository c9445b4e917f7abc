#!/usr/bin/env python3
"""`orrery import` against a running server: the checks of all modules here that have a list of them.

    tests/tools/run.py [--server build/release/orrery] [--only REGEX]
"""

import argparse
import importlib
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.report import Report, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
from world import World  # noqa: E402

NO_CHECKS = ("run", "world")
PARTITIONS = 3


def all_checks() -> dict:
    """Of every module: its CHECKS, a name → a function of a World, which returns a remark."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    modules = [importlib.import_module(name) for name in names if name not in NO_CHECKS]
    return {f"{module.__name__}: {name}": check
            for module in modules for name, check in getattr(module, "CHECKS", {}).items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--only", default="", metavar="REGEX", help="only these checks")
    options = parser.parse_args()
    binary = options.server.resolve()  # the tools run in other directories
    report = Report()
    with scratch_directory("tools") as scratch:
        with Server(binary, scratch / "data", "--ephemeral", "--partitions",
                    str(PARTITIONS)).wait_until_ready() as server:
            for name, check in all_checks().items():
                if re.search(options.only, name):
                    world = World(binary, server, scratch)
                    report.run(name, lambda: check(world))
            server.stop()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
