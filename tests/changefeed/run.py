#!/usr/bin/env python3
"""Follows the change feed while clients write, partitions are split and merged, and the server is killed.
Every reader must end with the content of the container.

    tests/changefeed/run.py [--server build/release/orrery] [--seconds 25] [--kills 3] [--seed 1]

Deletes are not in the feed of latest versions: what the container no longer has is taken out of a replay. A reader of
all versions and deletes must end with exactly the content, and see every version follow the one before.
"""

import argparse
import random
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, PATIENCE_SECONDS, Server, inspect  # noqa: E402
from readers import EventReader, KeyReader, RangeReader, Reader, VersionReader, WholeReader, list_ranges  # noqa: E402
from writers import PROCEDURE, Writer  # noqa: E402

WRITERS = 3
KEYS_PER_WRITER = 5
PROBLEMS_SHOWN = 5
PARTITIONS = ("--partitions", "3")
RANGES_MAX = 8
DEFINITION = {"id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
              "changeFeedPolicy": {"retentionDuration": 30}}


class Splitter:
    """Splits and merges ranges."""

    def __init__(self, link: str):
        self.link = link
        self.done = 0

    def work(self, client: Client, rng: random.Random) -> None:
        ranges = list_ranges(client, self.link)
        few, many = len(ranges) < 2, len(ranges) >= RANGES_MAX
        what = "split" if few or (not many and rng.random() < 0.5) else "merge"
        chosen = rng.choice(ranges)["id"]
        answer = client.request("POST", f"/{self.link}/pkranges/{chosen}/{what}")
        # Another one may be under way, or it is the last range, which has no neighbour.
        expect(answer.status in (202, 400, 409, 410, 429), f"{what}: {answer.status} {answer.body!r}")
        self.done += answer.status == 202
        time.sleep(rng.uniform(0.05, 0.4))


class Load:
    """Runs every part on a thread and connection of its own, until it is stopped or the server is killed."""

    def __init__(self, parts: list, port: int, rng: random.Random):
        self.stopping = threading.Event()
        self.killed = False
        self.problems: list[str] = []
        self.threads = [threading.Thread(target=self.run, daemon=True,
                                         args=(part, Client(port), random.Random(rng.random())))
                        for part in parts]
        for thread in self.threads:
            thread.start()

    def run(self, part, client: Client, rng: random.Random) -> None:
        try:
            with client:
                while not self.stopping.is_set():
                    part.work(client, rng)
        except NO_ANSWER as error:
            if not self.killed:
                self.problems.append(f"{part}: no answer: {error!r}")
        except Exception as error:  # the round reports it
            self.problems.append(f"{type(part).__name__}: {type(error).__name__}: {error}")

    def wait(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and not self.problems:
            time.sleep(0.02)

    def finish(self) -> None:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a client still waits for its answer")
        expect(not self.problems, "\n".join(self.problems[:PROBLEMS_SHOWN]))


class World:
    """A data directory, the clients and what they know."""

    def __init__(self, binary: Path, data: Path, rng: random.Random):
        self.binary, self.data, self.rng = binary, data, rng
        with self.server() as server, Client(server.port) as client:
            self.link = make_container(client, "feed", DEFINITION)
            self.versions = VersionReader(self.link, 20)
            stored = client.request("POST", f"/{self.link}/sprocs", PROCEDURE)
            expect(stored.status == 201, f"procedure: {stored.status} {stored.body!r}")
            self.versions.catch_up(client)  # it begins before the first write
            server.stop()
        self.writers = [Writer(self.link, [f"key {w} {k}" for k in range(KEYS_PER_WRITER)])
                        for w in range(WRITERS)]
        key = self.writers[0].keys[0]
        self.readers: list[Reader] = [WholeReader(self.link, 7), WholeReader(self.link, 100),
                                      RangeReader(self.link, 9), KeyReader(self.link, 3, key),
                                      EventReader(self.link, 8), self.versions]
        self.splitter = Splitter(self.link)

    def server(self) -> Server:
        return Server(self.binary, self.data, *PARTITIONS).wait_until_ready()

    def round(self, seconds: float, kill: bool) -> str:
        with self.server() as server:
            load = Load([*self.writers, *self.readers, self.splitter], server.port, self.rng)
            load.wait(seconds)
            if kill:
                load.killed = True
                server.kill()
                load.finish()
            else:
                load.finish()
                server.stop()
        return (f"{sum(writer.written for writer in self.writers)} writes, {self.splitter.done} splits and merges, "
                + ", ".join(f"{reader.name} {reader.pages} pages" for reader in self.readers))

    def settle(self) -> None:
        """After a kill: what became of the writes without an answer."""
        with self.server() as server, Client(server.port) as client:
            content = self.content(client)
            for writer in self.writers:
                writer.settle(content)
            server.stop()

    def await_deletes(self, client: Client, content: dict) -> None:
        """The items of deleted partition keys are removed, and logged, in the background."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while self.versions.versions != content:
            expect(time.monotonic() < deadline, f"all versions: {difference(self.versions.versions, content)}")
            time.sleep(0.1)
            self.versions.catch_up(client)

    def content(self, client: Client) -> dict:
        items, _ = client.feed(f"/{self.link}/docs", "Documents", {"x-ms-max-item-count": "-1"})
        return {(item["pk"], item["id"]): item["v"] for item in items}

    def check_end(self) -> str:
        """All readers catch up. What they have must be what is there and what was acknowledged."""
        with self.server() as server, Client(server.port) as client:
            content = self.content(client)
            expected: dict = {}
            for writer in self.writers:
                expected |= writer.versions
            expect(content == expected, f"the container differs from what was written: {difference(content, expected)}")
            for reader in self.readers[:-1]:
                reader.catch_up(client)
                wanted = {place: version for place, version in content.items() if reader.covers(place)}
                replay = {place: version for place, version in reader.versions.items() if place in content}
                expect(replay == wanted, f"{reader.name}: {difference(replay, wanted)}")
            self.await_deletes(client, content)
            late = WholeReader(self.link, 50)
            late.catch_up(client)
            expect(late.versions == content, f"a new reader: {difference(late.versions, content)}")
            server.stop()
        return f"{len(content)} items, {self.versions.deletes} deletes seen, {inspect(self.binary, self.data)}"


def difference(got: dict, wanted: dict) -> str:
    places = [place for place in got.keys() | wanted.keys() if got.get(place) != wanted.get(place)]
    return ", ".join(f"{place}: {got.get(place)} instead of {wanted.get(place)}" for place in sorted(places)[:5])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seconds", type=float, default=25)
    parser.add_argument("--kills", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = Report()
    with scratch_directory("changefeed") as scratch:
        world = World(options.server, scratch / "data", random.Random(options.seed))
        share = options.seconds / (options.kills + 1)
        for kill in range(options.kills):
            def killed() -> str:
                remark = world.round(share, kill=True)
                world.settle()
                return remark
            if not report.run(f"kill {kill + 1}", killed):
                return report.finish()
        if report.run("last round", lambda: world.round(share, kill=False)):
            report.run("readers have everything", world.check_end)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
