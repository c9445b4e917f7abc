"""Every kind of request is charged, its charge is what its partitions pay, and it is refused like any other."""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Callable

from lib.client import Answer, Client
from lib.report import expect
from load import Load, charge_of, check_limited, check_refusal, insist
from world import (BATCH, BULK, UPSERT, all_ids, container, item, keys_by_range, large_item, manual, query,
                   ranges, units_spent)

UNITS = 400
WIDE = 3  # partitions
STREAM_SECONDS = 18
DEBT_SECONDS_MIN = 2  # a request must be refused within that time, also on a busy machine
ROUNDED = 0.04  # the parts of several partitions
ITEMS = 4  # of a batch, bulk or procedure
# Two items of 1 MB that no index helps to find, about 19 request units for each partition.
SCAN = "SELECT VALUE c.id FROM c WHERE CONTAINS(c.pad, 'y')"
UNINDEXED = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
             "excludedPaths": [{"path": "/pad/?"}]}
MERGED = {"x-orrery-merge-partitions": "True"}

PROCEDURE = """function (name, count) {
    for (var i = 0; i < count; ++i) {
        var body = { id: name + "-" + i, pk: "a" };
        for (var p = 0; p < 100; ++p) body["p" + p] = p;
        if (!__.createDocument(__.getSelfLink(), body)) throw new Error("not accepted");
    }
}"""
# Copies the new item, so that the request writes two.
TRIGGER = """function () {
    var body = getContext().getRequest().getBody();
    var copy = JSON.parse(JSON.stringify(body));
    copy.id = body.id + "-copy";
    __.createDocument(__.getSelfLink(), copy);
}"""
ONE_IN_DEBT = "one range in debt"
NUMBERS = itertools.count()


@dataclass(frozen=True)
class Kind:
    send: Callable[[Client, str], Answer]
    status: int
    charge: float | None = None  # None: more than 1
    wide: bool = False


def unique() -> str:
    return f"n{next(NUMBERS)}"


def create(client: Client, link: str, headers: dict | None = None) -> Answer:
    return client.item("POST", link, "a", body=item(unique(), "a"), headers=headers)


def batch(client: Client, link: str, headers: dict = BATCH) -> Answer:
    body = [{"operationType": "Create", "resourceBody": item(unique(), "a")} for _ in range(ITEMS)]
    return client.item("POST", link, "a", body=body, headers=headers)


def failing_batch(client: Client, link: str) -> Answer:
    body = [{"operationType": "Create", "resourceBody": item(name, "a")} for name in (unique(), "old")]
    return client.item("POST", link, "a", body=body, headers=BATCH)


def bulk(client: Client, link: str) -> Answer:
    body = [{"operationType": "Create", "resourceBody": item(unique(), "a"), "partitionKey": '["a"]'}
            for _ in range(ITEMS)]
    return client.request("POST", f"/{link}/docs", body, BULK | {"x-ms-documentdb-partitionkeyrangeid": "0"})


def procedure(client: Client, link: str) -> Answer:
    return client.request("POST", f"/{link}/sprocs/p", [unique(), ITEMS],
                          {"x-ms-documentdb-partitionkey": '["a"]'})


def triggered(client: Client, link: str) -> Answer:
    return create(client, link, {"x-ms-documentdb-pre-trigger-include": "t"})


def feed(client: Client, link: str) -> Answer:
    return client.request("GET", f"/{link}/docs")


def one_key(client: Client, link: str) -> Answer:
    return query(client, link, "SELECT * FROM c", {"x-ms-documentdb-partitionkey": '["a"]'})


def old(method: str, body=None, headers: dict | None = None, item_id: str = "old"):
    return lambda client, link: client.item(method, link, "a", item_id, body, headers)


KINDS = {
    "create": Kind(create, 201),
    "upsert": Kind(lambda c, link: c.item("POST", link, "a", body=item("old", "a"), headers=UPSERT), 200),
    "replace": Kind(old("PUT", item("old", "a") | {"n": 2}), 200),
    "patch": Kind(old("PATCH", {"operations": [{"op": "set", "path": "/m", "value": 1}]}), 200),
    "delete": Kind(old("DELETE"), 204),
    "read": Kind(old("GET"), 200, 1.05),
    "read, 404": Kind(old("GET", item_id="none"), 404, 1),
    "create, 409": Kind(lambda c, link: c.item("POST", link, "a", body=item("old", "a")), 409, 1),
    "replace, 412": Kind(old("PUT", item("old", "a"), {"if-match": '"other"'}), 412, 1),
    "replace, 404": Kind(old("PUT", item("none", "a"), item_id="none"), 404, 1),
    "delete, 404": Kind(old("DELETE", item_id="none"), 404, 1),
    "batch": Kind(batch, 200),
    "batch that fails": Kind(failing_batch, 207, 1),
    "bulk": Kind(bulk, 200),
    "procedure": Kind(procedure, 200),
    "trigger": Kind(triggered, 201),
    "query of one key": Kind(one_key, 200),
    "feed": Kind(feed, 200, 1.05),
    "page of a query over several ranges": Kind(lambda c, link: query(c, link, SCAN), 200, wide=True),
    "query merged from several ranges": Kind(lambda c, link: query(c, link, SCAN, MERGED), 200, wide=True),
    "feed over several ranges": Kind(feed, 200, wide=True),
}


