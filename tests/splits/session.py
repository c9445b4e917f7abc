"""How the clients of this test send requests."""

import threading
import time
from collections import Counter

from lib.client import Answer, Client
from lib.report import expect

JSON = {"Content-Type": "application/json"}
QUERY = {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True",
         "x-ms-documentdb-query-enablecrosspartition": "True"}
RANGE = "x-ms-documentdb-partitionkeyrangeid"
SESSION = "x-ms-session-token"
TOKENS_KEPT = 60
SESSION_PATIENCE_SECONDS = 60


def sub_status(answer: Answer) -> str:
    return answer.headers.get("x-ms-substatus", "0")


def is_gone(answer: Answer) -> bool:
    return answer.status == 410 and sub_status(answer) == "1002"


def described(answer: Answer) -> str:
    return f"{answer.status}/{sub_status(answer)} {answer.body[:300]!r}"


class Tokens:
    """The session tokens of a client: the newest of every range it has seen, as SDKs keep them."""

    def __init__(self):
        self.of_range: dict[str, str] = {}

    def saw(self, answer: Answer) -> str:
        token = answer.headers.get(SESSION, "")
        if token:
            range_id = token.split(":")[0]
            self.of_range.pop(range_id, None)
            self.of_range[range_id] = token
            if len(self.of_range) > TOKENS_KEPT:
                self.of_range.pop(next(iter(self.of_range)))
        return token

    def all(self) -> str:
        return ",".join(self.of_range.values())


class Counts:
    """How often what happened, over all clients."""

    def __init__(self):
        self.lock = threading.Lock()
        self.of: Counter[str] = Counter()

    def add(self, what: str, count: int = 1) -> None:
        with self.lock:
            self.of[what] += count

    def take(self) -> str:
        with self.lock:
            text = ", ".join(f"{count} {what}" for what, count in sorted(self.of.items()))
            self.of.clear()
        return text


def with_session(client: Client, counts: Counts, method: str, path: str, token: str, body=None,
                 headers: dict | None = None) -> Answer:
    """A request that must see a session; a server may be behind, but not for long."""
    deadline = time.monotonic() + SESSION_PATIENCE_SECONDS
    while True:
        answer = client.request(method, path, body, (headers or {}) | ({SESSION: token} if token else {}))
        if answer.status != 404 or sub_status(answer) != "1002":
            return answer
        counts.add("sessions not available yet")
        expect(time.monotonic() < deadline, f"{method} {path}: the session {token[:200]} is never available")
        time.sleep(0.02)
