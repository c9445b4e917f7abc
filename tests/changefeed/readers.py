"""Clients that follow the change feed by etag, as SDKs do, and check its order."""

import http.client
import json
import random
import time
from dataclasses import dataclass

from lib.client import Answer, Client
from lib.report import expect

GONE = 410
POLLS_MAX = 100_000
QUIET_SECONDS = 1
ANSWER_SECONDS = 60
STREAM_SECONDS_MAX = 30


def list_ranges(client: Client, link: str) -> list[dict]:
    answer = client.request("GET", f"/{link}/pkranges")
    expect(answer.status == 200, f"ranges: {answer.status} {answer.body!r}")
    return answer.json()["PartitionKeyRanges"]


class Reader:
    """What one reader has seen. Subclasses know what to ask for."""

    name = ""
    mode = {"A-IM": "Incremental Feed"}

    def __init__(self, link: str, page_size: int):
        self.link, self.page_size = link, page_size
        self.versions: dict[tuple[str, str], int] = {}
        self.last_lsn: dict[str, int] = {}  # by partition key
        self.transactions: set[int] = set()
        self.pages = 0

    def work(self, client: Client, rng: random.Random) -> None:
        if not self.poll(client):
            time.sleep(rng.uniform(0, 0.05))

    def catch_up(self, client: Client) -> None:
        for _ in range(POLLS_MAX):
            if not self.poll(client):
                return
        raise AssertionError(f"{self.name}: the feed has no end")

    def poll(self, client: Client) -> bool:
        """Reads one page. False if there is nothing new."""
        raise NotImplementedError

    def covers(self, place: tuple[str, str]) -> bool:
        return True

    def ask(self, client: Client, etag: str | None, headers: dict) -> Answer:
        headers = self.mode | {"x-ms-max-item-count": str(self.page_size)} | headers
        if etag is not None:
            headers["If-None-Match"] = etag
        answer = client.request("GET", f"/{self.link}/docs", None, headers)
        if answer.status != GONE:
            expect(answer.status in (200, 304), f"{self.name}: {answer.status} {answer.body[:300]!r}")
            expect("etag" in answer.headers and "x-ms-session-token" in answer.headers
                   and "x-ms-item-count" in answer.headers, f"{self.name}: headers are missing: {answer.headers}")
        return answer

    def take(self, answer: Answer) -> None:
        if answer.status == 200:
            self.take_items(answer.json()["Documents"])

    def take_items(self, items: list[dict]) -> None:
        """What came together."""
        self.pages += 1
        together: dict[int, list[dict]] = {}
        for item in items:
            key, place = item["pk"], (item["pk"], item["id"])
            expect(item["_lsn"] >= self.last_lsn.get(key, 0),
                   f"{self.name}: LSN {item['_lsn']} after {self.last_lsn.get(key)} in {key}")
            expect(item["v"] > self.versions.get(place, 0),
                   f"{self.name}: version {item['v']} of {place} after {self.versions.get(place)}")
            self.last_lsn[key] = item["_lsn"]
            self.versions[place] = item["v"]
            if "transaction" in item:
                together.setdefault(item["transaction"], []).append(item)
        for number, members in together.items():
            expect(number not in self.transactions, f"{self.name}: transaction {number} is on two pages")
            places = [item["ordinal"] for item in members]
            expect(places == sorted(places), f"{self.name}: the order in transaction {number} is {places}")
            expect(len({item["_lsn"] for item in members}) == 1, f"{self.name}: transaction {number} has several LSNs")
            self.transactions.add(number)


class WholeReader(Reader):
    """Reads the whole container with one etag."""

    def __init__(self, link: str, page_size: int):
        super().__init__(link, page_size)
        self.name = f"whole container by {page_size}"
        self.etag: str | None = None

    def headers(self) -> dict:
        return {}

    def poll(self, client: Client) -> bool:
        answer = self.ask(client, self.etag, self.headers())
        expect(answer.status != GONE, f"{self.name}: 410 without a range id")
        self.take(answer)
        self.etag = answer.headers["etag"]
        return answer.status == 200


class VersionReader(WholeReader):
    """Reads all versions and deletes of the container, so it needs no help to know what is gone."""

    mode = {"A-IM": "Full-Fidelity Feed", "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15"}

    def __init__(self, link: str, page_size: int):
        super().__init__(link, page_size)
        self.name = "all versions"
        self.etag = "*"
        self.deletes = 0

    def take(self, answer: Answer) -> None:
        if answer.status != 200:
            return
        self.pages += 1
        for change in answer.json()["Documents"]:
            metadata = change["metadata"]
            deleted = metadata["operationType"] == "delete"
            item = change["previous"] if deleted else change["current"]
            key, place = item["pk"], (item["pk"], item["id"])
            expect(metadata["lsn"] >= self.last_lsn.get(key, 0), f"{self.name}: LSN {metadata['lsn']} after "
                   f"{self.last_lsn.get(key)} in {key}")
            self.last_lsn[key] = metadata["lsn"]
            # Every version follows the one that was there.
            before = change["previous"]["v"] if "previous" in change else None
            expect(self.versions.get(place) == before,
                   f"{self.name}: {metadata} of {place} follows {self.versions.get(place)}, not {before}")
            expect((before is None) == (metadata["operationType"] == "create"), f"{self.name}: {metadata}, {before}")
            if deleted:
                expect((metadata["id"], metadata["partitionKey"]) == (item["id"], [key]), f"{self.name}: {metadata}")
                del self.versions[place]
                self.deletes += 1
            else:
                self.versions[place] = item["v"]


