"""The wheel: installed with pip into a new environment, used by pytest and as a command."""

import os
import subprocess
import sys
from pathlib import Path

from lib.install import call, install_once
from lib.report import expect
from lib.server import ROOT

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
# pytest and what it needs, so that only the first run needs the network.
WHEELS = ROOT / "build/packages-tools/python"
PATIENCE_SECONDS = 300


class Checks:
    def __init__(self, out: Path, scratch: Path):
        (self.wheel,) = out.glob("orrery-*.whl")
        self.scratch = scratch
        self.python = scratch / "venv/bin/python"

    def run(self, *command) -> str:
        """In an empty directory; tests/ is importable for lib."""
        place = self.scratch / "project"
        place.mkdir(exist_ok=True)
        done = subprocess.run([str(part) for part in command], cwd=place, capture_output=True, text=True,
                              env=os.environ | {"PYTHONPATH": f"{HERE}:{ROOT / 'tests'}", "PYTHONDONTWRITEBYTECODE": "1"},
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS)
        expect(done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def install(self) -> str:
        call([sys.executable, "-m", "venv", self.scratch / "venv"], self.scratch)
        pip = (self.python, "-m", "pip", "--disable-pip-version-check")
        install_once(WHEELS, [REQUIREMENTS],
                     lambda: call([*pip, "download", "-q", "-r", REQUIREMENTS, "-d", WHEELS], WHEELS))
        self.run(*pip, "install", "-q", "--no-index", "--find-links", WHEELS, "-r", REQUIREMENTS, self.wheel)
        return self.run(*pip, "show", "orrery").splitlines()[1]

    def program(self) -> str:
        version = self.run(self.python.with_name("orrery"), "version").strip()
        expect(self.run(self.python, "-m", "orrery", "version").strip() == version, version)
        return version

    def fixture(self) -> str:
        said = self.run(self.python, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE / "wheel_checks.py")
        return said.splitlines()[-1]

    def start(self) -> str:
        return self.run(self.python, HERE / "wheel_start.py").strip()

    def remove(self) -> None:
        self.run(self.python, "-m", "pip", "uninstall", "-q", "-y", "orrery")
        left = [path for path in (self.scratch / "venv/lib").glob("python*/site-packages/orrery*")]
        expect(not left and not self.python.with_name("orrery").exists(), str(left))


def checks(out: Path, scratch: Path) -> dict:
    own = Checks(out, scratch)
    return {check.__name__: check for check in (own.install, own.program, own.fixture, own.start, own.remove)}
