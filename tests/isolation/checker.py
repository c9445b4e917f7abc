"""Checks a recorded history for the isolation that docs/compatibility.md promises.

The names are those of Adya, Berenson and Elle. An atomic request is one moment; a script has two,
its snapshot and its commit, and an item it writes gets no other version between them. A transaction
that began after another was answered comes after it. If these moments cannot be ordered, the
history violates snapshot isolation; the check is exact, because lists tell the order of all
versions.
"""

from collections import Counter
from dataclasses import dataclass, field

from graph import Edge, Graph
from history import ABORTED, COMMITTED, UNKNOWN, Append, Read, Transaction

ABORTED_READ = "aborted read (G1a)"
INTERMEDIATE_READ = "intermediate read (G1b)"
CIRCULAR_FLOW = "circular information flow (G1c)"
MIXED_WRITES = "mixed writes (G0)"
LOST_UPDATE = "lost update (P4)"
READ_SKEW = "read skew (G-single)"
NON_REPEATABLE_READ = "non-repeatable read"
OWN_WRITE_MISSING = "own write missing"
HALF_TRANSACTION = "partial transaction"
STALE_READ = "stale read"
UNKNOWN_VALUE = "unknown value"

READS_FROM, OVERWRITES, OVERWRITTEN_BY = "is read by", "is overwritten by", "did not yet see"
SAME, ANSWERED_BEFORE = "is the snapshot of", "was answered before the start of"


@dataclass(frozen=True)
class Violation:
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}"


@dataclass
class Verdict:
    violations: list[Violation] = field(default_factory=list)
    # Allowed by snapshot isolation, so only counted.
    write_skews: int = 0
    outcomes: Counter = field(default_factory=Counter)

    def kinds(self) -> set[str]:
        return {violation.kind for violation in self.violations}

    def add(self, kind: str, text: str) -> None:
        self.violations.append(Violation(kind, text))


class View:
    """What a transaction read of other transactions, and what it wrote."""

    def __init__(self, transaction: Transaction, verdict: Verdict):
        self.transaction = transaction
        self.bases: dict[str, tuple[int, ...]] = {}
        self.own: dict[str, tuple[int, ...]] = {}
        for step in transaction.steps or transaction.appends:
            if isinstance(step, Append):
                self.own[step.key] = self.own.get(step.key, ()) + (step.value,)
            else:
                self.take(step, verdict)

    def take(self, read: Read, verdict: Verdict) -> None:
        own = self.own.get(read.key, ())
        base = read.values[:len(read.values) - len(own)]
        if own and read.values[len(base):] != own:
            verdict.add(OWN_WRITE_MISSING, f"{self.transaction.name} appended {own} to {read.key} and "
                                           f"then read {read.values}")
        elif self.bases.setdefault(read.key, base) != base:
            verdict.add(NON_REPEATABLE_READ, f"{self.transaction.name} read {self.bases[read.key]} in "
                                             f"{read.key} and then {base}")


class Versions:
    """The versions of one item, in the order of the longest list that was read."""

    def __init__(self, key: str):
        self.key = key
        self.lists: dict[tuple[int, ...], str] = {}  # and one of its readers
        self.order: tuple[int, ...] = ()
        self.positions: dict[int, int] = {}
        # The read that began last.
        self.last_begin = -1
        self.last_values: tuple[int, ...] = ()

    def saw(self, values: tuple[int, ...], reader: Transaction) -> None:
        self.lists.setdefault(values, reader.name)
        if reader.begin >= self.last_begin:
            self.last_begin, self.last_values = reader.begin, values

    def settle(self, verdict: Verdict) -> None:
        self.order = max(self.lists, key=len, default=())
        self.positions = {value: number for number, value in enumerate(self.order)}
        for values, reader in self.lists.items():
            if not self.has(values):
                verdict.add(LOST_UPDATE, f"{reader} read {values} in {self.key}, "
                                         f"{self.lists[self.order]} read {self.order}")

    def has(self, values: tuple[int, ...]) -> bool:
        return self.order[:len(values)] == values