def link_of(name: str) -> str:
    return "dbs/kinds/colls/" + name.replace(" ", "-").replace(",", "")


def prepare(client: Client, name: str) -> str:
    """A container with one old item, a stored procedure and a trigger."""
    link = container(client, link_of(name).rsplit("/", 1)[1], manual(UNITS), "kinds")
    parts = ((f"/{link}/docs", item("old", "a"), {"x-ms-documentdb-partitionkey": '["a"]'}),
             (f"/{link}/sprocs", {"id": "p", "body": PROCEDURE}, {}),
             (f"/{link}/triggers", {"id": "t", "body": TRIGGER, "triggerType": "Pre",
                                    "triggerOperation": "Create"}, {}))
    for path, body, headers in parts:
        made = client.request("POST", path, body, headers)
        expect(made.status == 201, f"POST {path}: {made.status} {made.body[:300]!r}")
    return link


def fill(port: int) -> None:
    """For a server that does not throttle."""
    with Client(port) as client:
        for name in [*(name for name, kind in KINDS.items() if not kind.wide), *STREAMS, "all"]:
            if name not in WIDE_STREAMS:
                prepare(client, name if name not in STREAMS else f"{name} stream")
        link = link_of("all")
        insist(lambda: client.item("POST", link, "a", body=large_item("large", "a", 2040)), 201)


def fill_wide(port: int) -> None:
    """For a server that does not throttle and gives every container that many partitions."""
    with Client(port) as client:
        names = [name for name, kind in KINDS.items() if kind.wide]
        names += [f"{name} stream" for name in WIDE_STREAMS]
        for name in (*names, ONE_IN_DEBT):
            link = container(client, link_of(name).rsplit("/", 1)[1], manual(UNITS), "kinds",
                             indexingPolicy=UNINDEXED)
            for key, _ in keys_by_range(client, link, 2, insist):
                for i in range(2):
                    body = large_item(f"large{i}", key, 1024)
                    insist(lambda: client.item("POST", link, key, body=body), 201)


# --- the charge is what the partitions pay -------------------------------------------------------

def check_payment(port: int, name: str, kind: Kind) -> float:
    with Client(port) as client:
        link = link_of(name)
        answer = kind.send(client, link)
        found = wait_for_payment(client, link, charge_of(answer))
    expect(answer.status == kind.status, f"{name}: {answer.status} {answer.body[:300]!r}, not {kind.status}")
    charge = charge_of(answer)
    expect(charge == kind.charge if kind.charge else charge > 1, f"{name}: charged {charge}, not {kind.charge}")
    expect(abs(found - charge) < ROUNDED, f"{name}: charged {charge}, but the partitions paid {found:.2f}")
    return charge


def wait_for_payment(client: Client, link: str, charge: float) -> float:
    """Waits for a moment, as it may be recorded just after the answer. Nothing else was sent to the container."""
    deadline = time.monotonic() + 30
    while (found := units_spent(client, link)) < charge - ROUNDED and time.monotonic() < deadline:
        time.sleep(0.01)
    return found


def payments(port: int) -> str:
    with ThreadPoolExecutor(len(KINDS)) as pool:
        begun = {name: pool.submit(check_payment, port, name, kind) for name, kind in KINDS.items()}
        errors = [str(one.exception()) for one in begun.values() if one.exception()]
        expect(not errors, "; ".join(errors))
        return ", ".join(f"{name} {one.result():g}" for name, one in begun.items())


# --- each kind is limited to the rate ------------------------------------------------------------

class Pages:
    """Reads a query page by page, each client for itself, and begins again at the end."""

    def __init__(self, link: str):
        self.link = link
        self.next = threading.local()

    def __call__(self, client: Client) -> Answer:
        token = getattr(self.next, "token", None)
        answer = query(client, self.link, SCAN, {"x-ms-continuation": token} if token else {})
        if answer.status == 200:
            self.next.token = answer.headers["x-ms-continuation"]
        return answer


