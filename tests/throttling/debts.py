"""What happens beyond the balance: debts, savings for bursts, and work that nobody is charged for."""

import time
from dataclasses import dataclass

from lib.client import Client
from lib.report import expect
from load import Load, charge_of, check_refusal, insist, near
from world import BATCH, Creates, container, item, large_item, manual, query, ranges

UNITS = 400
# 90 items of 1.9 MB, about 1,600 request units to read.
LARGE_ITEMS, LARGE_KILOBYTES = 90, 1900
# On a machine so busy that a debt is repaid before it can be looked at.
PATIENCE_SECONDS = 180
MARGIN_SECONDS = 0.05
READ_CHARGE = 1
UNINDEXED = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
             "excludedPaths": [{"path": "/pad/?"}]}
SCAN = "SELECT VALUE COUNT(1) FROM c WHERE CONTAINS(c.pad, 'y')"
ONE_KEY = {"x-ms-documentdb-partitionkey": '["a"]'}
IDLE_SECONDS, BURST_SECONDS, BURST_RATE = 10, 10, 3000
BURST_CLIENTS, BURST_PROPERTIES, BURST_CHARGE = 8, 400, 82


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


@dataclass(frozen=True)
class Repaid:
    """When a debt is repaid: not before `low`, and at `high` at the latest. The server counts from the begin of the
    request, which the client knows no better."""
    low: float
    high: float


class Busy(Exception):
    """The machine was."""


def run_query(client: Client, link: str) -> tuple[float, float, float]:
    """Its charge, and when it was sent and answered."""
    sent = time.monotonic()
    done = query(client, link, SCAN, ONE_KEY)
    answered = time.monotonic()
    expect(done.status == 200, f"{done.status} {done.body[:300]!r}")
    if "x-ms-continuation" in done.headers:  # a page ends after some seconds
        raise Busy
    return charge_of(done), sent, answered


def check_debt(client: Client, link: str, debt: Repaid) -> None:
    """Expects refusals until it is repaid. Asks rarely, since every refusal promises a later turn."""
    said_at = time.monotonic()
    answer = client.item("GET", link, "a", "small")
    heard_at = time.monotonic()
    if heard_at > debt.low - 0.5:
        raise Busy
    said = check_refusal(answer)
    expect(heard_at + said > debt.low - MARGIN_SECONDS and said_at + said < debt.high + MARGIN_SECONDS,
           f"said {said:.2f} s, not {debt.low - heard_at:.2f} to {debt.high - said_at:.2f}")
    time.sleep(max(0.0, debt.low - 0.15 - time.monotonic()))
    answer = client.item("GET", link, "a", "small")
    if time.monotonic() > debt.low - MARGIN_SECONDS:
        raise Busy
    check_refusal(answer)
    time.sleep(max(0.0, debt.high + MARGIN_SECONDS - time.monotonic()))
    after = client.item("GET", link, "a", "small")
    expect(after.status == 200, f"{after.status} when the debt is repaid")


def try_debt(client: Client, link: str) -> str:
    wait_for_full_balance(client, link)
    charge, sent, answered = run_query(client, link)
    seconds = (charge - UNITS) / UNITS
    debt = Repaid(sent + seconds, answered + seconds)
    check_debt(client, link, debt)
    # All that was charged since is repaid after the first debt. What is earned is lost after a second at the earliest.
    again, _, answered = run_query(client, link)
    more = (again + READ_CHARGE) / UNITS
    check_debt(client, link, Repaid(debt.low + more, debt.high + more + max(0.0, answered - debt.low - 1)))
    return f"{charge:.0f} RU block for {seconds:.2f} s with a full balance, for {again / UNITS:.2f} s without any"


def debt(port: int) -> str:
    with Client(port) as client:
        link = "dbs/d/colls/debt"
        query(client, link, SCAN, ONE_KEY)  # from now on in memory
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            try:
                return try_debt(client, link)
            except Busy:
                continue
    raise AssertionError(f"the machine was too busy for {PATIENCE_SECONDS} s")


def spend_after_idling(port: int, name: str) -> tuple[Load, float, float]:
    """Also how long nothing was spent, and the request units of the busiest second."""
    with Client(port) as client:
        link = container(client, name, manual(UNITS))
        insist(lambda: client.item("POST", link, "a", body={"id": "small", "pk": "a"}), 201)
        begin = time.monotonic()
        time.sleep(IDLE_SECONDS)
        creates = Creates(link, ["a", "b"], properties=BURST_PROPERTIES)
        load = Load(port, creates, clients=BURST_CLIENTS, seconds=BURST_SECONDS).finish()
        (entry,) = ranges(client, link)
    return load, load.begin - begin, entry["normalizedConsumption"] * UNITS


def check_spent(load: Load, seconds: float) -> float:
    """Each client may end beyond what was earned in that time."""
    spent, earned = load.rate(load.begin) * BURST_SECONDS, UNITS * seconds
    expect(0.95 * earned <= spent <= 1.05 * earned + BURST_CLIENTS * BURST_CHARGE,
           f"{spent:.0f} RU, but {earned:.0f} were earned")
    return spent


def burst(port: int) -> str:
    load, idle, peak = spend_after_idling(port, "burst")
    spent = check_spent(load, 1 + idle + BURST_SECONDS)
    # The balance of a full second comes on top of the rate.
    expect(peak <= BURST_RATE + UNITS + BURST_CLIENTS * BURST_CHARGE, f"{peak:.0f} RU in a second")
    expect(peak >= 0.6 * BURST_RATE, f"only {peak:.0f} RU in a second")
    after = load.rate(load.end - 4)
    near(after, UNITS, 0.15, "request units per second when the savings are spent")
    return f"{spent:.0f} RU in {BURST_SECONDS} s, {peak:.0f} in the busiest, then {after:.1f} RU/s"


def no_burst(port: int) -> str:
    load, _, peak = spend_after_idling(port, "no-burst")
    spent = check_spent(load, 1 + BURST_SECONDS)
    return f"{spent:.0f} RU in {BURST_SECONDS} s, {peak:.0f} in the busiest"


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
