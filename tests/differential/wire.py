"""Requests over one keep-alive connection, with minimal Python code: http.client would take most of
the run time."""

import socket
import time

from lib.client import Client

KEPT_SECONDS = 60


class Wire:
    def __init__(self, port: int, timeout: float = 60):
        self.signer = Client(port)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = b""
        self.signed: dict[str, tuple[float, bytes]] = {}

    def close(self) -> None:
        self.socket.close()

    def start(self, method: str, path: str) -> bytes:
        """The request line and the signature, which is valid for some minutes."""
        line = f"{method} {path} HTTP/1.1"
        made, text = self.signed.get(line, (0.0, b""))
        if time.monotonic() - made > KEPT_SECONDS or not text:
            lines = [line, "Host: localhost"]
            signature = self.signer.signed(method, path)
            lines += [f"{name}: {value}" for name, value in signature.items()]
            text = "\r\n".join(lines).encode()
            self.signed[line] = (time.monotonic(), text)
        return text

    def request(self, method: str, path: str, headers: dict[str, str],
                body: bytes = b"") -> tuple[int, dict, bytes]:
        lines = "".join(f"\r\n{name}: {value}" for name, value in headers.items())
        self.socket.sendall(b"%s%s\r\nContent-Length: %d\r\n\r\n%s" % (
            self.start(method, path), lines.encode(), len(body), body))
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        first, *others = head.decode("latin-1").split("\r\n")
        found = {name.lower(): value for name, value in (line.split(": ", 1) for line in others)}
        length = int(found.get("content-length", 0))  # 204 has none
        while len(self.rest) < length:
            self.receive()
        content, self.rest = self.rest[:length], self.rest[length:]
        return int(first.split(" ")[1]), found, content

    def receive(self) -> None:
        piece = self.socket.recv(1 << 20)
        if not piece:
            raise ConnectionResetError("the connection ended")
        self.rest += piece
