"""Turns an answer into the text of a .test file, with placeholders for what differs between runs.

Bodies are compared as text, not as values: the service returns JSON digit for digit.
"""

import base64
import json
import re
import time
import urllib.parse

from lib.client import Answer

SECONDS_OF_A_DAY = 86400
# What answers of a kind have in a row, mostly at their end, stands in the files as one word; anything
# else stays as it is.
TAILS = {
    "<item>": '"_rid":"<rid:16>","_self":"dbs/<rid:4>/colls/<rid:8>/docs/<rid:16>/","_etag":"<etag>",'
              '"_attachments":"attachments/","_ts":<ts>}',
    "<container>": '"_rid":"<rid:8>","_self":"dbs/<rid:4>/colls/<rid:8>/","_etag":"<etag>",'
                   '"_ts":<ts>,"_docs":"docs/","_sprocs":"sprocs/","_triggers":"triggers/",'
                   '"_udfs":"udfs/","_conflicts":"conflicts/"}',
    "<stored procedure>": '"_rid":"<rid:16>","_self":"dbs/<rid:4>/colls/<rid:8>/sprocs/<rid:16>/",'
                          '"_etag":"<etag>","_ts":<ts>}',
    "<attachment>": '"_rid":"<rid:20>","_self":"dbs/<rid:4>/colls/<rid:8>/docs/<rid:16>/attachments/<rid:20>/",'
                    '"_etag":"<etag>","_ts":<ts>}',
    "<trigger>": '"_rid":"<rid:16>","_self":"dbs/<rid:4>/colls/<rid:8>/triggers/<rid:16>/",'
                 '"_etag":"<etag>","_ts":<ts>}',
    "<udf>": '"_rid":"<rid:16>","_self":"dbs/<rid:4>/colls/<rid:8>/udfs/<rid:16>/",'
             '"_etag":"<etag>","_ts":<ts>}',
    "<user>": '"_rid":"<rid:8>","_self":"dbs/<rid:4>/users/<rid:8>/","_etag":"<etag>",'
              '"_ts":<ts>,"_permissions":"permissions/"}',
    "<permission>": '"_rid":"<rid:16>","_self":"dbs/<rid:4>/users/<rid:8>/permissions/<rid:16>/",'
                    '"_etag":"<etag>","_ts":<ts>,"_token":"<token>"}',
    "<database>": '"_rid":"<rid:4>","_self":"dbs/<rid:4>/","_etag":"<etag>","_ts":<ts>,'
                  '"_colls":"colls/","_users":"users/"}',
}


class BrokenRule(Exception):
    """An answer that is wrong whatever the test expects (protocol, hard rules)."""


def check_rules(answer: Answer, is_media: bool = False) -> None:
    def rule(holds: bool, text: str) -> None:
        if not holds:
            raise BrokenRule(f"{text}; answer: {answer.status} {dict(answer.headers)} "
                             f"{answer.body[:500]!r}")

    headers = answer.headers
    rule("x-ms-activity-id" in headers, "no x-ms-activity-id")
    rule("transfer-encoding" not in headers, "chunked")
    rule(re.fullmatch(r"\d+\.\d{3}", headers.get("x-ms-request-duration-ms", "")) is not None,
         "no duration")
    rule(all(headers.get(name) != "" for name in ("x-ms-continuation", "x-ms-session-token")),
         "an empty continuation or session token")
    if answer.status in (204, 304):
        rule(answer.body == b"", "a body with 204 or 304")
        return
    if not is_media or answer.status >= 400:
        rule(headers.get("content-type") == "application/json", "not application/json")
    rule(int(headers.get("content-length", -1)) >= len(answer.body), "no content-length")
    if answer.status >= 400:
        body = json.loads(answer.body)
        rule(isinstance(body.get("message"), str) and isinstance(body.get("code"), str),
             "an error without code or message")
    else:
        rule(float(headers["x-ms-request-charge"]) >= 0, "no charge")


def feed_elements(answer: Answer) -> tuple[str, list[str]] | None:
    """A head line and the texts of a feed's elements; None if this is not a feed."""
    text = answer.body.decode()
    start = re.match(r'\{"_rid":"([^"]*)","([A-Za-z]+)":\[', text)
    if answer.status != 200 or not start:
        return None
    elements, at = [], start.end()
    while text[at] != "]":
        at += text[at] == ","
        _, end = json.JSONDecoder(strict=False).raw_decode(text, at)
        elements.append(text[at:end])
        at = end
    count = str(len(elements))
    if text[at:] != f'],"_count":{count}}}' or answer.headers.get("x-ms-item-count") != count:
        raise BrokenRule(f"a feed whose counts differ: {text[at:]}, {dict(answer.headers)}")
    return f"{start[2]} of {rid_shape(start[1]) if start[1] else 'the account'}", elements


def batch_results(answer: Answer) -> list[str] | None:
    """The results of a batch, one text each; None if this is not a batch."""
    text = answer.body.decode()
    if answer.status not in (200, 207) or not text.startswith('[{"statusCode":'):
        return None
    parts = re.split(r'(?<=[}]),(?=\{"statusCode":)', text[1:-1])
    return [re.sub(r'"eTag":"\\"([^"\\]*)\\""', lambda m: f'"eTag":"{etag_shape(m[1])}"', normalise(part))
            for part in parts]


