"""Expressions: each prints itself as SQL and evaluates itself, directly by the reference (§2.2).
`scope` holds the values of the aliases; see query.py."""

import math
import re

import style
from aggregates import aggregate
from functions import FUNCTIONS
from style import Style
from values import (INT_MAX, INT_MIN, UNDEFINED, RowError, equal, is_number, normal, relation,
                    to_double)


# The name of the container in FROM.
CONTAINER = "c"


class Node:
    level = style.PRIMARY

    def text(self, st: Style) -> str:
        raise NotImplementedError

    def value(self, scope):
        raise NotImplementedError

    def children(self) -> list["Node"]:
        return []


class Literal(Node):
    def __init__(self, value):
        self.constant = value

    @property
    def level(self):
        negative = is_number(self.constant) and self.constant < 0
        return style.UNARY if negative else style.PRIMARY

    def text(self, st):
        return st.literal(self.constant)

    def value(self, scope):
        return self.constant


class Path(Node):
    """An alias and constant steps."""

    def __init__(self, alias: str, *steps):
        self.alias, self.steps = alias, steps

    def text(self, st, plain: bool = False):
        return self.alias + "".join(st.step(step, plain) for step in self.steps)

    def value(self, scope):
        value, steps = scope[self.alias], self.steps
        if steps and steps[0] in COMPUTED and self.alias in scope.roots:
            value, steps = COMPUTED[steps[0]].value({CONTAINER: value}), steps[1:]
        for step in steps:
            value = member(value, step)
        return value


def member(value, step):
    if type(step) is int:
        return value[step] if type(value) is list and 0 <= step < len(value) else UNDEFINED
    return value.get(step, UNDEFINED) if type(value) is dict else UNDEFINED


class Step(Node):
    """A member of an expression that is not a path."""

    def __init__(self, operand: Node, step):
        self.operand, self.step = operand, step

    def text(self, st, plain: bool = False):
        inner = st.child(self.operand, style.PRIMARY)
        if isinstance(self.operand, Literal):
            inner = f"({inner})"  # 3.y is not a valid number
        return inner + st.step(self.step, plain)

    def value(self, scope):
        return member(self.operand.value(scope), self.step)

    def children(self):
        return [self.operand]


class Array(Node):
    def __init__(self, elements: list[Node]):
        self.elements = elements

    def text(self, st):
        return "[" + ", ".join(element.text(st) for element in self.elements) + "]"

    def value(self, scope):
        values = [element.value(scope) for element in self.elements]
        return [value for value in values if value is not UNDEFINED]

    def children(self):
        return self.elements


class Object(Node):
    def __init__(self, members: list[tuple[str, Node]]):
        self.members = members

    def text(self, st):
        return "{" + ", ".join(f"{st.key(name)}: {node.text(st)}"
                               for name, node in self.members) + "}"

    def value(self, scope):
        values = {name: node.value(scope) for name, node in self.members}
        return {name: value for name, value in values.items() if value is not UNDEFINED}

    def children(self):
        return [node for _, node in self.members]


class Call(Node):
    def __init__(self, name: str, *arguments: Node):
        self.name, self.arguments = name, list(arguments)
        self.function = FUNCTIONS[name]

    def text(self, st):
        arguments = ", ".join(argument.text(st) for argument in self.arguments)
        return f"{st.word(self.name)}({arguments})"

    def value(self, scope):
        return self.function(*[argument.value(scope) for argument in self.arguments])

    def children(self):
        return self.arguments


class Unary(Node):
    level = style.UNARY

    def __init__(self, op: str, operand: Node):
        self.op, self.operand = op, operand
        if op == "NOT":
            self.level = style.NOT

    def text(self, st):
        if self.op == "NOT":
            return f"{st.word('NOT')} {st.child(self.operand, style.NOT)}"
        inner = st.child(self.operand, style.UNARY)
        return f"{self.op} {inner}" if inner[0] in "+-" else f"{self.op}{inner}"

    def value(self, scope):
        value = self.operand.value(scope)
        if self.op == "NOT":
            return not value if type(value) is bool else UNDEFINED
        if not is_number(value):
            return UNDEFINED
        if self.op == "~":
            return signed(~to_uint32(value))
        return normal(-value) if self.op == "-" else value

    def children(self):
        return [self.operand]


def to_uint32(number) -> int:
    if type(number) is float:
        number = int(number) if math.isfinite(number) else 0
    return number & 0xffffffff


def signed(bits: int) -> int:
    bits &= 0xffffffff
    return bits - 2**32 if bits >= 2**31 else bits


