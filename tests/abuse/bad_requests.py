"""Invalid requests: framing, JSON, routes, sizes."""

import random

from lib.client import Client
from lib.report import expect
from raw import Raw, expect_error, head

MIB = 1024 * 1024
PK = {"x-ms-documentdb-partitionkey": '["p"]'}


class BadRequests:
    def __init__(self, client: Client, container: str, port: int, rng: random.Random):
        self.client = client
        self.docs = f"/{container}/docs"
        self.port = port
        self.rng = rng

    def head(self, method: str, path: str, headers: dict | None = None) -> bytes:
        return head(self.client, method, path, headers)

    def huge_headers(self) -> None:
        start = b"GET / HTTP/1.1\r\nHost: x\r\n"
        for name, request in {
            "one header of 100 KB": start + b"x: " + b"a" * 100_000 + b"\r\n\r\n",
            "10,000 headers": start + b"".join(b"x-%d: a\r\n" % i for i in range(10_000)) + b"\r\n",
            "an endless header": start + b"x: " + b"a" * 10 * MIB,
            "an endless path": b"GET /" + b"a" * 10 * MIB,
            "a path of 100 KB": b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        }.items():
            with Raw(self.port) as raw:
                raw.send_ignoring_errors(request)
                try:
                    expect_error(raw.answer(), 431)
                except AssertionError as error:
                    raise AssertionError(f"{name}: {error}") from None
                expect(raw.is_closed(), f"{name}: still open")

    def length_too_long(self) -> None:
        body = b'{"id":"long","pk":"p"}'
        request = self.head("POST", self.docs, PK | {"Content-Length": str(len(body) + 10)}) + body
        with Raw(self.port) as raw:
            raw.send(request).finish_sending()
            answer = raw.answer()
            if answer:
                expect_error(answer, 400)
        with Raw(self.port) as raw:
            raw.send(request).reset()
        found = self.client.request("GET", self.docs + "/long", headers=PK)
        expect_error(found, 404)

    def length_too_short(self) -> None:
        body = b'{"id":"short","pk":"p"}'
        request = self.head("POST", self.docs, PK | {"Content-Length": str(len(body) - 4)}) + body
        with Raw(self.port) as raw:
            raw.send(request + b"\r\n\r\n")
            expect_error(raw.answer(), 400)
            expect_error(raw.answer(), 400)
            expect(raw.is_closed(), "still open after bytes that are not a request")

    def invalid_length(self) -> None:
        body = b'{"id":"length","pk":"p"}'
        for lengths in (["-1"], ["+24"], ["0x18"], ["24", "25"], ["24, 25"], ["abc"], [""],
                        ["99999999999999999999999999"], ["18446744073709551615999"]):
            fields = "".join(f"Content-Length: {length}\r\n" for length in lengths).encode()
            request = self.head("POST", self.docs, PK)[:-2] + fields + b"\r\n" + body
            with Raw(self.port) as raw:
                raw.send_ignoring_errors(request)
                try:
                    expect_error(raw.answer(), 400, 413)
                except AssertionError as error:
                    raise AssertionError(f"Content-Length {lengths}: {error}") from None

    def length_and_chunks(self) -> None:
        """Sending both allows request smuggling through a proxy."""
        both = {"Content-Length": "5", "Transfer-Encoding": "chunked"}
        for fields in (both, {"Transfer-Encoding": "gzip"}, {"Transfer-Encoding": "chunked, gzip"}):
            with Raw(self.port) as raw:
                raw.send_ignoring_errors(self.head("POST", self.docs, PK | fields) + b"0\r\n\r\n")
                try:
                    expect_error(raw.answer(), 400)
                except AssertionError as error:
                    raise AssertionError(f"{fields}: {error}") from None
                expect(raw.is_closed(), f"{fields}: still open")

    def invalid_chunks(self) -> None:
        start = self.head("POST", self.docs, PK | {"Transfer-Encoding": "chunked"})
        for body in (b"zz\r\n", b"-5\r\nhello\r\n", b"fffffffffffffffffff\r\nx", b"5\r\nhelloXX0\r\n\r\n",
                     b"\r\n\r\n", b"5 5\r\nhello\r\n", b"5;" + b"x" * 10 * MIB, b"0\r\n" + b"a: b\r\n" * MIB,
                     b"\x00\x01\x02\x03\r\n"):
            with Raw(self.port) as raw:
                raw.send_ignoring_errors(start + body)
                try:
                    expect_error(raw.answer(), 400, 431)
                except AssertionError as error:
                    raise AssertionError(f"chunk {body[:20]!r}: {error}") from None
        with Raw(self.port) as raw:
            raw.send(start + b"5\r\nhel").finish_sending()
            answer = raw.answer()
            if answer:
                expect_error(answer, 400)

    def valid_chunks(self) -> None:
        text = b'{"id":"chunks","pk":"p"}'
        pieces = b"".join(b"1\r\n%c\r\n" % byte for byte in text)
        with Raw(self.port) as raw:
            raw.send(self.head("POST", self.docs, PK | {"Transfer-Encoding": "chunked"}) + pieces
                     + b"0\r\nx-trailer: y\r\n\r\n")
            answer = raw.answer()
            expect(answer and answer.status == 201, f"{answer}")

    def pipelining(self) -> None:
        for tls in (False, True):
            with Raw(self.port, tls) as raw:
                raw.send(b"".join(self.head("GET", "/dbs", {"x-ms-activity-id": f"number-{i}"})
                                  for i in range(100)))
                for i in range(100):
                    answer = raw.answer()
                    expect(answer and answer.status == 200, f"answer {i}: {answer}")
                    expect(answer.headers["x-ms-activity-id"] == f"number-{i}", "out of order")
        bodies = [b'{"id":"line%d","pk":"p"}' % i for i in range(100)]
        with Raw(self.port) as raw:
            raw.send(b"".join(
                self.head("POST", self.docs, PK | {"Content-Length": str(len(body))}) + body
                for body in bodies))
            statuses = [raw.answer().status for _ in bodies]
            expect(statuses == [201] * 100, f"{statuses}")

    def protocols(self) -> None:
        for start in (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/3.0\r\nHost: x\r\n\r\n",
                      b"GET /\r\n\r\n", b"GET / HTTP/1.1 \r\n\r\n", b"GET  /  HTTP/1.1\r\n\r\n",
                      b"\x00GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nbad header\r\n\r\n",
                      b"GET / HTTP/1.1\r\nna me: x\r\n\r\n", b"GET / HTTP/1.1\r\n folded: x\r\n\r\n",
                      b"HTTP/1.1 200 OK\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n"):
            with Raw(self.port) as raw:
                raw.send(start)
                try:
                    expect_error(raw.answer(), 400, 505)
                except AssertionError as error:
                    raise AssertionError(f"{start[:30]!r}: {error}") from None

    def invalid_json(self) -> str:
        targets = [("POST", "/dbs", {}), ("POST", self.docs.rsplit("/", 2)[0], {}),
                   ("POST", self.docs, PK), ("POST", self.docs, PK | {"x-ms-documentdb-is-upsert": "True"}),
                   ("PUT", self.docs + "/line1", PK)]
        for method, path, headers in targets:
            for text in INVALID_JSON:
                answer = self.client.request(method, path, text, headers)
                try:
                    expect_error(answer, 400)
                except AssertionError as error:
                    raise AssertionError(f"{method} {path} {text[:40]!r}: {error}") from None
        return f"{len(targets) * len(INVALID_JSON)} requests on one connection"

    def unknown_routes(self) -> str:
        item, connection = self.docs + "/line1", self.client.connection
        container = self.docs.rpartition("/")[0]
        requests = [("GET", path, 404) for path in (
            "/nothing", "/dbs/abuse/nothing", "/dbs/nothing", "/dbs/nothing/colls/x",
            container + "/nothing", container + "/nothing/x", item + "/nothing", item + "/a/b/c/d/e/f",
            "/dbs/abuse/dbs/x", "/colls", "/docs/x", "/favicon.ico", "/clientconfigs",
            "/_explorer/nothing", "/%2e%2e/%2e%2e/etc/passwd", "/dbs/..", self.docs + "/nothing")]
        requests += [(method, path, 405) for method, path in (
            ("PUT", "/dbs"), ("DELETE", "/dbs"), ("PATCH", "/dbs/abuse"), ("PUT", "/dbs/abuse"),
            ("DELETE", "/"), ("POST", "/"), ("PUT", self.docs), ("DELETE", self.docs),
            ("POST", item), ("BREW", "/dbs"), ("OPTIONS", "/dbs"), ("TRACE", item),
            ("PROPFIND", "/"), ("PUT", container + "/conflicts/1"), ("POST", container), ("DELETE", "/offers"),
            ("POST", "/alive"))]
        requests += [("GET", "/media", 404), ("GET", "/media/x", 404), ("GET", item + "/attachments/x", 404)]
        connection.close()
        for method, path, status in requests:
            answer = self.client.request(method, path, b"{}" if method == "POST" else None, PK)
            try:
                expect_error(answer, status)
                expect(connection.sock is not None, "the connection was closed")
            except AssertionError as error:
                raise AssertionError(f"{method} {path}: {error}") from None
        return f"{len(requests)} requests on one connection"

    def refused_without_key(self) -> None:
        """The signature is checked first, so nothing is disclosed without the key."""
        for request in (b"GET /dbs HTTP/1.1\r\nHost: x\r\n\r\n",
                        b"GET /dbs HTTP/1.1\r\nauthorization: nonsense\r\n\r\n",
                        b"GET /dbs HTTP/1.1\r\nauthorization: " + b"%" * 60_000 + b"\r\n\r\n",
                        b"GET /dbs HTTP/1.1\r\nauthorization: type%3dmaster%26ver%3d1.0%26sig%3d\r\n\r\n"):
            with Raw(self.port) as raw:
                expect_error(raw.send(request).answer(), 401)
                expect(raw.send(self.head("GET", "/dbs")).answer().status == 200, "closed after 401")

    def bodies(self) -> None:
        for size, status in ((2 * MIB, 201), (2 * MIB + 1, 413), (3 * MIB, 413), (20 * MIB, 413)):
            self.client.connection.close()
            text = b'{"id":"size%d","pk":"p","text":"%s"}' % (size, b"")
            text = text[:-2] + b"x" * (size - len(text)) + text[-2:]
            answer = self.client.request("POST", self.docs, text, PK)
            if status == 201:
                expect(answer.status == 201, f"{size} bytes: {answer.status} {answer.body[:200]!r}")
            else:
                expect_error(answer, status)
            expect(self.client.connection.sock is not None, f"{size} bytes: connection closed")
            expect(self.client.request("GET", "/dbs").status == 200, f"{size} bytes: no answer afterwards")

    def body_of_100_mb(self) -> None:
        size = 100 * MIB
        start = self.head("POST", self.docs, PK | {"Content-Length": str(size)})
        with Raw(self.port) as raw:
            raw.send_ignoring_errors(start + b"x" * size)
            expect_error(raw.answer(), 413)
        waiting = {"Content-Length": str(size), "Expect": "100-continue"}
        with Raw(self.port) as raw:
            raw.send(self.head("POST", self.docs, PK | waiting))
            expect_error(raw.answer(), 413)
        with Raw(self.port) as raw:
            raw.send(self.head("POST", self.docs, PK | {"Transfer-Encoding": "chunked"}))
            raw.send_ignoring_errors((b"100000\r\n" + b"x" * MIB + b"\r\n") * 100 + b"0\r\n\r\n")
            expect_error(raw.answer(), 413)


