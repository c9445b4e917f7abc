"""Prints one line per check, and the counts at the end."""

import os
import shutil
import signal
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import Callable, Iterator


class Skip(Exception):
    """The check cannot run here; the text says why."""


def expect(condition: object, text: str) -> None:
    if not condition:
        raise AssertionError(text)


def in_ci() -> bool:
    return os.environ.get("CI") == "true"


class Report:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def run(self, name: str, check: Callable[[], str | None]) -> bool:
        """Runs a check; its return value is printed after its name."""
        try:
            remark = check()
        except Skip as reason:
            self.skipped += 1
            # In CI a skip is a failure; otherwise it would go unnoticed.
            self.failed += in_ci()
            print(f"skip {name}: {reason}", flush=True)
            return True
        except Exception as error:  # whatever fails, the other checks still run
            self.failed += 1
            print(f"fail {name}: {type(error).__name__}: {error}", flush=True)
            return False
        self.passed += 1
        print(f"pass {name}" + (f": {remark}" if remark else ""), flush=True)
        return True

    def finish(self) -> int:
        tail = f", {self.skipped} skipped" if self.skipped else ""
        print(f"{self.passed} passed, {self.failed} failed{tail}", flush=True)
        return 1 if self.failed else 0


@contextmanager
def scratch_directory(name: str) -> Iterator[Path]:
    """A directory that is removed at the end, also after Ctrl-C and SIGTERM."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    path = Path(tempfile.mkdtemp(prefix=f"orrery-{name}-"))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
