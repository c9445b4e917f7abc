"""Values of the query language and their comparison (reference §2.1, §2.2, §2.6).

Python's JSON values, and UNDEFINED. Numbers are int if they are integral and fit 64 bits, else
float; Python compares the two exactly.
"""

import json
import math

from distinct import distinct_hash

INT_MIN, INT_MAX = -2**63, 2**63 - 1


class Undefined:
    def __repr__(self) -> str:
        return "undefined"

    def __copy__(self) -> "Undefined":
        return self

    def __deepcopy__(self, _) -> "Undefined":
        return self


UNDEFINED = Undefined()


class QueryError(Exception):
    """The server must return 400."""


class RowError(QueryError):
    """The same, but only if the server evaluates the offending row or expression."""


class Unsure(Exception):
    """The reference does not define the result, or it depends on the evaluation order."""


# In the order of ORDER BY.
RANK = {Undefined: 0, type(None): 1, bool: 2, int: 3, float: 3, str: 4, list: 5, dict: 6}


def rank(value) -> int:
    return RANK[type(value)]


def is_number(value) -> bool:
    return type(value) is int or type(value) is float


def normal(number):
    """The normal form of a number: 1.0 is 1, -0.0 is 0, an integer beyond 64 bits is a double."""
    if type(number) is int:
        return number if INT_MIN <= number <= INT_MAX else normal(to_double(number))
    if math.isfinite(number) and number == math.floor(number) and INT_MIN <= number <= INT_MAX:
        whole = int(number)
        return whole if whole <= INT_MAX else number
    return number


def to_double(number) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def normal_tree(value):
    """Parsed JSON, with every number in normal form."""
    if is_number(value):
        return normal(value)
    if type(value) is list:
        return [normal_tree(element) for element in value]
    if type(value) is dict:
        return {name: normal_tree(member) for name, member in value.items()}
    return value


def equal(a, b) -> bool:
    """Structural equality of two defined values."""
    if rank(a) != rank(b):
        return False
    if type(a) is list:
        return len(a) == len(b) and all(equal(x, y) for x, y in zip(a, b))
    if type(a) is dict:
        return a.keys() == b.keys() and all(equal(value, b[name]) for name, value in a.items())
    return a == b


class _Word:
    pass


_TRUE, _FALSE, _UNDEFINED = _Word(), _Word(), _Word()
SYSTEM = ("_rid", "_self", "_etag", "_attachments", "_ts")


def canon(value):
    """A hashable value that is equal exactly for equal values. System properties of an item are
    ignored."""
    kind = type(value)
    if kind is bool:
        return _TRUE if value else _FALSE
    if kind is list:
        return tuple([canon(element) for element in value])
    if kind is dict:
        return frozenset([(name, canon(member)) for name, member in value.items()
                          if name not in SYSTEM])
    if kind is float and value != value:
        raise Unsure("NaN as a key")
    return _UNDEFINED if value is UNDEFINED else value


def utf16(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def sort_key(value) -> tuple:
    """The key for the total order of ORDER BY."""
    place = rank(value)
    if place in (0, 1):
        return (place, 0)
    if place == 4:
        return (place, utf16(value))
    if place > 4:
        return (place, distinct_hash(value))
    if value != value:
        raise Unsure("NaN has no order")
    return (place, value)


def relation(a, b) -> int | None:
    """-1, 0, 1; None if comparison operators are undefined."""
    place = rank(a)
    if place != rank(b) or place in (0, 5, 6):
        return None
    if place == 1:
        return 0
    x, y = (utf16(a), utf16(b)) if place == 4 else (a, b)
    if x != x or y != y:
        raise Unsure("NaN compared")
    return (x > y) - (x < y)


def number_text(number) -> str:
    if type(number) is int:
        return str(number)
    if number != number:
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    text = "%.15g" % number
    return text if float(text) == number else "%.17g" % number


def json_text(value) -> str:
    """The text that TOSTRING returns."""
    if is_number(value):
        return number_text(value)
    if type(value) is list:
        return "[" + ",".join(map(json_text, value)) + "]"
    if type(value) is dict:
        return "{" + ",".join(json.dumps(name, ensure_ascii=False) + ":" + json_text(member)
                              for name, member in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def is_finite(value) -> bool:
    """Whether JSON can represent the value."""
    if type(value) is float:
        return math.isfinite(value)
    if type(value) is list:
        return all(map(is_finite, value))
    if type(value) is dict:
        return all(map(is_finite, value.values()))
    return True
