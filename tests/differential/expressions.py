"""Random expressions. `shapes` maps the aliases in scope to what they are bound to; see SHAPES."""

import random

from documents import Pool
from nodes import (CONTAINER, Array, Between, Binary, Call, Coalesce, Conditional, In, Like,
                   Literal, Logical, Node, Object, Path, Step, Unary)
from values import UNDEFINED, normal

# For each shape the paths to values of a kind; "" is the value itself.
SHAPES = {
    "item": {"num": ["n", "i", "o.n", "nums.0", "kids.0.v"],
             "str": ["b", "s", "o.y", "tags.0", "id", "d", "pk", "kids.0.tags.0"],
             "bool": ["f"],
             "arr": ["arr", "nums", "tags", "nested", "kids", "o.deep.arr", "nested.0"],
             "obj": ["o", "o.deep", "kids.0"],
             "any": ["a", "m", "value", "a b", "o.x", "o.deep.z", "o.ключ", "arr.0", "arr.1", "m.x",
                     "m.0", "m.=0", "m.[]", "m.*", "m.?", "m.=", 'm.q"q', "m.a/b", "m.x.0", "m.0.x",
                     "m.x.x", "kids.1.k", "missing", "o.missing"]},
    "kid": {"num": ["v"], "str": ["tags.0"], "arr": ["tags"], "obj": [""], "any": ["k", "x"]},
    "list": {"arr": [""], "any": ["0", "1"]},
    "num": {"num": [""]}, "str": {"str": [""]}, "any": {"any": [""]},
    "obj": {"obj": [""], "any": ["x", "y", "deep.z"], "str": ["y"], "num": ["n"]},
}
# The alias of the container also has computed properties.
SHAPES["root"] = {kind: paths + {"num": ["cp_len", "cp_sum"], "str": ["cp_low"],
                                 "any": ["cp_x"]}.get(kind, [])
                  for kind, paths in SHAPES["item"].items()}
# Arrays and the shapes of their elements.
ELEMENTS = {"item": {"arr": "any", "nums": "num", "tags": "str", "nested": "list", "kids": "kid",
                     "o.deep.arr": "any", "m": "any", "nested.0": "any", "kids.0.tags": "str"},
            "kid": {"tags": "str"}, "list": {"": "any"}, "any": {"": "any", "x": "any"},
            "obj": {"deep.arr": "any"}}
ELEMENTS["root"] = ELEMENTS["item"]
KINDS = ("num", "str", "bool", "arr", "obj", "any")
LIKE_PIECES = ("%", "%", "_", "a", "b", "A", "[a-c]", "[^a]", "é", "[%]", "😀")
PATTERNS = ("a", "^a", "b$", "a.c", "[0-9]+", "^$", "(ab|B)", "a*b", r"\d", "^.a")


def steps(path: str) -> list:
    """`m.0` is an array element, `m.=0` a member named `0`."""
    return [int(step) if step.isdigit() else step.removeprefix("=")
            for step in path.split(".")] if path else []


