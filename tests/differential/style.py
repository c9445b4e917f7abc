"""The spelling of a query. Choices without an effect on the meaning are random: which literals are
parameters, which quotes a string has, whether there are redundant parentheses."""

import json
import random
import re

from values import UNDEFINED, number_text

RESERVED = set("""all and array as asc between by cross desc distinct escape exists first for from
    group having in inner is join last left let like limit not null offset or order over rank right
    select set top true false udf undefined value where""".split())

# From loosest to tightest binding.
(CONDITIONAL, COALESCE, OR, AND, NOT, PREDICATE, COMPARISON, CONCAT, SUM, PRODUCT, UNARY,
 PRIMARY) = range(12)


def is_identifier(name: str) -> bool:
    return re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) is not None and name.lower() not in RESERVED


class Style:
    def __init__(self, rng: random.Random):
        self.rng = rng
        self.tight = rng.random() < 0.5  # no redundant parentheses
        self.parameter_chance = rng.choice((0, 0, 0.3, 1))
        self.parameters: list[dict] = []
        self.fixed = 0  # above 0: no parameters, and everything is always spelled the same

    def child(self, node, level: int) -> str:
        text = node.text(self)
        return text if node.level >= level and (self.tight or node.level >= UNARY) else f"({text})"

    def word(self, text: str) -> str:
        return text if self.fixed or self.rng.random() < 0.8 else text.lower()

    def quoted(self, text: str) -> str:
        body = json.dumps(text, ensure_ascii=not self.fixed and self.rng.random() < 0.3)[1:-1]
        if self.fixed or self.rng.random() < 0.6:
            return f'"{body}"'
        body = body.replace('\\"', '"').replace("'", "\\'")
        return f"'{body}'"

    def literal(self, value) -> str:
        """A constant of any type, perhaps as a parameter."""
        if not self.fixed and self.rng.random() < self.parameter_chance:
            name = f"@p{len(self.parameters)}"
            given = {"name": name}
            if value is not UNDEFINED:
                given["value"] = value
            if value is not UNDEFINED or self.rng.random() < 0.5:
                self.parameters.append(given)
            else:
                name = "@none"
            return name
        return self.constant(value)

    def constant(self, value) -> str:
        if value is UNDEFINED:
            return "undefined"
        if value is None or isinstance(value, bool):
            return json.dumps(value)
        if isinstance(value, str):
            return self.quoted(value)
        if isinstance(value, list):
            return "[" + ", ".join(map(self.constant, value)) + "]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{self.key(name)}: {self.constant(member)}"
                                   for name, member in value.items()) + "}"
        return number_text(value)

    def key(self, name: str) -> str:
        if is_identifier(name) and not self.fixed and self.rng.random() < 0.3:
            return name
        return self.quoted(name)

    def step(self, step, plain: bool = False) -> str:
        """A step of a path; `plain`: a parameter is not allowed here."""
        if isinstance(step, int):
            return f"[{step if plain else self.literal(step)}]"
        if is_identifier(step) and (self.fixed or self.rng.random() < 0.8):
            return f".{step}"
        return f"[{self.quoted(step) if plain else self.literal(step)}]"
