"""Clients that watch the list of ranges, use ranges that are gone, and ask for splits and merges."""

import random
import time

from lib.client import Client
from lib.report import expect
from session import JSON, QUERY, RANGE, Counts, described, is_gone

INCREMENTAL = {"A-IM": "Incremental Feed"}
HEX_DIGITS = 32
HASH_END = 1 << 126  # hashes have two leading zero bits
MANY = 8


def overlap(a: dict, b: dict) -> bool:
    return a["minInclusive"] < b["maxExclusive"] and b["minInclusive"] < a["maxExclusive"]


def list_ranges(client: Client, link: str) -> list[dict]:
    found, _ = client.feed(f"/{link}/pkranges", "PartitionKeyRanges")
    return sorted(found, key=lambda one: one["minInclusive"])


def check_tiles(ranges: list[dict]) -> None:
    ends = [""] + [one["maxExclusive"] for one in ranges]
    starts = [one["minInclusive"] for one in ranges] + ["FF"]
    expect(ends == starts, f"the ranges have gaps or overlap: {list(zip(starts, ends[1:]))}")


class Watcher:
    """One client at a time: it remembers all ranges that ever were."""

    def __init__(self, link: str, counts: Counts):
        self.link = link
        self.counts = counts
        self.known: dict[int, dict] = {}
        self.live: set[int] = set()
        self.etag = ""

    def work(self, client: Client, rng: random.Random) -> str:
        if rng.random() < 0.5:
            self.check(list_ranges(client, self.link))
        else:
            self.follow(client)
        gone = sorted(set(self.known) - self.live)
        if gone and rng.random() < 0.5:
            self.use_gone(client, rng.choice(gone[-20:]), rng)
        time.sleep(rng.uniform(0, 0.03))
        return "ranges_listed"

    def follow(self, client: Client) -> None:
        """The incremental feed: nothing if there is nothing new, and what is new is complete."""
        headers = INCREMENTAL | ({"If-None-Match": self.etag} if self.etag else {})
        answer = client.request("GET", f"/{self.link}/pkranges", None, headers)
        expect(answer.status in (200, 304), f"incremental ranges: {described(answer)}")
        if answer.status == 304:
            expect(answer.headers["etag"] == self.etag and not answer.body, "a 304 with another etag or a body")
            self.counts.add("lists of ranges not modified")
            return
        expect(answer.headers["etag"] != self.etag, "the etag is the same, but the answer is not 304")
        self.etag = answer.headers["etag"]
        found = answer.json()["PartitionKeyRanges"]
        gone = {parent for one in found for parent in one["parents"]}
        combined = {str(number): self.known[number] for number in self.live if str(number) not in gone}
        combined |= {one["id"]: one for one in found}
        self.check(sorted(combined.values(), key=lambda one: one["minInclusive"]))

    def check(self, ranges: list[dict]) -> None:
        check_tiles(ranges)
        now = {int(one["id"]): one for one in ranges}
        newest = max(self.known, default=-1)
        for number, one in now.items():
            if number in self.known:
                expect(number in self.live, f"range {number} is back")
                for name in ("minInclusive", "maxExclusive", "parents", "_rid"):
                    expect(one[name] == self.known[number][name], f"range {number} has another {name}")
            else:
                expect(number > newest, f"new range {number}, though there was {newest} before")
        self.known |= now
        self.live = set(now)
        for number, one in now.items():
            self.check_parents(number, one)

    def check_parents(self, number: int, one: dict) -> None:
        parents = {int(parent) for parent in one["parents"]}
        expect(not parents & self.live and max(parents, default=-1) < number,
               f"range {number} has parents {sorted(parents & self.live)}, which are not gone")
        # There may be more: a merge takes over the ancestors of both.
        held_its_keys = {other for other, range_ in self.known.items()
                         if other not in self.live and overlap(range_, one)}
        expect(held_its_keys <= parents,
               f"range {number} does not list its ancestors {sorted(held_its_keys - parents)[:5]}")

    def use_gone(self, client: Client, number: int, rng: random.Random) -> None:
        headers = {RANGE: str(number)}
        path = f"/{self.link}/docs"
        kind = rng.randrange(4)
        if kind == 0:
            answer = client.request("GET", path, None, headers)
        elif kind == 1:
            answer = client.request("POST", path, {"query": "SELECT * FROM c"}, QUERY | headers)
        elif kind == 2:
            answer = client.request("POST", path, [
                {"operationType": "Read", "id": "1", "partitionKey": '["a"]'}], JSON | headers | {
                    "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "False"})
        else:
            answer = client.request("POST", f"/{self.link}/pkranges/{number}/split", b"", JSON)
        expect(is_gone(answer), f"request {kind} on gone range {number}: {described(answer)}")
        self.counts.add("requests on gone ranges")


class Splitter:
    """Splits and merges by hand."""

    def __init__(self, link: str, counts: Counts):
        self.link = link
        self.counts = counts

    def work(self, client: Client, rng: random.Random) -> str:
        ranges = list_ranges(client, self.link)
        at = rng.randrange(len(ranges))
        if rng.random() < (0.2 if len(ranges) < MANY else 0.8):
            what, body, expected = "merge", b"", 202 if at + 1 < len(ranges) else 400
        else:
            what, expected = "split", 202
            body = rng.choice([b"", {"at": place_inside(ranges[at], rng)}])
            if body and rng.random() < 0.1:
                body, expected = {"at": ranges[at]["minInclusive"] or "nonsense"}, 400
        answer = client.request("POST", f"/{self.link}/pkranges/{ranges[at]['id']}/{what}", body, JSON)
        if not is_gone(answer):
            expect(answer.status == expected, f"{what} {ranges[at]['id']} {body}: {described(answer)}")
        time.sleep(rng.uniform(0, 0.1))
        return what


def place_inside(one: dict, rng: random.Random) -> str:
    low = number_of(one["minInclusive"])
    high = HASH_END if one["maxExclusive"] == "FF" else number_of(one["maxExclusive"])
    return f"{rng.randrange(low + 1, high):0{HEX_DIGITS}X}"


def number_of(epk: str) -> int:
    return int(epk.ljust(HEX_DIGITS, "0"), 16) if epk else 0
