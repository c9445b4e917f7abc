"""Generated items of every JSON shape, the same for the same seed."""

import json
import random

STRINGS = ["", "a", "ünïcödé", "日本語", "😀", "\u0000\u001f", "\"quoted\" \\ / \b\f\n\r\t", "a,b;c\td", " ",
           "x" * 300, "null", "1", "2024-05-01T12:00:00Z"]
NUMBERS = ["0", "-0", "1", "-1", "12.50", "1e3", "1E-7", "9007199254740993", "123456789012345678901234567890",
           "1.7976931348623157e308", "5e-324", "0.1", "-273.15"]
DEPTH_MAX = 4


def value(source: random.Random, depth: int = 0) -> str:
    kind = source.randrange(8 if depth < DEPTH_MAX else 5)
    if kind < 2:
        return json.dumps(source.choice(STRINGS), ensure_ascii=source.random() < 0.5)
    if kind < 4:
        return source.choice(NUMBERS)
    if kind == 4:
        return source.choice(["true", "false", "null"])
    count = source.choice([0, 1, 2, 5])
    if kind == 5:
        return "[" + ",".join(value(source, depth + 1) for _ in range(count)) + "]"
    return "{" + ",".join(f"{json.dumps(f'p{i} é')}:{value(source, depth + 1)}" for i in range(count)) + "}"


def key(source: random.Random) -> str:
    return source.choice(['"a"', '"b"', '"ü"', "1", "2.5", "true", "null", '""', "[]"] + [f'"k{i}"' for i in range(40)])


def generate(count: int, seed: int = 16, with_id: bool = True) -> list[str]:
    """The text of each item on one line; the id is somewhere in it."""
    source = random.Random(seed)
    out = []
    for number in range(count):
        members = [f'"m{i}":{value(source)}' for i in range(source.randrange(6))]
        members.append(f'"pk":{key(source)}')
        members.append(f'"id":"item {number}"' if with_id else f'"number":{number}')
        source.shuffle(members)
        out.append("{" + ",".join(members) + "}")
    return out
