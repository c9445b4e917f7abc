"""Faults injected into a valid history, to verify that the checker finds them.

Each changes a copy of a history as a broken server would have, at a random suitable place; returns
False if there is none.
"""

import dataclasses
import random
from typing import Iterator

import checker
from history import ABORTED, COMMITTED, UNKNOWN, Append, Read, Transaction


def committed(transactions: list[Transaction]) -> list[Transaction]:
    return [one for one in transactions if one.outcome == COMMITTED]


def pick(rng: random.Random, places: Iterator | list):
    found = list(places)
    return rng.choice(found) if found else None


def reads_of(transaction: Transaction) -> Iterator[tuple[int, Read]]:
    """The reads before the transaction's first append, by position."""
    for number, step in enumerate(transaction.steps):
        if isinstance(step, Append):
            return
        yield number, step


def without(read: Read, values: set[int]) -> Read:
    return Read(read.key, tuple(value for value in read.values if value not in values))


def forget(transactions: list[Transaction], appends: set[Append], but_of: Transaction) -> None:
    values = {append.value for append in appends}
    for one in transactions:
        if one is not but_of:
            one.steps = [without(step, values) if isinstance(step, Read) else step
                         for step in one.steps]


def seen_values(transactions: list[Transaction]) -> set[int]:
    return {value for one in transactions for _, read in reads_of(one) for value in read.values}


def drop_acknowledged_write(transactions: list[Transaction], rng: random.Random) -> bool:
    seen = seen_values(transactions)
    chosen = pick(rng, ((one, append) for one in committed(transactions) for append in one.appends
                        if append.value in seen))
    if chosen:
        writer, lost = chosen
        forget(transactions, {append for append in writer.appends if append.key == lost.key}, writer)
    return bool(chosen)


def drop_half_of_unknown(transactions: list[Transaction], rng: random.Random) -> bool:
    """A kill between the two writes of one transaction."""
    last, seen = {}, {}
    for one in transactions:
        for _, read in reads_of(one):
            last[read.key] = max(last.get(read.key, 0), one.begin)
            for value in read.values:
                seen[value] = min(seen.get(value, one.end), one.end)
    chosen = pick(rng, (one for one in committed(transactions)
                        if one.appends and one.appends[0].key != one.appends[-1].key
                        and all(append.value in seen for append in one.appends)
                        and seen[one.appends[0].value] < last[one.appends[-1].key]))
    if not chosen:
        return False
    chosen.outcome, chosen.steps = UNKNOWN, []
    lost = {append for append in chosen.appends if append.key == chosen.appends[-1].key}
    forget(transactions, lost, chosen)
    return True


def show_aborted_write(transactions: list[Transaction], rng: random.Random) -> bool:
    seen = seen_values(transactions)
    chosen = pick(rng, (one for one in committed(transactions)
                        if any(append.value in seen for append in one.appends)))
    if chosen:
        chosen.outcome = ABORTED
    return bool(chosen)


def alter_read(transactions: list[Transaction], rng: random.Random) -> bool:
    """A read of one item returns its state before an acknowledged change."""
    ends = {append.value: one.end for one in committed(transactions) for append in one.appends}
    places = ((one, read) for one in committed(transactions) if len(one.steps) == 1
              for _, read in reads_of(one) if read.values and ends.get(read.values[-1], one.end) < one.begin)
    chosen = pick(rng, places)
    if chosen:
        reader, read = chosen
        reader.steps = [without(read, own_run(transactions, read))]
    return bool(chosen)


def own_run(transactions: list[Transaction], read: Read) -> set[int]:
    """All values that the last writer of the list appended to it."""
    for one in transactions:
        if Append(read.key, read.values[-1]) in one.appends:
            return {append.value for append in one.appends if append.key == read.key}
    return set()


def show_intermediate_write(transactions: list[Transaction], rng: random.Random) -> bool:
    runs = {}  # the last value of several that one transaction appended to one item
    for one in committed(transactions):
        for append in one.appends:
            same = [other.value for other in one.appends if other.key == append.key]
            if len(same) > 1:
                runs[same[-1]] = one
    chosen = pick(rng, ((one, number, read) for one in committed(transactions)
                        for number, read in reads_of(one) if read.values and read.values[-1] in runs
                        and sum(isinstance(step, Read) and step.key == read.key
                                for step in one.steps) == 1))
    if chosen:
        reader, number, read = chosen
        reader.steps[number] = Read(read.key, read.values[:-1])
    return bool(chosen)


