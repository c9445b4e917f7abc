"""Random SELECT statements over the documents of documents.py."""

import random
from dataclasses import replace

import policies
from documents import Pool
from expressions import ELEMENTS, SHAPES, Expressions, steps
from nodes import (Aggregate, Array, Binary, Call, Coalesce, Literal, Logical, Node, Object, Path,
                   Step, Subquery)
from query import CONTAINER, Item, Order, Query, Source
from style import Style

AGGREGATES = ("COUNT", "COUNT", "SUM", "AVG", "MIN", "MAX", "COUNTIF")
ORDERED = ("a", "b", "n", "i", "s", "f", "id", "m", "o.x", "o.deep.z", "o", "arr", "arr.0", "d",
           "missing", "value", "a b", "pk", "kids.0.k", "m.x", "m.=0", "m.0", "cp_low",
           "cp_sum")


class Statements:
    def __init__(self, rng: random.Random, pool: Pool, without: frozenset[str] = frozenset()):
        self.rng, self.without = rng, without
        self.make = Expressions(rng, pool, without)
        self.make.subqueries = self.subquery
        self.aliases = 0

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def alias(self) -> str:
        self.aliases += 1
        return f"t{self.aliases}"

    # Subqueries

    def iterated(self, shapes: dict) -> tuple[Source, dict]:
        """`t IN path`, or rarely a value bound as a whole; and the resulting shapes."""
        aliases = [alias for alias in shapes if shapes[alias] in ELEMENTS]
        if not aliases or self.chance(0.1):
            alias = self.rng.choice(list(shapes))
            path = self.rng.choice(SHAPES[shapes[alias]].get("any", [""]))
            name = self.alias()
            return Source(name, Path(alias, *steps(path))), shapes | {name: "any"}
        alias = self.rng.choice(aliases)
        path, element = self.rng.choice(list(ELEMENTS[shapes[alias]].items()))
        name = self.alias()
        return Source(name, Path(alias, *steps(path)), True), shapes | {name: element}

    def inner(self, shapes: dict, joins: float = 0.2) -> tuple[list[Source], dict, Node | None]:
        sources = []
        while True:
            source, shapes = self.iterated(shapes)
            sources.append(source)
            if not self.chance(joins) or len(sources) == 3:
                break
        where = self.make.filter(self.latest(shapes), 0) if self.chance(0.6) else None
        return sources, shapes, where

    def latest(self, shapes: dict) -> dict:
        """Mostly only the last bound alias."""
        last = list(shapes)[-1]
        return {last: shapes[last]} if self.chance(0.7) else shapes

    def subquery(self, shapes: dict, kind: str, depth: int) -> Node:
        word = {"bool": "EXISTS", "arr": "ARRAY"}.get(kind, "")
        if kind == "any":
            word = self.rng.choice(("EXISTS", "ARRAY", ""))
        sources, inner, where = self.inner(shapes)
        if word == "EXISTS":
            value = Literal(1) if self.chance(0.4) else self.make.node(self.latest(inner), "any", 1)
            items = [Item(value, "x", True)] if self.chance(0.15) else value
            return Subquery(word, Query(items, sources, where))
        if word == "ARRAY":
            value = self.make.node(self.latest(inner), "any", min(depth - 1, 2))
            return Subquery(word, Query(value, sources, where, distinct=self.chance(0.2)))
        if self.chance(0.15):
            key = self.make.path(self.latest(inner), "any")
            grouped = Query([Item(key, "k", True), Item(Aggregate("COUNT", Literal(1)), "n", True)],
                            sources, where, [key])
            return Call("ARRAY_LENGTH", Subquery("ARRAY", grouped))
        if self.chance(0.05):
            return Subquery("", Query(self.make.path(inner, kind), sources, where))
        name = self.rng.choice(AGGREGATES)
        argument = self.make.path(self.latest(inner), "num" if kind == "num" else "any")
        value: Node = Aggregate(name, argument)
        if self.chance(0.15):
            value = Binary(self.rng.choice((">", "=", "<=")), value, Literal(1))
        if self.chance(0.1):
            return Step(Subquery("", Query([Item(value, "x", True)], sources, where)), "x")
        return Subquery("", Query(value, sources, where))

    # Statements

    def statement(self) -> Query:
        kind = self.rng.random()
        if kind < 0.04:
            return Query(self.make.node({}, "any", 3), [])
        if kind < 0.2:
            query = self.grouped()
        elif kind < 0.27:
            query = self.nested()
        elif kind < 0.47:
            query = self.ids()
        else:
            query = self.plain()
        if self.chance(0.15):
            query.top = self.rng.choice((0, 1, 2, 5, 100))
        elif self.chance(0.12):
            query.offset_limit = (self.rng.choice((0, 1, 3, 50)), self.rng.choice((0, 1, 2, 10)))
        return query

    def sources(self) -> tuple[list[Source], dict]:
        """FROM: mostly the container, and JOINs."""
        chance = self.rng.random()
        if chance < 0.08:
            source, shapes = self.iterated({CONTAINER: "item"})
            del shapes[CONTAINER]
        else:
            alias = CONTAINER if chance < 0.9 else "r"
            source, shapes = Source(alias), {alias: "root"}
        sources = [source]
        while len(sources) < 4 and self.chance(0.17):
            joined, shapes = self.joined(shapes)
            sources.append(joined)
        return sources, shapes

    def joined(self, shapes: dict) -> tuple[Source, dict]:
        if self.chance(0.75):
            return self.iterated(shapes)
        name = self.alias()
        if self.chance(0.3):
            value = self.make.node(shapes, "arr", 2)
            return Source(name, Query(value, []), True), shapes | {name: "any"}
        sources, inner, where = self.inner(shapes, 0)
        if self.chance(0.3):
            value: Node = Aggregate(self.rng.choice(AGGREGATES), self.make.path(inner, "num"))
            return Source(name, Query(value, sources, where)), shapes | {name: "num"}
        query = Query(self.make.path(inner, "any"), sources, where, distinct=self.chance(0.3))
        return Source(name, query), shapes | {name: "any"}

    def where(self, shapes: dict) -> Node | None:
        return self.make.filter(shapes, 2) if self.chance(0.8) else None

    def items(self, shapes: dict) -> list[Item]:
        out, names, unnamed = [], set(), 0
        for _ in range(self.rng.randrange(1, 5)):
            node = (self.make.path(shapes, "any") if self.chance(0.6)
                    else self.make.node(shapes, "any", 3))
            name, counts = implied_name(node, unnamed)
            said = self.chance(0.4)
            if said:
                name = f"x{len(out)}"
            else:
                unnamed += counts
            if name in names:
                unnamed -= not said and counts
                continue
            names.add(name)
            out.append(Item(node, name, said))
        return out

    def plain(self) -> Query:
        sources, shapes = self.sources()
        query = Query(None, sources, self.where(shapes))
        chance = self.rng.random()
        if len(sources) > 1 and chance < 0.3:
            chance += 0.3
        if chance >= 0.6:
            query.items = self.items(shapes)
        elif chance >= 0.3:
            query.items = (self.make.path(shapes, "any") if self.chance(0.5)
                           else self.make.node(shapes, "any", 3))
        query.distinct = self.chance(0.2)
        if sources[0].origin is None and self.chance(0.35):
            self.order(query, sources[0].alias)
        return query

    def ids(self) -> Query:
        """Selects the ids of documents, sometimes with an order."""
        query = Query(Path(CONTAINER, "id"), [Source(CONTAINER)],
                      self.make.filter({CONTAINER: "root"}, self.rng.choice((0, 1, 2, 3)))
                      if self.chance(0.8) else None)
        if self.chance(0.5):
            self.order(query, CONTAINER)
        return query

    def order(self, query: Query, alias: str) -> None:
        if self.chance(0.65):
            path = self.rng.choice(ORDERED)
            query.order_by = [Order(Path(alias, *steps(path)), self.chance(0.5))]
            return
        composite = self.rng.choice(policies.COMPOSITES)
        backward = self.chance(0.5)
        query.order_by = [Order(Path(alias, *steps(path)), down != backward)
                          for path, down in composite]
        if self.chance(0.1):
            changed = self.rng.choice(query.order_by)
            changed.descending = not changed.descending

    def grouped(self, lists: bool = True) -> Query:
        sources, shapes = self.sources()
        query = Query([], sources, self.where(shapes))
        if self.chance(0.6):
            query.group_by = [self.key(shapes) for _ in range(self.rng.choice((1, 1, 2)))]
            if len({repr_of(key) for key in query.group_by}) == 1:
                del query.group_by[1:]
        if self.chance(0.3):
            query.items = (self.rng.choice(query.group_by) if query.group_by and self.chance(0.4)
                           else self.composed(shapes))
            return query
        query.items = [Item(self.aggregate(shapes, lists), f"x{number}", True)
                       for number in range(self.rng.randrange(0 if query.group_by else 1, 4))]
        for number, key in enumerate(query.group_by):
            if self.chance(0.8) or not query.items:
                query.items.append(Item(key, f"k{number}", True))
            if self.chance(0.15):
                query.items.append(Item(Call("IS_DEFINED", key), f"d{number}", True))
        query.distinct = self.chance(0.1)
        key = query.group_by[0] if query.group_by else None
        if isinstance(key, Path) and sources[0].origin is None and key.alias == sources[0].alias \
                and key.steps and lists and self.chance(0.2):
            query.order_by = [Order(key, self.chance(0.5))]
        return query

    def key(self, shapes: dict) -> Node:
        if self.chance(0.7):
            return self.make.path(shapes, "any")
        name, kind = self.rng.choice((("LOWER", "str"), ("ABS", "num"), ("IS_DEFINED", "any"),
                                      ("ARRAY_LENGTH", "arr"), ("FLOOR", "num"), ("LENGTH", "str")))
        return Call(name, self.make.path(shapes, kind))

    def aggregate(self, shapes: dict, lists: bool = False) -> Node:
        names = AGGREGATES + (("MAKELIST", "MAKESET") if lists else ())
        name = self.rng.choice(names)
        if name == "COUNT" and self.chance(0.5):
            return Aggregate(name, Literal(1))
        kind = "num" if name in ("SUM", "AVG") else "any"
        if self.chance(0.7) and name != "COUNTIF":
            return Aggregate(name, self.make.path(shapes, kind))
        subqueries, self.make.subqueries = self.make.subqueries, None  # not in an aggregate
        node = (self.make.filter(shapes, 0) if name == "COUNTIF"
                else self.make.node(shapes, kind, 2))
        self.make.subqueries = subqueries
        return Aggregate(name, node)

    def composed(self, shapes: dict) -> Node:
        """An aggregate, or an expression of several."""
        chance = self.rng.random()
        if chance < 0.6:
            return self.aggregate(shapes)
        parts = [self.aggregate(shapes) for _ in range(2)]
        if chance < 0.8:
            return Object([("x", parts[0]), ("y", parts[1])])
        return Array(parts) if chance < 0.9 else Binary(self.rng.choice((">", "=", "+")), *parts)

    def nested(self) -> Query:
        """FROM (SELECT …) AS r."""
        inner = self.grouped(lists=False) if self.chance(0.3) else self.plain()
        inner.order_by = []
        name = self.alias()
        shapes = {name: "any" if isinstance(inner.items, Node) else
                  "item" if inner.items is None and inner.sources[0].origin is None else "any"}
        query = Query(None, [Source(name, inner)], self.where(shapes) if self.chance(0.4) else None)
        chance = self.rng.random()
        if chance < 0.4:
            query.items = Aggregate("COUNT", Literal(1))
        elif chance < 0.7:
            query.items = Path(name)
        return query


