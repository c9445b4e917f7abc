"""Reads a .test file into statements, and writes it back with new expectations.

The format, by example:

    # Items and their etags.   authority: protocol §4.6 | assumed

    container /pk

    POST $docs
    pk: ["a"]
    capture: tag=etag rid=body._rid
    {"id":"1","pk":"a"}
    ----
    201
    {"id":"1","pk":"a",...}

    restart

    restart --advertise https://db.example.com/

    wait 2

A statement ends at an empty line. After `METHOD path` come headers (`pk`, `version` ... are short
names, see HEADERS; others are sent as written), then notes to the runner (see NOTES), then the body.
`${x*300}` is x 300 times, `${hex:ff}` a byte, `$name` a captured value or one of $db, $coll, $docs,
`$$name` the same as a JSON string.

`restart` stops the server and starts it again; the options it names hold until the next one.

SQL has shorter forms, of which queries.py knows the meaning:

    documents
    {"id":"1","pk":"a","n":1}
    {"id":"2","pk":"b"}

    query ordered
    needs: index
    params: {"@least": 0}
    SELECT c.n FROM c WHERE c.id >= @least ORDER BY c.id
    ----
    {"n":1}
    {}

    values
    ABS(-1) => 1
    ABS("a") => undefined

    values 1
    c.n + 1 => 2

    refused
    SELECT «x».a FROM c => SC2001 Identifier 'x' could not be resolved.

    plan
    SELECT TOP 5 * FROM c
    ----
    top: 5

and so do scripts:

    procedure
    args: [2]
    function (n) { __.response.setBody(n * 2); }
    ----
    200
    4

    trigger Pre Create stamp
    function () { __.request.getBody().stamped = true; }

    function twice
    n => n * 2

A `procedure` is stored and run at once, with the partition key ["a"] unless `pk` is given; a
`trigger` (type, operation, id) and a `function` (id of a UDF) are only stored. No `$` is expanded in
their text.

A `query` gives the same rows in every configuration, in any order unless it says `ordered`. `values`
are expressions without FROM, or over the item with that id. « » mark the location of the error that
`refused` expects. A `plan` lists only values that differ from the default.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

HEADERS = {
    "pk": "x-ms-documentdb-partitionkey",
    "range": "x-ms-documentdb-partitionkeyrangeid",
    "max": "x-ms-max-item-count",
    "continuation": "x-ms-continuation",
    "session": "x-ms-session-token",
    "version": "x-ms-version",
    "upsert": "x-ms-documentdb-is-upsert",
    "batch": "x-ms-cosmos-is-batch-request",
    "atomic": "x-ms-cosmos-batch-atomic",
    "continue": "x-ms-cosmos-batch-continue-on-error",
    "query": "x-ms-documentdb-isquery",
    "cross": "x-ms-documentdb-query-enablecrosspartition",
    "parallel": "x-ms-documentdb-query-parallelizecrosspartitionquery",
    "features": "x-ms-cosmos-supported-query-features",
    "type": "Content-Type",
    "throughput": "x-ms-offer-throughput",
    "autopilot": "x-ms-cosmos-offer-autopilot-settings",
}
NOTES = {
    "show",      # response headers to print
    "capture",   # name=header or name=body.member, for later $name
    "sort",      # sort a feed whose order the protocol does not define
    "one-page",  # do not follow the continuation
    "counts",    # show the page lengths of a feed instead of its elements
    "date",      # seconds to shift the signed date by
    "sign",      # the link to sign instead of the path; `last rid`: that of the path, in lower case
    "key",       # the key to sign with
    "when",      # options of the server without which the statement makes no sense
    "unless",    # options of the server, separated by " | ", with which it makes none
    "needs",     # `index`: where the configuration leaves items unindexed, the query is refused;
                 # `id-index`: the same, but `id` and `_ts` are only unindexed in mode none
    "eventually",  # asked again until the answer is this one: what happens in the background
    "params",    # of a query: an object by name, or the array as it is sent
    "from",      # `refusal`: the plan that comes with 400/1004
    "args",      # of a procedure: the body of its execution
}
SCRIPTS = ("procedure", "trigger", "function")
BLOCKS = ("container", "restart", "wait", "documents", "query", "plan", *SCRIPTS)
LISTS = ("values", "refused")
ARROW = " => "
OPTION = re.compile(r"([A-Za-z][A-Za-z0-9-]*):(?: (.*))?")
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS")


class FormatError(Exception):
    pass


@dataclass
class Statement:
    line: int
    source: list[str]  # as written, up to the `----`
    verb: str
    argument: str
    headers: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    body: str | None = None
    expected: str | None = None


@dataclass
class TestFile:
    path: Path
    title: str
    authorities: list[str]
    statements: list[Statement]


def read_file(path: Path) -> TestFile:
    lines = path.read_text().split("\n")
    title = re.fullmatch(r"# (.+?)\s+authority: (.+)", lines[0])
    if not title:
        raise FormatError(f"{path}:1: the first line must be '# title   authority: ...'")
    statements, block, start = [], [], 0
    for number, line in enumerate(lines[1:] + [""], 2):
        if line.strip():
            start = start if block else number
            block.append(line)
        elif block:
            first = next((text for text in block if not text.startswith("#")), "").split()[:1]
            reader = read_list if first and first[0] in LISTS else read_statement
            statements += reader(path, start, block)
            block = []
    return TestFile(path, title[1], [part.strip() for part in title[2].split("|")], statements)


def read_list(path: Path, number: int, block: list[str]) -> list[Statement]:
    """Reads each line as a separate statement."""
    lines = [(number + n, text) for n, text in enumerate(block) if not text.startswith("#")]
    verb, _, argument = lines[0][1].partition(" ")
    found = []
    for line, text in lines[1:]:
        body, arrow, expected = text.rpartition(ARROW)
        if not arrow:
            fail(path, line, f"no '{ARROW}'")
        found.append(Statement(line, [text], verb, argument, body=body, expected=expected))
    return found


def read_statement(path: Path, number: int, block: list[str]) -> list[Statement]:
    expected = None
    source = block
    if "----" in block:
        cut = block.index("----")
        source, expected = block[:cut], "\n".join(block[cut + 1:])
    lines = [line for line in source if not line.startswith("#")]
    if not lines:
        return [] if expected is None else fail(path, number, "an answer without a request")
    verb, _, argument = lines[0].partition(" ")
    if verb not in (*METHODS, *BLOCKS):
        fail(path, number, f"unknown directive '{verb}'")
    statement = Statement(number, source, verb, argument, expected=expected)
    rest = lines[1:]
    while verb != "documents" and rest and (match := OPTION.fullmatch(rest[0])):
        name, value = match[1], match[2] or ""
        if name in NOTES:
            statement.notes[name] = value
        else:
            statement.headers[HEADERS.get(name, name)] = value
        rest = rest[1:]
    statement.body = "\n".join(rest) if rest else None
    return [statement]


def fail(path: Path, number: int, why: str):
    raise FormatError(f"{path}:{number}: {why}")


def rewrite(file: TestFile, answers: dict[int, str]) -> None:
    """Replaces the answers in the file, keyed by the line of their statement."""
    lines = file.path.read_text().split("\n")
    for statement in reversed(file.statements):
        if statement.line not in answers:
            continue
        start = statement.line - 1
        end = start
        while end < len(lines) and lines[end].strip():
            end += 1
        answer = answers[statement.line].split("\n") if answers[statement.line] else []
        lines[start:end] = [*statement.source, "----", *answer]
    file.path.write_text("\n".join(lines))
