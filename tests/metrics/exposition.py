"""Reads Prometheus' text format 0.0.4 strictly: what is not allowed is an error."""

import math
import re
from dataclasses import dataclass, field

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)$")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)')
ESCAPED = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}
SUFFIXES = ("_bucket", "_sum", "_count")


@dataclass
class Family:
    name: str
    help: str
    type: str = ""
    # (name of the sample, sorted labels) -> value
    samples: dict[tuple[str, tuple], float] = field(default_factory=dict)


class Scrape:
    def __init__(self, text: str):
        self.families: dict[str, Family] = {}
        if not text.endswith("\n"):
            raise AssertionError("the last line does not end")
        current = None
        for line in text[:-1].split("\n"):
            current = self._read(line, current)
        for family in self.families.values():
            if family.type == "histogram":
                check_histogram(family)

    def _read(self, line: str, current: Family | None) -> Family:
        described = re.match(rf"# HELP ({NAME}) (.+)", line)
        if described:
            if described[1] in self.families:
                raise AssertionError(f"{described[1]} has two descriptions")
            return self.families.setdefault(described[1], Family(described[1], described[2]))
        typed = re.fullmatch(rf"# TYPE ({NAME}) (counter|gauge|histogram)", line)
        if typed:
            if current is None or typed[1] != current.name or current.type or current.samples:
                raise AssertionError(f"not after its description: {line}")
            current.type = typed[2]
            return current
        self._add(line, current)
        return current

    def _add(self, line: str, family: Family | None) -> None:
        found = SAMPLE.match(line)
        if not found or family is None or not family.type:
            raise AssertionError(f"not a sample: {line}")
        allowed = [family.name + suffix for suffix in SUFFIXES] if family.type == "histogram" else [family.name]
        if found[1] not in allowed:
            raise AssertionError(f"not of the family {family.name}: {line}")
        key = (found[1], tuple(sorted(labels_of(found[2] or "").items())))
        if key in family.samples:
            raise AssertionError(f"twice: {line}")
        family.samples[key] = float(found[3])

    def value(self, name: str, **labels: str) -> float:
        """Of one sample; 0 if there is none, as of an operation that was never used."""
        return self.family_of(name).samples.get((name, tuple(sorted(labels.items()))), 0)

    def family_of(self, name: str) -> Family:
        for candidate in (name, *(name.removesuffix(suffix) for suffix in SUFFIXES)):
            family = self.families.get(candidate)
            if family and (candidate == name) != (family.type == "histogram"):
                return family
        raise AssertionError(f"there is no metric {name}")


def labels_of(text: str) -> dict[str, str]:
    labels, at = {}, 0
    while at < len(text):
        found = LABEL.match(text, at)
        if not found or found[1] in labels:
            raise AssertionError(f"malformed labels: {text}")
        labels[found[1]] = re.sub(r"\\.", lambda escape: ESCAPED[escape[0]], found[2])
        at = found.end()
    return labels


def check_histogram(family: Family) -> None:
    """Buckets are cumulative, in order, and end with all values."""
    series: dict[tuple, list[tuple[float, float]]] = {}
    for (name, labels), value in family.samples.items():
        if name.endswith("_bucket"):
            bound = float(dict(labels)["le"].replace("+Inf", "inf"))
            rest = tuple(label for label in labels if label[0] != "le")
            series.setdefault(rest, []).append((bound, value))
    for labels, buckets in series.items():
        if buckets != sorted(buckets) or [v for _, v in buckets] != sorted(v for _, v in buckets):
            raise AssertionError(f"{family.name}{labels}: buckets are not in order")
        count = family.samples[(family.name + "_count", labels)]
        if not math.isinf(buckets[-1][0]) or buckets[-1][1] != count:
            raise AssertionError(f"{family.name}{labels}: the last bucket does not hold all values")
