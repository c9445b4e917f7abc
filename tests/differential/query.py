"""A SELECT statement: prints itself and evaluates itself (reference §1.3, §2.3 to §2.7).

Deliberately naive: nested loops over all documents, one clause after the other.
"""

from dataclasses import dataclass, field

from nodes import CONTAINER, Aggregate, Node, Path, Step
from style import Style
from values import UNDEFINED, QueryError, Unsure, canon, is_finite, sort_key


class Scope(dict):
    """The value of each alias; for a group also the scopes of its rows."""

    group: list["Scope"] = []
    roots: frozenset[str] = frozenset()  # the aliases of the container itself

    def with_alias(self, alias: str, value, root: bool = False) -> "Scope":
        out = Scope(self)
        out.roots = self.roots | {alias} if root else self.roots
        out[alias] = value
        return out


@dataclass
class Source:
    """`origin AS alias`, or `alias IN origin`. Without an origin it is the container."""

    alias: str
    origin: "Path | Query | None" = None
    iterate: bool = False

    def text(self, st: Style) -> str:
        if self.origin is None:
            return self.alias if self.alias == CONTAINER else f"{CONTAINER} AS {self.alias}"
        inner = (f"({self.origin.text(st)})" if isinstance(self.origin, Query)
                 else self.origin.text(st, plain=True))
        if self.iterate:
            return f"{self.alias} {st.word('IN')} {inner}"
        return f"{inner} {st.word('AS')} {self.alias}"

    def bind(self, scope: Scope) -> list[Scope]:
        if self.origin is None:
            return [scope.with_alias(self.alias, scope[CONTAINER], True)]
        if isinstance(self.origin, Query):
            values = self.origin.rows_within(scope)
        else:
            value = self.origin.value(scope)
            values = [] if value is UNDEFINED else [value]
        if self.iterate:
            values = [element for value in values if type(value) is list for element in value]
        return [scope.with_alias(self.alias, value) for value in values]


@dataclass
class Item:
    """An item of the select list. `name`: its name in the row; `alias`: whether AS gives it."""

    node: Node
    name: str
    alias: bool

    def text(self, st: Style) -> str:
        if self.alias:
            return f"{self.node.text(st)} AS {self.name}"
        # With a parameter as its last step the item would have no name.
        if isinstance(self.node, (Path, Step)):
            return self.node.text(st, plain=True)
        return self.node.text(st)


@dataclass
class Order:
    path: Path
    descending: bool


@dataclass
class Outcome:
    """The rows, in groups: the order inside a group is up to the server."""

    groups: list[list]
    ties: list  # for each group a value that is equal for groups of equal sort keys
    skip: int = 0
    take: int | None = None
    known_keys: dict[int, list] = field(default_factory=dict)

    def keys(self, group: list, make) -> list:
        """The result of `make` for the rows of a group, cached."""
        if id(group) not in self.known_keys:
            self.known_keys[id(group)] = make(group)
        return self.known_keys[id(group)]

    def loose(self) -> "Outcome":
        """The same outcome, with rows of equal sort keys in any order."""
        groups: list[list] = []
        for place, rows in enumerate(self.groups):
            if place > 0 and self.ties[place] == self.ties[place - 1]:
                groups[-1] = groups[-1] + rows
            else:
                groups.append(rows)
        return Outcome(groups, [], self.skip, self.take)

    def count(self) -> int:
        rows = max(0, sum(map(len, self.groups)) - self.skip)
        return rows if self.take is None else min(rows, self.take)


