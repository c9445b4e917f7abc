"""The oracle for items: the known state of every key, and the states a kill may leave it in."""

import itertools
import random
import time
from dataclasses import dataclass, field

from lib.client import NO_ANSWER, Answer, Client
from lib.report import expect
from ledger import Ledger

SYSTEM_PROPERTIES = ("_rid", "_self", "_etag", "_ts", "_attachments")
LOGICAL_PARTITIONS = 7
PADDING = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=80_000))
numbers = itertools.count(1)  # makes every body unique


@dataclass(frozen=True)
class Container:
    link: str
    default_ttl: int | None = None
    unique: bool = False


@dataclass
class Version:
    body: dict
    etag: str
    ts: int
    rid: str


@dataclass
class Pending:
    """A request without an answer. `body` is None for a delete."""
    body: dict | None
    sent: float


@dataclass
class Key:
    container: Container
    pk: str
    id: str
    version: Version | None = None
    stale_etag: str | None = None
    pending: Pending | None = None


@dataclass(frozen=True)
class Span:
    """The time a request was in flight, in seconds since 1970."""
    begin: float
    end: float


def lives(key: Key, span: Span) -> set[bool]:
    """Whether the item may have existed during the span: both if it expired meanwhile."""
    if key.version is None:
        return {False}
    ttl = key.version.body.get("ttl", key.container.default_ttl)
    if ttl is None or ttl == -1:
        return {True}
    expires = key.version.ts + ttl
    return {expires > moment for moment in (int(span.begin), int(span.end))}


def user_part(item: dict) -> dict:
    return {name: value for name, value in item.items() if name not in SYSTEM_PROPERTIES}


@dataclass
class Counter:
    """One item that all workers increment with If-Match: no step may be lost or applied twice."""
    container: Container
    pk: str
    acknowledged: set[int] = field(default_factory=set)
    seen: int = 0  # by a read, so it is on disk
    unknown: set[int] = field(default_factory=set)


