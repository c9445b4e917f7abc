#!/usr/bin/env python3
"""Runs the examples of docs/modelling.md against a server and compares what they print with the page.

    run.py                 all of them
    run.py --write         puts what they print into the page, and their pictures into docs/images
    run.py embed refer     only these
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import EMULATOR_KEY  # noqa: E402
from lib.install import install_once, install_python  # noqa: E402
from lib.report import Report, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

PAGE = ROOT / "docs/modelling.md"
IMAGES = ROOT / "docs/images"
# What an example prints is between these lines of the page.
FIGURES = re.compile(r"(?<=<!-- printed by examples/modelling/)(\w+)(\.py -->\n)(.*?)(?=<!-- end -->)", re.DOTALL)
REQUIREMENTS = ROOT / "tests/sdk/python/requirements.txt"
BUILD = ROOT / "build/modelling"
SHARED = ("run", "lesson", "diagram")  # not examples
EXAMPLE_SECONDS_MAX = 120
JOBS = 2


def main() -> int:
    examples = sorted(path.stem for path in HERE.glob("*.py") if path.stem not in SHARED)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--write", action="store_true", help="rewrite the figures of the page")
    parser.add_argument("examples", nargs="*", metavar="EXAMPLE", help=", ".join(examples))
    options = parser.parse_args()
    install_once(BUILD, [REQUIREMENTS], lambda: install_python(BUILD, REQUIREMENTS))

    report = Report()
    with scratch_directory("modelling") as scratch, \
            Server(options.server, scratch / "data", "--ephemeral") as server, \
            ThreadPoolExecutor(JOBS) as pool:
        server.wait_until_ready()
        chosen = options.examples or examples
        printed = {}
        runs = [(name, pool.submit(run_example, name, server.port, scratch)) for name in chosen]
        for name, run in runs:
            report.run(name, lambda: printed.update({name: run.result()}))
        if options.write:
            write(printed, scratch)
        for name in printed:
            report.run(f"figures of {name} in the page", lambda: compare(name, printed[name]))
        for picture in sorted(scratch.glob("*.svg")):
            report.run(f"picture {picture.name}", lambda: compare_picture(picture))
        report.run("the page has a place for every example", lambda: compare_names(examples))
        server.stop()
    return report.finish()


def run_example(name: str, port: int, scratch: Path) -> str:
    done = subprocess.run([BUILD / "venv/bin/python", "-B", HERE / f"{name}.py"], cwd=scratch,
                          env=os.environ | {"ORRERY_ENDPOINT": f"http://127.0.0.1:{port}/", "ORRERY_KEY": EMULATOR_KEY},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=EXAMPLE_SECONDS_MAX)
    if done.returncode != 0:
        raise AssertionError(f"exit code {done.returncode}\n{done.stdout}{done.stderr[-3000:]}")
    return done.stdout


def figures() -> dict[str, str]:
    """What the page shows of each example."""
    return {name: text for name, _, text in FIGURES.findall(PAGE.read_text())}


def write(printed: dict[str, str], scratch: Path) -> None:
    PAGE.write_text(FIGURES.sub(lambda place: place[1] + place[2] + printed.get(place[1], place[3]), PAGE.read_text()))
    IMAGES.mkdir(exist_ok=True)
    for picture in scratch.glob("*.svg"):
        (IMAGES / picture.name).write_bytes(picture.read_bytes())


def compare(name: str, printed: str) -> None:
    shown = figures().get(name, "")
    if shown != printed:
        raise AssertionError("differ; if that is intended, run with --write\n" + "\n".join(difflib.unified_diff(
            shown.splitlines(), printed.splitlines(), "docs/modelling.md", f"{name}.py", lineterm="")))


def compare_picture(picture: Path) -> None:
    kept = IMAGES / picture.name
    if not kept.exists() or kept.read_bytes() != picture.read_bytes():
        raise AssertionError(f"{kept.relative_to(ROOT)} differs; if that is intended, run with --write")


def compare_names(examples: list[str]) -> None:
    if sorted(figures()) != examples:
        raise AssertionError(f"the page shows {sorted(figures())}, the examples are {examples}")


if __name__ == "__main__":
    sys.exit(main())