def change_second_read(transactions: list[Transaction], rng: random.Random) -> bool:
    places = []
    for one in committed(transactions):
        before = set()
        for number, read in reads_of(one):
            if read.key in before and read.values:
                places.append((one, number, read))
            before.add(read.key)
    chosen = pick(rng, places)
    if chosen:
        reader, number, read = chosen
        reader.steps[number] = Read(read.key, read.values[:-1])
    return bool(chosen)


def hide_own_write(transactions: list[Transaction], rng: random.Random) -> bool:
    chosen = pick(rng, ((one, number, step) for one in committed(transactions)
                        for number, step in enumerate(one.steps) if isinstance(step, Read)
                        and Append(step.key, step.values[-1] if step.values else 0) in one.steps[:number]))
    if chosen:
        writer, number, read = chosen
        writer.steps[number] = Read(read.key, read.values[:-1])
    return bool(chosen)


def show_half_transaction(transactions: list[Transaction], rng: random.Random) -> bool:
    """A snapshot has only one of two changes made together."""
    together = {}
    for one in committed(transactions):
        keys = [append.key for append in one.appends]
        if len(keys) == 2 and len(set(keys)) == 2:
            together[frozenset(append.value for append in one.appends)] = one
    writers = {value: pair for pair in together for value in pair}
    places = []
    for one in committed(transactions):
        reads = {read.key: (number, read) for number, read in reads_of(one)}
        if len(reads) < len(one.steps):
            continue  # a key is read again: the fault would be a non-repeatable read
        last = {read.values[-1]: number for number, read in reads.values() if read.values}
        places += [(one, number) for value, number in last.items()
                   if value in writers and writers[value] <= last.keys()]
    chosen = pick(rng, places)
    if chosen:
        reader, number = chosen
        read = reader.steps[number]
        reader.steps[number] = Read(read.key, read.values[:-1])
    return bool(chosen)


def overwrite_unread_version(transactions: list[Transaction], rng: random.Random) -> bool:
    """A writer read a different version from the one it replaced."""
    places = []
    for one in committed(transactions):
        written = {append.key for append in one.appends}
        places += [(one, read) for _, read in reads_of(one) if read.key in written and read.values]
    chosen = pick(rng, places)
    if chosen:
        writer, read = chosen
        gone = set(read.values[-1:])
        writer.steps = [without(step, gone) if isinstance(step, Read) and step.key == read.key else step
                        for step in writer.steps]
    return bool(chosen)


# The names under which each fault may be found; some show in more than one way.
FAULTS = {
    drop_acknowledged_write: {checker.LOST_UPDATE, checker.HALF_TRANSACTION},
    drop_half_of_unknown: {checker.HALF_TRANSACTION},
    show_aborted_write: {checker.ABORTED_READ},
    alter_read: {checker.STALE_READ, checker.READ_SKEW, checker.LOST_UPDATE},
    show_intermediate_write: {checker.INTERMEDIATE_READ},
    change_second_read: {checker.NON_REPEATABLE_READ},
    hide_own_write: {checker.OWN_WRITE_MISSING},
    show_half_transaction: {checker.READ_SKEW, checker.HALF_TRANSACTION},
    overwrite_unread_version: {checker.LOST_UPDATE},
}


def unnoticed(transactions: list[Transaction], rng: random.Random) -> tuple[list[str], int]:
    """Injects every fault into a copy; returns those not found, and how many were tried."""
    missed, tried = [], 0
    for fault, kinds in FAULTS.items():
        broken = [dataclasses.replace(one, steps=list(one.steps)) for one in transactions]
        if fault(broken, rng):
            tried += 1
            found = checker.check(broken).kinds()
            if not found & kinds:
                missed.append(f"{fault.__name__}: found {sorted(found)}")
    return missed, tried
