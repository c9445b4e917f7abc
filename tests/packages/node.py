"""The npm package: installed into a new project, used by programs and as a command, and by TypeScript."""

import os
import shutil
import subprocess
from pathlib import Path

from lib.install import call, install_once
from lib.report import Skip, expect
from lib.server import ROOT

HERE = Path(__file__).resolve().parent
# The TypeScript compiler, so that only the first run needs the network.
TYPESCRIPT = ROOT / "build/packages-tools/typescript"
PINS = [HERE / "typescript/package.json", HERE / "typescript/package-lock.json"]
PATIENCE_SECONDS = 300


class Checks:
    def __init__(self, out: Path, scratch: Path):
        (self.package,) = out.glob("orrery-*.tgz")
        self.project = scratch / "project"

    def run(self, *command) -> str:
        done = subprocess.run([str(part) for part in command], cwd=self.project, capture_output=True, text=True,
                              env=os.environ | {"TESTS": str(ROOT / "tests")}, stdin=subprocess.DEVNULL,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == 0, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def install(self) -> None:
        if shutil.which("npm") is None:
            raise Skip("no npm")
        self.project.mkdir()
        (self.project / "package.json").write_text('{"name": "project", "private": true}\n')
        self.run("npm", "install", "--no-audit", "--no-fund", "--offline", self.package)

    def program(self) -> str:
        return self.run("npx", "--offline", "orrery", "version").strip()

    def fixture(self) -> str:
        # Where the package is found: beside the project's modules.
        for name in ("npm_checks.test.js", "npm_checks.test.mjs"):
            shutil.copy(HERE / name, self.project)
        said = self.run("node", "--test", "--test-reporter=tap", ".")
        counts = dict(line[2:].split() for line in said.splitlines() if line.startswith(("# pass", "# fail")))
        expect(counts["fail"] == "0" and int(counts["pass"]) > 5, said)
        return f"{counts['pass']} passed"

    def start(self) -> str:
        shutil.copy(HERE / "npm_start.js", self.project)
        return self.run("node", "npm_start.js").strip()

    def types(self) -> None:
        install_once(TYPESCRIPT, PINS, install_typescript)
        shutil.copy(HERE / "npm_types.ts", self.project)
        self.run("node", TYPESCRIPT / "node_modules/typescript/bin/tsc", "--strict", "--noEmit", "--target", "es2022",
                 "--module", "node16", "--moduleResolution", "node16", "npm_types.ts")

    def remove(self) -> None:
        self.run("npm", "uninstall", "--no-audit", "--no-fund", "--offline", "orrery")
        expect(not (self.project / "node_modules/orrery").exists(), "files are left")


def install_typescript() -> None:
    for path in PINS:
        shutil.copy(path, TYPESCRIPT)
    call(["npm", "ci", "--no-audit", "--no-fund"], TYPESCRIPT)


def checks(out: Path, scratch: Path) -> dict:
    own = Checks(out, scratch)
    return {check.__name__: check
            for check in (own.install, own.program, own.fixture, own.start, own.types, own.remove)}
