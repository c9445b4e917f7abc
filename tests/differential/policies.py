"""The containers: the same documents under several indexing policies."""

import random
from dataclasses import dataclass, field

from nodes import COMPUTED
from query import CONTAINER, Order, Query, Source
from style import Style

ASCENDING, DESCENDING = False, True
COMPOSITES = [
    [("i", ASCENDING), ("b", ASCENDING)],
    [("a", ASCENDING), ("n", DESCENDING)],
    [("o.x", DESCENDING), ("s", ASCENDING)],
    [("f", ASCENDING), ("i", DESCENDING), ("id", ASCENDING)],
    [("m", ASCENDING), ("a", ASCENDING)],
    [("missing", ASCENDING), ("a b", ASCENDING)],
]
PATHS = ["/a", "/b", "/n", "/i", "/s", "/f", "/d", '/"a b"', '/"value"', "/missing",
         "/o", "/o/x", "/o/y", "/o/deep", "/o/deep/z", "/o/deep/arr", '/o/"ключ"',
         "/arr", "/arr/[]", "/nums", "/nums/[]",
         "/tags", "/tags/[]", "/nested", "/nested/[]", "/nested/[]/[]", "/kids", "/kids/[]",
         "/kids/[]/k", "/kids/[]/v", "/kids/[]/tags", "/kids/[]/tags/[]", "/m", "/m/x", "/m/[]",
         "/m/x/x", "/m/[]/x"]


def path_text(path: str) -> str:
    return "/" + "/".join(step if step.isidentifier() and step.isascii() else f'"{step}"'
                          for step in path.split("."))


def composite_json(composite: list[tuple[str, bool]]) -> list[dict]:
    return [{"path": path_text(path), "order": "descending" if down else "ascending"}
            for path, down in composite]


def computed_json() -> list[dict]:
    style = Style(random.Random(0))
    style.fixed = 1
    return [{"name": name, "query": Query(node, [Source(CONTAINER)]).text(style)}
            for name, node in COMPUTED.items()]


@dataclass
class Policy:
    name: str
    included: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)
    composites: list = field(default_factory=list)
    mode: str = "consistent"
    partitions: int = 1

    def definition(self, container: str) -> dict:
        policy: dict = {"indexingMode": self.mode, "automatic": self.mode != "none"}
        if self.mode != "none":
            policy |= {"includedPaths": [{"path": path} for path in self.included],
                       "excludedPaths": [{"path": path} for path in self.excluded],
                       "compositeIndexes": [composite_json(each) for each in self.composites]}
        return {"id": container, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
                "indexingPolicy": policy, "computedProperties": computed_json()}

    def sorts(self, orders: list[Order]) -> bool | None:
        """Whether ORDER BY is served, which needs the index (reference §5.4). None if either may
        happen."""
        if self.mode == "none":
            return False
        if len(orders) == 1:
            return self.indexes(orders[0].path.steps)
        wanted = [(order.path.steps, order.descending) for order in orders]
        return any(wanted in both_ways(composite) for composite in self.composites)

    def indexes(self, steps: tuple) -> bool:
        if steps in (("id",), ("_ts",), ("pk",)):
            return True
        if steps[0] in COMPUTED:
            return f"/{steps[0]}/?" in self.included
        path = ["[]" if isinstance(step, int) else step for step in steps]
        best, answer = (-1, False), False
        for rules, included in ((self.included, True), (self.excluded, False)):
            for rule in rules:
                *prefix, end = [part.strip('"') for part in rule.strip("/").split("/")]
                applies = path[:len(prefix)] == prefix if end == "*" else path == prefix
                if applies and (strength := (len(prefix), end == "?")) > best:
                    best, answer = strength, included
        return answer


class Changing(Policy):
    """During an index rebuild the old policy may still decide whether ORDER BY is served."""

    def __init__(self, old: Policy, new: Policy):
        super().__init__(f"{old.name} to {new.name}")
        self.old, self.new = old, new

    def definition(self, container: str) -> dict:
        return self.new.definition(container)

    def sorts(self, orders: list[Order]) -> bool | None:
        old, new = self.old.sorts(orders), self.new.sorts(orders)
        return new if old == new else None


def both_ways(composite: list[tuple[str, bool]]) -> list[list]:
    steps = [(tuple(int(s) if s.isdigit() else s for s in path.split(".")), down)
             for path, down in composite]
    return [steps, [(path, not down) for path, down in steps]]


DEFAULT = Policy("default", ["/*", "/cp_low/?", "/cp_sum/?"], ['/"_etag"/?'], COMPOSITES)
NONE = Policy("none", mode="none")
# Queried with one request: the server merges the partitions.
MERGED = Policy("merged", DEFAULT.included, DEFAULT.excluded, COMPOSITES, partitions=3)


def random_policy(rng: random.Random, name: str) -> Policy:
    included, excluded = ["/*"], []
    if rng.random() < 0.5:
        included, excluded = excluded, included
    for path in rng.sample(PATHS, rng.randrange(2, 16)):
        rng.choice((included, excluded)).append(path + rng.choice(("/?", "/*")))
    included += rng.sample(["/cp_low/?", "/cp_sum/?", "/cp_len/?", "/cp_x/?"], rng.randrange(3))
    return Policy(name, included, excluded, rng.sample(COMPOSITES, rng.randrange(5)))


def policies(rng: random.Random) -> list[Policy]:
    return [DEFAULT, NONE, random_policy(rng, "some"), random_policy(rng, "others"), MERGED]
