#!/usr/bin/env python3
"""Runs clang-tidy over the files of src/ that have changed, two at a time.

    tools/clang_tidy.py                 what has changed since the commit in tools/clang_tidy.base
    tools/clang_tidy.py --since COMMIT  what has changed since that commit
    tools/clang_tidy.py --all           everything

Changed means committed, not committed, or new. The base must be a commit of the main branch; without it
(a shallow clone) everything is checked. Move it after a clean run with --all. A header is checked as
the file that the build generates to compile it on its own. Files that passed are remembered by their
content and that of the headers they include, in $XDG_CACHE_HOME/orrery-clang-tidy. Needs a configured
build/dev.
"""
import argparse
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/dev"
BASE = ROOT / "tools/clang_tidy.base"
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "orrery-clang-tidy"
CLANG_TIDY = "clang-tidy-14"
# Time to move the base to a newer commit.
CHANGED_MANY = 150


def git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def is_ancestor(commit: str) -> bool:
    return subprocess.run(["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=ROOT,
                          capture_output=True, check=False).returncode == 0


def sources(since: str | None) -> list[str]:
    """What has changed in src/ since the commit; or every .cc, which covers the headers as well."""
    if since is None:
        return git("ls-files", "--cached", "--others", "--exclude-standard", "--", "src/*.cc")
    wanted = ["src/*.cc", "src/*.h"]
    changed = git("diff", "--name-only", "--diff-filter=d", since, "--", *wanted)
    return changed + git("ls-files", "--others", "--exclude-standard", "--", *wanted)


def compile_commands() -> dict[str, str]:
    """Source or header of src/ -> the file of the compilation database that compiles it."""
    out = {}
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        header = re.search(r"_verify_interface_header_sets/(.*)\.cxx$", entry["file"])
        if header:
            out[f"src/{header[1]}"] = str(path)
        elif path.is_relative_to(ROOT / "src"):
            out[str(path.relative_to(ROOT))] = str(path)
    return out


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


@functools.cache
def digest(name: str) -> bytes:
    return hashlib.sha256((ROOT / name).read_bytes()).digest()


def key_of(name: str, tool: bytes) -> str:
    key = hashlib.sha256(tool)
    for part in sorted(included(name)):
        key.update(part.encode() + digest(part))
    return key.hexdigest()


def check(name: str, compiled: str, key: str) -> tuple[str, str]:
    """How it went: cached, pass or fail; and what clang-tidy said."""
    marker = CACHE / key
    if marker.exists():
        marker.touch()
        return "cached", ""
    done = subprocess.run([CLANG_TIDY, "-p", str(BUILD), "--quiet", compiled], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        marker.touch()
        return "pass", ""
    errors = "\n".join(line for line in done.stderr.splitlines() if "warnings generated" not in line)
    return "fail", f"{done.stdout}{errors}\nfail {name}"


def chosen(arguments: argparse.Namespace) -> list[str]:
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
    names = chosen(parser.parse_args())
    commands = compile_commands()
    # The fuzzers are not part of build/dev.
    names = sorted(name for name in names if not name.endswith("_fuzz.cc"))
    unknown = [name for name in names if name not in commands]
    for name in unknown:
        print(f"fail {name}: not in {BUILD.relative_to(ROOT)}/compile_commands.json, configure again")
    names = [name for name in names if name in commands]
    CACHE.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([CLANG_TIDY, "--version"], capture_output=True, check=True).stdout
    tool = version + (ROOT / ".clang-tidy").read_bytes() + (ROOT / "CMakePresets.json").read_bytes()
    with ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda name: check(name, commands[name], key_of(name, tool)), names))
    for _, said in outcomes:
        if said:
            print(said)
    count = [outcome for outcome, _ in outcomes].count
    print(f"{count('cached')} files had passed before")
    print(f"{count('cached') + count('pass')} passed, {count('fail') + len(unknown)} failed")
    return 1 if count("fail") or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
