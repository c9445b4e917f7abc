"""Runs a program on a terminal of its own."""

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from pathlib import Path

from world import PATIENCE_SECONDS


class Terminal:
    def __init__(self, command: list[str], directory: Path):
        self.text = ""
        self.master, slave = pty.openpty()

        def own_terminal():
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, cwd=directory,
                                        preexec_fn=own_terminal)
        os.close(slave)

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.master)

    def press(self, keys: str) -> None:
        os.write(self.master, keys.encode())

    def wait_for(self, text: str) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while text not in self.text:
            if time.monotonic() > deadline or not self.read():
                raise AssertionError(f"'{text}' does not appear in {self.text!r}")

    def finish(self) -> int:
        """Reads to the end; returns the exit code."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.read():
            if time.monotonic() > deadline:
                raise AssertionError(f"still running: {self.text!r}")
        return self.process.wait(PATIENCE_SECONDS)

    def read(self) -> bool:
        """Adds what comes soon to the text; false at the end."""
        if not select.select([self.master], [], [], 0.1)[0]:
            return True
        try:
            piece = os.read(self.master, 65536)
        except OSError:  # the other side is closed
            return False
        self.text += piece.decode(errors="replace")
        return bool(piece)