class Worker:
    """A client with keys of its own, so that it can predict every answer."""

    def __init__(self, keys: list[Key], counters: list[Counter], ledger: Ledger):
        self.keys = keys
        self.counters = counters
        self.ledger = ledger
        self.acknowledged = 0

    def run(self, client: Client, rng: random.Random) -> None:
        """Sends requests until the server is killed."""
        try:
            while True:
                if self.counters and rng.random() < 0.1:
                    self.count(client, rng.choice(self.counters))
                else:
                    self.work_on(client, rng.choice(self.keys), rng)
        except NO_ANSWER:
            return

    def work_on(self, client: Client, key: Key, rng: random.Random) -> None:
        operation = rng.choices(["create", "upsert", "replace", "delete", "read"],
                                [30, 25, 25, 15, 10])[0]
        body = None
        if operation in ("create", "upsert", "replace"):
            body = self.new_body(key, rng)
        if_match = None
        if operation in ("replace", "delete") and key.version and rng.random() < 0.7:
            if_match = key.version.etag
            if key.stale_etag and rng.random() < 0.2:
                if_match = key.stale_etag
        begin = time.time()
        if operation != "read":
            key.pending = Pending(body, begin)
        try:
            answer = send(client, key, operation, body, if_match)
        except NO_ANSWER:
            allowed = self.allowed(key, operation, body, if_match, Span(begin, time.time()))
            if not allowed & {200, 201, 204}:
                key.pending = None  # no success was possible, so nothing changed
            raise
        key.pending = None
        allowed = self.allowed(key, operation, body, if_match, Span(begin, time.time()))
        expect(answer.status in allowed, f"{operation} {key.container.link} {key.pk}/{key.id}: "
                                         f"{answer.status}, expected {sorted(allowed)}: "
                                         f"{answer.body[:300]!r}")
        self.ledger.saw(key.container.link, answer)
        self.learn(key, operation, body, answer)

    def new_body(self, key: Key, rng: random.Random) -> dict:
        n = next(numbers)
        size = rng.choice([0, 100, 1000, 3000]) if rng.random() < 0.85 else rng.randrange(60_000)
        start = rng.randrange(len(PADDING) - size)
        body = {"id": key.id, "pk": key.pk, "n": n, "text": PADDING[start:start + size]}
        if key.container.unique:
            # Few values, so that they collide; per worker, so that it can predict collisions.
            body["u"] = f"{key.id.split('-')[0]}-{rng.randrange(4)}"
        if key.container.default_ttl is not None and rng.random() < 0.8:
            body["ttl"] = rng.choice([1, 2, 3600, -1])
        return body

    def allowed(self, key: Key, operation: str, body: dict | None, if_match: str | None,
                span: Span) -> set[int]:
        """The expected statuses; more than one only if an item may have expired."""
        taken = self.taken(key, body, span) if body else {False}
        outcomes = set()
        for live in lives(key, span):
            for conflict in taken:
                outcomes.add(expected_status(operation, live, conflict,
                                             if_match in (None, key.version and key.version.etag)))
        return outcomes

    def taken(self, key: Key, body: dict, span: Span) -> set[bool]:
        """Whether another item in the logical partition may hold the unique value."""
        if not key.container.unique:
            return {False}
        holders = [lives(other, span) for other in self.keys
                   if other is not key and other.version and other.container is key.container
                   and other.pk == key.pk and other.version.body["u"] == body["u"]]
        return {any(combination) for combination in itertools.product(*holders)}

    def learn(self, key: Key, operation: str, body: dict | None, answer: Answer) -> None:
        if operation == "read" and answer.status == 200:
            item = answer.json()
            expect(user_part(item) == key.version.body and item["_etag"] == key.version.etag,
                   f"read {key.pk}/{key.id}: not the version last written")
        elif answer.status == 204:
            key.version = None
            self.acknowledged += 1
        elif body and answer.status in (200, 201):
            item = answer.json()
            expect(user_part(item) == body, f"{operation} {key.pk}/{key.id}: a different body was returned")
            created = answer.status == 201
            expect(created or item["_rid"] == key.version.rid, f"{key.id}: a different rid")
            self.ledger.wrote(key.container.link, answer, item, created)
            key.stale_etag = key.version and key.version.etag
            key.version = Version(body, item["_etag"], item["_ts"], item["_rid"])
            self.acknowledged += 1

    def count(self, client: Client, counter: Counter) -> None:
        link, pk = counter.container.link, counter.pk
        found = client.item("GET", link, pk, "counter")
        expect(found.status == 200, f"counter {pk}: {found.status}")
        self.ledger.saw(link, found)
        wanted = found.json()["n"] + 1
        with self.ledger.lock:
            counter.seen = max(counter.seen, wanted - 1)
            counter.unknown.add(wanted)
        answer = client.item("PUT", link, pk, "counter", {"id": "counter", "pk": pk, "n": wanted},
                             {"If-Match": found.headers["etag"]})
        expect(answer.status in (200, 412), f"counter {pk}: {answer.status}")
        self.ledger.saw(link, answer)
        if answer.status == 200:
            self.ledger.wrote(link, answer, answer.json(), created=False)
            with self.ledger.lock:
                expect(wanted not in counter.acknowledged, f"counter {pk}: {wanted} counted twice")
                counter.acknowledged.add(wanted)
            self.acknowledged += 1


def send(client: Client, key: Key, operation: str, body: dict | None,
         if_match: str | None) -> Answer:
    link, headers = key.container.link, {"If-Match": if_match} if if_match else {}
    if operation == "create":
        return client.item("POST", link, key.pk, body=body)
    if operation == "upsert":
        return client.item("POST", link, key.pk, body=body,
                           headers={"x-ms-documentdb-is-upsert": "True"})
    method = {"replace": "PUT", "delete": "DELETE", "read": "GET"}[operation]
    return client.item(method, link, key.pk, key.id, body, headers)


def expected_status(operation: str, live: bool, conflict: bool, etag_fits: bool) -> int:
    if operation == "create":
        return 409 if live or conflict else 201
    if operation == "upsert":
        return 409 if conflict else 200 if live else 201
    if not live:
        return 404
    if operation == "read":
        return 200
    if not etag_fits:
        return 412
    return 204 if operation == "delete" else 409 if conflict else 200
