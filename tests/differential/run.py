#!/usr/bin/env python3
"""Random queries over random documents: compares the server's rows with a naive evaluator's.

    tests/differential/run.py                     5,000 pairs: a fixed seed and a random one
    tests/differential/run.py --pairs 200000      a long run
    tests/differential/run.py --seed 17 --only 4  repeat query 4 of round 17

A pair is one query on one container with one page size. A round is a set of documents under
several indexing policies, and its queries; the seed determines all of it.
"""

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.report import scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY  # noqa: E402
from rounds import FINDINGS_MAX, Rounds  # noqa: E402

FIXED_SEED = 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--pairs", type=int, default=5000)
    parser.add_argument("--seed", type=int, help="seed of the first round")
    parser.add_argument("--only", type=int, metavar="K", help="only query K of the round")
    parser.add_argument("--without", default="", metavar="A,B", help="functions not to call")
    parser.add_argument("--known", default="", metavar="A,B",
                        help="limitations of known.py to ignore")
    parser.add_argument("--no-shrink", dest="shrink", action="store_false")
    parser.add_argument("--verbose", action="store_true", help="print every query")
    options = parser.parse_args()
    options.known = frozenset(options.known.split(","))
    options.without = frozenset(options.without.split(","))
    started = time.monotonic()
    with scratch_directory("differential") as scratch:
        rounds = Rounds(options, scratch / "data")
        try:
            run(rounds, options)
        finally:
            rounds.server.kill()
    seconds = time.monotonic() - started
    tail = f", {rounds.excused} known" if rounds.excused else ""
    print(f"{rounds.pairs} pairs of {rounds.queries} queries ({rounds.unsure} not judged) in "
          f"{seconds:.0f} s, {rounds.pairs / seconds:.0f} a second: {rounds.failed} failed{tail}")
    return 1 if rounds.failed else 0


def run(rounds: Rounds, options) -> None:
    if options.only is not None:
        return rounds.run(options.seed)
    starts = [options.seed] if options.seed is not None else [
        FIXED_SEED, random.SystemRandom().randrange(10**6, 10**9)]
    for part, seed in enumerate(starts, 1):
        print(f"seeds from {seed}", flush=True)
        while rounds.pairs < options.pairs * part // len(starts):
            rounds.run(seed)
            seed += 1
            if rounds.failed >= FINDINGS_MAX:
                return


if __name__ == "__main__":
    sys.exit(main())
