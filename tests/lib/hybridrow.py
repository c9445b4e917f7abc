"""Batches in the binary format of the .NET SDK: a RecordIO stream of HybridRows.

Written from the format description, not from the server's code, so that the two check each other.
Rows are dictionaries with the column names of the schemas below:

    body = encode(OPERATION, [{"operationType": CREATE, "resourceType": DOCUMENT,
                               "resourceBody": b'{"id":"1"}'}])
    results = decode(RESULT, answer.body)
"""

import struct
import zlib
from dataclasses import dataclass

VERSION = 0x81
SEGMENT_ID, RECORD_ID = 2147473648, 2147473649

CREATE, PATCH, READ, DELETE, REPLACE, UPSERT = 0, 1, 2, 4, 5, 20
DOCUMENT = 2

# Type codes.
NULL, FALSE, TRUE = 1, 2, 3
UTF8, BINARY = 20, 21
NUMBERS = {"int32": (7, "<i"), "uint32": (11, "<I"), "float64": (16, "<d")}
NUMBER_OF_CODE = {code: layout for code, layout in NUMBERS.values()}


class Malformed(Exception):
    pass


@dataclass(frozen=True)
class Schema:
    """Columns as (name, type): at a fixed offset, variable-length or absent, and tagged."""
    id: int
    fixed: tuple[tuple[str, str], ...]
    variable: tuple[tuple[str, str], ...]
    sparse: tuple[tuple[str, str], ...]

    @property
    def columns(self) -> tuple[tuple[str, str], ...]:
        return self.fixed + self.variable + self.sparse

    @property
    def masked(self) -> tuple[tuple[str, str], ...]:
        return self.fixed + self.variable


OPERATION = Schema(
    2145473648,
    fixed=(("operationType", "int32"), ("resourceType", "int32")),
    variable=(("partitionKey", "utf8"), ("effectivePartitionKey", "binary"), ("id", "utf8"),
              ("binaryId", "binary"), ("resourceBody", "binary")),
    sparse=(("indexingDirective", "utf8"), ("ifMatch", "utf8"), ("ifNoneMatch", "utf8"),
            ("timeToLiveInSeconds", "int32"), ("minimalReturnPreference", "bool")))

RESULT = Schema(
    2145473649,
    fixed=(("statusCode", "int32"), ("subStatusCode", "int32")),
    variable=(("eTag", "utf8"), ("resourceBody", "binary")),
    sparse=(("retryAfterMilliseconds", "uint32"), ("requestCharge", "float64")))


def encode(schema: Schema, rows: list[dict]) -> bytes:
    return stream(encode_row(schema, row) for row in rows)


def decode(schema: Schema, body: bytes) -> list[dict]:
    return [decode_row(schema, row) for row in records(body)]


def stream(rows) -> bytes:
    """One segment and its records."""
    return segment() + b"".join(record(row) for row in rows)


def segment(more: bytes = b"") -> bytes:
    """`more`: sparse fields of the segment's header."""
    return struct.pack("<BIBI", VERSION, SEGMENT_ID, 1, 10 + len(more)) + more


def record(row: bytes) -> bytes:
    return struct.pack("<BIII", VERSION, RECORD_ID, len(row), zlib.crc32(row)) + row


def encode_row(schema: Schema, fields: dict, more: bytes = b"") -> bytes:
    """`more`: encoded sparse fields to append, e.g. ones the schema does not have."""
    unknown = fields.keys() - dict(schema.columns).keys()
    if unknown:
        raise ValueError(f"not in the schema: {sorted(unknown)}")
    mask = sum(1 << bit for bit, (name, _) in enumerate(schema.masked) if name in fields)
    out = struct.pack("<BIB", VERSION, schema.id, mask)
    for name, kind in schema.fixed:
        out += struct.pack(NUMBERS[kind][1], fields.get(name, 0))
    for name, _ in schema.variable:
        if name in fields:
            out += sized(fields[name])
    for token, (name, kind) in enumerate(schema.columns, 1):
        if token > len(schema.masked) and name in fields:
            code, value = tagged(kind, fields[name])
            out += bytes([code]) + varuint(token) + value
    return out + more


def unknown_field(schema: Schema, path: str, code: int, value: bytes) -> bytes:
    """A sparse field whose path is written out, since the schema has no token for it."""
    name = path.encode()
    return bytes([code]) + varuint(len(schema.columns) + 1 + len(name)) + name + value


def tagged(kind: str, value) -> tuple[int, bytes]:
    if kind == "bool":
        return (TRUE if value else FALSE), b""
    if kind in NUMBERS:
        code, layout = NUMBERS[kind]
        return code, struct.pack(layout, value)
    return (UTF8 if kind == "utf8" else BINARY), sized(value)


def sized(value: str | bytes) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return varuint(len(raw)) + raw


def varuint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7f:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    return bytes([*out, value])


class Bytes:
    """A cursor over the bytes left to read."""

    def __init__(self, data: bytes):
        self.data = data
        self.at = 0

    def __bool__(self) -> bool:
        return self.at < len(self.data)

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise Malformed(f"{count} bytes wanted at {self.at} of {len(self.data)}")
        self.at += count
        return self.data[self.at - count:self.at]

    def unpack(self, layout: str) -> tuple:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def varuint(self) -> int:
        value = shift = 0
        while True:
            byte, = self.take(1)
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def header(self) -> int:
        version, schema = self.unpack("<BI")
        if version != VERSION:
            raise Malformed(f"version {version:#x}")
        return schema


def records(body: bytes) -> list[bytes]:
    """The rows of a stream; verifies their checksums."""
    left, rows = Bytes(body), []
    if not left:
        raise Malformed("no segment")
    in_segment = False
    while left:
        schema = left.header()
        if schema == SEGMENT_ID:
            mask, length = left.unpack("<BI")
            if mask != 1 or length < 10:
                raise Malformed("a segment without length")
            left.take(length - 10)
            in_segment = True
        elif schema == RECORD_ID and in_segment:
            length, crc = left.unpack("<II")
            row = left.take(length)
            if zlib.crc32(row) != crc:
                raise Malformed("checksum")
            rows.append(row)
        else:
            raise Malformed(f"schema {schema} in a stream")
    return rows


def decode_row(schema: Schema, row: bytes) -> dict:
    left, fields = Bytes(row), {}
    found = left.header()
    if found != schema.id:
        raise Malformed(f"schema {found}, not {schema.id}")
    mask, = left.take(1)
    for bit, (name, kind) in enumerate(schema.masked):
        present = mask >> bit & 1
        if bit < len(schema.fixed):
            value, = left.unpack(NUMBERS[kind][1])
        elif present:
            value = left.take(left.varuint())
            value = value.decode() if kind == "utf8" else value
        if present:
            fields[name] = value
    while left:
        name, value = sparse_field(schema, left)
        fields[name] = value
    return fields


def sparse_field(schema: Schema, left: Bytes) -> tuple[str, object]:
    """Reads a field; one the schema does not have gets its written path as the name."""
    code, = left.take(1)
    token = left.varuint()
    if token <= len(schema.columns):
        name = schema.columns[token - 1][0] if token else ""
    else:
        name = left.take(token - len(schema.columns) - 1).decode()
    if code in (NULL, FALSE, TRUE):
        return name, {NULL: None, FALSE: False, TRUE: True}[code]
    if code in NUMBER_OF_CODE:
        return name, left.unpack(NUMBER_OF_CODE[code])[0]
    if code in (UTF8, BINARY):
        value = left.take(left.varuint())
        return name, value.decode() if code == UTF8 else value
    raise Malformed(f"type {code} of {name!r}")