@dataclass
class Query:
    items: list[Item] | Node | None  # None: *; a node: VALUE
    sources: list[Source]
    where: Node | None = None
    group_by: list[Node] = field(default_factory=list)
    order_by: list[Order] = field(default_factory=list)
    distinct: bool = False
    top: int | None = None
    offset_limit: tuple[int, int] | None = None

    def text(self, st: Style) -> str:
        st.fixed += bool(self.group_by)  # a key must be spelled the same in SELECT
        out = [st.word("SELECT")]
        if self.distinct:
            out.append(st.word("DISTINCT"))
        if self.top is not None:
            out.append(f"TOP {st.literal(self.top)}")
        if isinstance(self.items, Node):
            out += ["VALUE", self.items.text(st)]
        else:
            out.append("*" if self.items is None else ", ".join(
                item.text(st) for item in self.items))
        if self.sources:
            out.append("FROM " + " JOIN ".join(source.text(st) for source in self.sources))
        if self.where is not None:
            out += [st.word("WHERE"), self.where.text(st)]
        if self.group_by:
            out.append("GROUP BY " + ", ".join(key.text(st) for key in self.group_by))
        if self.order_by:
            out.append("ORDER BY " + ", ".join(
                order.path.text(st, plain=True) + (" DESC" if order.descending else st.rng.choice(
                    ("", " ASC"))) for order in self.order_by))
        if self.offset_limit:
            out.append("OFFSET {} LIMIT {}".format(*map(st.literal, self.offset_limit)))
        st.fixed -= bool(self.group_by)
        return " ".join(out)

    def aggregates(self) -> bool:
        nodes = ([self.items] if isinstance(self.items, Node) else
                 [item.node for item in self.items or []])
        while nodes:
            node = nodes.pop()
            if isinstance(node, Aggregate):
                return True
            nodes += node.children()
        return False

    def bind(self, scope: Scope) -> list[Scope]:
        """The rows that satisfy WHERE."""
        scopes = [scope]
        for source in self.sources:
            scopes = [bound for each in scopes for bound in source.bind(each)]
        if self.where is None:
            return scopes
        return [each for each in scopes if self.where.value(each) is True]

    def project(self, scope: Scope):
        if self.items is None:
            return scope[self.sources[0].alias]
        if isinstance(self.items, Node):
            return self.items.value(scope)
        row = {item.name: item.node.value(scope) for item in self.items}
        return {name: value for name, value in row.items() if value is not UNDEFINED}

    def grouped(self, scopes: list[Scope]) -> list[Scope]:
        """One scope per group: that of its first row, plus the scopes of all rows."""
        groups: dict[tuple, list[Scope]] = {}
        for scope in scopes:
            key = tuple(canon(key.value(scope)) for key in self.group_by)
            groups.setdefault(key, []).append(scope)
        if not self.group_by and not groups:
            groups[()] = []
        out = []
        for rows in groups.values():
            group = Scope(rows[0] if rows else {})
            group.roots = rows[0].roots if rows else group.roots
            group.group = rows
            out.append(group)
        return out

    def finish(self, groups: list[list[Scope]]) -> list[list]:
        """The rows of the scopes; with DISTINCT only the first of equal rows."""
        seen, out = set(), []
        for scopes in groups:
            rows = [row for row in map(self.project, scopes) if row is not UNDEFINED]
            if self.distinct:
                fresh = {}
                for row in rows:
                    if (key := canon(row)) not in seen:
                        fresh.setdefault(key, row)
                seen |= fresh.keys()
                rows = list(fresh.values())
            out.append(rows)
        return out

    def rows_within(self, scope: Scope) -> list:
        """Evaluates the query as a subquery."""
        scopes = self.bind(scope)
        if self.group_by or self.aggregates():
            scopes = self.grouped(scopes)
        return self.finish([scopes])[0]

    def sort_keys(self, scope: Scope) -> tuple:
        return tuple(sort_key(order.path.value(scope)) for order in self.order_by)

    def sorted(self, documents: list[list[Scope]]) -> tuple[list[list[Scope]], list]:
        """Groups of equal keys, and their keys. With a single key, ties are ordered by age, newest
        first when descending (reference §2.6); rows of one document stay together."""
        keyed = [(self.sort_keys(scopes[0]), scopes) for scopes in documents if scopes]
        by_age = len(self.order_by) == 1 and not self.group_by
        if by_age and self.order_by[0].descending:
            keyed.reverse()
        for place in reversed(range(len(self.order_by))):
            keyed.sort(key=lambda each: each[0][place],
                       reverse=self.order_by[place].descending)
        groups: list[list[Scope]] = []
        ties: list = []
        for keys, scopes in keyed:
            if by_age:
                groups += [[scope] for scope in scopes]
                ties += [keys] * len(scopes)
                continue
            if not ties or keys != ties[-1]:
                groups.append([])
                ties.append(keys)
            groups[-1] += scopes
        return groups, ties

    def run(self, documents: list[dict]) -> Outcome:
        """Evaluates the query as a statement. Raises QueryError if the server must refuse it."""
        out = self.outcome(documents)
        if all(is_finite(row) for rows in out.groups for row in rows):
            return out
        if out.take is not None or out.skip:
            raise Unsure("whether a number that JSON cannot represent is among the rows")
        raise QueryError("a number that JSON cannot represent")

    def outcome(self, documents: list[dict]) -> Outcome:
        if self.sources and isinstance(self.sources[0].origin, Query):
            first, *joined = self.sources
            values = [row for group in first.origin.outcome(documents).groups for row in group]
            rest = Query(self.items, joined, self.where)
            bound = [rest.bind(Scope().with_alias(first.alias, value)) for value in values]
        elif self.sources:
            bound = [self.bind(Scope({CONTAINER: document})) for document in documents]
        else:
            bound = [self.bind(Scope())]
        if self.group_by or self.aggregates():
            bound = [[scope] for scope in self.grouped([s for scopes in bound for s in scopes])]
        if self.order_by:
            groups, ties = self.sorted(bound)
        else:
            groups, ties = [[scope for scopes in bound for scope in scopes]], [()]
        out = Outcome(self.finish(groups), ties)
        if self.top is not None:
            out.take = self.top
        elif self.offset_limit:
            out.skip, out.take = self.offset_limit
        return out