# Functions by the kind of their result: name, kinds of the arguments (`i`: a small integer, `?`:
# optional from here on, `*`: repeats the previous one).
CALLS = {
    "num": ["ABS num", "CEILING num", "FLOOR num", "ROUND num", "SIGN num", "TRUNC num",
            "SQUARE num", "SQRT num", "POWER num i", "NUMBERBIN num ? i", "INTADD num num",
            "INTSUB num num", "INTMUL num num", "INTDIV num i", "INTMOD num i", "INTBITAND num num",
            "INTBITOR num num", "INTBITXOR num num", "INTBITNOT num", "INTBITLEFTSHIFT num i",
            "INTBITRIGHTSHIFT num i", "LENGTH str", "INDEX_OF str piece ? i",
            "LASTINDEXOF str piece ? i", "ARRAY_LENGTH arr", "ARRAY_SUM arr", "ARRAY_AVG arr",
            "ARRAY_MEDIAN arr", "STRINGTONUMBER str", "YEAR time", "MONTH time", "DAY time",
            "DATETIMEPART part time", "DATETIMEDIFF part time time", "DATETIMETOTICKS time",
            "DATETIMETOTIMESTAMP time", "IIF bool num num", "CHOOSE i num num",
            "SIN num", "COS num", "ATAN num", "EXP i", "LOG num", "DEGREES num", "RADIANS num"],
    "str": ["CONCAT str str", "CONCAT str str str", "LEFT str i", "RIGHT str i", "LOWER str",
            "UPPER str", "LTRIM str ? piece", "RTRIM str ? piece", "TRIM str ? piece",
            "REPLACE str piece piece", "REPLICATE str i", "REVERSE str", "STRINGJOIN arr piece",
            "SUBSTRING str i i", "TOSTRING any", "TOSTRING num", "DATETIMEADD part i time",
            "TICKSTODATETIME num", "TIMESTAMPTODATETIME num", "DATETIMEFROMPARTS num i i ? i",
            "IIF bool str str", "CHOOSE i str str"],
    "bool": ["CONTAINS str piece ? flag", "STARTSWITH str piece ? flag",
             "ENDSWITH str piece ? flag", "STRINGEQUALS str str ? flag",
             "CONTAINS_ALL_CI str piece *",
             "CONTAINS_ANY_CI str piece *", "CONTAINS_ALL_CS str piece *",
             "CONTAINS_ANY_CS str piece *", "REGEXMATCH str pattern ? modifiers", "IS_ARRAY any",
             "IS_BOOL any", "IS_NULL any", "IS_NUMBER any", "IS_OBJECT any", "IS_STRING any",
             "IS_DEFINED any", "IS_PRIMITIVE any", "IS_FINITE_NUMBER any", "IS_INTEGER any",
             "IS_DATETIME time", "ARRAY_CONTAINS arr any ? flag", "ARRAY_CONTAINS arr obj flag",
             "ARRAY_CONTAINS_ALL arr any *", "ARRAY_CONTAINS_ANY arr any *", "SETEQUAL arr arr",
             "STRINGTOBOOLEAN str", "IIF bool bool bool"],
    "arr": ["ARRAY_CONCAT arr arr", "ARRAY_SLICE arr i ? i", "OBJECTTOARRAY obj ? piece piece",
            "SETINTERSECT arr arr", "SETUNION arr arr", "SETDIFFERENCE arr arr",
            "STRINGSPLIT str piece", "STRINGTOARRAY str", "IIF bool arr arr"],
    "obj": ["STRINGTOOBJECT str", "IIF bool obj obj"],
    "any": ["CHOOSE i any any any", "ARRAY_MAX arr", "ARRAY_MIN arr", "STRINGTONULL str",
            "IIF bool any any"],
}


class Root(dict):
    """A scope whose aliases refer to the container."""

    roots = frozenset((CONTAINER, "r"))


