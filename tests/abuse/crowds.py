"""Crowds of clients that wait: stalled uploads, slow readers, idle connections. Requests of clients with a key must
succeed meanwhile, and the server's memory must stay within its limits."""

import resource
import select
import socket
import threading
import time

from lib.client import NO_ANSWER, Client
from lib.report import Skip, expect
from lib.server import Server
from raw import Raw, expect_error, head

KIB = 1024
MIB = 1024 * 1024
# The server's settings for these checks.
BODY_MEMORY_MB = 32
RESPONSE_MEMORY_MB = 32
CONNECTIONS_MAX = 3000
OPTIONS = ("--body-memory-mb", str(BODY_MEMORY_MB), "--response-memory-mb", str(RESPONSE_MEMORY_MB),
           "--connections-max", str(CONNECTIONS_MAX))
# What the limits allow to grow: bodies and responses, each once more for the allocator's fragments, and 20 KB for each
# connection.
GROWTH_MB_MAX = 2 * (BODY_MEMORY_MB + RESPONSE_MEMORY_MB) + CONNECTIONS_MAX * 20 // KIB

STALLED_UPLOADS = 300
UPLOAD_SIZES = (1 * KIB, 10 * KIB, 64 * KIB, 100 * KIB, 700 * KIB, 2 * MIB - 100)
SLOW_READERS = 2000
LARGE_BYTES = 2 * MIB - 10 * KIB
# A client counts as stalled after about two seconds. Nothing here depends on how long it really takes.
PATIENCE_SECONDS = 60


class Steady:
    """Clients with the key that send requests all the time, on a kept connection and on new ones."""

    def __init__(self, port: int, container: str):
        self.port, self.container = port, container
        self.over = threading.Event()
        self.failures: list[str] = []
        self.count = 0
        self.threads = [threading.Thread(target=self.work, args=(number,), daemon=True) for number in range(2)]

    def __enter__(self) -> "Steady":
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, kind, *_) -> None:
        self.over.set()
        for thread in self.threads:
            thread.join()
        if kind is None:
            expect(not self.failures, f"{len(self.failures)} of {self.count} requests failed: {self.failures[:3]}")
            expect(self.count > 0, "no request was made")

    def work(self, number: int) -> None:
        with Client(self.port) as kept:
            turn = 0
            while not self.over.is_set():
                turn += 1
                with Client(self.port) as fresh:
                    for client in (kept, fresh):
                        self.ask(client, f"steady{number}-{turn % 10}")

    def ask(self, client: Client, name: str) -> None:
        body = {"id": name, "pk": name, "text": "x" * 300}
        for method, item, sent in (("POST", None, body), ("GET", name, None)):
            self.count += 1
            try:
                answer = client.item(method, self.container, name, item, sent,
                                     {"x-ms-documentdb-is-upsert": "True"} if sent else None)
                if answer.status not in (200, 201):
                    self.failures.append(f"{method}: {answer.status} {answer.body[:200]!r}")
            except NO_ANSWER as error:
                self.failures.append(f"{method}: {error!r}")


