"""What happens beyond the balance: debts, savings for bursts, and work that nobody is charged for."""

import time

from lib.client import Client
from lib.report import expect
from load import Load, charge_of, check_refusal, insist, near
from world import BATCH, Creates, container, item, large_item, manual, query, ranges

UNITS = 400
# 45 items of 1.9 MB, about 800 request units to read.
LARGE_ITEMS, LARGE_KILOBYTES = 45, 1900
UNINDEXED = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
             "excludedPaths": [{"path": "/pad/?"}]}
SCAN = "SELECT VALUE COUNT(1) FROM c WHERE CONTAINS(c.pad, 'y')"
ONE_KEY = {"x-ms-documentdb-partitionkey": '["a"]'}
IDLE_SECONDS, BURST_SECONDS, BURST_RATE = 10, 10, 3000
BURST_PROPERTIES = 400


def fill(port: int) -> None:
    """For a server that does not throttle."""
    with Client(port) as client:
        link = container(client, "debt", manual(UNITS), indexingPolicy=UNINDEXED)
        for i in range(LARGE_ITEMS):
            insist(lambda: client.item("POST", link, "a", body=large_item(str(i), "a", LARGE_KILOBYTES)), 201)
        insist(lambda: client.item("POST", link, "a", body={"id": "small", "pk": "a"}), 201)
        link = container(client, "expiring", manual(UNITS), defaultTtl=-1)
        insist(lambda: client.item("POST", link, "a", body=large_item("large", "a", 2040)), 201)


def wait_for_full_balance(client: Client, link: str) -> None:
    insist(lambda: client.item("GET", link, "a", "small"))
    time.sleep(1.5)


def check_debt(client: Client, link: str, balance: float) -> str:
    """Runs the query and expects refusals until its debt is repaid. That counts from its begin: what is
    earned while it runs helps to pay for it. Asks rarely, since every refusal promises a later turn."""
    begin = time.monotonic()
    done = query(client, link, SCAN, ONE_KEY)
    expect(done.status == 200, f"{done.status} {done.body[:300]!r}")
    expect("x-ms-continuation" not in done.headers, "the query has a second page")
    seconds = (charge_of(done) - balance) / UNITS
    left = begin + seconds - time.monotonic()
    expect(left > 0.5, f"{charge_of(done)} RU in {time.monotonic() - begin:.2f} s leave no debt")
    said = check_refusal(client.item("GET", link, "a", "small"))
    expect(abs(said - left) < 0.2, f"said {said:.2f} s, not {left:.2f}")
    time.sleep(max(0.0, begin + seconds - 0.15 - time.monotonic()))
    if time.monotonic() < begin + seconds - 0.1:  # unless the machine was busy with something else
        check_refusal(client.item("GET", link, "a", "small"))
    time.sleep(max(0.0, begin + seconds + 0.2 - time.monotonic()))
    after = client.item("GET", link, "a", "small")
    expect(after.status == 200, f"{after.status} {seconds + 0.2:.2f} s after the begin")
    return f"{charge_of(done):.0f} RU block for {seconds:.2f} s"


def debt(port: int) -> str:
    with Client(port) as client:
        link = "dbs/d/colls/debt"
        query(client, link, SCAN, ONE_KEY)  # from now on in memory
        wait_for_full_balance(client, link)
        first = check_debt(client, link, UNITS)
        second = check_debt(client, link, 0.2 * UNITS)
    return f"{first} with a full balance, {second} with a small one"


def spend_after_idling(port: int, name: str) -> tuple[Load, float]:
    with Client(port) as client:
        link = container(client, name, manual(UNITS))
        insist(lambda: client.item("POST", link, "a", body={"id": "small", "pk": "a"}), 201)
    begin = time.monotonic()
    time.sleep(IDLE_SECONDS)
    creates = Creates(link, ["a", "b"], properties=BURST_PROPERTIES)
    load = Load(port, creates, clients=8, seconds=BURST_SECONDS)
    return load.finish(), load.begin - begin


def busiest_second(load: Load) -> float:
    charges = sorted(pair for tally in load.tallies for pair in tally.charges)
    return max(sum(charge for at, charge in charges if begin <= at < begin + 1) for begin, _ in charges)


def burst(port: int) -> str:
    load, idle = spend_after_idling(port, "burst")
    spent = load.rate(load.begin) * BURST_SECONDS
    near(spent, UNITS * (1 + idle + BURST_SECONDS), 0.05, "request units in all")
    # The balance of a full second comes on top of the rate, and each client may end beyond it.
    peak = busiest_second(load)
    expect(peak <= BURST_RATE + UNITS + 8 * 82, f"{peak:.0f} RU in a second")
    expect(peak >= 0.6 * BURST_RATE, f"only {peak:.0f} RU in a second")
    after = load.rate(load.end - 4)
    near(after, UNITS, 0.15, "request units per second when the savings are spent")
    return f"{spent:.0f} RU in {BURST_SECONDS} s, {peak:.0f} in the busiest, then {after:.1f} RU/s"


def no_burst(port: int) -> str:
    load, _ = spend_after_idling(port, "no-burst")
    spent = load.rate(load.begin) * BURST_SECONDS
    near(spent, UNITS * (1 + BURST_SECONDS), 0.05, "request units in all")
    return f"{spent:.0f} RU in {BURST_SECONDS} s, {busiest_second(load):.0f} in the busiest"


def expiry(port: int) -> str:
    """Expired items are removed although the partition refuses every request."""
    items = 10
    with Client(port) as client:
        link = "dbs/d/colls/expiring"
        body = [{"operationType": "Create", "resourceBody": item(str(i), "a") | {"ttl": 1}} for i in range(items)]
        insist(lambda: client.item("POST", link, "a", body=body, headers=BATCH))
        insist(lambda: client.item("PUT", link, "a", "large", large_item("large", "a", 2040, "y")))
        begin = time.monotonic()
        while (left := sum(entry["documentCount"] for entry in ranges(client, link))) > 1:
            expect(time.monotonic() < begin + 30, f"{left} items are still there")
            time.sleep(0.02)
        seconds = time.monotonic() - begin
        wait = check_refusal(client.item("GET", link, "a", "large"))
    return f"after {seconds:.1f} s, {wait:.1f} s before requests are admitted again"


CHECKS = {
    "an expensive query is admitted, and its debt repaid": debt,
    "idle time is not saved": no_burst,
    "expired items are removed while everything is refused": expiry,
}
