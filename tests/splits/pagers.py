"""Clients that read page by page, slowly, while ranges come and go. At the end a pager has found every
item that was there all the time exactly once, and none that was never there."""

import json
import random
import time
from dataclasses import dataclass
from typing import Callable

from lib.client import Answer, Client
from lib.report import expect
from oracle import Moment, Oracle, Place
from session import QUERY, RANGE, Counts, described, is_gone, with_session
from writers import TAGS, key_header, rank_of, tag_of

ROWS = "SELECT c.pk, c.id, c.n, c.rank, c.tag FROM c"
MERGED = {"x-orrery-merge-partitions": "true"}
PAGES_MAX = 5000


@dataclass
class Part:
    """A part of the hash space that a client reads on its own, and where it has come to."""
    low: str
    high: str
    token: str | None = None
    last_rank: str = ""


class Reading:
    """What one pager has found."""

    def __init__(self, oracle: Oracle, name: str):
        self.oracle = oracle
        self.name = name
        self.began = oracle.now()
        self.times: dict[Place, int] = {}
        self.pages = 0

    def add(self, rows: list[dict], before: Moment, wanted: Callable[[Place], bool]) -> None:
        self.pages += 1
        expect(self.pages < PAGES_MAX, f"{self.name}: no end after {PAGES_MAX} pages")
        for row in rows:
            place = (row["pk"], row["id"])
            expect(wanted(place), f"{self.name}: {place} was not asked for")
            self.times[place] = self.times.get(place, 0) + 1
            known = before.versions.get(place)
            expect(known is None or row["n"] >= known.n,
                   f"{self.name}: {place} is old: n {row['n']}, acknowledged before {known and known.n}")

    def finish(self, wanted: Callable[[Place], bool]) -> None:
        always, sometimes = self.oracle.constant(self.began)
        missing = sorted(place for place in always if wanted(place) and place not in self.times)
        expect(not missing, f"{self.name}: after {self.pages} pages, missing {len(missing)}: {missing[:5]}")
        never = sorted(set(self.times) - sometimes)
        expect(not never, f"{self.name}: found what was never there: {never[:5]}")
        twice = sorted(place for place, count in self.times.items() if count > 1 and place in always)
        expect(not twice, f"{self.name}: after {self.pages} pages, twice {len(twice)}: {twice[:5]}")


def in_order(rows: list[dict], last: str, name: str) -> str:
    for row in rows:
        expect(row["rank"] >= last, f"{name}: {row['rank']} comes after {last}")
        last = row["rank"]
    return last