class Crowds:
    def __init__(self, server: Server, client: Client, container: str):
        self.server, self.client, self.container = server, client, container
        self.docs = f"/{container}/docs"
        made = self.upsert_large("large", LARGE_BYTES)
        expect(made.status == 201, f"the large item got {made.status}")
        self.memory_before = server.memory_mb()

    def check_memory(self) -> str:
        memory = self.server.memory_mb()
        expect(memory < self.memory_before + GROWTH_MB_MAX,
               f"{memory:.0f} MB, {self.memory_before:.0f} MB before")
        return f"{memory:.0f} MB, {self.memory_before:.0f} MB before"

    def upsert_large(self, name: str, size: int):
        """A body that needs memory from the limit, on a new connection."""
        with Client(self.server.port) as client:
            return client.item("POST", self.container, "p", body={"id": name, "pk": "p", "text": "x" * size},
                               headers={"x-ms-documentdb-is-upsert": "True"})

    def check_large_bodies(self) -> None:
        """At first, uploads that have not stalled for long may hold all memory."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (answer := self.upsert_large("other", MIB)).status not in (200, 201):
            expect_error(answer, 503)
            expect(answer.headers["x-ms-retry-after-ms"], "503 without a retry interval")
            expect(time.monotonic() < deadline, "stalled uploads keep their memory")
            time.sleep(0.1)
        for _ in range(20):
            answer = self.upsert_large("other", MIB)
            expect(answer.status == 200, f"{answer.status} {answer.body[:200]!r}")

    def stall_uploads(self, signed: bool) -> list[Raw]:
        clients = []
        for number in range(STALLED_UPLOADS):
            size, chunked = UPLOAD_SIZES[number % len(UPLOAD_SIZES)], number % 4 == 3
            fields = {"x-ms-documentdb-partitionkey": '["p"]'}
            fields |= {"Transfer-Encoding": "chunked"} if chunked else {"Content-Length": str(size)}
            start = head(self.client, "POST", self.docs, fields)
            if not signed:
                start = start.replace(b"authorization: ", b"authorization: no")
            body = b'{"id":"never","pk":"p","text":"'
            body += b"x" * (size - len(body) - 10)
            raw = Raw(self.server.port, timeout=PATIENCE_SECONDS)
            clients.append(raw)
            raw.send_ignoring_errors(start + (b"%x\r\n" % size if chunked else b"") + body)
        return clients

    def unsigned_uploads(self) -> str:
        with Steady(self.server.port, self.container) as steady:
            clients = self.stall_uploads(signed=False)
            try:
                for _ in range(20):  # at once: no memory must be held
                    answer = self.upsert_large("other", MIB)
                    expect(answer.status in (200, 201), f"{answer.status} {answer.body[:200]!r}")
                memory = self.check_memory()
                for raw in clients:
                    expect_error(raw.answer(), 401)
            finally:
                reset(clients)
        return f"{memory}; {steady.count} requests meanwhile"

    def signed_uploads(self) -> str:
        with Steady(self.server.port, self.container) as steady:
            clients = self.stall_uploads(signed=True)
            try:
                self.check_large_bodies()
                memory = self.check_memory()
                answered = [raw for raw in clients if is_readable(raw.socket)]
                expect(answered, "more bodies than fit were accepted")
                for raw in answered:
                    expect_error(raw.answer(), 503)
                    expect(raw.is_closed(), "the connection stays open")
            finally:
                reset(clients)
        return f"{memory}; {len(answered)} of {len(clients)} gave way; {steady.count} requests meanwhile"

    def slow_readers(self) -> str:
        allow_open_files(2 * SLOW_READERS)
        request = head(self.client, "GET", f"{self.docs}/large", {"x-ms-documentdb-partitionkey": '["p"]'})
        slow: list[socket.socket] = []
        try:
            with Steady(self.server.port, self.container) as steady:
                for _ in range(SLOW_READERS):
                    slow.append(slow_socket(self.server.port))
                    slow[-1].sendall(request)
                memory = self.check_memory()
                for _ in range(20):
                    with Client(self.server.port) as client:
                        found = client.item("GET", self.container, "p", "large")
                        expect(found.status == 200 and len(found.body) > LARGE_BYTES,
                               f"a reader got {found.status}, {len(found.body)} bytes")
                self.check_memory()
            waiting = sum(not is_at_end(client) for client in slow)
        finally:
            for client in slow:
                client.close()
        # Each response takes 2 MB.
        expect(waiting * 2 <= 2 * RESPONSE_MEMORY_MB, f"{waiting} responses of 2 MB wait")
        return f"{memory}; {waiting} of {len(slow)} wait; {steady.count} requests meanwhile"

    def idle_strangers(self) -> str:
        """As many connections as the server allows, all without a key."""
        allow_open_files(2 * CONNECTIONS_MAX)
        with Client(self.server.port) as kept:
            expect(kept.request("GET", "/dbs").status == 200, "no answer before")
            known = kept.connection.sock
            starts = (b"", b"GET /alive HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nx: ", b"\x16\x03\x01",
                      b"POST /dbs HTTP/1.1\r\nContent-Length: 9\r\n\r\n")
            strangers: list[socket.socket] = []
            try:
                for number in range(CONNECTIONS_MAX + 500):
                    strangers.append(socket.create_connection(("127.0.0.1", self.server.port), PATIENCE_SECONDS))
                    strangers[-1].sendall(starts[number % len(starts)])
                for _ in range(200):
                    with Client(self.server.port) as client:
                        expect(client.request("GET", "/dbs").status == 200, "a new client was refused")
                memory = self.check_memory()
                expect(kept.request("GET", "/dbs").status == 200 and kept.connection.sock is known,
                       "a known client was closed")
            finally:
                for client in strangers:
                    client.close()
        return memory

    def idle_clients(self) -> str:
        """As many connections as the server allows, all of clients that have sent a valid request."""
        allow_open_files(2 * CONNECTIONS_MAX)
        request = head(self.client, "GET", "/dbs")
        idle: list[socket.socket] = []
        try:
            for _ in range(CONNECTIONS_MAX):
                idle.append(socket.create_connection(("127.0.0.1", self.server.port), PATIENCE_SECONDS))
                idle[-1].sendall(request)
                expect(idle[-1].recv(64 * KIB).startswith(b"HTTP/1.1 200"), "a client was refused")
            deadline = time.monotonic() + PATIENCE_SECONDS
            while not self.is_served():  # the idle ones must have been idle for a while
                expect(time.monotonic() < deadline, "idle clients do not give way")
                time.sleep(0.1)
            with Steady(self.server.port, self.container) as steady:
                time.sleep(1)
            memory = self.check_memory()
        finally:
            for client in idle:
                client.close()
        return f"{memory}; {steady.count} requests meanwhile"

    def is_served(self) -> bool:
        try:
            with Client(self.server.port) as client:
                return client.request("GET", "/dbs").status == 200
        except NO_ANSWER:
            return False


def allow_open_files(count: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < count:
        raise Skip(f"only {hard} files may be open here, not {count}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def slow_socket(port: int) -> socket.socket:
    """A connection that takes few bytes before the server has to wait."""
    made = socket.socket()
    made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
    made.settimeout(PATIENCE_SECONDS)
    made.connect(("127.0.0.1", port))
    return made


def is_readable(connection: socket.socket) -> bool:
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))


def is_at_end(connection: socket.socket) -> bool:
    """Whether the server has closed or reset the connection, whatever is left to read before the end."""
    poll = select.poll()
    poll.register(connection, select.POLLRDHUP)  # a reset is always reported
    return bool(poll.poll(0))


def reset(clients: list[Raw]) -> None:
    for client in clients:
        client.reset()
