"""Installs what a suite needs into the build folder, and again only when a file that pins it has changed."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Iterable

from lib.server import ROOT


class Failure(Exception):
    pass


def install_once(target: Path, pins: Iterable[Path], install: Callable[[], None]) -> None:
    digest = hashlib.sha256()
    for path in pins:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    stamp = target / ".stamp"
    if stamp.exists() and stamp.read_text() == digest.hexdigest():
        return
    print(f"{target.name}: installing into {target.relative_to(ROOT)}", flush=True)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    install()
    stamp.write_text(digest.hexdigest())


def install_python(target: Path, requirements: Path) -> None:
    """Makes `target/venv`."""
    call([sys.executable, "-m", "venv", target / "venv"], target)
    call([target / "venv/bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
          "-r", requirements], target)


def call(command: list, cwd: Path) -> None:
    done = subprocess.run([str(part) for part in command], cwd=cwd, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stdout[-3000:]}")
