#!/usr/bin/env python3
"""Runs every fuzzer of build/asan, two at a time, on its committed seeds and on what it has found so far.

The seeds are in tests/corpus. Interesting inputs are kept from run to run in the corpus directory, outside
of build/, and are replayed first. An input that crashes goes to build/asan/found and to the corpus, so that
every later run fails until it is fixed.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/asan"
FOUND = BUILD / "found"
CORPUS = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "orrery-fuzz"
# Above this a corpus is minimized: replaying it must not take the time to search.
INPUTS_MAX = 5000
TAIL_LINES = 40


def fuzzer(name: str, *arguments: object) -> subprocess.CompletedProcess:
    command = [BUILD / name, "-timeout=10", "-rss_limit_mb=2048", "-max_len=65536",
               f"-artifact_prefix={FOUND}/{name}-", *arguments]
    return subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", check=False)


def minimize(name: str, corpus: pathlib.Path) -> None:
    """Keeps a smallest set of inputs that covers what the corpus covers."""
    smaller = corpus.with_name(f"{name}.smaller")
    shutil.rmtree(smaller, ignore_errors=True)
    smaller.mkdir()
    if fuzzer(name, "-merge=1", smaller, corpus).returncode == 0:
        shutil.rmtree(corpus)
        smaller.rename(corpus)


def run(name: str, seconds: int, directory: pathlib.Path) -> bool:
    corpus = directory / name
    corpus.mkdir(parents=True, exist_ok=True)
    if len(os.listdir(corpus)) > INPUTS_MAX:
        minimize(name, corpus)
    before = len(os.listdir(corpus))
    seeds = ROOT / "tests/corpus" / name
    done = fuzzer(name, f"-max_total_time={seconds}", corpus, *([seeds] if seeds.exists() else []))
    lines = done.stdout.splitlines()
    if done.returncode == 0:
        print(f"pass {name}: {lines[-1] if lines else ''}, corpus {before} -> {len(os.listdir(corpus))}",
              flush=True)
        return True
    # Not timeouts, which a busy machine causes as well.
    for path in FOUND.glob(f"{name}-crash-*"):
        shutil.copy(path, corpus)
    print("\n".join([*lines[-TAIL_LINES:], f"fail {name}: exit code {done.returncode}"]), flush=True)
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=600, help="for each fuzzer (default: 600)")
    parser.add_argument("--corpus", type=pathlib.Path, default=CORPUS,
                        help=f"where inputs are kept from run to run (default: {CORPUS})")
    arguments = parser.parse_args()
    names = sorted(path.stem for path in (ROOT / "src").rglob("*_fuzz.cc"))
    FOUND.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: run(name, arguments.seconds, arguments.corpus), names))
    print(f"{outcomes.count(True)} passed, {outcomes.count(False)} failed")
    return 0 if names and all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
