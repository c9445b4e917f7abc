#!/usr/bin/env python3
"""Builds all packages from the program that the release preset has built, into build/packages.

    packaging/build.py [--program build/release/orrery] [--out build/packages] [deb archive wheel npm]
"""

import argparse
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import archive
import deb
import npm
import wheel
from program import ROOT, SOURCES, Failure, Program, prepare

KINDS = {"deb": deb.build, "archive": archive.build, "wheel": wheel.build, "npm": npm.build}


def build_all(built: Path, out: Path, kinds: list[str]) -> list[Path]:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="orrery-packages-") as scratch:
        program = prepare(built, Path(scratch))
        # Most of the time goes into compression, during which Python's threads run at the same time.
        with ThreadPoolExecutor() as pool:
            packages = list(pool.map(lambda kind: build(kind, program, Path(scratch), out), kinds))
    shutil.copy(SOURCES / "docker/Dockerfile", out)
    return packages


def build(kind: str, program: Program, work: Path, out: Path) -> Path:
    own = work / kind
    own.mkdir()
    return KINDS[kind](program, own, out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--program", type=Path, default=ROOT / "build/release/orrery")
    parser.add_argument("--out", type=Path, default=ROOT / "build/packages")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=", ".join(KINDS))
    options = parser.parse_args()
    kinds = options.kinds or list(KINDS)
    unknown = set(kinds) - set(KINDS)
    if unknown:
        parser.error(f"no such kind of package: {', '.join(sorted(unknown))}")
    try:
        packages = build_all(options.program.resolve(), options.out.resolve(), kinds)
    except (Failure, OSError) as failure:
        print(f"build.py: {failure}", file=sys.stderr)
        return 1
    for package in packages:
        print(f"{package}  {package.stat().st_size / 2**20:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