def arithmetic(op: str, a, b):
    if op in "+-*" and type(a) is int and type(b) is int:
        exact = a + b if op == "+" else a - b if op == "-" else a * b
        if INT_MIN <= exact <= INT_MAX:
            return exact
    if op == "%" and type(a) is int and type(b) is int and b != 0:
        return normal(int(math.copysign(1, a)) * (abs(a) % abs(b)))
    x, y = to_double(a), to_double(b)
    if op == "/":
        return normal(divide(x, y))
    if op == "%":
        return normal(math.fmod(x, y) if y != 0 and math.isfinite(x) and y == y else math.nan)
    return normal(x + y if op == "+" else x - y if op == "-" else x * y)


def divide(x: float, y: float) -> float:
    if y != 0:
        return x / y
    return math.nan if x == 0 or x != x else math.copysign(math.inf, x)


def bits(op: str, a, b) -> int:
    x, y = to_uint32(a), to_uint32(b)
    if op == ">>>":
        return x >> (y & 31)
    if op == ">>":
        return signed(x) >> (y & 31)
    if op == "<<":
        return signed(x << (y & 31))
    return signed(x | y if op == "|" else x & y if op == "&" else x ^ y)


LEVELS = {"||": style.CONCAT,
          **dict.fromkeys(["=", "!=", "<>", "<", "<=", ">", ">=", "<<", ">>", ">>>"],
                          style.COMPARISON),
          **dict.fromkeys(["|", "^", "&", "+", "-"], style.SUM),
          **dict.fromkeys(["*", "/", "%"], style.PRODUCT)}


class Binary(Node):
    def __init__(self, op: str, left: Node, right: Node):
        self.op, self.left, self.right = op, left, right
        self.level = LEVELS[op]

    def text(self, st):
        return (f"{st.child(self.left, self.level)} {self.op} "
                f"{st.child(self.right, self.level + 1)}")

    def value(self, scope):
        return binary(self.op, self.left.value(scope), self.right.value(scope))

    def children(self):
        return [self.left, self.right]


def binary(op: str, a, b):
    if op in ("=", "!=", "<>"):
        if a is UNDEFINED or b is UNDEFINED:
            return UNDEFINED
        return equal(a, b) == (op == "=")
    if op in ("<", "<=", ">", ">="):
        order = relation(a, b)
        if order is None:
            return UNDEFINED
        return (order < 0 if op == "<" else order <= 0 if op == "<=" else
                order > 0 if op == ">" else order >= 0)
    if op == "||":
        return a + b if type(a) is str and type(b) is str else UNDEFINED
    if not is_number(a) or not is_number(b):
        return UNDEFINED
    return arithmetic(op, a, b) if op in "+-*/%" else bits(op, a, b)


def logical(op: str, values) -> object:
    decided, rest = (False, True) if op == "AND" else (True, False)
    out = rest
    for value in values:
        if value is decided:
            return decided
        if type(value) is not bool:
            out = UNDEFINED
    return out


class Logical(Node):
    def __init__(self, op: str, *terms: Node):
        self.op, self.terms = op, list(terms)
        self.level = style.AND if op == "AND" else style.OR

    def text(self, st):
        return f" {st.word(self.op)} ".join(st.child(term, self.level + 1) for term in self.terms)

    def value(self, scope):
        return logical(self.op, [term.value(scope) for term in self.terms])

    def children(self):
        return self.terms


class Coalesce(Node):
    level = style.COALESCE

    def __init__(self, left: Node, right: Node):
        self.left, self.right = left, right

    def text(self, st):
        return f"{st.child(self.left, self.level + 1)} ?? {st.child(self.right, self.level)}"

    def value(self, scope):
        left = self.left.value(scope)
        return self.right.value(scope) if left is UNDEFINED else left

    def children(self):
        return [self.left, self.right]


class Conditional(Node):
    level = style.CONDITIONAL

    def __init__(self, condition: Node, yes: Node, no: Node):
        self.condition, self.yes, self.no = condition, yes, no

    def text(self, st):
        return (f"{st.child(self.condition, style.COALESCE)} ? "
                f"{st.child(self.yes, self.level)} : {st.child(self.no, self.level)}")

    def value(self, scope):
        return (self.yes if self.condition.value(scope) is True else self.no).value(scope)

    def children(self):
        return [self.condition, self.yes, self.no]


def negated(value, negate: bool):
    return not value if negate and type(value) is bool else value


