"""Built-in functions (reference §3). An argument that is undefined or of a type the function does
not take makes the result undefined, unless noted."""

import math

import dates
import strings
from values import (INT_MAX, INT_MIN, UNDEFINED, Unsure, canon, equal, is_number, normal, rank,
                    sort_key, to_double)

FUNCTIONS = {}

TESTS = {
    "n": is_number,
    "s": lambda value: type(value) is str,
    "b": lambda value: type(value) is bool,
    "a": lambda value: type(value) is list,
    "o": lambda value: type(value) is dict,
    "i": lambda value: type(value) is int,
    "e": lambda value: value is not UNDEFINED,
    "?": lambda value: True,
}


def function(name: str, kinds: str):
    """`kinds`: one letter per argument; the last one applies to all further ones."""
    tests = [TESTS[kind] for kind in kinds]

    def decorate(body):
        def checked(*arguments):
            for place, argument in enumerate(arguments):
                if not tests[min(place, len(tests) - 1)](argument):
                    return UNDEFINED
            return body(*arguments)
        FUNCTIONS[name] = checked
        return body
    return decorate


def real(name: str, operation) -> None:
    @function(name, "n")
    def _(n):
        try:
            return normal(operation(to_double(n)))
        except (ValueError, OverflowError, ZeroDivisionError):
            raise Unsure(f"{name} of {n}") from None


for _name, _operation in {
        "SIN": math.sin, "COS": math.cos, "TAN": math.tan, "ATAN": math.atan, "EXP": math.exp,
        "DEGREES": lambda n: n * 180 / math.pi, "RADIANS": lambda n: n * math.pi / 180,
        "SQRT": lambda n: math.sqrt(n) if n >= 0 else math.nan,
        "LOG10": math.log10, "ACOS": math.acos, "ASIN": math.asin}.items():
    real(_name, _operation)


def rounding(name: str, operation) -> None:
    @function(name, "n")
    def _(n):
        return n if type(n) is int or not math.isfinite(n) else normal(operation(n))


def round_half_away(n: float) -> float:
    fraction, whole = math.modf(abs(n))
    return math.copysign(whole + (fraction >= 0.5), n)


rounding("FLOOR", math.floor)
rounding("CEILING", math.ceil)
rounding("TRUNC", math.trunc)
rounding("ROUND", round_half_away)


@function("ABS", "n")
def absolute(n):
    return normal(abs(n))


@function("SIGN", "n")
def sign(n):
    return n if n != n else (n > 0) - (n < 0)


@function("SQUARE", "n")
def square(n):
    exact = n * n
    return exact if type(exact) is int and exact <= INT_MAX else normal(to_double(n) * to_double(n))


@function("POWER", "n")
def power(n, m):
    if type(n) is int and type(m) is int and 0 <= m <= 64 and INT_MIN <= n**m <= INT_MAX:
        return n**m
    if type(n) is int and type(m) is int and m >= 0 and abs(n) > 1:
        raise Unsure("a power beyond 64 bits")
    try:
        return normal(math.pow(n, m))
    except (ValueError, OverflowError):
        raise Unsure("a power that is not a number") from None


@function("LOG", "n")
def logarithm(n, base=None):
    if n <= 0 or base is not None and base != 10:
        raise Unsure("a logarithm that may be rounded in several ways")
    return normal(math.log(n) if base is None else math.log10(n))


@function("NUMBERBIN", "n")
def number_bin(n, size=1):
    if size == 0:
        return UNDEFINED
    if type(n) is int and type(size) is int:
        out = n // size * size
        if INT_MIN <= out <= INT_MAX:
            return out
    quotient = to_double(n) / to_double(size)
    if not math.isfinite(quotient):
        raise Unsure("a bin that is not a number")
    return normal(float(math.floor(quotient)) * to_double(size))


def whole(name: str, operation) -> None:
    """Undefined if the result does not fit 64 bits."""
    @function(name, "i")
    def _(*arguments):
        out = operation(*arguments)
        return out if out is not None and INT_MIN <= out <= INT_MAX else UNDEFINED


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def shifted_left(a: int, count: int):
    bits = a << count & 2**64 - 1
    return bits - 2**64 if bits >= 2**63 else bits


whole("INTADD", lambda a, b: a + b)
whole("INTSUB", lambda a, b: a - b)
whole("INTMUL", lambda a, b: a * b)
whole("INTDIV", lambda a, b: truncated(a, b) if b else None)
whole("INTMOD", lambda a, b: a - b * truncated(a, b) if b else None)
whole("INTBITAND", lambda a, b: a & b)
whole("INTBITOR", lambda a, b: a | b)
whole("INTBITXOR", lambda a, b: a ^ b)
whole("INTBITNOT", lambda a: ~a)
whole("INTBITLEFTSHIFT", lambda a, n: shifted_left(a, n) if 0 <= n < 64 else None)
whole("INTBITRIGHTSHIFT", lambda a, n: a >> n if 0 <= n < 64 else None)


