"""A connection that can send arbitrary bytes."""

import socket
import ssl
import struct

from lib.client import Answer, Client
from lib.report import expect

from http.client import parse_headers


class Raw:
    def __init__(self, port: int, tls: bool = False, timeout: float = 30):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls:
            self.socket = ssl._create_unverified_context().wrap_socket(self.socket)
        self.stream = self.socket.makefile("rb")

    def __enter__(self) -> "Raw":
        return self

    def __exit__(self, *_) -> None:
        self.stream.close()
        self.socket.close()

    def send(self, data: bytes) -> "Raw":
        self.socket.sendall(data)
        return self

    def send_ignoring_errors(self, data: bytes) -> None:
        """Ignores a send error: the server may have answered and closed before the end of the data."""
        try:
            self.socket.sendall(data)
        except OSError:
            pass

    def finish_sending(self) -> "Raw":
        self.socket.shutdown(socket.SHUT_WR)
        return self

    def read_to_the_end(self) -> None:
        """Shuts down the sending side and waits until the server closes or resets."""
        try:
            self.finish_sending()
            while self.socket.recv(65536):
                pass
        except TimeoutError:
            raise AssertionError("the server keeps the connection open") from None
        except OSError:
            return  # it was reset

    def reset(self) -> None:
        """Closes with a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.stream.close()
        self.socket.close()

    def answer(self) -> Answer | None:
        """The next answer; None if the server closed the connection instead."""
        line = self.stream.readline()
        if not line:
            return None
        expect(line.startswith(b"HTTP/1.1 "), f"not an answer: {line[:100]!r}")
        headers = parse_headers(self.stream)
        length = int(headers.get("Content-Length", "0"))
        return Answer(int(line.split()[1]), headers, self.stream.read(length))

    def is_closed(self) -> bool:
        """Waits until the server closes or resets the connection."""
        try:
            return self.stream.read(1) == b""
        except ConnectionError:
            return True


def head(client: Client, method: str, path: str, headers: dict | None = None) -> bytes:
    """A request head with a valid signature."""
    fields = {"Host": "127.0.0.1"} | client.signed(method, path) | (headers or {})
    lines = [f"{method} {path} HTTP/1.1"] + [f"{name}: {value}" for name, value in fields.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def expect_error(answer: Answer | None, *statuses: int) -> None:
    """Expects one of the statuses, and an error body that every SDK can read."""
    expect(answer, f"the connection was dropped, expected {statuses}")
    expect(answer.status in statuses,
           f"{answer.status}, expected {statuses}: {answer.body[:200]!r}")
    expect(answer.headers["Content-Type"] == "application/json", "the error is not JSON")
    expect(isinstance(answer.json().get("message"), str) and answer.json()["message"],
           f"the error has no message: {answer.body[:200]!r}")
