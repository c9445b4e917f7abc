"""String functions (reference §3.2). They count UTF-16 code units; half a surrogate pair becomes
U+FFFD."""

import json
import re

from values import UNDEFINED, Unsure, json_text, normal_tree

WHITE_SPACE = " \t\n\r\v\f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200b)))


def units(text: str) -> list[bytes]:
    data = text.encode("utf-16-le")
    return [data[at:at + 2] for at in range(0, len(data), 2)]


def from_units(pieces: list[bytes]) -> str:
    return b"".join(pieces).decode("utf-16-le", "replace")


def folded(text: str) -> str:
    return mapped(text, str.casefold)


def mapped(text: str, operation) -> str:
    """Maps each character to one character."""
    return "".join(new if len(new := operation(c)) == 1 else c for c in text)


def search(name: str, function, test) -> None:
    @function(name, "ssb")
    def _(text, wanted, ignore_case=False):
        return test(folded(text), folded(wanted)) if ignore_case else test(text, wanted)


def decided(found: list, all_of: bool):
    decisive = not all_of
    if any(each is decisive for each in found):
        return decisive
    return UNDEFINED if UNDEFINED in found else all_of


def cuts_pair(text: str, at: int) -> bool:
    pieces = units(text)
    return 0 < at < len(pieces) and 0xdc <= pieces[at][1] <= 0xdf


def index_of(text, wanted, start=0):
    if start < 0 or cuts_pair(text, start):
        raise Unsure("a start before the string, or inside a character")
    if start > len(units(text)):
        return -1
    at = from_units(units(text)[start:]).find(wanted) if start else text.find(wanted)
    if at < 0:
        return -1
    if start:
        return start + len(units(from_units(units(text)[start:])[:at]))
    return len(units(text[:at]))


def last_index_of(text, wanted, start=None):
    if start is not None:
        if start < 0:
            return -1
        if cuts_pair(text, start + 1):
            raise Unsure("an end inside a character")
        text = from_units(units(text)[:start + 1])
    at = text.rfind(wanted)
    return -1 if at < 0 else len(units(text[:at]))


def substring(text, start, length):
    if start < 0 or length <= 0:
        return ""
    return from_units(units(text)[start:start + length])


def replicate(text, count):
    count = int(count) if abs(count) < 2**53 else 2**53
    if count < 0 or len(units(text)) * count > 10_000:
        return UNDEFINED
    if not text and count > 10_000:
        raise Unsure("an empty string repeated very often")
    return text * count


def no_constant(text: str):
    raise ValueError(text)


def parse(text: str, *kinds: type):
    """Strict JSON of one of the kinds."""
    try:
        value = json.loads(text, parse_constant=no_constant)
    except ValueError:
        return UNDEFINED
    return normal_tree(value) if type(value) in kinds else UNDEFINED


def regex_match(text, pattern, modifiers=""):
    flags = {"i": re.IGNORECASE, "m": re.MULTILINE, "s": re.DOTALL, "x": re.VERBOSE}
    if any(letter not in flags for letter in modifiers):
        return UNDEFINED
    if not text.isascii() or "\n" in text or "\r" in text:
        raise Unsure("different regular expression dialects")
    return re.search(pattern, text, sum({flags[letter] for letter in modifiers})) is not None


def define(function) -> None:
    search("CONTAINS", function, lambda text, wanted: wanted in text)
    search("STARTSWITH", function, str.startswith)
    search("ENDSWITH", function, str.endswith)
    search("STRINGEQUALS", function, str.__eq__)
    for name, fold in (("CI", folded), ("CS", str)):
        for word, all_of in (("ALL", True), ("ANY", False)):
            @function(f"CONTAINS_{word}_{name}", "s?")
            def _(text, *wanted, fold=fold, all_of=all_of):
                return decided([fold(each) in fold(text) if type(each) is str else UNDEFINED
                                for each in wanted], all_of)
    function("INDEX_OF", "ssi")(index_of)
    function("LASTINDEXOF", "ssi")(last_index_of)
    function("CONCAT", "s")(lambda *texts: "".join(texts))
    function("LENGTH", "s")(lambda text: len(units(text)))
    function("LOWER", "s")(lambda text: mapped(text, str.lower))
    function("UPPER", "s")(lambda text: mapped(text, str.upper))
    function("LEFT", "si")(lambda text, n: substring(text, 0, n))
    function("RIGHT", "si")(lambda text, n: from_units(units(text)[-n:]) if n > 0 else "")
    function("SUBSTRING", "sii")(substring)
    function("LTRIM", "s")(lambda text, characters=WHITE_SPACE: text.lstrip(characters))
    function("RTRIM", "s")(lambda text, characters=WHITE_SPACE: text.rstrip(characters))
    function("TRIM", "s")(lambda text, characters=WHITE_SPACE: text.strip(characters))
    function("REPLACE", "s")(lambda text, find, by: text.replace(find, by) if find else UNDEFINED)
    function("REPLICATE", "sn")(replicate)
    function("REVERSE", "s")(lambda text: text[::-1])
    function("STRINGJOIN", "as")(lambda array, by: by.join(array) if all(
        type(each) is str for each in array) else UNDEFINED)
    function("STRINGSPLIT", "s")(lambda text, by: text.split(by) if by else [text])
    function("TOSTRING", "e")(lambda value: value if type(value) is str else json_text(value))
    function("REGEXMATCH", "s")(regex_match)
    function("STRINGTOARRAY", "s")(lambda text: parse(text, list))
    function("STRINGTOBOOLEAN", "s")(lambda text: parse(text, bool))
    function("STRINGTONULL", "s")(lambda text: parse(text, type(None)))
    function("STRINGTONUMBER", "s")(lambda text: parse(text, int, float))
    function("STRINGTOOBJECT", "s")(lambda text: parse(text, dict))
