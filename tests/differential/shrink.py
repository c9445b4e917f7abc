"""Shrinks a mismatch: removes documents, members and parts of the query that it does not need."""

import copy
import random
from dataclasses import dataclass, is_dataclass, replace

from compare import Answer
from fixture import Request, ServerFault, ask, create, drop, write
from lib.client import NO_ANSWER
from nodes import Literal, Node
from policies import Policy
from query import Item, Query
from style import Style

TRIES_MAX = 1500


@dataclass
class Finding:
    """A query with a wrong answer, and its settings."""

    query: Query
    request: Request
    policy: Policy
    documents: list[dict]
    problem: str = ""
    outcome: object = None
    answer: Answer | None = None
    changed: bool = False  # documents changed between its pages


class Shrinker:
    """`world` has the server; `judge` returns the problem with an answer."""

    def __init__(self, finding: Finding, world, expect, judge):
        self.best, self.world, self.expect, self.judge = finding, world, expect, judge
        self.tries = 0

    def run(self) -> Finding | None:
        """Returns None if the problem cannot be reproduced."""
        if not self.keep(replace(self.best)):
            return None
        plain = self.spelled(named(self.best.query))
        if plain is not None and self.keep(plain):
            self.shrink_query()
        self.shrink_documents()
        if plain is not None:
            self.shrink_query()
        self.shrink_members()
        return self.best

    def spelled(self, query: Query) -> Finding | None:
        """The query without parameters, in its plain spelling."""
        style = Style(random.Random(0))
        style.fixed, style.tight = 1, False
        try:
            request = replace(self.best.request, text=query.text(style), parameters=[])
            return replace(self.best, query=query, request=request)
        except Exception:  # a required part was removed
            return None

    def keep(self, finding: Finding | None) -> bool:
        """Whether the problem persists; if so, keeps this as the smallest so far."""
        if finding is None or self.tries >= TRIES_MAX:
            return False
        self.tries += 1
        client = self.world.client
        try:
            link = create(client, finding.policy, f"shrink{id(self)}-{self.tries}")
            for document in finding.documents:
                write(self.world.wire, "POST", link, document)
            finding.outcome = self.expect(finding.query, finding.documents)
        except ServerFault:
            raise
        except Exception:  # no longer a query
            return False
        try:
            finding.answer = ask(self.world.wire, link, finding.request)
            problem = self.judge(finding.query, finding.outcome, finding.policy, finding.answer)
        except ServerFault as fault:
            problem, finding.answer = str(fault), None
        except NO_ANSWER as fault:
            problem, finding.answer = f"{type(fault).__name__} {self.world.revive()}", None
        drop(self.world.client, link)
        if problem and sort_of(problem) == sort_of(self.best.problem):
            finding.problem = problem
            self.best = finding
            return True
        return False

    def shrink_documents(self) -> None:
        size = len(self.best.documents)
        while size >= 1:
            start = 0
            while start < len(self.best.documents):
                kept = self.best.documents
                if not self.keep(replace(self.best, documents=kept[:start] + kept[start + size:])):
                    start += size
                if self.tries >= TRIES_MAX:
                    return
            size //= 2

    def shrink_members(self) -> None:
        for number, document in enumerate(self.best.documents):
            for name in list(document):
                documents = self.best.documents
                fewer = {key: value for key, value in documents[number].items() if key != name}
                if name not in ("id", "pk"):
                    self.keep(replace(self.best, documents=documents[:number] + [fewer] +
                                      documents[number + 1:]))

    def shrink_query(self) -> None:
        again = True
        while again and self.tries < TRIES_MAX:
            again = any(self.keep(self.spelled(smaller)) for smaller in smaller_queries(
                self.best.query))


def named(query: Query) -> Query:
    """The query with an explicit name for every item, so that shrinking an item keeps its name."""
    if not isinstance(query.items, list):
        return query
    return replace(query, items=[Item(item.node, f"x{number}", True)
                                 for number, item in enumerate(query.items)])


def sort_of(problem: str) -> str:
    """The sort of a problem; problems of one sort are likely to be the same."""
    start = problem[:3]
    return start if start.isdigit() and "instead" in problem or start in ("500", "Rem") else "rows"


def smaller_queries(query: Query):
    for change in ({"where": None}, {"distinct": False}, {"top": None}, {"offset_limit": None},
                   {"order_by": []}, {"items": None}, {"sources": query.sources[:-1]}):
        name, value = next(iter(change.items()))
        joins = len(query.sources) > 1
        if getattr(query, name) != value and (name != "sources" if not joins else name != "items"):
            yield replace(query, **change)
    if isinstance(query.items, list) and len(query.items) > 1:
        for item in query.items:
            yield replace(query, items=[item])
    yield from smaller_things(query)


def smaller_things(thing):
    """Copies with one node replaced by a descendant or by null, or removed from its list."""
    for name, value in list(vars(thing).items()):
        if isinstance(value, Node) or is_dataclass(value):
            for smaller in smaller_values(value):
                yield with_value(thing, name, smaller)
        elif isinstance(value, list):
            for place, element in enumerate(value):
                if len(value) > 1:
                    yield with_value(thing, name, value[:place] + value[place + 1:])
                if isinstance(element, Node) or is_dataclass(element):
                    for smaller in smaller_values(element):
                        yield with_value(thing, name, [*value[:place], smaller, *value[place + 1:]])


def smaller_values(value):
    if isinstance(value, Node) and not isinstance(value, Literal):
        yield from value.children()
        yield Literal(None)
    yield from smaller_things(value)


def with_value(thing, name: str, value):
    out = copy.copy(thing)
    setattr(out, name, value)
    return out
