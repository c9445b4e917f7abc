"""Compares the server's rows with those of the naive evaluator."""

from collections import Counter
from dataclasses import dataclass

from nodes import Aggregate, Node
from query import Outcome, Query
from values import canon


@dataclass
class Answer:
    status: int
    rows: list
    remark: str = ""


def lists_made(query: Query) -> tuple[str, ...]:
    """Names of members made by MAKELIST and MAKESET, whose element order is up to the server."""
    if query.items is None or isinstance(query.items, Node):
        return ()
    return tuple(item.name for item in query.items if isinstance(item.node, Aggregate) and
                 item.node.name in ("MAKELIST", "MAKESET"))


def keys_of(rows: list, lists: tuple[str, ...]) -> list:
    if not lists:
        return [canon(row) for row in rows]
    return [canon({name: sorted(value, key=lambda v: repr(canon(v))) if name in lists else value
                   for name, value in row.items()}) for row in rows]


def difference(query: Query, expected: Outcome, answer: Answer) -> str:
    """The problem with the answer; empty if it is correct."""
    rows = answer.rows
    if len(rows) != expected.count():
        return f"{len(rows)} rows instead of {expected.count()}"
    lists = lists_made(query)
    keys = keys_of(rows, lists)
    at, seen = 0, 0
    for group in expected.groups:
        first = max(expected.skip - seen, 0)
        count = min(max(len(group) - first, 0), len(keys) - at)
        seen += len(group)
        if count <= 0:
            continue
        wanted = expected.keys(group, lambda rows: keys_of(rows, lists))
        if wanted != keys[at:at + count] and Counter(keys[at:at + count]) - Counter(wanted):
            return f"rows {at} to {at + count - 1} are not the ones expected"
        at += count
    return ""


def same_rows(query: Query, a: Answer, b: Answer) -> bool:
    lists = lists_made(query)
    return Counter(keys_of(a.rows, lists)) == Counter(keys_of(b.rows, lists))
