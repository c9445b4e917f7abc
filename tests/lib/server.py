"""A server for one test: a free port, its own data directory, and guaranteed termination."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Sequence

ROOT = Path(__file__).resolve().parents[2]
DEFAULT_BINARY = ROOT / "build/release/orrery"
PATIENCE_SECONDS = 60
SANITIZER_REPORT = re.compile("(WARNING|ERROR): [A-Za-z]+Sanitizer|: runtime error: ")
REPORT_LINES = 45


class ServerError(Exception):
    pass


class Server:
    """One process. As a context manager it is killed on exit, even after an exception."""

    def __init__(self, binary: Path, data: Path, *options: str, listen: str = "127.0.0.1:0",
                 throttle: bool = False, prefix: Sequence[str] = ()):
        """`prefix`: a command that executes the server in another environment."""
        if not os.access(binary, os.X_OK):
            raise ServerError(f"{binary} does not exist; build it first or give --server")
        self.data = data
        # Next to the directory, not in it: some tests compare every file inside.
        self.log = data.with_name(data.name + ".log")
        self.port_file = data.with_name(data.name + ".port")
        self.port_file.unlink(missing_ok=True)
        command = [*prefix, str(binary), "serve", "--listen", listen, "--data", str(data),
                   "--port-file", str(self.port_file), *options]
        if not throttle:
            command.append("--no-throttle")
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=log)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.kill()

    def wait_until_ready(self) -> "Server":
        deadline = time.monotonic() + PATIENCE_SECONDS
        try:
            while not self.ready():
                if not self.running():
                    raise ServerError(f"exit code {self.process.returncode} at start\n{self.tail()}")
                if time.monotonic() > deadline:
                    raise ServerError(f"not ready after {PATIENCE_SECONDS} s\n{self.tail()}")
                time.sleep(0.002)
        except BaseException:  # also on Ctrl-C, or the process would be left running
            self.kill()
            raise
        return self

    def ready(self) -> bool:
        return self.port_file.exists()  # written atomically, once requests succeed

    @property
    def port(self) -> int:
        return int(self.port_file.read_text())

    def running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        if self.running():
            self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Ends the server with SIGTERM; raises if it does not exit cleanly."""
        if not self.running():
            raise ServerError(f"died with exit code {self.process.returncode}\n{self.tail()}")
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerError(f"still running {PATIENCE_SECONDS} s after SIGTERM") from None
        if code != 0:
            raise ServerError(f"exit code {code} after SIGTERM\n{self.tail()}")

    def wait_for_exit(self, seconds: float = PATIENCE_SECONDS) -> int:
        """For a server that should refuse to start."""
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServerError(f"still running after {seconds} s\n{self.tail()}") from None

    def tail(self, lines: int = 20) -> str:
        """The first report of a sanitizer if there is one, and the end of the log."""
        log = self.log.read_text(errors="replace").splitlines()
        report = next((i for i, line in enumerate(log) if SANITIZER_REPORT.search(line)), len(log))
        return "\n".join(log[report:report + REPORT_LINES] + log[-lines:])

    def memory_mb(self) -> float:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise ServerError("no memory usage: the server is not running")

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def inspect(binary: Path, data: Path) -> str:
    """Runs `inspect --verify` on a directory no server uses; returns its last line of output."""
    done = subprocess.run([str(binary), "inspect", "--data", str(data), "--verify"], capture_output=True,
                          text=True, timeout=PATIENCE_SECONDS)
    if done.returncode != 0:
        raise ServerError(f"inspect: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.splitlines()[-1]
