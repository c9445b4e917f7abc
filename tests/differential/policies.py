"""The containers: one set of documents under several indexing policies."""

from query import Order

ASCENDING, DESCENDING = False, True
COMPOSITES = [
    [("i", ASCENDING), ("b", ASCENDING)],
    [("a", ASCENDING), ("n", DESCENDING)],
    [("o.x", DESCENDING), ("s", ASCENDING)],
    [("f", ASCENDING), ("i", DESCENDING), ("id", ASCENDING)],
    [("m", ASCENDING), ("a", ASCENDING)],
    [("missing", ASCENDING), ("a b", ASCENDING)],
]


def path_text(path: str) -> str:
    return "/" + "/".join(step if step.isidentifier() and step.isascii() else f'"{step}"'
                          for step in path.split("."))


def composite_json(composite: list[tuple[str, bool]]) -> list[dict]:
    return [{"path": path_text(path), "order": "descending" if down else "ascending"}
            for path, down in composite]


class Policy:
    def __init__(self, name: str, included: list[str], excluded: list[str],
                 composites: list | None = None, mode: str = "consistent"):
        self.name, self.mode = name, mode
        self.included, self.excluded = included, excluded
        self.composites = composites or []

    def definition(self, container: str) -> dict:
        policy: dict = {"indexingMode": self.mode, "automatic": self.mode != "none"}
        if self.mode != "none":
            policy |= {"includedPaths": [{"path": path} for path in self.included],
                       "excludedPaths": [{"path": path} for path in self.excluded],
                       "compositeIndexes": [composite_json(each) for each in self.composites]}
        return {"id": container, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
                "indexingPolicy": policy}

    def sorts(self, orders: list[Order]) -> bool | None:
        """Whether ORDER BY is served: by the index or not at all (reference §5.4); None: perhaps."""
        if self.mode == "none":
            return False
        if len(orders) == 1:
            return self.indexes(orders[0].path.steps)
        wanted = [(order.path.steps, order.descending) for order in orders]
        return any(wanted in both_ways(composite) for composite in self.composites)

    def indexes(self, steps: tuple) -> bool:
        if steps in (("id",), ("_ts",), ("pk",)):
            return True
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
    """While the index follows a new policy the old one may still decide what is sorted."""

    def __init__(self, old: Policy, new: Policy):
        self.name, self.old, self.new = f"{old.name} to {new.name}", old, new

    def definition(self, container: str) -> dict:
        return self.new.definition(container)

    def sorts(self, orders: list[Order]) -> bool | None:
        old, new = self.old.sorts(orders), self.new.sorts(orders)
        return new if old == new else None


def both_ways(composite: list[tuple[str, bool]]) -> list[list]:
    steps = [(tuple(int(s) if s.isdigit() else s for s in path.split(".")), down)
             for path, down in composite]
    return [steps, [(path, not down) for path, down in steps]]


POLICIES = [
    Policy("default", ["/*"], ['/"_etag"/?'], COMPOSITES),
    Policy("none", [], [], mode="none"),
    Policy("excluded", ["/*", "/o/deep/*"],
           ["/a/?", "/o/*", "/arr/*", "/s/?", "/kids/[]/k/?", '/"a b"/?', '/"_etag"/?'],
           COMPOSITES[:2]),
    Policy("included", ["/i/?", "/b/?", "/n/*", "/o/x/?", "/tags/[]/?", "/kids/*", "/m/*",
                        '/"value"/?', "/missing/?"], ["/*", "/kids/[]/v/?"], COMPOSITES[2:]),
]
