"""Aggregates (reference §2.8)."""

from fractions import Fraction

from values import (INT_MAX, INT_MIN, UNDEFINED, Unsure, canon, is_finite, is_number, normal,
                    sort_key, to_double)


def aggregate(name: str, values: list):
    if name == "COUNTIF":
        return sum(value is True for value in values)
    values = [value for value in values if value is not UNDEFINED]
    if name == "COUNT":
        return len(values)
    if name == "MAKELIST":
        return values
    if name == "MAKESET":
        return list({canon(value): value for value in reversed(values)}.values())
    if name in ("MIN", "MAX"):
        return extreme(min if name == "MIN" else max, values)
    return total(values, name == "AVG")


def extreme(pick, values: list):
    if not values or any(type(value) in (list, dict) for value in values):
        return UNDEFINED
    return pick(values, key=sort_key)


def total(values: list, average: bool):
    """A rounded sum depends on the order of rows, so only exact sums are compared."""
    if not all(map(is_number, values)):
        return UNDEFINED
    if not values:
        return UNDEFINED if average else 0
    if not is_finite(values):
        raise Unsure("a sum that is not finite")
    exact = sum(map(Fraction, values))
    if len(values) > 1 and not sum_is_exact(values):
        raise Unsure("a sum that is rounded")
    out = normal(int(exact) if exact.denominator == 1 else float(exact))
    return normal(to_double(out) / len(values)) if average else out


def sum_is_exact(values: list) -> bool:
    """Whether every partial sum is exact in any order."""
    most = sum(abs(Fraction(value)) for value in values)
    if all(type(value) is int for value in values):
        return -INT_MIN > most <= INT_MAX
    step = max(Fraction(value).denominator for value in values)
    return most * step < 2**53