def kind_test(name: str, *kinds: type) -> None:
    FUNCTIONS[name] = lambda value: type(value) in kinds


kind_test("IS_ARRAY", list)
kind_test("IS_BOOL", bool)
kind_test("IS_NULL", type(None))
kind_test("IS_NUMBER", int, float)
kind_test("IS_OBJECT", dict)
kind_test("IS_STRING", str)
kind_test("IS_PRIMITIVE", str, bool, int, float, type(None))
kind_test("IS_INTEGER", int)
FUNCTIONS["IS_DEFINED"] = lambda value: value is not UNDEFINED
FUNCTIONS["IS_FINITE_NUMBER"] = lambda value: is_number(value) and math.isfinite(value)
FUNCTIONS["IIF"] = lambda condition, yes, no: yes if condition is True else no


@function("CHOOSE", "i?")
def choose(index, *values):
    return values[index - 1] if 1 <= index <= len(values) else UNDEFINED


def plus(a, b):
    exact = a + b
    if type(exact) is int and INT_MIN <= exact <= INT_MAX:
        return exact
    return normal(to_double(a) + to_double(b))


def array_sum(elements: list):
    out = 0
    for element in elements:
        out = plus(out, element)
    return out


def of_numbers(name: str, operation) -> None:
    @function(name, "a")
    def _(elements):
        return operation(elements) if all(map(is_number, elements)) else UNDEFINED


def median(elements: list):
    if not elements:
        return UNDEFINED
    ordered, middle = sorted(elements), len(elements) // 2
    if len(elements) % 2:
        return ordered[middle]
    low, high = ordered[middle - 1:middle + 1]
    if abs(low) + abs(high) > 2**53:
        raise Unsure("a median that may be rounded in several ways")
    return normal(to_double(plus(low, high)) / 2)


def average(elements: list):
    return normal(to_double(array_sum(elements)) / len(elements)) if elements else UNDEFINED


of_numbers("ARRAY_SUM", array_sum)
of_numbers("ARRAY_AVG", average)
of_numbers("ARRAY_MEDIAN", median)


def extreme(name: str, pick) -> None:
    @function(name, "a")
    def _(elements):
        if not elements or any(rank(element) > 4 for element in elements):
            return UNDEFINED
        return pick(elements, key=sort_key)


extreme("ARRAY_MIN", min)
extreme("ARRAY_MAX", max)


@function("ARRAY_LENGTH", "a")
def array_length(elements):
    return len(elements)


@function("ARRAY_CONCAT", "a")
def array_concat(*arrays):
    return [element for array in arrays for element in array]


@function("ARRAY_SLICE", "ai")
def array_slice(elements, start, length=INT_MAX):
    start = max(len(elements) + start, 0) if start < 0 else start
    return elements[start:start + length] if length > 0 else []


def holds(elements: list, value) -> bool:
    return any(equal(element, value) for element in elements)


@function("ARRAY_CONTAINS", "aeb")
def array_contains(elements, wanted, partial=False):
    if not partial or type(wanted) is not dict:
        return holds(elements, wanted)
    return any(type(element) is dict and all(name in element and equal(element[name], value)
                                             for name, value in wanted.items())
               for element in elements)


@function("ARRAY_CONTAINS_ALL", "a?")
def array_contains_all(elements, *values):
    if any(value is not UNDEFINED and not holds(elements, value) for value in values):
        return False
    return UNDEFINED if UNDEFINED in values else True


@function("ARRAY_CONTAINS_ANY", "a?")
def array_contains_any(elements, *values):
    if any(value is not UNDEFINED and holds(elements, value) for value in values):
        return True
    return UNDEFINED if UNDEFINED in values else False


@function("OBJECTTOARRAY", "os")
def object_to_array(members, name="k", value="v"):
    if name == value:
        raise Unsure("two members of the same name")
    return [{name: key, value: member} for key, member in members.items()]


def unique(elements) -> list:
    out = []
    for element in elements:
        if not holds(out, element):
            out.append(element)
    return out


@function("SETINTERSECT", "a")
def set_intersect(a, b):
    return unique(element for element in b if holds(a, element))


@function("SETUNION", "a")
def set_union(a, b):
    return unique(a + b)


@function("SETDIFFERENCE", "a")
def set_difference(a, b):
    return unique(element for element in a if not holds(b, element))


@function("SETEQUAL", "a")
def set_equal(a, b):
    return set(map(canon, a)) == set(map(canon, b))


strings.define(function)
dates.define(function)
