"""Clients that demand as much as they can and wait as long as a refusal says, and what they got."""

import threading
import time
from dataclasses import dataclass, field
from typing import Callable

from lib.client import Answer, Client
from lib.report import expect

GOOD = (200, 201, 204, 207)
REFUSED_CHARGE = 0.38
RATE_TOO_LARGE, BUCKET_EXHAUSTED = "3200", "3212"
RETRY_AFTER_MAX_MS = 5000
WARM_UP_SECONDS = 2  # in which the balance of a full second is used up


def charge_of(answer: Answer) -> float:
    return float(answer.headers["x-ms-request-charge"])


def check_refusal(answer: Answer, sub_status: str = RATE_TOO_LARGE) -> float:
    """Checks the form of a refusal; returns how many seconds to wait."""
    expect(answer.status == 429, f"{answer.status} {answer.body[:300]!r}, not 429")
    found = answer.headers["x-ms-substatus"]
    expect(found == sub_status, f"sub-status {found}, not {sub_status}")
    expect(charge_of(answer) == REFUSED_CHARGE, f"a refusal is charged {charge_of(answer)}")
    expect(b"Request rate is large" in answer.body, answer.body[:300])
    wait = int(answer.headers["x-ms-retry-after-ms"])
    expect(0 < wait <= RETRY_AFTER_MAX_MS, f"retry after {wait} ms")
    return wait / 1000


def insist(send: Callable[[], Answer], status: int = 200) -> Answer:
    """Repeats a request until it is admitted, for what is not part of the measurement."""
    while (answer := send()).status == 429:
        time.sleep(check_refusal(answer))
    expect(answer.status == status, f"{answer.status} {answer.body[:300]!r}, not {status}")
    return answer


@dataclass
class Tally:
    """Of one client."""
    charges: list[tuple[float, float]] = field(default_factory=list)  # when and how much
    refusals: int = 0
    retries: int = 0
    refused_again: int = 0

    def units(self, begin: float, end: float) -> float:
        return sum(charge for at, charge in self.charges if begin <= at < end)


class Load:
    """Runs clients, each on its own connection, for some seconds. Without `interval` a client sends
    the next request as soon as it has an answer; with it, one request per interval, and what was
    missed is not made up for, so that a slow machine causes no surge."""

    def __init__(self, port: int, operation: Callable[[Client], Answer], *, clients: int,
                 seconds: float, interval: float = 0, sub_status: str = RATE_TOO_LARGE):
        self.operation = operation
        self.interval = interval
        self.sub_status = sub_status  # of refusals
        self.tallies = [Tally() for _ in range(clients)]
        self.problems: list[str] = []
        self.begin = time.monotonic()
        self.end = self.begin + seconds
        self.threads = [threading.Thread(target=self.run, args=(port, tally), daemon=True)
                        for tally in self.tallies]
        for thread in self.threads:
            thread.start()

    def run(self, port: int, tally: Tally) -> None:
        try:
            with Client(port) as client:
                self.repeat(client, tally)
        except Exception as error:  # finish() reports it
            self.problems.append(f"{type(error).__name__}: {error}")

    def repeat(self, client: Client, tally: Tally) -> None:
        retrying = False
        due = time.monotonic()
        while time.monotonic() < self.end:
            answer = self.operation(client)
            refused = answer.status == 429
            tally.retries += retrying
            tally.refused_again += retrying and refused
            if refused:
                tally.refusals += 1
                time.sleep(check_refusal(answer, self.sub_status))
            else:
                expect(answer.status in GOOD, f"{answer.status} {answer.body[:300]!r}")
                tally.charges.append((time.monotonic(), charge_of(answer)))
            retrying = refused
            if self.interval:
                due = max(due + self.interval, time.monotonic())
                time.sleep(due - time.monotonic() if due > time.monotonic() else 0)

    def finish(self) -> "Load":
        for thread in self.threads:
            thread.join(max(0.0, self.end - time.monotonic()) + 60)
            expect(not thread.is_alive(), "a client still waits for its answer")
        expect(not self.problems, "; ".join(self.problems[:5]))
        return self

    @property
    def refusals(self) -> int:
        return sum(tally.refusals for tally in self.tallies)

    def rate(self, begin: float | None = None, end: float | None = None) -> float:
        """Request units per second, by the charges of what succeeded after the warm-up."""
        begin = self.begin + WARM_UP_SECONDS if begin is None else begin
        end = self.end if end is None else end
        return sum(tally.units(begin, end) for tally in self.tallies) / (end - begin)

    def smallest_share(self) -> float:
        """What the poorest client got, as a part of the average."""
        got = [tally.units(self.begin, self.end) for tally in self.tallies]
        return min(got) * len(got) / sum(got)

    def refused_again(self) -> float:
        """Of the requests that were repeated when the refusal said so."""
        retries = sum(tally.retries for tally in self.tallies)
        return sum(tally.refused_again for tally in self.tallies) / max(1, retries)


def near(found: float, wanted: float, tolerance: float, what: str) -> None:
    expect(abs(found - wanted) <= tolerance * wanted,
           f"{what}: {found:.1f}, not {wanted:.1f} within {tolerance:.0%}")
