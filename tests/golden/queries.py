"""The short forms for SQL in .test files: the requests they send and the answers they accept."""

import json
import re

import parse

# Makes the server merge all partitions into one answer, as an SDK would.
MERGE = "x-orrery-merge-partitions"
UNINDEXED = "The index path corresponding to the specified order-by item is excluded."
QUERY_HEADERS = {parse.HEADERS["type"]: "application/query+json", parse.HEADERS["query"]: "True",
                 parse.HEADERS["cross"]: "True"}
FEATURES = ("Aggregate,CompositeAggregate,CountIf,DCount,Distinct,GroupBy,HybridSearch,"
            "HybridSearchSkipOrderByRewrite,ListAndSetAggregate,MultipleAggregates,MultipleOrderBy,"
            "NonStreamingOrderBy,NonValueAggregate,OffsetAndLimit,OrderBy,Top,WeightedRankFusion")
PLAN_HEADERS = {"x-ms-cosmos-is-query-plan-request": "True", "x-ms-cosmos-query-version": "1.4",
                parse.HEADERS["features"]: FEATURES}
MARKS = re.compile("[«»]")
ERROR = re.compile(r"\d{3}(/\d+)? [A-Z]")

# Default values of a plan.
PLAN = {"distinctType": "None", "top": None, "offset": None, "limit": None, "orderBy": [],
        "orderByExpressions": [], "groupByExpressions": [], "groupByAliases": [], "aggregates": [],
        "groupByAliasToAggregateType": {}, "rewrittenQuery": "", "hasSelectValue": False,
        "dCountInfo": None, "hasNonStreamingOrderBy": False}
ALL_RANGES = [{"min": "", "max": "FF", "isMinInclusive": True, "isMaxInclusive": False}]


def text_of(statement: parse.Statement) -> str:
    if statement.verb == "values":
        item = f" FROM c WHERE c.id = {json.dumps(statement.argument)}" if statement.argument else ""
        return f"SELECT VALUE {statement.body}{item}"
    return MARKS.sub("", statement.body) if statement.verb == "refused" else statement.body


def body_of(text: str, params: str) -> str:
    spec = {"query": text}
    if params:
        given = json.loads(params)
        spec["parameters"] = given if isinstance(given, list) else [
            {"name": name, "value": value} for name, value in given.items()]
    # ASCII output keeps a lone surrogate as an escape on its way to the server.
    return json.dumps(spec, ensure_ascii=True)


def headers_of(statement: parse.Statement) -> dict[str, str]:
    headers = QUERY_HEADERS | statement.headers
    if statement.verb != "plan":
        return headers | {MERGE: "true"}
    return headers if "from" in statement.notes else PLAN_HEADERS | headers


def is_refused(policy: dict, statement: parse.Statement) -> bool:
    needs = statement.notes.get("needs")
    return needs == "index" or (needs == "id-index" and policy["indexingMode"] == "none")


def matches(statement: parse.Statement, lines: list[str]) -> bool:
    """Whether the rows or the error line match."""
    expected = (statement.expected or "").split("\n") if statement.expected else []
    if statement.verb == "refused":
        return len(lines) == 1 and refused_as(statement, lines[0])
    if statement.verb == "values":
        if expected == ["undefined"]:
            return not lines
        return len(lines) == 1 and same_value(expected[0], lines[0])
    if expected and ERROR.match(expected[0]):
        return lines[1:] == expected[1:] and same_error(expected[0], lines[0] if lines else "")
    if statement.argument == "ordered" or statement.verb == "plan":
        return lines == expected
    return sorted(lines) == sorted(expected)


def same_error(expected: str, actual: str) -> bool:
    """Compares the status, and whether the message contains the expected part."""
    status, _, part = expected.partition(": ")
    return actual.startswith(status.rstrip(":") + ": ") and part in actual


def same_value(expected: str, actual: str) -> bool:
    """`~0.2653` matches all numbers that begin so, within one unit of the last digit."""
    if not expected.startswith("~"):
        return expected == actual
    digits = len(expected.partition(".")[2])
    return abs(float(expected[1:]) - float(actual)) <= 10.0 ** -digits


def refused_as(statement: parse.Statement, line: str) -> bool:
    code, _, message = statement.expected.partition(" ")
    # The service counts UTF-16 code units.
    marks = [len(statement.body[:match.start()].encode("utf-16-le")) // 2
             for match in MARKS.finditer(statement.body)]
    where = f" at {marks[0]}-{marks[1] - 1}:" if marks else ""
    known = "" if code == "-" else code
    return line.startswith("400") and f" {known}{where}" in line and message in line


def plan_lines(plan: dict) -> list[str]:
    """Everything in a plan that differs from the plan of `SELECT * FROM c`."""
    lines = []
    if (version := plan["partitionedQueryExecutionInfoVersion"]) != 2:
        lines.append(f"version: {version}")
    info = plan.get("queryInfo") or {}
    for name, usual in PLAN.items():
        value = info.get(name, usual)
        if value != usual and name != "rewrittenQuery":
            lines.append(f"{name}: {json.dumps(value, ensure_ascii=False)}")
    if plan["queryRanges"] != ALL_RANGES:
        for each in plan["queryRanges"]:
            lines.append(f"range: {'[' if each['isMinInclusive'] else '('}{each['min']}, "
                         f"{each['max']}{']' if each['isMaxInclusive'] else ')'}")
    if info.get("rewrittenQuery"):
        lines += ["rewritten:", *("  " + line for line in info["rewrittenQuery"].split("\n"))]
    if plan.get("hybridSearchQueryInfo"):
        lines.append("hybrid: " + json.dumps(plan["hybridSearchQueryInfo"], ensure_ascii=False))
    return lines


def as_data(files: list[parse.TestFile]) -> list[dict]:
    """The queries over all items that return rows, for programs that send them through an SDK."""
    sets = []
    for file in files:
        items, functions, found = [], [], []
        for statement in file.statements:
            if statement.verb in parse.METHODS or "$" in re.sub(r"\$(\d|type)", "", statement.body or ""):
                break  # later statements do more than query
            if statement.verb == "container":
                container = definition_of(statement.argument)
            elif statement.verb == "documents" and found:
                break
            elif statement.verb == "documents":
                items += [json.loads(line) for line in statement.body.split("\n")]
            elif statement.verb == "function":
                functions.append({"id": statement.argument, "body": statement.body})
            elif (statement.verb == "query" and not statement.headers
                  and not ERROR.match(statement.expected or "")):
                found.append(data_of(statement))
        if found:
            sets.append({"file": file.path.stem, "container": container, "items": items,
                         "functions": functions, "queries": found})
    return sets


def data_of(statement: parse.Statement) -> dict:
    rows = re.sub(r",?<item>", "", statement.expected or "")
    return {"query": json.loads(body_of(statement.body, statement.notes.get("params", ""))),
            "ordered": statement.argument == "ordered",
            "rows": [json.loads(row) for row in rows.split("\n")] if rows else []}


def definition_of(argument: str) -> dict:
    """The container of a `container` directive: a key path, or members of the definition."""
    if argument.startswith("{"):
        return {"id": "c"} | json.loads(argument)
    return {"id": "c", "partitionKey": {"paths": [argument], "kind": "Hash", "version": 2}}
