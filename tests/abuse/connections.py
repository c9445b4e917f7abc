"""Clients that are slow, idle, silent or disconnected."""

import os
import random
import resource
import socket
import threading
import time

from lib.client import Client
from lib.report import Skip, expect
from lib.server import Server
from raw import Raw, head

IDLE_CONNECTIONS = 10_000
# The server allows a client 30 s for a head or a handshake, counted in whole seconds.
SLOW_SECONDS_MAX = 36


class SlowClients:
    """Runs during the other checks: heads sent byte by byte, handshakes that stop halfway."""

    def __init__(self, port: int):
        self.outcomes: list[str] = []
        self.began = time.monotonic()
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(32)
        jobs = [(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"x-slow: y\r\n" * 1000, True)] * 20
        jobs += [(b"\x16", False), (b"\x16\x03\x01", False), (hello, False)] * 10
        self.threads = [threading.Thread(target=self.run_slowly, args=(port, *job), daemon=True)
                        for job in jobs]
        for thread in self.threads:
            thread.start()

    def run_slowly(self, port: int, data: bytes, byte_by_byte: bool) -> None:
        try:
            with Raw(port, timeout=0.5) as raw:
                if not byte_by_byte:
                    raw.send(data)
                self.outcomes.append(self.wait_for_end(raw, data if byte_by_byte else b""))
        except OSError as error:
            self.outcomes.append(f"{error}")

    def wait_for_end(self, raw: Raw, data: bytes) -> str:
        position = 0
        while time.monotonic() - self.began < SLOW_SECONDS_MAX:
            raw.send(data[position:position + 1])
            position += 1
            try:
                received = raw.socket.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                return "closed"
            return "408" if b" 408 " in received[:20] else "closed" if not received else f"{received!r}"
        return "still open"

    def finish(self) -> str:
        for thread in self.threads:
            thread.join()
        wrong = [outcome for outcome in self.outcomes if outcome not in ("408", "closed")]
        expect(not wrong, f"{wrong[:3]}")
        expect(self.outcomes.count("408") == 20, f"{self.outcomes.count('408')} of 20 slow heads got 408")
        return f"{len(self.outcomes)} slow clients disconnected after {time.monotonic() - self.began:.0f} s"


def idle_connections(server: Server, alive) -> str:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < IDLE_CONNECTIONS + 500:
        raise Skip(f"only {hard} files may be open here, not {IDLE_CONNECTIONS + 500}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    before, memory_before = server.open_files(), server.memory_mb()
    idle = []
    try:
        while len(idle) < IDLE_CONNECTIONS:
            connection = socket.create_connection(("127.0.0.1", server.port), 30)
            idle.append(connection)
            if len(idle) % 2 == 0:  # half of them have sent a request before
                connection.sendall(b"GET /alive HTTP/1.1\r\nHost: x\r\n\r\n")
                expect(connection.recv(4096).startswith(b"HTTP/1.1 200"), "no answer on a new connection")
        for _ in range(20):
            alive()
        memory = server.memory_mb()
        expect(server.open_files() > IDLE_CONNECTIONS, "the connections are not open")
        expect(memory < 200, f"{memory:.0f} MB with {IDLE_CONNECTIONS} idle connections")
    finally:
        for connection in idle:
            connection.close()
    wait_for_release(server, before + 20)
    return f"{memory_before:.0f} MB before, {memory:.0f} MB with them, {server.memory_mb():.0f} MB after"


def wait_for_release(server: Server, files_max: int) -> None:
    deadline = time.monotonic() + 20
    while server.open_files() > files_max:
        expect(time.monotonic() < deadline, f"{server.open_files()} files open, not {files_max}")
        time.sleep(0.05)


def random_bytes(port: int, rng: random.Random, beginnings: list[bytes]) -> None:
    for _ in range(300):
        with Raw(port, timeout=10) as raw:
            size = rng.choice([1, 7, 100, 5000, 100_000])
            raw.send_ignoring_errors(rng.choice(beginnings) + rng.randbytes(size))
            raw.read_to_the_end()


def garbage_after_handshake(port: int, rng: random.Random) -> None:
    """A valid handshake, then invalid TLS records."""
    for _ in range(50):
        with Raw(port, tls=True, timeout=10) as raw:
            plain = socket.socket(fileno=os.dup(raw.socket.fileno()))
            with plain:
                plain.settimeout(10)
                plain.sendall(rng.randbytes(500))
                plain.shutdown(socket.SHUT_WR)
                try:
                    while plain.recv(65536):
                        pass
                except ConnectionError:
                    pass


def disconnects(client: Client, port: int, docs: str, rng: random.Random) -> None:
    body = b'{"id":"gone","pk":"p"}'
    request = head(client, "POST", docs, {"x-ms-documentdb-partitionkey": '["p"]',
                                          "x-ms-documentdb-is-upsert": "True",
                                          "Content-Length": str(len(body))}) + body
    for _ in range(500):
        raw = Raw(port)
        raw.send(request[:rng.randrange(len(request) + 1)])
        raw.reset()


def unread_answers(client: Client, port: int, server: Server, path: str) -> str:
    """Requests 2 MB many times and reads nothing: the server must not buffer it all."""
    request = head(client, "GET", path, {"x-ms-documentdb-partitionkey": '["p"]'})
    greedy = [Raw(port) for _ in range(20)]
    try:
        for raw in greedy:
            raw.send(request * 100)
        time.sleep(1)
        memory = server.memory_mb()
        expect(memory < 200, f"{memory:.0f} MB")
        return f"{memory:.0f} MB while 4 GB wait to be read"
    finally:
        for raw in greedy:
            raw.reset()

