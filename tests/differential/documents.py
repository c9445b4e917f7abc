"""Random documents of few distinct values, so that queries find some of them."""

import copy
import random

from values import INT_MAX, INT_MIN, normal

SHORT = ["", "a", "A", "ab", "abc", "aB", "b", "B", "zz", "é", "e\u0301", "ß", "Ω", "ключ",
         "\ue000", "\uf8ff", "\ufffd", "\uffee", "😀", "𐀀", "a😀", "a\ue000", "a\uffee",
         "a%b", "a_b", "[x]", "it's", 'say "so"', "back\\slash", "tab\t", "line\nline", " lead",
         "trail ", "null", "true", "123", "-1.5e3", "[1,2]", '{"a":1}', "\0", "a\0", "a\0b",
         "2020-02-29", "Abc def", "0", "x,y,z"]
TIMES = ["2020-02-29T23:59:59.9999999Z", "1999-12-31", "1970-01-01T00:00:00Z",
         "2021-01-08 18:35:00.123", "2021-01-08T18:35:00.1234567Z", "0001-01-01T00:00:00",
         "2021-13-01", "2021-02-29T00:00:00Z", "9999-12-31T23:59:59.9999999Z", "2021-01-08T18:35Z"]
NUMBERS = [0, 1, -1, 2, 3, 4, 7, 10, 100, 255, 0.5, -0.5, 1.5, 2.5, 0.25, -2.75, 0.1, 0.2,
           0.30000000000000004, 1e-7, 123456789.123, 2**31, -2**31 - 1, 2**32 + 5, 2**53 - 1, 2**53,
           2**53 + 1, -2**53 - 1, INT_MAX, INT_MAX - 1, INT_MIN, INT_MIN + 1, 2.0**63, -2.0**63 * 2,
           1e21, 1.7976931348623157e308, -1e308, 5e-324, 2.2250738585072014e-308, 1e15, 1e16]


# Some look like steps of index paths or like array indexes.
NAMES = ["x", "x", "y", "a b", "k", "ключ", "0", "[]", "*", "?", "", 'q"q', "a/b", "😀"]


class Pool:
    """The values of one round."""

    def __init__(self, rng: random.Random):
        self.rng = rng
        self.documents: list[dict] = []
        self.strings = rng.sample(SHORT, 9) + [rng.choice(TIMES)]
        self.times = rng.sample(TIMES, 4)
        stem = rng.choice(("p", "é", "😀", "\ue000", "pq")) * 300
        stem = stem[:rng.choice((60, 250, 255, 256, 257, 300))]
        self.long = [stem, stem + "a", stem + "b", stem + "😀", stem + "\ue000", stem[:-1] + "A",
                     stem + "a" * 40, stem + "a" * 41]
        self.numbers = [normal(number) for number in
                        rng.sample(NUMBERS, 8) + [rng.randrange(-5, 20) for _ in range(4)]]
        self.scalars = (self.numbers[:6] + self.strings[:5] + [None, True, False] +
                        rng.sample(self.long, 1))

    @staticmethod
    def like(other: "Pool", rng: random.Random, documents: list[dict]) -> "Pool":
        """The same values with another random generator, and the documents made from them."""
        out = copy.copy(other)
        out.rng, out.documents = rng, documents
        return out

    def scalar(self):
        return self.rng.choice(self.scalars)

    def string(self) -> str:
        return self.rng.choice(self.strings if self.rng.random() < 0.9 else self.long)

    def number(self):
        return self.rng.choice(self.numbers)

    def small(self) -> int:
        return self.rng.randrange(-2, 8)

    def anything(self, depth: int = 3):
        chance = self.rng.random()
        if depth == 0 or chance < 0.5:
            return self.scalar()
        if chance < 0.55:
            return self.rng.choice(([], {}, [[]], [{}], {"x": []}, {"x": {}}, self.deep(20)))
        if chance < 0.78:
            return [self.anything(depth - 1) for _ in range(self.rng.randrange(4))]
        names = set(self.rng.sample(NAMES, self.rng.randrange(1, 4)))
        return {name: self.anything(depth - 1) for name in sorted(names)}


    def deep(self, depth: int):
        value = self.scalar()
        for _ in range(depth):
            value = [value] if self.rng.random() < 0.5 else {"x": value}
        return value


class Documents:
    """Makes documents; some of their members are missing or of another type."""

    def __init__(self, rng: random.Random, pool: Pool):
        self.rng, self.pool = rng, pool

    def make(self, number: int) -> dict:
        pool, rng = self.pool, self.rng
        members = {
            "a": pool.scalar, "b": pool.string, "n": pool.number, "i": pool.small,
            "s": lambda: rng.choice(pool.long), "f": lambda: rng.choice((True, False, None)),
            "d": lambda: rng.choice(pool.times), "m": pool.anything, "a b": pool.scalar,
            "value": pool.scalar,
            "o": self.object, "arr": lambda: self.some(pool.scalar, 5),
            "nums": lambda: self.some(pool.small, 4), "tags": lambda: self.some(pool.string, 4),
            "nested": lambda: self.some(lambda: self.some(pool.scalar, 3), 3),
            "kids": lambda: self.some(self.kid, 4),
        }
        out = {"id": self.identity(number), "pk": rng.choice("ppqrstu")}
        names = list(members)
        if rng.random() < 0.3:
            rng.shuffle(names)
        for name in names:
            chance = rng.random()
            if chance < 0.8:
                out[name] = members[name]()
            elif chance < 0.9:
                out[name] = pool.anything()
            elif chance < 0.91:
                out[name] = self.some(pool.scalar, 100)
        return out

    def identity(self, number: int) -> str:
        return f"{self.rng.choice(('', '', 'd', 'é', '😀'))}{number}"

    def some(self, make, most: int) -> list:
        return [make() for _ in range(self.rng.randrange(most + 1))]

    def object(self) -> dict:
        pool, rng = self.pool, self.rng
        out = {"x": pool.scalar(), "y": pool.string(), "n": pool.number(), "ключ": pool.scalar(),
               "deep": {"z": pool.scalar(), "arr": self.some(pool.scalar, 3)}}
        return {name: value for name, value in out.items() if rng.random() < 0.8}

    def kid(self):
        pool, rng = self.pool, self.rng
        if rng.random() < 0.1:
            return pool.anything(2)
        out = {"k": pool.scalar(), "v": pool.small(), "tags": self.some(pool.string, 3)}
        return {name: value for name, value in out.items() if rng.random() < 0.85}
