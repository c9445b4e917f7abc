"""A client that sends every request through any of the nodes, and judges what comes back instead of an answer."""

import random
import threading
import time
from collections import Counter

from lib.client import NO_ANSWER, Answer, Client
from lib.report import expect

CONNECTION_SECONDS = 15
# What clients are expected to try again; 410/1002 and 449 are answers that callers know.
RETRYABLE = (408, 429, 503)
GONE_RANGE = (410, "1002")
PAUSE_SECONDS = 0.05
PATIENCE_SECONDS = 90


class Unanswered(OSError):
    """The request may have been carried out, now or later, or not; its sender does not learn more."""


class Troubles:
    """What went wrong how often, of the kinds that are allowed."""

    def __init__(self):
        self.lock = threading.Lock()
        self.counts: Counter[str] = Counter()
        self.requests = 0

    def add(self, what: str) -> None:
        with self.lock:
            self.counts[what] += 1

    def answered(self) -> None:
        with self.lock:
            self.requests += 1

    def table(self) -> str:
        rows = [f"    {count:7}  {what}" for what, count in sorted(self.counts.items())]
        return "\n".join([f"{self.requests} answers, and instead of answers:", *rows])


class AnyNode(Client):
    """Has one connection to every node. `nodes` are those of lib.cluster."""

    def __init__(self, nodes: list, key: str, troubles: Troubles, rng: random.Random):
        super().__init__(0, key)
        self.nodes, self.account_key, self.troubles, self.rng = nodes, key, troubles, rng
        self.clients: dict[str, tuple[int, Client]] = {}

    def __exit__(self, *_) -> None:
        for name in list(self.clients):
            self.disconnect(name)

    def request(self, method: str, path: str, body=None, headers: dict | None = None) -> Answer:
        """Nodes that refuse connections have not seen the request, so others get it."""
        for node in self.rng.sample(self.nodes, len(self.nodes)):
            incarnation = node.incarnation
            try:
                answer = self.client_of(node).request(method, path, body, headers)
            except NO_ANSWER as error:
                self.disconnect(node.name)
                expect(node.was_disturbed(incarnation), f"{node.name} was left alone, but {method} {path}: {error!r}")
                self.troubles.add(f"no answer from a disturbed node ({type(error).__name__})")
                if isinstance(error, ConnectionRefusedError):
                    continue
                time.sleep(PAUSE_SECONDS)
                raise Unanswered(repr(error)) from None
            return self.judge(answer, f"{method} {path} through {node.name}")
        time.sleep(PAUSE_SECONDS)
        raise Unanswered("all nodes refuse connections")

    def judge(self, answer: Answer, what: str) -> Answer:
        sub_status = answer.headers.get("x-ms-substatus", "0")
        kind = f"{answer.status}/{sub_status}"
        known_gone = (answer.status, sub_status) == GONE_RANGE
        if answer.status in RETRYABLE or (answer.status == 410 and not known_gone):
            self.troubles.add(f"{kind} {message_of(answer)}")
            time.sleep(PAUSE_SECONDS)
            raise Unanswered(kind)
        # 404 with a sub-status: the container or the session is unknown to the node.
        expect((answer.status < 500 or answer.status == 501) and answer.status not in (401, 403) and
               (answer.status != 404 or sub_status == "0"), f"{what}: {kind} {answer.body[:300]!r}")
        if known_gone or answer.status == 449:
            self.troubles.add(f"{kind} {message_of(answer)}")
        self.troubles.answered()
        return answer

    def client_of(self, node) -> Client:
        known = self.clients.get(node.name)
        if not known or known[0] != node.incarnation:
            self.disconnect(node.name)
            self.clients[node.name] = (node.incarnation, Client(
                node.port, self.account_key, timeout=CONNECTION_SECONDS, host=node.address))
        return self.clients[node.name][1]

    def disconnect(self, name: str) -> None:
        known = self.clients.pop(name, None)
        if known:
            known[1].connection.close()


class Patient(AnyNode):
    """For requests that may be sent twice: sends them until there is an answer."""

    def request(self, method: str, path: str, body=None, headers: dict | None = None) -> Answer:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return super().request(method, path, body, headers)
            except Unanswered:
                if time.monotonic() > deadline:
                    raise


def message_of(answer: Answer) -> str:
    try:
        return answer.json()["message"].split("\n")[0].split("\r")[0][:100]
    except (ValueError, KeyError, TypeError):
        return answer.body[:60].decode(errors="replace")