class EventReader(Reader):
    """Reads the container as a stream of events, which it leaves and resumes."""

    name = "events"

    def __init__(self, link: str, page_size: int):
        super().__init__(link, page_size)
        self.last_id: str | None = None

    def work(self, client: Client, rng: random.Random) -> None:
        self.listen(client, rng.uniform(0.1, 1.5))

    def catch_up(self, client: Client) -> None:
        while self.listen(client, STREAM_SECONDS_MAX):
            pass

    def listen(self, client: Client, seconds: float) -> int:
        """Returns how many events came until the stream was quiet, or the time was over."""
        path = f"/{self.link}/docs"
        headers = client.signed("GET", path) | {"Accept": "text/event-stream",
                                                "x-ms-max-item-count": str(self.page_size)}
        if self.last_id is not None:
            headers["Last-Event-ID"] = self.last_id
        connection = http.client.HTTPConnection("127.0.0.1", client.connection.port, timeout=QUIET_SECONDS)
        try:
            connection.request("GET", path, None, headers)
            connection.sock.settimeout(ANSWER_SECONDS)
            answer = connection.getresponse()
            expect(answer.status == 200 and answer.headers["Content-Type"] == "text/event-stream",
                   f"{self.name}: {answer.status} {dict(answer.headers)}")
            return self.take_events(answer, time.monotonic() + seconds)
        finally:
            connection.close()

    def take_events(self, answer: http.client.HTTPResponse, deadline: float) -> int:
        count, items, event = 0, [], {}
        answer.fp.raw._sock.settimeout(QUIET_SECONDS)
        while time.monotonic() < deadline:
            try:
                line = answer.readline().decode()
            except TimeoutError:
                break
            if not line:
                raise ConnectionResetError("the stream has ended")
            if line != "\n":
                name, _, value = line.rstrip("\n").partition(": ")
                event[name] = value
                continue
            expect("event" not in event, f"{self.name}: {event}")
            if "data" in event:
                items.append(json.loads(event["data"]))
                count += 1
            if "id" in event:
                # Only now it can go on after these.
                self.take_items(items)
                self.last_id, items = event["id"], []
            event = {}
        return count


class KeyReader(WholeReader):
    """Reads one logical partition."""

    def __init__(self, link: str, page_size: int, key: str):
        super().__init__(link, page_size)
        self.name, self.key = "one key", key

    def headers(self) -> dict:
        return {"x-ms-documentdb-partitionkey": json.dumps([self.key])}

    def covers(self, place: tuple[str, str]) -> bool:
        return place[0] == self.key


@dataclass
class Token:
    least: str
    end: str
    etag: str | None = None


class RangeReader(Reader):
    """Reads range by range with an etag for each part of the hash space. It divides a part when its range was
    split, and after a merge asks for both parts of the new range."""

    name = "ranges"

    def __init__(self, link: str, page_size: int):
        super().__init__(link, page_size)
        self.tokens = [Token("", "FF")]
        self.ranges: list[dict] = []

    def poll(self, client: Client) -> bool:
        """One page of every part."""
        found = False
        for token in list(self.tokens):
            found = self.poll_part(client, token) or found
        return found

    def poll_part(self, client: Client, token: Token) -> bool:
        held_by = [each for each in self.ranges or list_ranges(client, self.link)
                   if each["minInclusive"] < token.end and token.least < each["maxExclusive"]]
        if len(held_by) > 1:
            self.divide(token, held_by)
            return True
        part = held_by[0]
        headers = {"x-ms-documentdb-partitionkeyrangeid": part["id"]}
        if (part["minInclusive"], part["maxExclusive"]) != (token.least, token.end):
            headers |= {"x-ms-read-key-type": "EffectivePartitionKeyRange",
                        "x-ms-start-epk": token.least, "x-ms-end-epk": token.end}
        answer = self.ask(client, token.etag, headers)
        if answer.status == GONE:
            expect(answer.headers.get("x-ms-substatus") == "1002", f"410/{answer.headers.get('x-ms-substatus')}")
            self.ranges = list_ranges(client, self.link)
            return True
        self.take(answer)
        token.etag = answer.headers["etag"]
        return answer.status == 200

    def divide(self, token: Token, parts: list[dict]) -> None:
        at = self.tokens.index(token)
        self.tokens[at:at + 1] = [Token(max(token.least, part["minInclusive"]), min(token.end, part["maxExclusive"]),
                                        token.etag) for part in parts]
