"""What is in the container: known from the answers, and what a request without an answer may have changed."""

import itertools
import threading
from dataclasses import dataclass

from lib.report import expect

Place = tuple[str, str]  # partition key and id
SYSTEM_PROPERTIES = ("_rid", "_self", "_etag", "_ts", "_attachments")


def user_part(item: dict) -> dict:
    return {name: value for name, value in item.items() if name not in SYSTEM_PROPERTIES}


@dataclass(frozen=True)
class Version:
    body: dict
    etag: str
    token: str  # of the session that wrote it

    @property
    def n(self) -> int:
        return self.body["n"]


class Pending:
    """A request that has no answer yet: all its changes are made, or none. None is a removal."""

    def __init__(self, changes: dict[Place, dict | None]):
        self.changes = changes


@dataclass(frozen=True)
class Moment:
    """The state when a reader began."""
    tick: int
    versions: dict[Place, Version]
    in_flight: frozenset[Place]


class Oracle:
    def __init__(self):
        self.lock = threading.Lock()
        self.numbers = itertools.count(1)  # makes every body unique, and newer ones greater
        self.ticks = 0
        self.versions: dict[Place, Version] = {}
        self.touched: dict[Place, int] = {}  # when a request last began or ended to add or remove it
        self.pending: set[Pending] = set()

    def begin(self, changes: dict[Place, dict | None]) -> Pending:
        pending = Pending(changes)
        with self.lock:
            self.pending.add(pending)
            self.touch(pending)
        return pending

    def refused(self, pending: Pending) -> None:
        with self.lock:
            self.pending.remove(pending)
            self.touch(pending)

    def applied(self, pending: Pending, etags: dict[Place, str], token: str) -> None:
        with self.lock:
            self.touch(pending)
            self.pending.remove(pending)
            for place, body in pending.changes.items():
                if body is None:
                    self.versions.pop(place, None)
                else:
                    self.versions[place] = Version(body, etags[place], token)

    def touch(self, pending: Pending) -> None:
        self.ticks += 1
        for place, body in pending.changes.items():
            if (body is None) == (place in self.versions):
                self.touched[place] = self.ticks

    def now(self) -> Moment:
        with self.lock:
            busy = frozenset(place for one in self.pending for place, body in one.changes.items()
                             if (body is None) == (place in self.versions))
            return Moment(self.ticks, dict(self.versions), busy)

    def was_touched(self, place: Place, since: Moment) -> bool:
        with self.lock:
            return place in since.in_flight or self.touched.get(place, 0) > since.tick

    def constant(self, since: Moment) -> tuple[set[Place], set[Place]]:
        """The places that were there all the time since then, and those that may have been there
        at some time."""
        with self.lock:
            free = since.in_flight | {place for place, tick in self.touched.items() if tick > since.tick}
        return set(since.versions) - free, set(since.versions) | free

    def settle(self, found: dict[Place, dict]) -> int:
        """Compares everything after a start, and learns what became of pending requests."""
        for pending in self.pending:
            self.settle_one(pending, found)
        self.pending.clear()
        missing = sorted(set(self.versions) - set(found))
        expect(not missing, f"acknowledged but lost: {missing[:5]}")
        unknown = sorted(set(found) - set(self.versions))
        expect(not unknown, f"removed but there: {unknown[:5]}")
        for place, version in self.versions.items():
            item = found[place]
            expect(user_part(item) == version.body, f"{place}: n {item['n']}, acknowledged {version.n}")
            expect(item["_etag"] == version.etag, f"{place}: another etag than acknowledged")
        return len(found)

    def settle_one(self, pending: Pending, found: dict[Place, dict]) -> None:
        made, not_made = [], []
        for place, body in pending.changes.items():
            item, old = found.get(place), self.versions.get(place)
            if (item and user_part(item)) == body:
                if old or body is not None:  # else both states are the same
                    made.append(place)
            else:
                expect((item and user_part(item)) == (old and old.body), f"{place}: neither old nor new")
                not_made.append(place)
        expect(not made or not not_made, f"half of a request was applied: {made[:3]}, not {not_made[:3]}")
        for place in made:
            self.versions.pop(place, None)
            if place in found:
                self.versions[place] = Version(pending.changes[place], found[place]["_etag"], "")
