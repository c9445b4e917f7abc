"""A record of what clients did and saw, for checking afterwards.

Items hold lists, and a transaction appends values that are unique in the whole history. So any list
that is read tells every version of its item and which transaction wrote it (the idea is Elle's).
"""

import itertools
import threading
import time
from dataclasses import dataclass, field

COMMITTED, ABORTED, UNKNOWN = "committed", "aborted", "unknown"


@dataclass(frozen=True)
class Read:
    key: str
    values: tuple[int, ...]  # empty: the item does not exist


@dataclass(frozen=True)
class Append:
    key: str
    value: int


@dataclass
class Transaction:
    name: str
    # A script reads from a snapshot and commits later; other requests are atomic.
    at_once: bool
    # The requested appends: all that is known of a transaction without an answer.
    appends: tuple[Append, ...]
    begin: int
    end: int | None = None
    outcome: str = UNKNOWN
    # In the order of execution.
    steps: list[Read | Append] = field(default_factory=list)


class History:
    """Shared by all clients, hence the lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.transactions: list[Transaction] = []
        self.values = itertools.count(1)

    def append(self, key: str) -> Append:
        with self.lock:
            return Append(key, next(self.values))

    def begin(self, kind: str, appends: list[Append] | None = None, at_once: bool = True) -> Transaction:
        """Call before sending the request. Without an end, its outcome stays unknown."""
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
        """After a server restart: an unanswered request has taken effect by now, or never will."""
        now = time.monotonic_ns()
        for transaction in self.transactions:
            if transaction.end is None:
                transaction.end = now