def error_line(answer: Answer) -> tuple[str, str]:
    """('404/1003 NotFound', the message)."""
    body = json.loads(answer.body)
    sub_status = answer.headers.get("x-ms-substatus", "0")
    status = f"{answer.status}/{sub_status}" if sub_status != "0" else str(answer.status)
    found = re.search(r'\{"[Ee]rrors":\[.*?\]\}(?=\r\n|$)', body["message"], re.DOTALL)
    message = body["message"].partition("\r\nActivityId: ")[0]
    if found:
        parts = json.loads(found[0])
        message = parts["Errors"][0] if "Errors" in parts else sql_errors(parts["errors"])
    return f"{status} {body['code']}", message.replace("\n", "\\n").replace("\r", "\\r")


def sql_errors(errors: list[dict]) -> str:
    """`SC2001 at 7-8: Identifier 'x' could not be resolved.`, one line per error."""
    def one(error: dict) -> str:
        if error["severity"] != "Error" or set(error) - {"severity", "location", "code", "message"}:
            raise BrokenRule(f"an error of unknown shape: {error}")
        where = error.get("location")
        code = str(error["code"]) + " " if "code" in error else ""
        return f"{code}at {where['start']}-{where['end']}: {error['message']}" if where else (
            f"{code.strip()}: {error['message']}" if code else error["message"])
    return "\n".join(map(one, errors))


def normalise(text: str) -> str:
    text = re.sub(r'"_etag":"\\"([^"\\]*)\\""', lambda m: f'"_etag":"{etag_shape(m[1])}"', text)
    text = re.sub(r'"(_rid|offerResourceId)":"([^"]+)"', lambda m: f'"{m[1]}":"{rid_shape(m[2])}"', text)
    text = re.sub(r'"(_self|resource)":"([^"]+)"', lambda m: f'"{m[1]}":"{link_shape(m[2])}"', text)
    text = re.sub(r'"media":"/media/([^"]+)"', lambda m: f'"media":"/media/{rid_shape(m[1])}"', text)
    text = re.sub(r'"(_ts|offerLastReplaceTimestamp)":(\d+)(?=[,}])',
                  lambda m: f'"{m[1]}":{time_shape(int(m[2]))}', text)
    text = re.sub(r'"(_?lsn|previousImageLSN)":\d+(?=[,}])', r'"\1":<lsn>', text)
    text = re.sub(r'"crts":(\d+)(?=[,}])', lambda m: f'"crts":{time_shape(int(m[1]))}', text)
    text = re.sub(r'"_token":"type=resource&ver=1&sig=[\w+/]+=*;[\w+/]+=*;"', '"_token":"<token>"', text)
    if '"offerVersion"' in text:
        text = re.sub(r'"id":"([^"]{4})"', lambda m: f'"id":"{rid_shape(m[1])}"', text)
    for word, tail in TAILS.items():
        text = text.replace(tail, word + "}")
        text = text.replace(tail.removesuffix("}") + ",", word + ",")
    text = re.sub(r"(.)\1{99,}", lambda m: f"${{{m[1]}*{len(m[0])}}}", text)
    return re.sub(r'https?://127\.0\.0\.1:\d+/', "<endpoint>", text)


def normalise_header(name: str, value: str | None) -> str:
    if value is None:
        return "<none>"
    if name == "etag" and re.fullmatch(r'"[^"]*"', value):
        return etag_shape(value[1:-1])
    if name == "x-ms-session-token":
        return re.sub(r"^\d+:(\d+#)?\d+$", lambda m: f"<range>:{'<version>#' if m[1] else ''}<lsn>", value)
    if name in ("lsn", "x-ms-item-lsn", "x-ms-documentdb-partitionkeyrangeid"):
        return re.sub(r"^\d+$", "<number>", value)
    if name == "x-ms-continuation":
        # Its own text is opaque, the JSON around it is not.
        return re.sub(r'^[\w+/]+=*$|(?<="token":")[\w+/]+=*(?=")', "<token>", value)
    if name == "x-ms-documentdb-query-metrics":
        value = re.sub(r"(TimeInMs)=\d+\.\d\d(?=;|$)", r"\1=<n.nn>", value)
        return re.sub(r"(instructionCount|[a-z]+DocumentSize)=[1-9]\d*", r"\1=<n>", value)
    if name == "x-ms-cosmos-index-utilization":
        encoding, text = "percent-encoded", urllib.parse.unquote(value)
        if not text.startswith("{"):
            encoding, text = "base64", base64.b64decode(value, validate=True).decode()
        return f"({encoding}) {json.dumps(json.loads(text), sort_keys=True)}"
    if name == "x-ms-content-path":
        return rid_shape(value)
    if name == "content-location":
        return re.sub(r"^https?://127\.0\.0\.1:\d+/", "<endpoint>", value)
    return value


def etag_shape(tag: str) -> str:
    return "<etag>" if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", tag) else tag


def rid_shape(rid: str) -> str:
    try:
        return f"<rid:{len(base64.b64decode(rid.replace('-', '/'), validate=True))}>"
    except ValueError:
        return rid


def link_shape(link: str) -> str:
    return re.sub(r"(?<=/)[A-Za-z0-9+-]+=*(?=/)",
                  lambda m: m[0] if m[0] in ("dbs", "colls", "docs", "sprocs", "triggers", "udfs",
                                             "pkranges", "offers", "users", "permissions",
                                             "attachments")
                  else rid_shape(m[0]), link)


def time_shape(seconds: int) -> str:
    return "<ts>" if abs(time.time() - seconds) < SECONDS_OF_A_DAY else str(seconds)
