#!/usr/bin/env python3
"""Runs clang-tidy over what has changed in src/, and compiles changed files on their own, two at a time.

    tools/clang_tidy.py                 what has changed since the commit in tools/clang_tidy.base
    tools/clang_tidy.py --since COMMIT  what has changed since that commit
    tools/clang_tidy.py --all           everything, in batches only (tools/ci.py headers does the rest)

Changed means committed, not committed, or new. The base must be a commit of the main branch; without it
(a shallow clone) everything is checked. Move it after a clean run with --all.

clang-tidy sees what the build compiles: whole batches of files, with the headers they include, which takes
little longer than one file. As batches hide missing #includes, every changed file is also compiled alone.
What passed is remembered by its content and that of the headers it includes, in
$XDG_CACHE_HOME/orrery-clang-tidy. Needs a configured build/asan.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/asan"
BASE = ROOT / "tools/clang_tidy.base"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "orrery-clang-tidy"
CLANG_TIDY = "clang-tidy-14"
# Time to move the base to a newer commit.
CHANGED_MANY = 150


@dataclass(frozen=True)
class Check:
    name: str
    files: frozenset[str]  # of src/, with everything they include
    command: tuple[str, ...]


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def is_ancestor(commit: str) -> bool:
    return subprocess.run(["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=ROOT,
                          capture_output=True, check=False).returncode == 0


def sources(since: str | None) -> frozenset[str]:
    """What has changed in src/ since the commit; or everything."""
    wanted = ["src/*.cc", "src/*.h"]
    new = git("ls-files", "--others", "--exclude-standard", "--", *wanted)
    if since is None:
        return frozenset(git("ls-files", "--", *wanted) + new)
    return frozenset(git("diff", "--name-only", "--diff-filter=d", since, "--", *wanted) + new)


@functools.cache
def included(name: str) -> frozenset[str]:
    """The file and all files of src/ that it includes, directly or not."""
    found, open_names = set(), [name]
    while open_names:
        current = open_names.pop()
        if current in found or not (ROOT / current).exists():
            continue
        found.add(current)
        text = (ROOT / current).read_text()
        open_names += [f"src/{path}" for path in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)]
    return frozenset(found)


def is_batch(entry: dict) -> bool:
    return pathlib.Path(entry["file"]).parent == BUILD / "batches"


def compiled_by(entry: dict) -> frozenset[str]:
    """The files of src/ in an entry of the compilation database: one, or those of a batch."""
    path = pathlib.Path(entry["file"])
    paths = [path]
    if is_batch(entry):
        paths = [ROOT / "src" / name for name in re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)]
    return frozenset(str(p.relative_to(ROOT)) for p in paths if p.is_relative_to(ROOT / "src"))


def is_test(entry: dict) -> bool:
    return "_test.dir/" in entry["command"]


def tidy(entry: dict, files: frozenset[str]) -> Check:
    # The files of a batch count as headers, and including them is what a batch does. With modules,
    # clang-tidy preprocesses everything twice, and fails in SpiderMonkey's headers.
    command = (CLANG_TIDY, "-p", str(BUILD), "--quiet", f"--config-file={ROOT / '.clang-tidy'}",
               "--extra-arg=-Xclang", "--extra-arg=-fno-cxx-modules",
               f"--header-filter=^{re.escape(str(ROOT))}/src/",
               "--checks=-bugprone-suspicious-include" + (",-performance-inefficient-*" if is_test(entry) else ""),
               entry["file"])
    target = re.search(r"CMakeFiles/([^/]+)\.dir/", entry["command"])
    name = next(iter(files)) if len(files) == 1 else f"{target[1]} {pathlib.Path(entry['file']).stem}"
    return Check(f"clang-tidy {name}", with_included(files), command)


def alone(entry: dict, name: str) -> Check:
    words = shlex.split(entry["command"])
    compiler = next(i for i, word in enumerate(words) if "clang++" in word)
    command = (*words[compiler:words.index("-o")], "-fsyntax-only", "-Wno-pragma-once-outside-header", "-x", "c++", name)
    return Check(f"alone {name}", included(name), command)


def with_included(files: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*(included(name) for name in files))


def checks_of(changed: frozenset[str]) -> tuple[list[Check], list[Check]]:
    """Batches that contain a change, those of the library also if they include one; and every change alone."""
    entries = [(entry, compiled_by(entry)) for entry in json.loads((BUILD / "compile_commands.json").read_text())]
    entries = [(entry, files) for entry, files in entries if files]
    tidied = [tidy(entry, files) for entry, files in entries
              if changed & (files if is_test(entry) else with_included(files))]
    batches = {(next(iter(files)).split("/")[1], is_test(entry)): entry for entry, files in entries
               if is_batch(entry)}
    own = {next(iter(files)): entry for entry, files in entries if len(files) == 1}  # with options of its own
    single = []
    for name in sorted(changed):
        entry = own.get(name) or batches.get((name.split("/")[1], name.endswith(("_test.cc", "test_support.h"))))
        if entry:
            single.append(alone(entry, name))
    return tidied, single


@functools.cache
def digest(name: str) -> bytes:
    return hashlib.sha256((ROOT / name).read_bytes()).digest()


def run(check: Check, tool: bytes) -> tuple[str, str]:
    """How it went: cached, pass or fail; and what the compiler said."""
    key = hashlib.sha256(tool + check.name.split()[0].encode())
    for part in sorted(check.files):
        key.update(part.encode() + digest(part))
    marker = CACHE / key.hexdigest()
    if marker.exists():
        marker.touch()
        return "cached", ""
    done = subprocess.run(check.command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode == 0:
        marker.touch()
        return "pass", ""
    errors = "\n".join(line for line in done.stderr.splitlines() if "warnings generated" not in line)
    return "fail", f"{done.stdout}{errors}\nfail {check.name}"


def chosen(arguments: argparse.Namespace) -> frozenset[str]:
    if arguments.all:
        return sources(None)
    since = arguments.since or BASE.read_text().split()[0]
    if not is_ancestor(since):
        print(f"{since} is not an ancestor of HEAD: checking everything")
        return sources(None)
    changed = sources(since)
    print(f"{len(changed)} files of src/ have changed since {since}")
    if not arguments.since and len(changed) > CHANGED_MANY:
        print(f"many: after tools/clang_tidy.py --all, move {BASE.relative_to(ROOT)} to a newer commit")
    return changed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--all", action="store_true", help="check every file")
    parser.add_argument("--since", metavar="COMMIT", help="check what has changed since this commit")
    arguments = parser.parse_args()
    checks, single = checks_of(chosen(arguments))
    if not arguments.all:
        checks += single
    CACHE.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    tool = version + (ROOT / ".clang-tidy").read_bytes() + (ROOT / "CMakePresets.json").read_bytes()
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda check: run(check, tool), checks))
    for _, said in outcomes:
        if said:
            print(said)
    count = [outcome for outcome, _ in outcomes].count
    print(f"{count('cached')} had passed before")
    print(f"{count('cached') + count('pass')} passed, {count('fail')} failed")
    return 1 if count("fail") else 0


if __name__ == "__main__":
    sys.exit(main())
