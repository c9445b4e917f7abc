"""What clients did and saw, in a form that can be judged afterwards.

Items hold lists and a transaction appends values that occur once in the whole history: so any list
that is read tells every version its item has had, and who wrote each (the idea is Elle's).
"""

import itertools
import threading
import time
from dataclasses import dataclass, field

COMMITTED, ABORTED, UNKNOWN = "committed", "aborted", "unknown"


@dataclass(frozen=True)
class Read:
    key: str
    values: tuple[int, ...]  # empty: the item is not there


@dataclass(frozen=True)
class Append:
    key: str
    value: int


@dataclass
class Transaction:
    name: str
    # A script reads from a snapshot and commits later; everything else happens at one moment.
    at_once: bool
    # What was asked for: all that is known of a transaction without an answer.
    appends: tuple[Append, ...]
    begin: int
    end: int | None = None
    outcome: str = UNKNOWN
    # In the order in which the transaction did them.
    steps: list[Read | Append] = field(default_factory=list)


class History:
    """Written by all clients, hence the lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.transactions: list[Transaction] = []
        self.values = itertools.count(1)

    def append(self, key: str) -> Append:
        with self.lock:
            return Append(key, next(self.values))

    def begin(self, kind: str, appends: list[Append] | None = None, at_once: bool = True) -> Transaction:
        """To be called before the request is sent. Without an end its outcome stays unknown."""
        with self.lock:
            made = Transaction(f"{kind} {len(self.transactions)}", at_once, tuple(appends or ()),
                               time.monotonic_ns())
            self.transactions.append(made)
            return made

    def commit(self, transaction: Transaction, steps: list[Read | Append]) -> None:
        self.finish(transaction, COMMITTED, steps)

    def abort(self, transaction: Transaction, steps: list[Read | Append] | None = None) -> None:
        self.finish(transaction, ABORTED, steps or [])

    def finish(self, transaction: Transaction, outcome: str, steps: list[Read | Append]) -> None:
        transaction.end = time.monotonic_ns()
        transaction.steps = list(steps)
        transaction.outcome = outcome

    def restarted(self) -> None:
        """The server is another process now: what had no answer has happened by now, or never will."""
        now = time.monotonic_ns()
        for transaction in self.transactions:
            if transaction.end is None:
                transaction.end = now
