"""The hash by which ORDER BY sorts arrays and objects (reference §2.6): DistinctHash of
azure-cosmos-dotnet-v3, MurmurHash3-x64-128 with a 128-bit seed."""

import struct

MASK = 2**64 - 1
C1, C2 = 0x87c37b91114253d5, 0x4cf5ad432745937f

ROOT = (0xbfc2359eafc0e2b7, 0x8846e00284c4cf1f)
NULL = (0x1380f68bb3b0cfe4, 0x156c918bf564ee48)
FALSE = (0xc1be517fe893b40c, 0xe9fc8a4c531cd0dd)
TRUE = (0xf86d4abf9a412e74, 0x788488365c8a985d)
STRING = (0x61f53f0a44204cfb, 0x09481be8ef4b56dd)
ARRAY = (0xfa573b014c4dc18e, 0xa014512c858eb115)
OBJECT = (0x77b285ac511aef30, 0x3dcf187245822449)
ARRAY_INDEX = (0xfe057204216db999, 0x5b1cc3178bd9c593)
PROPERTY_NAME = (0xc915dde058492a8a, 0x7c8be2eba72e4634)
NUMBER = (0x2400e8b894ce9c2a, 0x790be1eabd7b9481)


def _rotate(x: int, by: int) -> int:
    return (x << by | x >> 64 - by) & MASK


def _finish(k: int) -> int:
    k = (k ^ k >> 33) * 0xff51afd7ed558ccd & MASK
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53 & MASK
    return k ^ k >> 33


def murmur(data: bytes, seed: tuple[int, int]) -> tuple[int, int]:
    h1, h2 = seed
    whole = len(data) // 16 * 16
    for k1, k2 in struct.iter_unpack("<QQ", data[:whole]):
        h1 ^= _rotate(k1 * C1 & MASK, 31) * C2 & MASK
        h1 = ((_rotate(h1, 27) + h2 & MASK) * 5 + 0x52dce729) & MASK
        h2 ^= _rotate(k2 * C2 & MASK, 33) * C1 & MASK
        h2 = ((_rotate(h2, 31) + h1 & MASK) * 5 + 0x38495ab5) & MASK
    tail = data[whole:]
    if len(tail) > 8:
        h2 ^= _rotate(int.from_bytes(tail[8:], "little") * C2 & MASK, 33) * C1 & MASK
    if tail:
        h1 ^= _rotate(int.from_bytes(tail[:8], "little") * C1 & MASK, 31) * C2 & MASK
    h1 ^= len(data)
    h2 ^= len(data)
    h1 = h1 + h2 & MASK
    h2 = h1 + h2 & MASK
    h1, h2 = _finish(h1), _finish(h2)
    h1 = h1 + h2 & MASK
    return h1, h1 + h2 & MASK


def _mix(value: tuple[int, int], seed: tuple[int, int]) -> tuple[int, int]:
    return murmur(struct.pack("<QQ", *value), seed)


def _number_bytes(number) -> bytes:
    """A double, and the ten bits of an integer that a double cannot hold."""
    if isinstance(number, int) and number != 0:
        magnitude = abs(number)
        top = magnitude.bit_length() - 1
        if top > 52 and magnitude & (1 << top - 52) - 1:
            mantissa = magnitude << 62 - top & 0x3fffffffffffffff
            sign = 1 << 63 if number < 0 else 0
            return struct.pack("<QH", sign | top + 1023 << 52 | mantissa >> 10,
                               (mantissa & 0x3ff) << 6)
    return struct.pack("<dH", float(number) + 0.0, 0)


def _hash(value, seed: tuple[int, int]) -> tuple[int, int]:
    if value is None:
        return _mix(NULL, seed)
    if isinstance(value, bool):
        return _mix(TRUE if value else FALSE, seed)
    if isinstance(value, (int, float)):
        return murmur(_number_bytes(value), _mix(NUMBER, seed))
    if isinstance(value, str):
        return murmur(value.encode(), _mix(STRING, seed))
    if isinstance(value, list):
        out = _mix(ARRAY, seed)
        for index, element in enumerate(value):
            low = ARRAY_INDEX[0] + index
            place = (low & MASK, ARRAY_INDEX[1] + (low >> 64))
            out = _mix(_hash(element, place), out)
        return out
    start = _mix(OBJECT, seed)
    members = (0, 0)
    for name, member in value.items():
        place = murmur(name.encode(), _mix(STRING, PROPERTY_NAME))
        low, high = _hash(member, place)
        members = (members[0] ^ low, members[1] ^ high)
    return start if members == (0, 0) else _mix(members, start)


def distinct_hash(value) -> bytes:
    return struct.pack("<QQ", *_hash(value, ROOT))