def check(transactions: list[Transaction]) -> Verdict:
    return Check(transactions).run()


class Check:
    def __init__(self, transactions: list[Transaction]):
        self.verdict = Verdict(outcomes=Counter(one.outcome for one in transactions))
        self.views = [View(one, self.verdict) for one in transactions]
        self.writers = {append.value: view for view in self.views
                        for append in view.transaction.appends}
        self.versions: dict[str, Versions] = {}
        # Per transaction: the first moment at which one of its changes is known to be visible.
        self.seen_at: dict[str, int] = {}
        self.overwritten_by: set[tuple[str, str]] = set()

    def run(self) -> Verdict:
        self.collect_versions()
        self.check_values()
        for view in self.views:
            self.check_reads(view)
            self.check_appends(view)
        self.check_order()
        return self.verdict

    def versions_of(self, key: str) -> Versions:
        return self.versions.setdefault(key, Versions(key))

    def collect_versions(self) -> None:
        for view in self.views:
            for key, base in view.bases.items():
                self.versions_of(key).saw(base, view.transaction)
                if view.transaction.outcome == COMMITTED:
                    self.versions_of(key).saw(base + view.own.get(key, ()), view.transaction)
                for value in base:
                    self.note_seen(value, view.transaction)
        for versions in self.versions.values():
            versions.settle(self.verdict)

    def note_seen(self, value: int, reader: Transaction) -> None:
        writer = self.writers.get(value)
        if writer:
            name = writer.transaction.name
            self.seen_at[name] = min(self.seen_at.get(name, reader.end), reader.end)

    def happened(self, transaction: Transaction) -> bool:
        return transaction.outcome == COMMITTED or \
            (transaction.outcome == UNKNOWN and transaction.name in self.seen_at)

    def check_values(self) -> None:
        for versions in self.versions.values():
            if len(versions.positions) < len(versions.order):
                self.verdict.add(UNKNOWN_VALUE, f"{versions.key} has a value twice: {versions.order}")
            for value in {value for values in versions.lists for value in values}:
                writer = self.writers.get(value)
                if not writer or value not in writer.own.get(versions.key, ()):
                    self.verdict.add(UNKNOWN_VALUE, f"no transaction appended {value} to {versions.key}")
                elif writer.transaction.outcome == ABORTED:
                    self.verdict.add(ABORTED_READ, f"{versions.key} shows {value} of "
                                                   f"{writer.transaction.name}, which failed")

    def check_reads(self, view: View) -> None:
        """No read sees only a part of what another transaction appended to an item."""
        for key, base in view.bases.items():
            writer = self.writers.get(base[-1]) if base else None
            if writer and writer is not view and writer.own.get(key, base)[-1] != base[-1]:
                self.verdict.add(INTERMEDIATE_READ, f"{view.transaction.name} read {base} in {key}: "
                                                    f"{writer.transaction.name} appended "
                                                    f"{writer.own[key]}")

    def check_appends(self, view: View) -> None:
        if not self.happened(view.transaction):
            return
        for key, own in view.own.items():
            versions = self.versions_of(key)
            self.check_still_there(view.transaction, versions, own)
            if not set(own) <= versions.positions.keys():
                continue
            first = versions.positions[own[0]]
            if versions.order[first:first + len(own)] != own:
                self.verdict.add(MIXED_WRITES, f"{view.transaction.name} appended {own} to {key}, "
                                               f"which shows {versions.order}")
            base = view.bases.get(key)
            if base is not None and versions.order[:first] != base:
                self.verdict.add(LOST_UPDATE, f"{view.transaction.name} read {base} in {key}, its "
                                              f"append came after {versions.order[:first]}")

    def check_still_there(self, transaction: Transaction, versions: Versions,
                          own: tuple[int, ...]) -> None:
        """The last read sees everything that was acknowledged or seen before it began."""
        moments = [self.seen_at[transaction.name]] if transaction.name in self.seen_at else []
        moments += [transaction.end] if transaction.outcome == COMMITTED else []
        if versions.last_begin > min(moments) and not set(own) <= set(versions.last_values):
            half = any(append.value in self.versions_of(append.key).last_values
                       for append in transaction.appends)
            self.verdict.add(HALF_TRANSACTION if half else LOST_UPDATE,
                             f"{transaction.name} ({transaction.outcome}) appended {own} to "
                             f"{versions.key}, which shows {versions.last_values} in the end")

    def check_order(self) -> None:
        graph = Graph()
        for view in self.views:
            if not view.transaction.at_once and self.happened(view.transaction):
                graph.add(snapshot(view), commit(view), SAME)
            self.add_reads(graph, view)
        for versions in self.versions.values():
            self.add_overwrites(graph, versions)
        self.verdict.write_skews = sum((other, one) in self.overwritten_by
                                       for one, other in self.overwritten_by) // 2
        cycle = graph.cycle()
        if cycle:
            skewed = any(edge.why == OVERWRITTEN_BY for edge in cycle)
            self.verdict.add(READ_SKEW if skewed else CIRCULAR_FLOW, text_of(cycle))
            return
        self.add_answers(graph)
        cycle = graph.cycle()
        if cycle:
            self.verdict.add(STALE_READ, text_of(cycle))

    def add_reads(self, graph: Graph, view: View) -> None:
        for key, base in view.bases.items():
            versions = self.versions[key]
            if not versions.has(base):
                continue
            writer = self.writers.get(base[-1]) if base else None
            if writer and writer is not view:
                graph.add(commit(writer), snapshot(view), READS_FROM)
            after = versions.order[len(base):len(base) + 1]
            writer = self.writers.get(after[0]) if after else None
            if writer and writer is not view:
                graph.add(snapshot(view), commit(writer), OVERWRITTEN_BY)
                if view.transaction.outcome == COMMITTED:
                    self.overwritten_by.add((view.transaction.name, writer.transaction.name))

    def add_overwrites(self, graph: Graph, versions: Versions) -> None:
        for value, after in zip(versions.order, versions.order[1:]):
            writer, other = self.writers.get(value), self.writers.get(after)
            if writer and other and writer is not other:
                graph.add(commit(writer), snapshot(other), OVERWRITES)

    def add_answers(self, graph: Graph) -> None:
        """An answered transaction comes before those that began later. A chain of moments replaces
        one edge per pair."""
        begin, end = 0, 1  # at equal times neither comes first
        events = [(view.transaction.begin, begin, number) for number, view in enumerate(self.views)]
        events += [(view.transaction.end, end, number) for number, view in enumerate(self.views)
                   if view.transaction.end is not None]
        moment = None
        for time, what, number in sorted(events):
            view = self.views[number]
            if what == begin and moment is not None:
                graph.add(moment, snapshot(view), ANSWERED_BEFORE)
            elif what == end and (view.bases or self.happened(view.transaction)):
                earlier, moment = moment, (time, number)
                graph.add(last_moment(view), moment, ANSWERED_BEFORE)
                if earlier is not None:
                    graph.add(earlier, moment, ANSWERED_BEFORE)


def snapshot(view: View) -> str:
    return view.transaction.name


def commit(view: View) -> str:
    return view.transaction.name + ("" if view.transaction.at_once else "'s commit")


def last_moment(view: View) -> str:
    return snapshot(view) if view.transaction.outcome == ABORTED else commit(view)


def text_of(cycle: list[Edge]) -> str:
    """`a is read by b; b …`; the moments between transactions are left out."""
    named = [edge for edge in cycle if isinstance(edge.source, str)]
    texts = []
    for edge, after in zip(named, named[1:] + named[:1]):
        target = edge.target if isinstance(edge.target, str) else after.source
        texts.append(f"{edge.source} {edge.why} {target}")
    return "; ".join(texts)