def on(send: Callable[[Client, str], Answer]) -> Callable[[str], Callable[[Client], Answer]]:
    return lambda link: lambda client: send(client, link)


STREAMS: dict[str, Callable[[str], Callable[[Client], Answer]]] = {
    "batches": on(batch), "bulks": on(bulk), "procedures": on(procedure), "triggers": on(triggered),
    "pages of a query over several ranges": Pages,
    "queries merged from several ranges": on(KINDS["query merged from several ranges"].send),
}
WIDE_STREAMS = {name for name in STREAMS if "ranges" in name}


def check_stream(port: int, name: str) -> float:
    load = Load(port, STREAMS[name](link_of(f"{name} stream")), clients=3, seconds=STREAM_SECONDS).finish()
    # A request costs up to a quarter of a second's request units, and the window may end while all clients wait
    # for an answer.
    check_limited([load], UNITS, 0.08)
    return load.rate()


def streams(port: int) -> str:
    with ThreadPoolExecutor(len(STREAMS)) as pool:
        begun = {name: pool.submit(check_stream, port, name) for name in STREAMS}
        errors = [str(one.exception()) for one in begun.values() if one.exception()]
        expect(not errors, "; ".join(errors))
        return ", ".join(f"{name} {one.result():.0f} RU/s" for name, one in begun.items())


# --- in debt, each kind is refused and does nothing ----------------------------------------------

def go_into_debt(client: Client, link: str) -> float:
    """Returns until when everything is refused at least."""
    while True:
        sent = time.monotonic()
        large = client.item("PUT", link, "a", "large", large_item("large", "a", 2040, "y"))
        if large.status == 200:
            return sent + (charge_of(large) - UNITS) / UNITS
        time.sleep(check_refusal(large))


def refusals(port: int) -> str:
    link = link_of("all")
    sent = [kind.send for kind in KINDS.values() if not kind.wide]
    with Client(port) as client:
        before = insist(lambda: client.item("GET", link, "a", "old")).json()
        end = 0.0
        for send in sent:
            if time.monotonic() > end - DEBT_SECONDS_MIN:
                end = go_into_debt(client, link)
            check_refusal(send(client, link))
        after = insist(lambda: client.item("GET", link, "a", "old")).json()
        ids = all_ids(client, link, insist)
    expect(after == before, f"{after}, not {before}")
    expect(ids == {"old", "large"}, f"items {sorted(ids)}")
    return f"{len(sent)} requests"


def other_ranges(port: int) -> str:
    """The middle one of three ranges is in debt. Pages of the others are not refused; a feed stops before it, and
    what is merged from all ranges is refused."""
    link = link_of(ONE_IN_DEBT)
    with Client(port) as client:
        names = [entry["id"] for entry in ranges(client, link)]
        key = next(key for key in (f"k{number}" for number in itertools.count())
                   if range_of(client, link, key) == names[1])
        time.sleep(1.5)  # all others have their full balance
        insist(lambda: client.item("POST", link, key, body=large_item("more", key, 2040)), 201)
        refused, before = query(client, link, SCAN, MERGED), time.monotonic()
        check_refusal(refused)
        first = insist(lambda: client.request("GET", f"/{link}/docs", headers={"x-ms-max-item-count": "1000"}))
        for name in names[1:]:
            answer = query(client, link, SCAN, {"x-ms-documentdb-partitionkeyrangeid": name})
            expect(answer.status == (429 if name == names[1] else 200), f"range {name}: {answer.status}")
        token = {"x-ms-continuation": first.headers["x-ms-continuation"]}
        check_refusal(client.request("GET", f"/{link}/docs", headers=token))
        rest = insist(lambda: client.request("GET", f"/{link}/docs", headers=token)).json()
        expect(time.monotonic() > before + 1, "the debt is repaid too soon")
    expect(first.json()["_count"] > 0 and rest["_count"] > 0, f"{first.json()['_count']}, {rest['_count']} items")
    return f"range {names[1]} of {len(names)}"


def range_of(client: Client, link: str, key: str) -> str:
    """The container has a small item under this key."""
    small = insist(lambda: client.item("GET", link, key, "small"))
    return small.headers["x-ms-documentdb-partitionkeyrangeid"]


CHECKS = {
    "each kind of request pays what its answer says": payments,
    "each kind of request is limited to 400 RU/s": streams,
    "a range in debt refuses its part of queries and feeds, others do not": other_ranges,
}
# Not while the clients of others queue for the threads that run scripts: nobody knows when a request gets one.
CHECKS_ALONE = {"each kind of request is refused in debt, and does nothing": refusals}