INVALID_JSON = [
    b"", b" ", b"{", b"}", b"[]", b"[{}]", b"null", b"true", b"1", b'"text"', b"{}", b'{"id"}', b'{"id":}',
    b'{"id":"a",}', b'{,}', b'{"id":"a"', b'{"id":"a"}}', b'{"id":"a"} x', b'{"id":"a"}{"id":"b"}',
    b"{id:\"a\"}", b"{'id':'a'}", b'{"id":"a" "b":1}', b'{"id":"a","b":tru}',
    b'{"id":"a","b":NaN}', b'{"id":"a","b":Infinity}', b'{"id":"a","b":-}', b'{"id":"a","b":01}',
    b'{"id":"a","b":+1}', b'{"id":"a","b":.5}', b'{"id":"a","b":1.}', b'{"id":"a","b":1e}',
    b'{"id":"a","b":0x10}', b'{"id":"a","b":1_000}', b'{"id":"a","b":"\\x41"}', b'{"id":"a","b":"\\u12"}',
    b'{"id":"a","b":"\x01"}', b'{"id":"a","b":"line\nbreak"}', b'{"id":"a","b":"\xff"}',
    b'{"id":"a","b":"\xc0\x80"}', b'{"id":"a","b":"\xed\xa0\x80"}', b'{"id":"a","b":"open}',
    b'{"id":"a"/* comment */}', b'// {"id":"a"}', b'{"id":"a"}\x00', b'\x00', b"\xff\xfe{\x00}\x00",
    b'{"id":1}', b'{"id":null}', b'{"id":["a"]}', b'{"id":""}', b"[" * 100_000, b'{"a":' * 100_000,
    b'{"id":"a","b":' + b"[" * 200 + b"]" * 200 + b"}", b"a=b&c=d", b"<xml/>", b"undefined",
]
