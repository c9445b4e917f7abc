"""The oracle for attachments: media and list are of one state, and end with their item."""

import json
import random

from lib.client import NO_ANSWER, Client
from lib.report import expect

ITEMS = ("i0", "i1", "i2", "i3")
NAMES = ("a", "b", "c")
UPSERT = {"x-ms-documentdb-is-upsert": "True"}


class AttachmentWorker:
    """Writes and removes attachments with media, and the items that own them."""

    def __init__(self, link: str):
        self.link = link
        self.numbers = 0
        # The attachments an item may have, None if there is no item: two states after a request without an answer.
        self.possible: dict[str, list[dict[str, str] | None]] = {item: [None] for item in ITEMS}
        self.acknowledged = 0

    def run(self, client: Client, rng: random.Random) -> None:
        """Sends requests until the server is killed."""
        try:
            while True:
                self.work_on(client, rng.choice(ITEMS), rng)
        except NO_ANSWER:
            return

    def work_on(self, client: Client, item: str, rng: random.Random) -> None:
        (now,) = self.possible[item]
        name = rng.choice(NAMES)
        docs = f"/{self.link}/docs"
        feed = f"{docs}/{item}/attachments"
        if now is None:
            after, wanted = {}, 201
            method, path, body, headers = "POST", docs, json.dumps({"id": item, "pk": item}).encode(), {}
        elif rng.random() < 0.1:
            after, wanted = None, 204
            method, path, body, headers = "DELETE", f"{docs}/{item}", None, {}
        elif name in now and rng.random() < 0.3:
            after, wanted = {other: text for other, text in now.items() if other != name}, 204
            method, path, body, headers = "DELETE", f"{feed}/{name}", None, {}
        else:
            self.numbers += 1
            text = f"{self.numbers} " * rng.choice([1, 100, 10_000])
            after, wanted = now | {name: text}, 200 if name in now else 201
            method, path, body = "POST", feed, text.encode()
            headers = UPSERT | {"Slug": name, "content-type": "text/plain"}
        self.possible[item] = [now, after]
        answer = client.request(method, path, body,
                                headers | {"x-ms-documentdb-partitionkey": json.dumps([item])})
        expect(answer.status == wanted, f"{method} {path}: {answer.status} {answer.body[:300]!r}")
        self.possible[item] = [after]
        self.acknowledged += 1

    def verify(self, client: Client) -> int:
        total = 0
        for item in ITEMS:
            found = self.read(client, item)
            expect(found in self.possible[item], f"{item}: its attachments are {shorten(found)}, not one of "
                                                 f"{[shorten(one) for one in self.possible[item]]}")
            self.possible[item] = [found]
            total += len(found or {})
        return total

    def read(self, client: Client, item: str) -> dict[str, str] | None:
        key = {"x-ms-documentdb-partitionkey": json.dumps([item])}
        answer = client.request("GET", f"/{self.link}/docs/{item}/attachments", None, key)
        if answer.status == 404:
            return None
        expect(answer.status == 200, f"attachments of {item}: {answer.status} {answer.body[:300]!r}")
        found = {}
        for attachment in answer.json()["Attachments"]:
            media = client.request("GET", attachment["media"])
            expect(media.status == 200, f"{item}: GET {attachment['media']}: {media.status}")
            found[attachment["id"]] = media.body.decode()
        return found


def shorten(state: dict[str, str] | None) -> dict[str, str] | None:
    return state and {name: f"{text[:8]}… ({len(text)})" for name, text in state.items()}