class In(Node):
    level = style.PREDICATE

    def __init__(self, operand: Node, elements: list[Node], negate: bool = False):
        self.operand, self.elements, self.negate = operand, elements, negate

    def text(self, st):
        elements = ", ".join(element.text(st) for element in self.elements)
        word = st.word("NOT IN" if self.negate else "IN")
        return f"{st.child(self.operand, style.COMPARISON)} {word} ({elements})"

    def value(self, scope):
        value = self.operand.value(scope)
        if value is UNDEFINED:
            return UNDEFINED
        elements = [element.value(scope) for element in self.elements]
        found = any(element is not UNDEFINED and equal(value, element) for element in elements)
        return negated(found, self.negate)

    def children(self):
        return [self.operand, *self.elements]


class Between(Node):
    level = style.PREDICATE

    def __init__(self, operand: Node, low: Node, high: Node, negate: bool = False):
        self.operand, self.low, self.high, self.negate = operand, low, high, negate

    def text(self, st):
        word = st.word("NOT BETWEEN" if self.negate else "BETWEEN")
        return (f"{st.child(self.operand, style.COMPARISON)} {word} "
                f"{st.child(self.low, style.COMPARISON)} AND {st.child(self.high, style.COMPARISON)}")

    def value(self, scope):
        value = self.operand.value(scope)
        both = [binary(">=", value, self.low.value(scope)),
                binary("<=", value, self.high.value(scope))]
        return negated(logical("AND", both), self.negate)

    def children(self):
        return [self.operand, self.low, self.high]


class Like(Node):
    level = style.PREDICATE

    def __init__(self, operand: Node, pattern: Node, escape: str | None = None,
                 negate: bool = False):
        self.operand, self.pattern = operand, pattern
        self.escape, self.negate = escape, negate

    def text(self, st):
        word = st.word("NOT LIKE" if self.negate else "LIKE")
        escape = f" ESCAPE {st.quoted(self.escape)}" if self.escape else ""
        return (f"{st.child(self.operand, style.COMPARISON)} {word} "
                f"{st.child(self.pattern, style.COMPARISON)}{escape}")

    def value(self, scope):
        value, pattern = self.operand.value(scope), self.pattern.value(scope)
        if type(value) is not str or type(pattern) is not str:
            return UNDEFINED
        matches = re.fullmatch(like_expression(pattern, self.escape), value, re.DOTALL)
        return negated(matches is not None, self.negate)

    def children(self):
        return [self.operand, self.pattern]


def like_expression(pattern: str, escape: str | None) -> str:
    out, at = [], 0
    while at < len(pattern):
        c = pattern[at]
        at += 1
        if c == escape and at < len(pattern):
            out.append(re.escape(pattern[at]))
            at += 1
        elif c == "%":
            out.append(".*")
        elif c == "_":
            out.append(".")
        elif c == "[" and (found := re.compile(r"(\^?)(.[^\]]*)\]", re.DOTALL).match(pattern, at)):
            body = re.sub(r"([\\\[\]^&~|])", r"\\\1", found[2])
            out.append(f"[{found[1]}{body}]")
            at = found.end()
        else:
            out.append(re.escape(c))
    return "".join(out)


class Aggregate(Node):
    """An aggregate over the rows of the group (`scope.group`), each with its own scope."""

    def __init__(self, name: str, argument: Node):
        self.name, self.argument = name, argument

    def text(self, st):
        return f"{st.word(self.name)}({self.argument.text(st)})"

    def value(self, scope):
        return aggregate(self.name, [self.argument.value(row) for row in scope.group])


class Subquery(Node):
    """EXISTS(q), ARRAY(q) or, without a keyword, (q)."""

    def __init__(self, word: str, query):
        self.word, self.query = word, query

    def text(self, st):
        return f"{st.word(self.word)}({self.query.text(st)})"

    def value(self, scope):
        rows = self.query.rows_within(scope)
        if self.word == "EXISTS":
            return bool(rows)
        if self.word == "ARRAY":
            return rows
        if len(rows) > 1:
            raise RowError("a scalar subquery with more than one row")
        return rows[0] if rows else UNDEFINED


class Plain(Path):
    """A path into the stored document, for computed properties."""

    def value(self, scope):
        value = scope[self.alias]
        for step in self.steps:
            value = member(value, step)
        return value


# Computed properties of every container (reference §5.5).
COMPUTED = {
    "cp_low": Call("LOWER", Plain(CONTAINER, "b")),
    "cp_len": Call("ARRAY_LENGTH", Plain(CONTAINER, "arr")),
    "cp_sum": Binary("+", Plain(CONTAINER, "i"), Plain(CONTAINER, "n")),
    "cp_x": Coalesce(Plain(CONTAINER, "o", "x"), Plain(CONTAINER, "a")),
}