class Expressions:
    def __init__(self, rng: random.Random, pool: Pool, without: frozenset[str] = frozenset()):
        self.rng, self.pool, self.without = rng, pool, without
        self.subqueries = None  # makes a subquery expression of a kind; set by Statements
        # Conditions are often generated to be true for this document.
        self.witness = rng.choice(pool.documents) if pool.documents else {}

    def pick(self, *choices):
        return self.rng.choice(choices)

    def path(self, shapes: dict[str, str], kind: str) -> Node:
        """A path, mostly of the kind."""
        rng = self.rng
        if rng.random() < 0.1:
            kind = rng.choice(KINDS)
        alias = rng.choice(list(shapes))
        paths = SHAPES[shapes[alias]]
        if kind == "any" and rng.random() < 0.4:
            kind = rng.choice(list(paths))
        found = paths.get(kind) or paths.get("any") or [""]
        return Path(alias, *steps(rng.choice(found)))

    def constant(self, kind: str):
        pool, rng = self.pool, self.rng
        if kind == "num":
            value = pool.number()
            near = rng.random()
            return normal(value + self.pick(-1, 1)) if near < 0.15 else value
        if kind == "str":
            text = pool.string() if rng.random() < 0.85 else rng.choice(pool.long)
            change = rng.random()
            if change < 0.1:
                return text[:rng.randrange(len(text) + 1)]
            return text + self.pick("a", "\0", "😀", "\ue000") if change < 0.2 else text
        if kind == "bool":
            return self.pick(True, False)
        if kind == "arr":
            return [pool.scalar() for _ in range(rng.randrange(4))]
        if kind == "obj":
            names = rng.sample(("x", "y", "k", "z"), rng.randrange(3))
            return {name: pool.scalar() for name in names}
        return UNDEFINED if rng.random() < 0.04 else pool.anything(2)

    def literal(self, kind: str) -> Node:
        return Literal(self.constant(kind))

    def argument(self, shapes: dict, kind: str, depth: int) -> Node:
        rng = self.rng
        if kind in KINDS:
            return self.node(shapes, kind, depth)
        if rng.random() < 0.03:
            return self.node(shapes, "any", depth)
        value = {
            "i": lambda: rng.choice((0, 1, 2, 3, 5, -1, 10, 64, 1.5)),
            "piece": lambda: self.piece(), "flag": lambda: self.pick(True, False),
            "time": lambda: rng.choice(self.pool.times), "part": lambda: self.pick(
                "yyyy", "mm", "day", "hh", "mi", "ss", "ms", "mcs", "ns", "week"),
            "pattern": lambda: rng.choice(PATTERNS), "modifiers": lambda: self.pick("", "i", "z"),
        }[kind]()
        if kind == "time" and rng.random() < 0.6:
            return Path(rng.choice(list(shapes)), "d") if shapes else Literal(value)
        return Literal(value)

    def piece(self) -> str:
        text = self.pool.string()
        start = self.rng.randrange(len(text) + 1)
        return text[start:start + self.rng.randrange(4)] if self.rng.random() < 0.7 else text

    def call(self, shapes: dict, kind: str, depth: int) -> Node:
        name, *kinds = self.rng.choice(CALLS[kind]).split()
        if name in self.without:
            return self.literal(kind)
        arguments: list[str] = []
        for argument in kinds:
            if argument == "?" and self.rng.random() < 0.5:
                break
            if argument == "*":
                arguments += arguments[-1:] * self.rng.randrange(3)
            elif argument != "?":
                arguments.append(argument)
        return Call(name, *[self.argument(shapes, each, depth - 1) for each in arguments])

    def node(self, shapes: dict, kind: str, depth: int) -> Node:
        """An expression, mostly of the kind."""
        rng = self.rng
        if rng.random() < 0.04:
            kind = rng.choice(KINDS)
        chance = rng.random()
        if depth <= 0 or chance < 0.3:
            if shapes and rng.random() < 0.75:
                return self.path(shapes, kind)
            return self.literal(kind)
        if chance < 0.4:
            return self.general(shapes, kind, depth)
        if chance < 0.45 and self.subqueries and shapes:
            return self.subqueries(shapes, kind, depth)
        if chance < 0.65:
            return self.call(shapes, kind, depth)
        if kind == "any":
            kind = rng.choice(KINDS[:-1])
        return getattr(self, kind)(shapes, depth)

    def general(self, shapes: dict, kind: str, depth: int) -> Node:
        choice = self.rng.randrange(3)
        if choice == 0:
            return Coalesce(self.node(shapes, kind, depth - 1), self.node(shapes, kind, depth - 1))
        if choice == 1:
            return Conditional(self.node(shapes, "bool", depth - 1),
                               self.node(shapes, kind, depth - 1),
                               self.node(shapes, kind, depth - 1))
        if self.rng.random() < 0.5:
            return Step(self.node(shapes, "obj", depth - 1), self.pick("x", "y", "k"))
        return Step(self.arr(shapes, depth - 1), self.rng.randrange(3))

    def num(self, shapes: dict, depth: int) -> Node:
        op = self.pick("+", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", ">>>", "u-", "u+",
                       "u~")
        if op[0] == "u":
            return Unary(op[1], self.node(shapes, "num", depth - 1))
        return Binary(op, self.node(shapes, "num", depth - 1), self.node(shapes, "num", depth - 1))

    def str(self, shapes: dict, depth: int) -> Node:
        return Binary("||", self.node(shapes, "str", depth - 1),
                      self.node(shapes, "str", depth - 1))

    def arr(self, shapes: dict, depth: int) -> Node:
        return Array([self.node(shapes, "any", depth - 1) for _ in range(self.rng.randrange(4))])

    def obj(self, shapes: dict, depth: int) -> Node:
        names = self.rng.sample(("x", "y", "k", "a b"), self.rng.randrange(4))
        return Object([(name, self.node(shapes, "any", depth - 1)) for name in names])

    def bool(self, shapes: dict, depth: int) -> Node:
        chance = self.rng.random()
        if chance < 0.25:
            op = self.pick("AND", "OR")
            return Logical(op, *[self.node(shapes, "bool", depth - 1)
                                 for _ in range(self.pick(2, 2, 3))])
        if chance < 0.35:
            return Unary("NOT", self.node(shapes, "bool", depth - 1))
        return self.predicate(shapes, self.node, depth - 1)

    def predicate(self, shapes: dict, operand, depth: int) -> Node:
        """A comparison of any sort; `operand` makes the operands."""
        rng = self.rng
        kind = rng.choice(("num", "num", "str", "str", "any", "any", "bool", "arr", "obj"))
        chance = rng.random()
        negate = rng.random() < 0.2
        subject = operand(shapes, kind, depth)
        if chance < 0.6:
            op = self.pick("=", "=", "=", "!=", "<>", "<", "<=", ">", ">=")
            other = self.other(shapes, kind, depth, subject)
            return Binary(op, other, subject) if rng.random() < 0.15 else Binary(op, subject, other)
        if chance < 0.75:
            return In(subject, [self.other(shapes, kind, 0, subject)
                                for _ in range(rng.randrange(1, 5))], negate)
        if chance < 0.87:
            ends = [self.other(shapes, kind, 0, subject) for _ in range(2)]
            return Between(subject, *ends, negate)
        return self.like(operand(shapes, "str", depth), negate)

    def other(self, shapes: dict, kind: str, depth: int, subject: Node) -> Node:
        """The operand to compare the subject with."""
        chance = self.rng.random()
        if chance < 0.4 and isinstance(subject, Path) and shapes.get(subject.alias) == "root":
            value = subject.value(Root({subject.alias: self.witness}))
            if value is not UNDEFINED:
                return Literal(value)
        return self.literal(kind) if chance < 0.85 else self.node(shapes, kind, depth)

    def like(self, subject: Node, negate: bool) -> Node:
        chance = self.rng.random()
        if chance < 0.4:
            text = self.piece().replace("[", "")
            return Like(subject, Literal(self.pick(text + "%", "%" + text, "%" + text + "%", text)),
                        None, negate)
        pattern = "".join(self.pick(*LIKE_PIECES) for _ in range(self.rng.randrange(5)))
        if chance < 0.6:
            return Like(subject, Literal(pattern + "!%" + self.pick("", "%")), "!", negate)
        return Like(subject, Literal(pattern), None, negate)

    def filter(self, shapes: dict, depth: int) -> Node:
        """For WHERE: mostly paths compared with constants, which an index can serve."""
        rng = self.rng
        if depth > 0 and rng.random() < 0.4:
            op = self.pick("AND", "AND", "OR")
            return Logical(op, *[self.filter(shapes, depth - 1) for _ in range(self.pick(2, 2, 3))])
        chance = rng.random()
        if chance < 0.08:
            return Unary("NOT", self.filter(shapes, depth - 1))
        if chance < 0.55:
            return self.predicate(shapes, lambda s, kind, _: self.path(s, kind), 0)
        if chance < 0.63:
            return self.ranges(shapes)
        if chance < 0.78:
            return self.served_call(shapes)
        if chance < 0.87 and self.subqueries:
            return self.subqueries(shapes, "bool", 2)
        if chance < 0.9:
            return self.path(shapes, "bool")
        return self.node(shapes, "bool", 3)

    def ranges(self, shapes: dict) -> Node:
        """Several conditions on one path."""
        kind = self.pick("num", "str", "any")
        path = self.path(shapes, kind)
        terms = [self.predicate(shapes, lambda *_: path, 0) for _ in range(self.pick(2, 2, 3))]
        terms += [Binary(self.pick("<", "<=", ">", ">=", "!="), path, self.literal(kind))
                  for _ in range(self.pick(0, 1, 2))]
        chance = self.rng.random()
        if chance < 0.04:
            many = [Binary("=", path, self.literal(kind)) for _ in range(self.pick(30, 300))]
            return Logical("OR", *many, *terms)
        if chance < 0.2:
            count = self.pick(20, 50, 50, 1000)
            terms.append(In(path, [self.literal(kind) for _ in range(count)]))
        return Logical(self.pick("AND", "AND", "OR"), *terms)

    def served_call(self, shapes: dict) -> Node:
        choice = self.rng.randrange(4)
        if choice == 0:
            name = self.pick("IS_DEFINED", "IS_NULL", "IS_NUMBER", "IS_STRING", "IS_BOOL",
                             "IS_ARRAY", "IS_OBJECT", "IS_PRIMITIVE", "IS_INTEGER",
                             "IS_FINITE_NUMBER")
            return Call(name, self.path(shapes, "any"))
        if choice == 1:
            name = self.pick("STARTSWITH", "STARTSWITH", "CONTAINS", "ENDSWITH", "STRINGEQUALS")
            flag = [Literal(self.pick(True, False))] if self.rng.random() < 0.3 else []
            return Call(name, self.path(shapes, "str"), Literal(self.piece()), *flag)
        if choice == 2:
            partial = [Literal(True)] if self.rng.random() < 0.3 else []
            kind = "obj" if partial else "any"
            return Call("ARRAY_CONTAINS", self.path(shapes, "arr"), self.literal(kind), *partial)
        return Call("ARRAY_CONTAINS", self.literal("arr"), self.path(shapes, "any"))
