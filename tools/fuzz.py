#!/usr/bin/env python3
"""Runs every fuzzer of build/fuzz, two at a time: first its seeds in tests/corpus, then on its own.

What it finds on the way stays in build/fuzz/corpus; an input that breaks it in build/fuzz/found.
"""
import argparse
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/fuzz"
TAIL_LINES = 40


def run(name: str, seconds: int) -> bool:
    corpus, found = BUILD / "corpus" / name, BUILD / "found"
    corpus.mkdir(parents=True, exist_ok=True)
    found.mkdir(exist_ok=True)
    seeds = ROOT / "tests/corpus" / name
    command = [BUILD / name, f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
               "-max_len=65536", f"-artifact_prefix={found}/{name}-", corpus,
               *([seeds] if seeds.exists() else [])]
    done = subprocess.run([str(part) for part in command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    lines = done.stdout.splitlines()
    if done.returncode == 0:
        print(f"pass {name}: {lines[-1] if lines else ''}", flush=True)
        return True
    print("\n".join([*lines[-TAIL_LINES:], f"fail {name}: exit code {done.returncode}"]), flush=True)
    return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=int, default=600, help="for each fuzzer (default: 600)")
    seconds = parser.parse_args().seconds
    names = sorted(path.stem for path in (ROOT / "src").rglob("*_fuzz.cc"))
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: run(name, seconds), names))
    print(f"{outcomes.count(True)} passed, {outcomes.count(False)} failed")
    return 0 if names and all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
