"""Faults put into a recorded history of single items; the checker must find every one of them."""

import copy
import random
from pathlib import Path
from typing import Callable, Iterator

import linearizability
from registers import Registers, Request

WRITES = ("create", "upsert", "replace", "exchange", "patch")


def last_writes(requests: list[Request]) -> Iterator[tuple[Request, Request]]:
    """Writes that were answered, each with a read that began afterwards and showed it."""
    by_value = {one.value: one for one in requests if one.kind in WRITES and one.status in (200, 201)}
    for read in requests:
        write = by_value.get(read.seen)
        if read.kind == "read" and write and write.ended < read.called:
            yield write, read


def stale_read(requests: list[Request], rng: random.Random) -> bool:
    """A read returns the version before the one that had been acknowledged."""
    places = []
    for write, read in last_writes(requests):
        older = [one for one in requests if one.item == write.item and one.kind in WRITES
                 and one.ended is not None and one.ended < write.called and one.status in (200, 201)]
        if older:
            places.append((read, max(older, key=lambda one: one.ended)))
    if not places:
        return False
    read, older = rng.choice(places)
    read.seen, read.seen_count = older.seen, older.seen_count
    return True


def lost_write(requests: list[Request], rng: random.Random) -> bool:
    """A read finds nothing, though a write had been acknowledged and nobody deleted it."""
    deletes = [one for one in requests if one.kind == "delete" and one.status in (0, 204)]
    found = []
    for write, read in last_writes(requests):
        deleted = any(one.item == read.item and one.called < read.ended and (one.ended is None or
                      one.ended > write.called) for one in deletes)
        if not deleted:
            found.append(read)
    if not found:
        return False
    read = rng.choice(found)
    read.status, read.seen, read.seen_count = 404, 0, 0
    return True


def doubled_write(requests: list[Request], rng: random.Random) -> bool:
    """A patch was carried out twice."""
    found = [read for write, read in last_writes(requests) if write.kind == "patch"]
    if not found:
        return False
    rng.choice(found).seen_count += 1
    return True


def refused_but_done(requests: list[Request], rng: random.Random) -> bool:
    """A write that was refused shows nevertheless."""
    found = [write for write, _ in last_writes(requests) if write.kind in ("create", "replace", "exchange")]
    if not found:
        return False
    write = rng.choice(found)
    write.status = {"create": 409, "replace": 404, "exchange": 412}[write.kind]
    write.seen = write.seen_count = 0
    return True


def invented_value(requests: list[Request], rng: random.Random) -> bool:
    found = [one for one in requests if one.kind == "read" and one.status == 200]
    if not found:
        return False
    rng.choice(found).seen = -1
    return True


def wrong_exchange(requests: list[Request], rng: random.Random) -> bool:
    """A conditional write went through, though another version was there."""
    found = [one for one in requests if one.kind == "exchange" and one.status == 200]
    if not found:
        return False
    rng.choice(found).wanted = -1
    return True


FAULTS: list[Callable[[list[Request], random.Random], bool]] = [
    stale_read, lost_write, doubled_write, refused_but_done, invented_value, wrong_exchange]


def unnoticed(requests: list[Request], path: Path, rng: random.Random) -> list[str]:
    """The faults that could not be put into a copy of the history, or were not found in it."""
    missed = []
    for fault in FAULTS:
        broken = Registers()
        broken.requests = copy.deepcopy(requests)
        if not fault(broken.requests, rng):
            missed.append(f"{fault.__name__}: no place for it")
            continue
        broken.save(path.with_name("planted.jsonl"))
        wrong, _ = linearizability.violations(path.with_name("planted.jsonl"))
        if not wrong:
            missed.append(fault.__name__)
    return missed