class Pager:
    def __init__(self, link: str, oracle: Oracle, counts: Counts):
        self.link = "/" + link
        self.oracle = oracle
        self.counts = counts

    def work(self, client: Client, rng: random.Random) -> str:
        what = rng.choice([self.feed, self.feed_of_key, self.query, self.query_of_key, self.query_merged,
                           self.query_of_tag, self.feed_by_ranges, self.query_by_ranges, self.count])
        what(client, rng)
        return what.__name__

    def pause(self, rng: random.Random) -> None:
        time.sleep(rng.choice([0, 0, 0.01, 0.03, 0.1]))

    def read(self, client: Client, rng: random.Random, name: str, text: str | None, headers: dict,
             wanted: Callable[[Place], bool] = lambda _: True, ordered: bool = False) -> None:
        """One chain of pages, from the first to the last."""
        size = rng.choice([1, 3, 7, 20]) if "partitionkey" in "".join(headers) else rng.choice([5, 11, 40])
        reading = Reading(self.oracle, f"{name} by {size}")
        headers = headers | {"x-ms-max-item-count": str(size)}
        last = ""
        while True:
            before = self.oracle.now()
            answer = self.ask(client, text, headers)
            expect(answer.status == 200, f"{reading.name}: {described(answer)}")
            rows = answer.json()["Documents"]
            reading.add(rows, before, wanted)
            last = in_order(rows, last, reading.name) if ordered else ""
            if "x-ms-continuation" not in answer.headers:
                break
            headers["x-ms-continuation"] = answer.headers["x-ms-continuation"]
            self.pause(rng)
        reading.finish(wanted)
        self.counts.add("pages", reading.pages)

    def ask(self, client: Client, text: str | None, headers: dict) -> Answer:
        if text is None:
            return client.request("GET", f"{self.link}/docs", None, headers)
        return client.request("POST", f"{self.link}/docs", {"query": text}, QUERY | headers)

    def some_key(self, rng: random.Random) -> str:
        places = list(self.oracle.now().versions)
        return rng.choice(places)[0] if places else "none"

    def feed(self, client: Client, rng: random.Random) -> None:
        self.read(client, rng, "feed", None, {})

    def feed_of_key(self, client: Client, rng: random.Random) -> None:
        pk = self.some_key(rng)
        self.read(client, rng, f"feed of {pk}", None, key_header(pk), lambda place: place[0] == pk)

    def query(self, client: Client, rng: random.Random) -> None:
        self.read(client, rng, "query", ROWS, {})

    def query_of_key(self, client: Client, rng: random.Random) -> None:
        pk = self.some_key(rng)
        ordered = rng.random() < 0.5
        text = ROWS + (" ORDER BY c.rank" if ordered else "")
        self.read(client, rng, f"query of {pk}, ordered: {ordered}", text, key_header(pk),
                  lambda place: place[0] == pk, ordered)

    def query_merged(self, client: Client, rng: random.Random) -> None:
        text, ordered = rng.choice([(ROWS, False), (ROWS + " ORDER BY c.rank", True)])
        self.read(client, rng, f"merged query, ordered: {ordered}", text, MERGED, ordered=ordered)

    def query_of_tag(self, client: Client, rng: random.Random) -> None:
        """The path goes in and out of the index meanwhile."""
        tag = f"t{rng.randrange(TAGS)}"
        self.read(client, rng, f"query of {tag}", f"{ROWS} WHERE c.tag = '{tag}'", {},
                  lambda place: tag_of(place) == tag)

    def count(self, client: Client, rng: random.Random) -> None:
        tag = rng.choice(["", f"t{rng.randrange(TAGS)}"])
        text = "SELECT VALUE COUNT(1) FROM c" + (f" WHERE c.tag = '{tag}'" if tag else "")
        began = self.oracle.now()
        answer = self.ask(client, text, MERGED)
        expect(answer.status == 200, f"{text}: {described(answer)}")
        always, sometimes = self.oracle.constant(began)
        fewest, most = (sum(not tag or tag_of(place) == tag for place in places)
                        for places in (always, sometimes))
        found = answer.json()["Documents"][0]
        expect(fewest <= found <= most, f"{text}: {found}, not from {fewest} to {most}")

    # As SDKs do it: one request per range, each range with tokens of its own. A range that is gone is
    # looked up again; its children go on with its token.

    def feed_by_ranges(self, client: Client, rng: random.Random) -> None:
        self.by_ranges(client, rng, "feed by ranges", None)

    def query_by_ranges(self, client: Client, rng: random.Random) -> None:
        self.by_ranges(client, rng, "ordered query by ranges", ROWS + " ORDER BY c.rank")

    def by_ranges(self, client: Client, rng: random.Random, name: str, text: str | None) -> None:
        size = rng.choice([3, 7, 20])
        reading = Reading(self.oracle, f"{name} by {size}")
        ranges = self.ranges(client)
        parts = [Part("", "FF")]
        while parts:
            part = parts.pop(rng.randrange(len(parts)))
            owner = next((one for one in ranges if one["minInclusive"] <= part.low and
                          part.high <= one["maxExclusive"]), None)
            if owner is None:
                parts += divided(part, ranges)
                continue
            before = self.oracle.now()
            answer = self.ask(client, text, scope_of(part, owner) | {"x-ms-max-item-count": str(size)})
            if is_gone(answer):
                self.counts.add("pages of gone ranges")
                ranges = self.ranges(client)
                parts.append(part)
                continue
            expect(answer.status == 200, f"{reading.name}, {part} in {owner['id']}: {described(answer)}")
            rows = answer.json()["Documents"]
            reading.add(rows, before, lambda _: True)
            if text is not None:
                part.last_rank = in_order(rows, part.last_rank, reading.name)
            part.token = answer.headers.get("x-ms-continuation")
            if part.token:
                parts.append(part)
            self.pause(rng)
        reading.finish(lambda _: True)
        self.counts.add("pages", reading.pages)

    def ranges(self, client: Client) -> list[dict]:
        return client.feed(f"{self.link}/pkranges", "PartitionKeyRanges")[0]


def divided(part: Part, ranges: list[dict]) -> list[Part]:
    """The part, cut where ranges end."""
    cuts = sorted({part.low, part.high} | {one["minInclusive"] for one in ranges
                                           if part.low < one["minInclusive"] < part.high})
    expect(len(cuts) > 2, f"no range holds {part.low}-{part.high}: {json.dumps(ranges)[:500]}")
    return [Part(low, high, part.token, part.last_rank) for low, high in zip(cuts, cuts[1:])]


def scope_of(part: Part, owner: dict) -> dict[str, str]:
    headers = {RANGE: owner["id"]}
    if (part.low, part.high) != (owner["minInclusive"], owner["maxExclusive"]):
        headers |= {"x-ms-start-epk": part.low, "x-ms-end-epk": part.high,
                    "x-ms-read-key-type": "EffectivePartitionKeyRange"}
    return headers | ({"x-ms-continuation": part.token} if part.token else {})


class Reader:
    """Reads single items that others write, with the session of the last known write."""

    def __init__(self, link: str, oracle: Oracle, counts: Counts):
        self.link = "/" + link
        self.oracle = oracle
        self.counts = counts

    def work(self, client: Client, rng: random.Random) -> str:
        before = self.oracle.now()
        if not before.versions:
            return "point_read"
        place = rng.choice(list(before.versions))
        known = before.versions[place]
        answer = with_session(client, self.counts, "GET", f"{self.link}/docs/{place[1]}", known.token, None,
                              key_header(place[0]))
        if answer.status == 404:
            expect(self.oracle.was_touched(place, before), f"{place} is gone, though nobody removed it")
            return "point_read"
        expect(answer.status == 200, f"read {place}: {described(answer)}")
        item = answer.json()
        expect(item["n"] >= known.n and item["rank"] == rank_of(place),
               f"read {place}: n {item['n']}, though its session wrote {known.n}")
        return "point_read"