def repr_of(node: Node) -> str:
    style = Style(random.Random(0))
    style.fixed = 1
    return node.text(style)


def implied_name(node: Node, unnamed: int) -> tuple[str, int]:
    """The name of a select item without alias (reference §2.3), and 1 if it is a numbered one."""
    if isinstance(node, Step) and isinstance(node.step, str):
        return node.step, 0
    if isinstance(node, Path):
        if not node.steps:
            return node.alias, 0
        if isinstance(node.steps[-1], str):
            return node.steps[-1], 0
    return f"${unnamed + 1}", 1


def conjunct_added(query: Query) -> list[Query]:
    """Queries with the same rows but another WHERE."""
    true = Call("IS_DEFINED", Path(query.sources[0].alias, "id"))
    where = true if query.where is None else Logical("AND", query.where, true)
    return [replace(query, where=where)]


def disjuncts(query: Query) -> list[list[Query]]:
    """Queries that together have the rows of a WHERE with OR, each row once."""
    where = query.where
    if not isinstance(where, Logical) or where.op != "OR" or len(where.terms) > 5:
        return []
    if query.distinct or query.group_by or query.order_by or query.aggregates():
        return []
    parts = []
    for number, term in enumerate(where.terms):
        # Excludes rows of earlier parts; ?? keeps the comparison from being undefined.
        before = [Binary("!=", Coalesce(earlier, Literal(None)), Literal(True))
                  for earlier in where.terms[:number]]
        parts.append(replace(query, where=Logical("AND", *before, term) if before else term))
    return [parts]
