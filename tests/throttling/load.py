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
BALANCE_SECONDS = 1  # what is earned beyond that is lost
JUDGED_MIN = 0.15  # of the time; nearly all of it on a machine with nothing else to do


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


@dataclass(frozen=True)
class Request:
    sent: float
    answered: float
    charge: float


@dataclass
class Tally:
    """Of one client."""
    done: list[Request] = field(default_factory=list)
    refused: list[Request] = field(default_factory=list)
    retries: int = 0
    refused_again: int = 0

    def units(self, begin: float, end: float) -> float:
        return sum(one.charge for one in self.done if begin <= one.answered < end)


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
            sent = time.monotonic()
            answer = self.operation(client)
            request = Request(sent, time.monotonic(), charge_of(answer))
            refused = answer.status == 429
            tally.retries += retrying
            tally.refused_again += retrying and refused
            if refused:
                tally.refused.append(request)
                time.sleep(check_refusal(answer, self.sub_status))
            else:
                expect(answer.status in GOOD, f"{answer.status} {answer.body[:300]!r}")
                tally.done.append(request)
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
        return sum(len(tally.refused) for tally in self.tallies)

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


def check_limited(loads: list[Load], units: float, tolerance: float, begin: float | None = None,
                  end: float | None = None, refused_at: float = 0) -> None:
    """The clients together got the request units of one budget, no more and no less.

    Less is the server's fault only if they asked for more: on a machine that is busy with something else they may come
    too late for what was earned. A refusal says that the balance was not above `refused_at` (a share of a full one).
    From there on it is known what can have been lost."""
    begin = max(load.begin for load in loads) + WARM_UP_SECONDS if begin is None else begin
    end = min(load.end for load in loads) if end is None else end
    tallies = [tally for load in loads for tally in load.tallies]
    inside = [one.charge for tally in tallies for one in tally.done if begin <= one.sent and one.answered <= end]
    # The last one may be admitted at the very end.
    expect(sum(inside) <= (1 + tolerance) * units * (end - begin) + max(inside),
           f"{sum(inside):.0f} RU in {end - begin:.1f} s, not {units} per second")
    judged = earned = spent = 0.0
    for first, last in busy_times(tallies, begin, end, units, refused_at):
        judged += last.answered - first.sent
        earned += units * max(0.0, last.sent - first.answered)
        # All that may have been spent between the two.
        spent += sum(one.charge for tally in tallies for one in tally.done
                     if one.answered >= first.sent and one.sent <= last.answered)
    expect(judged >= JUDGED_MIN * (end - begin), f"{judged:.1f} of {end - begin:.1f} s only in which nothing was lost")
    expect(spent >= (1 - tolerance) * earned, f"{spent:.0f} of {earned:.0f} RU in {judged:.1f} s")


def busy_times(tallies: list[Tally], begin: float, end: float, units: float,
               refused_at: float) -> list[tuple[Request, Request]]:
    """The first and the last of refusals between which the balance was never full, so that nothing was lost."""
    full = units * BALANCE_SECONDS
    requests = [one for tally in tallies for one in (*tally.done, *tally.refused)
                if begin <= one.sent and one.answered <= end]
    refused = {id(one) for tally in tallies for one in tally.refused}
    times: list[tuple[Request, Request]] = []
    balance, at, lost = full, begin, True  # the balance is the highest that is possible
    for one in sorted(requests, key=lambda one: one.answered):
        balance, at = min(full, balance + units * (one.answered - at)), one.answered
        lost = lost or balance == full
        if id(one) not in refused:
            balance -= one.charge
            continue
        balance = min(balance, full * refused_at + units * (one.answered - one.sent))
        if lost:
            times.append((one, one))
        else:
            times[-1] = (times[-1][0], one)
        lost = False
    return times
