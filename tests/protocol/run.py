#!/usr/bin/env python3
"""Checks the model of the ownership protocol (docs/adr/0041-ownership.pml) with spin, in every interleaving, and that
it notices each mistake that the model can be told to make."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
MODEL = ROOT / "docs/adr/0041-ownership.pml"
MISTAKES = re.findall(r"^ \*   ([A-Z_]+)  ", MODEL.read_text(), re.MULTILINE)
SMALL = ["WISHES_MAX=1", "EPOCH_MAX=2"]
# All at once has too many states; each of these leaves something out.
SCOPES = {
    "without splits": ["NO_SPLIT"],
    "without a node that comes back": ["NO_REJOIN"],
    "with fewer changes of owner": SMALL,
}
DEPTH_MAX = 2_000_000
MEMORY_MB_MAX = 4000


def verify(directory: pathlib.Path, defines: list[str]) -> str:
    """Builds the verifier and runs it; what it printed."""
    flags = [f"-D{define}" for define in defines]
    subprocess.run(["spin", "-a", *flags, str(MODEL)], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cc", "-O2", "-w", "-DSAFETY", "-DNOREDUCE", f"-DMEMLIM={MEMORY_MB_MAX}", "-o", "pan", "pan.c"],
                   cwd=directory, check=True)
    return subprocess.run(["./pan", f"-m{DEPTH_MAX}"], cwd=directory, check=True, capture_output=True, text=True).stdout


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(float(found[1])) if found else -1


def check(name: str, defines: list[str], mistake: bool) -> bool:
    with tempfile.TemporaryDirectory() as directory:
        said = verify(pathlib.Path(directory), defines)
    errors = number(r"errors: (\d+)", said)
    # A search that was cut short says nothing.
    whole = not re.search("max search depth too small|out of memory|not completed", said)
    good = errors > 0 if mistake else errors == 0 and whole
    result = "a violation" if errors > 0 else "no violation" if errors == 0 and whole else "no result"
    print(f"{'ok  ' if good else 'FAIL'} {name:32} {result} in {number(r'([0-9.e+]+) states, stored', said):,} states",
          flush=True)
    if not good:
        print(said)
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", metavar="MISTAKE", choices=MISTAKES, help="check that this one is noticed")
    only = parser.parse_args().only
    if shutil.which("spin") is None:
        print("spin is not installed: tools/setup.sh")
        return 1
    outcomes = [] if only else [check(name, defines, mistake=False) for name, defines in SCOPES.items()]
    outcomes += [check(mistake, [mistake, *SMALL], mistake=True) for mistake in ([only] if only else MISTAKES)]
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
