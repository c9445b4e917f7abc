"""Builds and runs the checker of recorded histories, which is written in Go because porcupine is."""

import shutil
import subprocess
from pathlib import Path

from lib.install import call, install_once
from lib.report import Skip, expect
from lib.server import ROOT

SOURCE = Path(__file__).parent / "checker"
TARGET = ROOT / "build/checker"
PATIENCE_SECONDS = 600


def build() -> Path:
    if not shutil.which("go"):
        raise Skip("go is missing")
    program = TARGET / "checker"
    install_once(TARGET, sorted(SOURCE.iterdir()), lambda: call(["go", "build", "-o", program, "."], SOURCE))
    return program


def violations(history: Path) -> tuple[str, str]:
    """What is wrong with it, and how much was checked."""
    done = subprocess.run([str(build()), str(history)], capture_output=True, text=True, timeout=PATIENCE_SECONDS)
    expect(done.returncode in (0, 1), f"the checker failed: {done.stderr}{done.stdout}")
    wrong, _, summary = done.stdout.rstrip("\n").rpartition("\n")
    expect((done.returncode == 0) == (not wrong), f"the checker contradicts itself: {done.stdout}")
    return wrong, summary


def check(history: Path) -> str:
    wrong, summary = violations(history)
    expect(not wrong, f"\n{wrong}")
    return summary
