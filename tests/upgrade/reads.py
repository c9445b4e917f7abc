"""Reads that are recorded with the old server and repeated with the new one, page by page."""

import json
import urllib.parse
from dataclasses import asdict, dataclass, field

from lib.client import Client
from lib.report import expect

PAGE_SIZE = 3
QUERY = {"content-type": "application/query+json", "x-ms-documentdb-isquery": "True"}
CROSS = {"x-ms-documentdb-query-enablecrosspartition": "True"}
MERGE = {"x-orrery-merge-partitions": "true"}

QUERIES = [
    "SELECT VALUE c.id FROM c",
    "SELECT VALUE c.id FROM c WHERE c.n >= 2 AND c.n < 12",
    "SELECT VALUE c.id FROM c WHERE c.bucket = 1 OR c.mixed = 'text 1'",
    "SELECT VALUE [c.id, t] FROM c JOIN t IN c.tags",
    "SELECT VALUE c.id FROM c ORDER BY c.n",
    "SELECT VALUE c.id FROM c ORDER BY c.n DESC",
    "SELECT VALUE c.id FROM c ORDER BY c.bucket DESC",
    "SELECT VALUE c.id FROM c ORDER BY c.mixed DESC",
    "SELECT VALUE c.id FROM c ORDER BY c.long",
    "SELECT VALUE c.id FROM c ORDER BY c.long DESC",
    "SELECT VALUE c.id FROM c WHERE c.bucket = 2 ORDER BY c.long DESC",
    "SELECT VALUE c.id FROM c ORDER BY c._ts DESC",
    "SELECT DISTINCT VALUE c.mixed FROM c",
    "SELECT DISTINCT VALUE c.bucket FROM c ORDER BY c.bucket DESC",
    "SELECT c.bucket, COUNT(1) AS count, MAX(c.n) AS most FROM c GROUP BY c.bucket",
    "SELECT VALUE c.id FROM c OFFSET 4 LIMIT 9",
    "SELECT TOP 10 VALUE c.id FROM c ORDER BY c.name",
    "SELECT VALUE COUNT(1) FROM c",
    "SELECT VALUE MAX(c.n) FROM c",
]
COMPOSITE_QUERIES = [
    "SELECT VALUE c.id FROM c ORDER BY c.bucket, c.n DESC",
    "SELECT VALUE c.id FROM c ORDER BY c.bucket DESC, c.n",
    "SELECT VALUE c.id FROM c ORDER BY c.lower DESC, c.n DESC",
    "SELECT VALUE c.id FROM c WHERE c.lower > 'name 01' AND udf.twice(c.bucket) = 4",
]


@dataclass
class Read:
    name: str
    method: str
    path: str
    headers: dict
    body: object = None
    # The token and the rows of some pages: the first, which has no token, the second, one in the middle and the last.
    # Rows of other pages are joined to the page before.
    pages: list = field(default_factory=list)


def fetch_page(client: Client, read: Read, token: str | None) -> tuple[int, list, str | None]:
    """Status, rows and the next token."""
    if "/sprocs/" in read.path:
        answer = client.request(read.method, read.path, [token, PAGE_SIZE], read.headers)
        page = answer.json() if answer.status == 200 else {}
        return answer.status, page.get("rows", []), page.get("continuation")
    headers = read.headers | ({} if token is None else {"x-ms-continuation": token})
    answer = client.request(read.method, read.path, read.body, headers)
    rows = answer.json().get("Documents", []) if answer.status == 200 else []
    if read.method == "GET":
        rows = [row["id"] for row in rows]  # the items are compared one by one
    return answer.status, rows, answer.headers.get("x-ms-continuation")


def rest_of(client: Client, read: Read, token: str | None) -> list:
    """The rows from this token to the end."""
    out = []
    while True:
        status, rows, token = fetch_page(client, read, token)
        expect(status == 200, f"{read.name}: status {status}")
        out += rows
        if token is None:
            return out


class Recorder:
    def __init__(self, client: Client):
        self.client = client

    def run(self, read: Read) -> dict | None:
        """None if the service's gateway refuses such a query, so that SDKs plan it themselves."""
        token, pages = None, []
        while token is not None or not pages:
            status, rows, following = fetch_page(self.client, read, token)
            if status == 400 and token is None:
                return None
            expect(status == 200, f"{read.name}: status {status}")
            pages.append([token, rows])
            token = following
        kept = {0, 1, len(pages) // 2, len(pages) - 1}
        for number, (token, rows) in enumerate(pages):
            if number in kept:
                read.pages.append([token, rows])
            else:
                read.pages[-1][1].extend(rows)
        return asdict(read)


def reads_of(container, link: str, ranges: list[dict]) -> list[Read]:
    docs = f"/{urllib.parse.quote(link)}/docs"
    size = {"x-ms-max-item-count": str(PAGE_SIZE)}
    scopes = {"all": {}, "range": {"x-ms-documentdb-partitionkeyrangeid": ranges[-1]["id"]},
              "part": {"x-ms-start-epk": "08" + "0" * 30, "x-ms-end-epk": "30" + "0" * 30}}
    items = list(container.items())
    key = container.key_of(items[0])
    if key is not None:
        scopes["key"] = {"x-ms-documentdb-partitionkey": json.dumps(key)}
        if len(key) > 1:
            scopes["prefix"] = {"x-ms-documentdb-partitionkey": json.dumps(key[:1])}
    reads = [Read(f"feed {name}", "GET", docs, size | headers) for name, headers in scopes.items()]
    queries = QUERIES + (COMPOSITE_QUERIES if container.scripted else [])
    for text in queries:
        body = {"query": text, "parameters": []}
        for name, headers in (scopes | {"merged": MERGE}).items():
            reads.append(Read(f"{name}: {text}", "POST", docs, QUERY | CROSS | size | headers, body))
    if container.scripted:
        reads.append(Read("script", "POST", f"/{urllib.parse.quote(link)}/sprocs/page",
                          {"x-ms-documentdb-partitionkey": '["a"]'}))
    return reads
