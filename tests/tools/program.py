#!/usr/bin/env python3
"""Help, manual pages and completion of every command agree.

    tests/tools/program.py [--server build/release/orrery]
"""
import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY  # noqa: E402

OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")
VARIABLE = re.compile(r"Env:ORRERY_(?:FROM_|TO_)?([A-Z_]+)")
TOOLS = ("bench", "export", "import", "migrate", "shell")
# Which server to talk to means the same to all tools; nothing else does.
SERVER_VARIABLES = {"ENDPOINT", "KEY", "KEY_FILE", "CONNECTION_STRING", "CA", "INSECURE"}


class Checks:
    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        listed = self.out().split("OPTIONS]")[1].split("`orrery")[0]
        self.commands = [line.split()[0] for line in listed.splitlines() if line.strip()]
        for built_in in ("completion", "man", "version"):
            self.commands.remove(built_in)

    def out(self, *arguments: str) -> str:
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=60)
        expect(done.returncode == 0, f"{arguments}: {done.returncode} {done.stderr}")
        return done.stdout

    def options(self, command: str) -> set[str]:
        """The options that begin a line of the help."""
        lines = self.out(command, "--help").splitlines()
        return {name for line in lines if re.match(r"  -", line)
                for name in OPTION.findall(line.split("  ")[1].split(" ")[0])}

    def manual(self) -> str:
        page = self.out("man").replace("\\-", "-")
        for command in self.commands:
            expect(f"orrery-{command} (1)" in page, f"{command} is not in orrery(1)")
            own = self.out("man", command).replace("\\-", "-")
            expect(own.startswith(f".TH ORRERY-{command.upper()} 1"), own[:60])
            for option in self.options(command):
                expect(f"\\fB{option}\\fR" in own, f"{option} is not in orrery-{command}(1)")
            unescaped = [line for line in own.splitlines() if re.match(r"\.[^A-Za-z]", line)]
            expect(not unescaped, str(unescaped))
        return f"{len(self.commands)} commands"

    def completed(self, *words: str) -> set[str]:
        script = self.scratch / "completion.bash"
        script.write_text(self.out("completion", "bash"))
        listed = " ".join(f"'{word}'" for word in words)
        done = subprocess.run(
            ["bash", "-c", f"source {script}; COMP_WORDS=(orrery {listed}); COMP_CWORD={len(words)}; "
             '_orrery; printf "%s\\n" "${COMPREPLY[@]}"'], capture_output=True, text=True, timeout=60)
        expect(done.stderr == "", done.stderr)
        return set(done.stdout.split())

    def bash(self) -> None:
        expect(set(self.commands) <= self.completed(""), "commands")
        for command in self.commands:
            missing = self.options(command) - self.completed(command, "--")
            expect(not missing, f"{command}: {missing}")
        expect(self.completed("export", "--format", "j") == {"json", "jsonl"}, "values")

    def other_shells(self) -> None:
        for shell, form in (("zsh", "{}["), ("fish", " -l {} ")):
            script = self.out("completion", shell)
            for command in self.commands:
                for option in self.options(command):
                    name = option if shell == "zsh" else option[2:]
                    expect(form.format(name) in script + " ", f"{shell}: {command} {option}")

    def variables(self) -> None:
        for tool in TOOLS:
            found = set(VARIABLE.findall(self.out(tool, "--help")))
            expect(found == SERVER_VARIABLES, f"{tool}: {found ^ SERVER_VARIABLES}")

    def refusals(self) -> None:
        for arguments in (["completion"], ["completion", "csh"], ["man", "none"], ["none"], ["export"],
                          ["export", "--database", "d", "--container", "c", "--format", "xml"]):
            done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=60)
            expect(done.returncode == 2 and done.stdout == "" and done.stderr, f"{arguments}: {done}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    report = Report()
    with scratch_directory("program") as scratch:
        checks = Checks(options.server.resolve(), scratch)
        for check in (checks.manual, checks.bash, checks.other_shells, checks.variables, checks.refusals):
            report.run(check.__name__, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
