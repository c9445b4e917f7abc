"""A server process that ends with the test that has started it."""

import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
import weakref
from pathlib import Path
from types import TracebackType
from typing import Optional, Sequence, Type, Union

EMULATOR_KEY = "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw=="
"""The public key of Microsoft's emulators, the default of a server on loopback."""

StrPath = Union[str, "os.PathLike[str]"]

# What the parameters of a server decide; in `options` they would contradict what it says about itself.
_OWN_OPTIONS = ("--listen", "--data", "--ephemeral", "--key-file", "--port-file", "--no-throttle", "--config")
_LOG_LINES = 20
_STOP_SECONDS = 15.0


class ServerError(Exception):
    """The server did not start; the text has the end of its log."""


def program() -> Path:
    """The program `orrery` in this package."""
    return Path(__file__).resolve().parent / "program" / "bin" / "orrery"


class Server:
    """A running server. Close it, or use it as a context manager; otherwise it ends with this process."""

    endpoint: str
    """For SDKs: plain HTTP, so that they need not trust a certificate."""
    secure_endpoint: str
    """The same server with HTTPS; its certificate is signed by `certificate_file`."""
    port: int
    key: str

    def __init__(self, *, data: Optional[StrPath] = None, key: Optional[str] = None, throttle: bool = False,
                 options: Sequence[str] = (), timeout: float = 30.0, program: Optional[StrPath] = None) -> None:
        """
        data: directory to keep the data in; by default it is in memory.
        key: account key in base64; by default the public key of the emulators.
        throttle: refuse requests that exceed a container's throughput with 429, as the service does.
        options: more options of `orrery serve`.
        timeout: seconds to wait for the server to start.
        program: another program than the one in this package.
        """
        wrong = [option for option in options if option.split("=")[0] in _OWN_OPTIONS]
        if wrong:
            raise ValueError(f"use the parameters of the server instead of {', '.join(wrong)}")
        directory = Path(tempfile.mkdtemp(prefix="orrery-"))
        self._directory = directory
        self.key = key if key is not None else EMULATOR_KEY
        try:
            command = _command(directory, data, key, throttle, program)
            with open(directory / "log", "wb") as log:
                # The server stops when the pipe to its standard input ends, however this process does.
                self._process = subprocess.Popen([*command, *options], stdin=subprocess.PIPE, stdout=log,
                                                 stderr=log, env=_environment())
        except BaseException:
            shutil.rmtree(directory, ignore_errors=True)
            raise
        self._finalizer = weakref.finalize(self, _stop, self._process, directory)
        try:
            self.port = self._wait_for_port(timeout)
        except BaseException:
            self.close()
            raise
        self.endpoint = f"http://127.0.0.1:{self.port}/"
        self.secure_endpoint = f"https://localhost:{self.port}/"

    @property
    def connection_string(self) -> str:
        return f"AccountEndpoint={self.endpoint};AccountKey={self.key};"

    @property
    def certificate_file(self) -> Path:
        """The certificate that clients of `secure_endpoint` have to trust, PEM; removed with the server."""
        path = self._directory / "certificate.pem"
        if not path.exists():
            # Never through a proxy, whatever the environment says.
            opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
            with opener.open(f"{self.endpoint}_explorer/emulator.pem", timeout=30) as answer:
                path.write_bytes(answer.read())
        return path

    @property
    def log(self) -> str:
        """What the server has printed so far."""
        return (self._directory / "log").read_text(errors="replace")

    def close(self) -> None:
        """Stops the server and forgets what it kept in memory. May be called again."""
        self._finalizer()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def _wait_for_port(self, timeout: float) -> int:
        port_file = self._directory / "port"
        deadline = time.monotonic() + timeout
        # The file appears complete, once requests succeed.
        while not port_file.exists():
            code = self._process.poll()
            if code is not None:
                raise ServerError(f"the server ended with exit code {code}\n{self._last_lines()}")
            if time.monotonic() > deadline:
                raise ServerError(f"the server was not ready after {timeout:g} s\n{self._last_lines()}")
            time.sleep(0.001)
        return int(port_file.read_text())

    def _last_lines(self) -> str:
        return "\n".join(self.log.splitlines()[-_LOG_LINES:])


def server(*, data: Optional[StrPath] = None, key: Optional[str] = None, throttle: bool = False,
           options: Sequence[str] = (), timeout: float = 30.0, program: Optional[StrPath] = None) -> Server:
    """Starts a server on a free port, in memory unless `data` names a directory; see Server."""
    return Server(data=data, key=key, throttle=throttle, options=options, timeout=timeout, program=program)


def _command(directory: Path, data: Optional[StrPath], key: Optional[str], throttle: bool,
             other_program: Optional[StrPath]) -> "list[str]":
    command = [os.fspath(other_program or program()), "serve", "--listen", "127.0.0.1:0", "--stop-with-stdin",
               "--port-file", str(directory / "port")]
    command += ["--ephemeral"] if data is None else ["--data", os.fspath(data)]
    if not throttle:
        command.append("--no-throttle")
    if key is not None:
        key_file = directory / "key"
        key_file.touch(mode=0o600)
        key_file.write_text(key)
        command += ["--key-file", str(key_file)]
    return command


def _environment() -> "dict[str, str]":
    """Settings for other servers must not change this one."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ORRERY_")}


def _stop(process: "subprocess.Popen[bytes]", directory: Path) -> None:
    try:
        process.terminate()
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    finally:
        shutil.rmtree(directory, ignore_errors=True)
