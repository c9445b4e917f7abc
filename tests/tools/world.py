"""What a check of a tool has: a server, a directory and a container of its own."""

import itertools
import json
import os
import subprocess
import time
from pathlib import Path

from lib.client import Client
from lib.server import Server

PATIENCE_SECONDS = 300
SYSTEM_PROPERTIES = ("_rid", "_self", "_etag", "_attachments", "_ts")
DATABASE = "tools"
numbers = itertools.count(1)


class World:
    def __init__(self, binary: Path, server: Server, scratch: Path):
        self.binary = binary
        self.server = server
        self.scratch = scratch
        number = next(numbers)
        self.container = f"c{number}"
        self.directory = scratch / f"files{number}"
        self.directory.mkdir()

    def at(self, server: Server) -> "World":
        """The same with another server."""
        return World(self.binary, server, self.scratch)

    def path(self, name: str) -> Path:
        return self.directory / name

    def write(self, name: str, content: str | bytes) -> str:
        data = content if isinstance(content, bytes) else content.encode()
        self.path(name).write_bytes(data)
        return str(self.path(name))

    @property
    def link(self) -> str:
        return f"/dbs/{DATABASE}/colls/{self.container}"

    def client(self) -> Client:
        return Client(self.server.port)

    def command(self, tool: str, *arguments) -> list[str]:
        return [str(self.binary), tool, "--endpoint", f"http://127.0.0.1:{self.server.port}/",
                "--database", DATABASE, "--container", self.container, *map(str, arguments)]

    def start(self, tool: str, *arguments, **options) -> subprocess.Popen:
        return subprocess.Popen(self.command(tool, *arguments), cwd=self.directory, **options)

    def run(self, tool: str, *arguments, stdin: bytes = b"", code: int = 0) -> str:
        """What it prints; raises for another exit code."""
        done = subprocess.run(self.command(tool, *arguments), input=stdin, capture_output=True,
                              timeout=PATIENCE_SECONDS, cwd=self.directory)
        if done.returncode != code:
            raise AssertionError(f"{tool}: exit code {done.returncode} instead of {code}\n"
                                 f"{done.stdout.decode()}{done.stderr.decode()}")
        return done.stdout.decode()

    def items(self) -> dict:
        """The items of the container by id and text of the key, each as exact() has it."""
        found = {}
        with self.client() as client:
            headers = {"x-ms-max-item-count": "1000"}
            while True:
                answer = client.request("GET", self.link + "/docs", headers=headers)
                if answer.status == 429:
                    time.sleep(int(answer.headers["x-ms-retry-after-ms"]) / 1000)
                    continue
                if answer.status != 200:
                    raise AssertionError(f"GET {self.link}: {answer.status} {answer.body[:300]!r}")
                for member, value in exact(answer.body):
                    for item in value if member == "Documents" else ():
                        plain = [pair for pair in item if pair[0] not in SYSTEM_PROPERTIES]
                        found[dict(plain)["id"], str(dict(plain).get("pk"))] = plain
                if "x-ms-continuation" not in answer.headers:
                    return found
                headers["x-ms-continuation"] = answer.headers["x-ms-continuation"]

    def count(self) -> int:
        with self.client() as client:
            answer = client.request("GET", self.link)
            return len(self.items()) if answer.status == 200 else 0


def exact(text: str | bytes):
    """JSON with the order of members and the digits of numbers: objects are lists of pairs."""
    return json.loads(text, object_pairs_hook=lambda pairs: pairs, parse_int=Digits,
                      parse_float=Digits)


class Digits(str):
    """A number as it is written, which differs from a string with the same text."""

    def __eq__(self, other) -> bool:
        return isinstance(other, Digits) and str.__eq__(self, other)

    __hash__ = str.__hash__


def environment(**more: str) -> dict[str, str]:
    return os.environ | more
