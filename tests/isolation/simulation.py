"""An in-memory store of lists with snapshot isolation, whose clients take turns: the input for testing
the checker. It can be broken in several ways."""

import random
from typing import Iterator

from history import ABORTED, COMMITTED, UNKNOWN, Append, Read, Transaction

NO_CONFLICTS = "commits without checking for conflicts"
DIRTY_READS = "shows writes before their commit"
NEWEST_READS = "reads the newest version, not that of the snapshot"
PARTIAL_COMMITS = "makes the writes of a commit visible one by one"
LOSES_WRITES = "sometimes loses a write of a commit"

KEYS = ("x", "y", "z")
CLIENTS = 4
TURNS = 1000

List = tuple[int, ...]


class Store:
    def __init__(self, broken: tuple[str, ...] = ()):
        self.broken = broken
        self.lists: dict[str, List] = dict.fromkeys(KEYS, ())
        self.running: list["Script"] = []


class Script:
    """One running transaction."""

    def __init__(self, store: Store):
        self.store = store
        self.snapshot = dict(store.lists)
        self.own: dict[str, List] = {}
        store.running.append(self)

    def read(self, key: str) -> List:
        lists = self.store.lists if NEWEST_READS in self.store.broken else self.snapshot
        found = lists[key]
        if DIRTY_READS in self.store.broken:
            for other in self.store.running:
                found += other.own.get(key, ()) if other is not self else ()
        return found + self.own.get(key, ())

    def append(self, append: Append) -> None:
        self.own[append.key] = self.own.get(append.key, ()) + (append.value,)

    def may_commit(self) -> bool:
        return NO_CONFLICTS in self.store.broken or \
            all(self.store.lists[key] == self.snapshot[key] for key in self.own)

    def commit(self, rng: random.Random) -> Iterator[None]:
        made = {key: self.read(key) for key in self.own}
        if LOSES_WRITES in self.store.broken and made and rng.random() < 0.1:
            made.popitem()
        for key, values in made.items():
            self.store.lists[key] = values
            if PARTIAL_COMMITS in self.store.broken:
                yield


class Simulation:
    def __init__(self, store: Store, seed: int):
        self.store = store
        self.rng = random.Random(seed)
        self.clock = 0
        self.values = 0
        self.stopping = False
        self.history: list[Transaction] = []

    def tick(self) -> int:
        self.clock += 1
        return self.clock

    def plan(self) -> list[Read | Append]:
        """The steps of a transaction; the values it reads are filled in at execution."""
        steps: list[Read | Append] = [Read(key, ()) for key in self.rng.choices(KEYS, k=3)]
        for key in self.rng.choices(KEYS, k=self.rng.randint(0, 3)):
            self.values += 1
            steps += [Append(key, self.values), Read(key, ())]
        return steps

    def client(self) -> Iterator[None]:
        """Other clients may run at every yield."""
        while not self.stopping:
            if self.rng.random() < 0.3:
                yield from self.read_at_once(self.rng.sample(KEYS, self.rng.randint(1, 3)))
            else:
                yield from self.run(self.plan())

    def read_at_once(self, keys: list[str]) -> Iterator[None]:
        begin = self.tick()
        yield
        steps = [Read(key, self.store.lists[key]) for key in keys]
        yield
        self.record(begin, steps, COMMITTED, at_once=True)

    def run(self, plan: list[Read | Append]) -> Iterator[None]:
        begin, script, done = self.tick(), Script(self.store), []
        for step in plan:
            yield
            if isinstance(step, Append):
                script.append(step)
                done.append(step)
            else:
                done.append(Read(step.key, script.read(step.key)))
        yield
        outcome = ABORTED
        if self.rng.random() > 0.1 and script.may_commit():
            yield from script.commit(self.rng)
            outcome = UNKNOWN if self.rng.random() < 0.1 else COMMITTED
        self.store.running.remove(script)
        yield
        self.record(begin, done, outcome, at_once=False)

    def record(self, begin: int, steps: list[Read | Append], outcome: str, at_once: bool) -> None:
        appends = tuple(step for step in steps if isinstance(step, Append))
        self.history.append(Transaction(f"t{len(self.history)}", at_once, appends, begin, self.tick(),
                                        outcome, [] if outcome == UNKNOWN else steps))


def simulate(store: Store, seed: int) -> list[Transaction]:
    simulation = Simulation(store, seed)
    clients = [simulation.client() for _ in range(CLIENTS)]
    for _ in range(TURNS):
        next(simulation.rng.choice(clients))
    simulation.stopping = True
    for last in clients + [simulation.read_at_once([key]) for key in KEYS]:
        for _ in last:
            pass
    return simulation.history
