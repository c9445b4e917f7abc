#!/usr/bin/env python3
"""Misbehaving clients: after each of them the server still serves others, and memory stays bounded."""

import argparse
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
import connections  # noqa: E402
import crowds  # noqa: E402
from bad_requests import MIB, PK, BadRequests  # noqa: E402

MEMORY_MB_MAX = 200


class Suite:
    def __init__(self, server: Server, rng: random.Random, report: Report):
        self.server = server
        self.rng = rng
        self.report = report
        self.files_at_start = server.open_files()
        self.client = Client(server.port)
        key_path = {"paths": ["/pk"], "kind": "Hash", "version": 2}
        self.container = make_container(self.client, "abuse", {"id": "c", "partitionKey": key_path})

    def alive(self) -> None:
        """A well-behaved client on a new connection is served quickly."""
        with Client(self.server.port, timeout=5) as client:
            headers = {"x-ms-documentdb-is-upsert": "True"}
            made = client.item("POST", self.container, "good", body={"id": "good", "pk": "good"},
                               headers=headers)
            expect(made.status in (200, 201), f"a good client got {made.status} {made.body!r}")
            found = client.item("GET", self.container, "good", "good")
            expect(found.status == 200, f"a good client got {found.status}")

    def check(self, name: str, action) -> None:
        def guarded():
            try:
                remark = action()
            finally:
                self.client.connection.close()
            expect(self.server.running(), f"the server died\n{self.server.tail()}")
            self.alive()
            return remark
        self.report.run(name, guarded)

    def run(self) -> None:
        port, rng = self.server.port, self.rng
        slow = connections.SlowClients(port)
        bad = BadRequests(self.client, self.container, port, rng)
        docs = f"/{self.container}/docs"
        self.check("huge headers: 431", bad.huge_headers)
        self.check("Content-Length too long", bad.length_too_long)
        self.check("Content-Length too short", bad.length_too_short)
        self.check("invalid Content-Length", bad.invalid_length)
        self.check("Content-Length with chunked encoding", bad.length_and_chunks)
        self.check("invalid chunks", bad.invalid_chunks)
        self.check("chunks of one byte", bad.valid_chunks)
        self.check("100 pipelined requests", bad.pipelining)
        self.check("other protocols", bad.protocols)
        self.check("no key", bad.refused_without_key)
        self.check("invalid JSON: 400", bad.invalid_json)
        self.check("unknown routes and methods: 404, 405", bad.unknown_routes)
        self.check("bodies of 2, 3 and 20 MB", bad.bodies)
        self.check("body of 100 MB: 413", bad.body_of_100_mb)
        self.check("random bytes", lambda: connections.random_bytes(
            port, rng, [b"", b"", b"GET ", b"POST /dbs HTTP/1.1\r\n", b"\r\n"]))
        self.check("TLS garbage", lambda: connections.random_bytes(
            port, rng, [b"\x16", b"\x16\x03\x01", b"\x16\x03\x01\x00\x05", b"\x16\xff\xff\xff"]))
        self.check("garbage after a TLS handshake", lambda: connections.garbage_after_handshake(port, rng))
        self.check("500 clients that disconnect",
                   lambda: connections.disconnects(self.client, port, docs, rng))
        self.check("unread answers", lambda: connections.unread_answers(
            self.client, port, self.server, f"{docs}/size{2 * MIB}"))
        self.check("10,000 idle connections",
                   lambda: connections.idle_connections(self.server, self.alive))
        self.check("slow heads and unfinished handshakes", slow.finish)
        self.check("all connections are released", lambda: connections.wait_for_release(
            self.server, self.files_at_start + 20))
        self.report.run("memory at the end", self.memory_at_the_end)
        self.report.run("SIGTERM stops the server", self.server.stop)

    def run_crowds(self) -> None:
        crowd = crowds.Crowds(self.server, self.client, self.container)
        self.check("300 stalled uploads without a key", crowd.unsigned_uploads)
        self.check("300 stalled uploads with a key", crowd.signed_uploads)
        self.check("2,000 slow readers", crowd.slow_readers)
        self.check("all connections are idle, without a key", crowd.idle_strangers)
        self.check("all connections are idle, with a key", crowd.idle_clients)
        self.check("all connections are released", lambda: connections.wait_for_release(
            self.server, self.files_at_start + 20))
        self.report.run("SIGTERM stops the server", self.server.stop)

    def memory_at_the_end(self) -> str:
        found = self.client.item("GET", self.container, "p", f"size{2 * MIB}")
        expect(found.status == 200 and len(found.body) > 2 * MIB, "the large item is gone")
        memory = self.server.memory_mb()
        expect(memory < MEMORY_MB_MAX, f"{memory:.0f} MB")
        self.client.connection.close()
        return f"{memory:.0f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    report = Report()
    with scratch_directory("abuse") as scratch:
        with Server(options.server, scratch / "data") as server:
            server.wait_until_ready()
            Suite(server, random.Random(options.seed), report).run()
        with Server(options.server, scratch / "crowds", *crowds.OPTIONS) as server:
            server.wait_until_ready()
            Suite(server, random.Random(options.seed), report).run_crowds()
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
