"""Requests signed with the account key, over one keep-alive connection."""

import base64
import hashlib
import hmac
import http.client
import json
import ssl
import time
import urllib.parse
from dataclasses import dataclass
from email.utils import formatdate

# The public emulator key, the server's default on loopback.
EMULATOR_KEY = ("C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/"
                "Jw==")
API_VERSION = "2020-07-15"

# The connection ended before a complete answer arrived: the outcome is unknown.
NO_ANSWER = (OSError, http.client.HTTPException)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    def json(self):
        return json.loads(self.body)


class Client:
    def __init__(self, port: int, key: str = EMULATOR_KEY, secure: bool = False,
                 timeout: float = 60, host: str = "127.0.0.1"):
        if secure:
            # The certificate is self-signed, and trust is not what these tests check.
            self.connection = http.client.HTTPSConnection(
                host, port, timeout=timeout, context=ssl._create_unverified_context())
        else:
            self.connection = http.client.HTTPConnection(host, port, timeout=timeout)
        self.key = base64.b64decode(key)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_) -> None:
        self.connection.close()

    def request(self, method: str, path: str, body=None, headers: dict | None = None) -> Answer:
        """`body`: an object to send as JSON, or bytes to send unchanged."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, separators=(",", ":")).encode()
        self.connection.request(method, path, body, self.signed(method, path) | (headers or {}))
        response = self.connection.getresponse()
        return Answer(response.status, response.headers, response.read())

    def signed(self, method: str, path: str, link: str | None = None,
               shift_seconds: float = 0) -> dict[str, str]:
        """`link` is signed instead of the path's own; `shift_seconds` shifts the signed date."""
        date = formatdate(time.time() + shift_seconds, usegmt=True)
        path = path.partition("?x-orrery")[0].removeprefix("/_admin")
        parts = path.strip("/").split("/") if path.strip("/") else []
        if "operations" in parts[-2:]:
            parts = parts[:-2]  # an operation on a container is signed as the container
        feed = len(parts) % 2 == 1
        kind = parts[-1 if feed else -2] if parts else ""
        if link is None and kind == "media" and not feed:
            link = attachment_rid(parts[-1]).lower()
        if link is None:
            link = urllib.parse.unquote("/".join(parts[:-1] if feed else parts))
        text = f"{method.lower()}\n{kind.lower()}\n{link}\n{date.lower()}\n\n"
        signature = base64.b64encode(hmac.new(self.key, text.encode(), hashlib.sha256).digest())
        token = "type=master&ver=1.0&sig=" + signature.decode()
        return {"authorization": urllib.parse.quote(token, safe=""), "x-ms-date": date,
                "x-ms-version": API_VERSION}

    def item(self, method: str, container: str, key, item_id: str | None = None, body=None,
             headers: dict | None = None) -> Answer:
        """A request on an item of `dbs/d/colls/c`; without `item_id` on the feed."""
        path = f"/{container}/docs" + (f"/{item_id}" if item_id is not None else "")
        return self.request(method, path, body,
                            {"x-ms-documentdb-partitionkey": json.dumps([key])} | (headers or {}))

    def feed(self, path: str, name: str, headers: dict | None = None) -> tuple[list, Answer]:
        """All pages of a feed, and the last answer."""
        found, headers = [], dict(headers or {})
        while True:
            answer = self.request("GET", path, headers=headers)
            if answer.status != 200:
                raise AssertionError(f"GET {path}: {answer.status} {answer.body[:300]!r}")
            found += answer.json()[name]
            if "x-ms-continuation" not in answer.headers:
                return found, answer
            headers["x-ms-continuation"] = answer.headers["x-ms-continuation"]


def attachment_rid(media_id: str) -> str:
    """The id of media is the rid of its attachment and one more byte."""
    try:
        rid = base64.b64decode(media_id.replace("-", "/"))[:20]
    except ValueError:
        return media_id
    return base64.b64encode(rid).decode().replace("/", "-")


def make_container(client: Client, database: str, definition: dict,
                   headers: dict | None = None) -> str:
    """Creates a container, and its database if missing; returns its link."""
    made = client.request("POST", "/dbs", {"id": database})
    if made.status not in (201, 409):
        raise AssertionError(f"create database: {made.status} {made.body!r}")
    made = client.request("POST", f"/dbs/{database}/colls", definition, headers)
    if made.status != 201:
        raise AssertionError(f"create container: {made.status} {made.body!r}")
    return f"dbs/{database}/colls/{definition['id']}"
