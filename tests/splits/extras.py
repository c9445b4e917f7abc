"""Clients with containers of their own: counters in stored procedures, and items that expire."""

import random
import threading
import time

from lib.client import NO_ANSWER, Client, make_container
from lib.report import expect
from session import JSON, Counts, described
from writers import key_header

COUNTERS = 6
INCREMENT = """function () {
    var c = getContext().getCollection();
    function accepted(yes) { if (!yes) throw new Error('not accepted'); }
    accepted(c.readDocument(c.getAltLink() + '/docs/counter', function (error, item) {
        if (error) throw error;
        item.count++;
        accepted(c.replaceDocument(item._self, item, function (error, done) {
            if (error) throw error;
            getContext().getResponse().setBody(done.count);
        }));
    }));
}"""
OUT_OF_TIME = (403, 408)  # as any script can be on a busy machine


class Counters:
    def __init__(self, counts: Counts):
        self.counts = counts
        self.lock = threading.Lock()
        self.link = ""
        self.acknowledged = dict.fromkeys((f"k{number}" for number in range(COUNTERS)), 0)
        self.unknown = dict.fromkeys(self.acknowledged, 0)
        self.answers: dict[str, set[int]] = {pk: set() for pk in self.acknowledged}

    def fill(self, client: Client) -> None:
        self.link = "/" + make_container(client, "splits", {
            "id": "counters", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
        made = client.request("POST", self.link + "/sprocs", {"id": "increment", "body": INCREMENT}, JSON)
        expect(made.status == 201, f"procedure: {described(made)}")
        for pk in self.acknowledged:
            made = client.item("POST", self.link[1:], pk, body={"id": "counter", "pk": pk, "count": 0})
            expect(made.status == 201, f"counter: {described(made)}")

    def work(self, client: Client, rng: random.Random) -> str:
        pk = rng.choice(list(self.acknowledged))
        with self.lock:
            self.unknown[pk] += 1
        answer = client.request("POST", self.link + "/sprocs/increment", [], JSON | key_header(pk))
        with self.lock:
            if answer.status != 200:
                self.unknown[pk] -= 1
                expect(answer.status in OUT_OF_TIME, f"increment {pk}: {described(answer)}")
                return "increments_out_of_time"
            value = answer.json()
            expect(value not in self.answers[pk], f"counter {pk}: {value} was counted twice")
            self.answers[pk].add(value)
            self.unknown[pk] -= 1
            self.acknowledged[pk] += 1
        return "increments"

    def settle(self, client: Client) -> None:
        """Call while no other client works."""
        for pk, least in self.acknowledged.items():
            answer = client.item("GET", self.link[1:], pk, "counter")
            expect(answer.status == 200, f"counter {pk}: {described(answer)}")
            count = answer.json()["count"]
            expect(least <= count <= least + self.unknown[pk],
                   f"counter {pk}: {count}, acknowledged {least}, without an answer {self.unknown[pk]}")
            self.acknowledged[pk], self.unknown[pk] = count, 0


class Expiring:
    """One client at a time."""

    def __init__(self, counts: Counts):
        self.counts = counts
        self.link = ""
        self.number = 0
        self.items: dict[tuple[str, str], float] = {}  # and when they expire
        self.unknown: set[tuple[str, str]] = set()

    def fill(self, client: Client) -> None:
        self.link = make_container(client, "splits", {
            "id": "expiring", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
            "defaultTtl": -1})

    def work(self, client: Client, rng: random.Random) -> str:
        if len(self.items) < 60 or rng.random() < 0.3:
            self.create(client, rng)
            return "items_with_ttl"
        place = rng.choice(list(self.items))
        begin = time.time()
        answer = client.item("GET", self.link, place[0], place[1])
        self.check(place, answer.status == 200, begin, time.time())
        if answer.status == 404:
            del self.items[place]
        return "reads_with_ttl"

    def create(self, client: Client, rng: random.Random) -> None:
        self.number += 1
        place = (f"e{rng.randrange(10)}", str(self.number))
        body = {"id": place[1], "pk": place[0]}
        ttl = rng.choice([1, 2, 2, 3600, -1, None])
        try:
            answer = client.item("POST", self.link, place[0],
                                 body=body | ({"ttl": ttl} if ttl is not None else {}))
        except NO_ANSWER:
            self.unknown.add(place)
            raise
        expect(answer.status == 201, f"create with ttl {ttl}: {described(answer)}")
        self.items[place] = answer.json()["_ts"] + ttl if ttl and ttl > 0 else float("inf")

    def check(self, place: tuple[str, str], found: bool, begin: float, end: float) -> None:
        expires = self.items[place]
        if int(end) < expires:
            expect(found, f"{place} expired {expires - end} s too early")
        if int(begin) >= expires:
            expect(not found, f"{place} is there {begin - expires} s after it has expired")

    def settle(self, client: Client) -> None:
        begin = time.time()
        listed, _ = client.feed(f"/{self.link}/docs", "Documents")
        end = time.time()
        found = {(item["pk"], item["id"]) for item in listed}
        expect(len(found) == len(listed), "an item that expires is there twice")
        for place in self.items:
            self.check(place, place in found, begin, end)
        strangers = found - set(self.items) - self.unknown
        expect(not strangers, f"expired items are back: {sorted(strangers)[:5]}")
