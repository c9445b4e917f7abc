"""Compares everything in the server after a start with what the oracle knows."""

import random
import time

from lib.client import Client
from lib.report import expect
from items import Container, Counter, Key, Span, Version, lives, user_part
from ledger import Ledger


def verify_items(client: Client, containers: list[Container], keys: list[Key],
                 counters: list[Counter], ledger: Ledger, rng: random.Random) -> int:
    """Resolves pending requests; returns the number of items found."""
    total = 0
    for container in containers:
        mine = [key for key in keys if key.container is container]
        checked = [counter for counter in counters if counter.container is container]
        pending = [key for key in mine if key.pending]
        begin = time.time()
        found = read_everything(client, container, ledger, rng)
        span = Span(begin, time.time())
        total += len(found)
        for counter in checked:
            settle_counter(counter, found.pop((counter.pk, "counter"), None))
        for key in mine:
            settle(key, found.pop((key.pk, key.id), None), span)
        expect(not found, f"{container.link}: unknown items {sorted(found)[:5]}")
        for key in pending + rng.sample(mine, min(5, len(mine))):
            verify_by_point_read(client, key)
        verify_by_partition_key(client, mine, rng)
    return total


def read_everything(client: Client, container: Container, ledger: Ledger,
                    rng: random.Random) -> dict[tuple[str, str], dict]:
    ranges, _ = client.feed(f"/{container.link}/pkranges", "PartitionKeyRanges")
    found: dict[tuple[str, str], dict] = {}
    rids = set()
    for partition_range in ranges:
        items, answer = client.feed(f"/{container.link}/docs", "Documents", {
            "x-ms-documentdb-partitionkeyrangeid": partition_range["id"],
            "x-ms-max-item-count": rng.choice(["-1", "100", "17"])})
        ledger.restarted(container.link, answer)
        for item in items:
            place = (item["pk"], item["id"])
            expect(place not in found, f"{container.link}: {place} is in the feed twice")
            expect(item["_rid"] not in rids, f"{container.link}: rid {item['_rid']} twice")
            rids.add(item["_rid"])
            found[place] = item
    return found


def settle(key: Key, item: dict | None, span: Span) -> None:
    """Expects the acknowledged version or the effect of the pending request, nothing else."""
    place = f"{key.container.link} {key.pk}/{key.id}"
    pending, key.pending = key.pending, None
    if item is None:
        expect(may_be_absent(key, pending, span), f"{place}: acknowledged but lost")
        if pending:
            key.version = None
        return
    body = user_part(item)
    if key.version and body == key.version.body:
        expect(item["_etag"] == key.version.etag, f"{place}: a different etag: {item['_etag']}")
        expect(item["_rid"] == key.version.rid, f"{place}: a different rid")
        expect(True in lives(key, span), f"{place}: expired but in the feed")
        return
    expect(pending and pending.body == body,
           f"{place}: partial or old: n {body.get('n')}, known "
           f"{key.version and key.version.body['n']}, pending {pending}")
    expect(not key.version or item["_ts"] >= key.version.ts, f"{place}: _ts went back")
    expect(not key.version or item["_etag"] != key.version.etag, f"{place}: new body, old etag")
    key.stale_etag = key.version and key.version.etag
    key.version = Version(body, item["_etag"], item["_ts"], item["_rid"])


def may_be_absent(key: Key, pending, span: Span) -> bool:
    if False in lives(key, span):
        return True
    if not pending:
        return False
    if pending.body is None:
        return True
    # Written, and expired since then.
    ttl = pending.body.get("ttl", key.container.default_ttl)
    return ttl is not None and ttl > 0 and int(pending.sent) + ttl <= int(span.end)


def settle_counter(counter: Counter, item: dict | None) -> None:
    name = f"counter {counter.pk}"
    expect(item, f"{name}: lost")
    least = max(counter.acknowledged | {counter.seen})
    expect(item["n"] >= least, f"{name}: {item['n']}, but clients have seen {least}")
    expect(item["n"] == least or item["n"] in counter.unknown, f"{name}: no client wrote {item['n']}")
    counter.seen = item["n"]
    counter.unknown.clear()


def verify_by_point_read(client: Client, key: Key) -> None:
    begin = time.time()
    answer = client.item("GET", key.container.link, key.pk, key.id)
    live = lives(key, Span(begin, time.time()))
    expect(answer.status in {200 if alive else 404 for alive in live},
           f"read {key.pk}/{key.id}: {answer.status}")
    if answer.status == 200:
        expect(user_part(answer.json()) == key.version.body, f"read {key.id}: a different body")


def verify_by_partition_key(client: Client, keys: list[Key], rng: random.Random) -> None:
    """Checks the feed of one logical partition, which is read through a separate index."""
    pk = rng.choice(keys).pk
    begin = time.time()
    items, _ = client.feed(f"/{keys[0].container.link}/docs", "Documents",
                           {"x-ms-documentdb-partitionkey": f'["{pk}"]'})
    span = Span(begin, time.time())
    found = [item["id"] for item in items if item["id"] != "counter"]
    expect(len(found) == len(set(found)), f"{pk}: an item appears twice")
    for key in keys:
        if key.pk == pk:
            expect((key.id in found) in lives(key, span), f"{pk}/{key.id}: {key.id in found}")
