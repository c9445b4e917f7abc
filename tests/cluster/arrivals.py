"""Clients that only add items and change each at most once, and readers that follow the change feed: they must get
every version that was acknowledged, exactly once, in the order of the writes to a partition key."""

import random
import time

from any_node import Unanswered
from lib.client import Client, make_container
from lib.report import expect
from readers import RangeReader, Reader, VersionReader, WholeReader

WRITERS = 3
KEYS_PER_WRITER = 4
PATIENCE_SECONDS = 60


class Writer:
    """Writes to keys that are its own, one request after the other."""

    def __init__(self, number: int):
        self.keys = [f"w{number} k{key}" for key in range(KEYS_PER_WRITER)]
        self.newest = 0
        # What may be the version of every item; 0: it is not there.
        self.versions: dict[tuple[str, str], set[int]] = {}

    def work(self, client: Client, link: str, rng: random.Random) -> str:
        place = (rng.choice(self.keys), str(self.newest))
        self.newest += 1
        self.versions[place] = {0, 1}
        answer = client.item("POST", link, place[0], body={"id": place[1], "pk": place[0], "v": 1})
        expect(answer.status in (201, 449), f"create {place}: {answer.status} {answer.body[:300]!r}")
        if answer.status == 449:
            raise Unanswered("449")
        self.versions[place] = {1}
        if rng.random() < 0.3:
            self.change(client, link, place, answer.json()["_etag"])
        return "arrivals"

    def change(self, client: Client, link: str, place: tuple[str, str], etag: str) -> None:
        self.versions[place] = {1, 2}
        answer = client.item("PUT", link, *place, body={"id": place[1], "pk": place[0], "v": 2},
                             headers={"If-Match": etag})
        expect(answer.status in (200, 449), f"replace {place}: {answer.status} {answer.body[:300]!r}")
        self.versions[place] = {2} if answer.status == 200 else {1}


class Arrivals:
    """The container, and the state shared by all clients."""

    def __init__(self):
        self.link = ""
        self.writers = [Writer(number) for number in range(WRITERS)]
        self.readers: list[Reader] = []

    def fill(self, client: Client) -> None:
        self.link = make_container(client, "cluster", {
            "id": "arrivals", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
            "changeFeedPolicy": {"retentionDuration": 30}})
        versions = VersionReader(self.link, 50)
        versions.catch_up(client)  # it begins before the first write
        self.readers = [WholeReader(self.link, 20), RangeReader(self.link, 7), versions]

    def write(self, number: int, client: Client, rng: random.Random) -> str:
        return self.writers[number].work(client, self.link, rng)

    def read(self, number: int, client: Client, rng: random.Random) -> str:
        self.readers[number].work(client, rng)
        return "feed pages"

    def expected(self) -> dict[tuple[str, str], set[int]]:
        return {place: versions for writer in self.writers for place, versions in writer.versions.items()}

    def check(self, client: Client) -> str:
        """When no writer is running any more: what is there, and what the readers saw."""
        expected = self.expected()
        items, _ = client.feed(f"/{self.link}/docs", "Documents", {"x-ms-max-item-count": "-1"})
        content = {(item["pk"], item["id"]): item["v"] for item in items}
        expect(len(content) == len(items), "an item is in the container twice")
        check_content("the container", content, expected)
        for reader in [*self.readers, WholeReader(self.link, 100)]:
            self.await_everything(reader, client, content)
            check_order(reader, expected)
        return f"{len(content)} of {len(expected)} items, by {len(self.readers) + 1} readers"

    def await_everything(self, reader: Reader, client: Client, content: dict) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            reader.catch_up(client)
            if reader.versions == content:
                return
            expect(time.monotonic() < deadline, f"{reader.name}: {difference(reader.versions, content)}")
            time.sleep(0.1)


def check_content(what: str, content: dict, expected: dict) -> None:
    wrong = [f"{place}: {content.get(place, 0)} instead of {sorted(versions)}"
             for place, versions in expected.items() if content.get(place, 0) not in versions]
    wrong += [f"{place}: nothing wrote it" for place in content.keys() - expected.keys()]
    expect(not wrong, f"{what}: {len(wrong)} wrong items: {'; '.join(sorted(wrong)[:5])}")


def check_order(reader: Reader, expected: dict) -> None:
    """A reader gets the acknowledged items of a key in the order in which they were written."""
    last: dict[str, int] = {}
    for key, item_id in reader.versions:  # in the order of arrival
        if 0 in expected[key, item_id] or expected[key, item_id] != {1}:
            continue  # it may have been written later, or it moved up by its change
        expect(int(item_id) > last.get(key, -1), f"{reader.name}: item {item_id} of {key} after {last.get(key)}")
        last[key] = int(item_id)


def difference(got: dict, wanted: dict) -> str:
    places = [place for place in got.keys() | wanted.keys() if got.get(place) != wanted.get(place)]
    return "; ".join(f"{place}: {got.get(place)} instead of {wanted.get(place)}" for place in sorted(places)[:5])
