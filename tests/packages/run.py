#!/usr/bin/env python3
"""Builds all packages and uses each as its users would: installed into a clean place, started, asked, removed.

    tests/packages/run.py [--server build/release/orrery] [--only REGEX]
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import archive  # noqa: E402
import debian  # noqa: E402
import node  # noqa: E402
import python  # noqa: E402
from lib.report import Report, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, ROOT  # noqa: E402

MODULES = (debian, archive, python, node)
OUT = ROOT / "build/packages"


def build(binary: Path) -> str:
    done = subprocess.run([ROOT / "packaging/build.py", "--program", binary, "--out", OUT],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return ", ".join(line.rpartition("/")[2].replace("  ", " ") for line in done.stdout.splitlines())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--only", default="", metavar="REGEX", help="only these checks")
    options = parser.parse_args()
    # What is in the packages must not depend on settings for other servers.
    for name in [name for name in os.environ if name.startswith("ORRERY_")]:
        del os.environ[name]
    report = Report()
    with scratch_directory("packages") as scratch:
        if report.run("build", lambda: build(options.server.resolve())):
            for module in MODULES:
                name = module.__name__
                place = scratch / name
                place.mkdir()
                for check_name, check in module.checks(OUT, place).items():
                    if re.search(options.only, f"{name}: {check_name}"):
                        report.run(f"{name}: {check_name}", check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
