"""Clients that move amounts between accounts: by stored procedures, by transactional batches with
etags and with patches. Any query or procedure that adds up all accounts must find the total
unchanged, and the move counter of each account must match the acknowledged moves."""

import random
import threading
from contextlib import contextmanager
from typing import Iterator

from answers import UNCERTAIN, had_no_effect
from lib.client import Answer, Client, make_container
from lib.report import expect

KEY = {"x-ms-documentdb-partitionkey": '["bank"]', "Content-Type": "application/json"}
BATCH = KEY | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
QUERY = KEY | {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"}
ACCOUNTS = [str(number) for number in range(8)]
START = 1000
TOTAL = len(ACCOUNTS) * START

MOVE_PROCEDURE = """function (from, to, amount) {
    var c = getContext().getCollection(), link = c.getAltLink() + '/docs/';
    function accepted(yes) { if (!yes) throw new Error('not accepted'); }
    accepted(c.readDocument(link + from, function (e1, a) {
        if (e1) throw e1;
        accepted(c.readDocument(link + to, function (e2, b) {
            if (e2) throw e2;
            a.amount -= amount; a.moves++; b.amount += amount; b.moves++;
            accepted(c.replaceDocument(a._self, a));
            accepted(c.replaceDocument(b._self, b));
        }));
    }));
}"""
TOTAL_PROCEDURE = """function () {
    var c = getContext().getCollection();
    function accepted(yes) { if (!yes) throw new Error('not accepted'); }
    accepted(c.queryDocuments(c.getSelfLink(), 'SELECT VALUE SUM(r.amount) FROM r', function (e1, first) {
        if (e1) throw e1;
        accepted(c.readDocuments(c.getSelfLink(), {pageSize: 100}, function (e2, all) {
            if (e2) throw e2;
            getContext().getResponse().setBody([first[0], all.reduce(function (s, d) { return s + d.amount; }, 0)]);
        }));
    }));
}"""


class Bank:
    """The container, and the state shared by all clients."""

    def __init__(self):
        self.lock = threading.Lock()
        self.link = ""
        self.moves = dict.fromkeys(ACCOUNTS, 0)  # acknowledged
        self.unknown = dict.fromkeys(ACCOUNTS, 0)  # no answer: applied or not

    def fill(self, client: Client) -> None:
        self.link = "/" + make_container(client, "isolation", {
            "id": "bank", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
        for name, body in [("move", MOVE_PROCEDURE), ("total", TOTAL_PROCEDURE)]:
            made = client.request("POST", self.link + "/sprocs", {"id": name, "body": body}, KEY)
            expect(made.status == 201, f"{name}: {made.status} {made.body!r}")
        for account in ACCOUNTS:
            made = client.request("POST", self.link + "/docs", {"id": account, "pk": "bank", "moves": 0,
                                                                "amount": START}, KEY)
            expect(made.status == 201, f"{account}: {made.status} {made.body!r}")

    def work(self, client: Client, rng: random.Random) -> str:
        """Performs one operation; returns its outcome."""
        a, b = rng.sample(ACCOUNTS, 2)
        what = rng.choices([self.by_procedure, self.by_batch, self.by_patch, self.touch, self.look],
                           [3, 2, 1, 1, 2])[0]
        return f"{what.__name__} {what(client, a, b, rng.randint(1, 50))}"

    @contextmanager
    def moving(self, *accounts: str) -> Iterator["Move"]:
        """Wraps a request that changes accounts; without an answer the change stays unknown."""
        self.add(self.unknown, accounts, 1)
        move = Move()
        yield move
        if move.status == UNCERTAIN:
            return
        self.add(self.unknown, accounts, -1)
        if move.status == 200:
            self.add(self.moves, accounts, 1)

    def add(self, counters: dict[str, int], accounts: tuple[str, ...], count: int) -> None:
        with self.lock:
            for account in accounts:
                counters[account] += count

    def by_procedure(self, client: Client, a: str, b: str, amount: int) -> str:
        with self.moving(a, b) as move:
            return move.ended(client.request("POST", self.link + "/sprocs/move", [a, b, amount], KEY))

    def by_batch(self, client: Client, a: str, b: str, amount: int) -> str:
        operations = []
        for account, change in ((a, -amount), (b, amount)):
            item = self.read(client, account)
            operations.append({"operationType": "Replace", "id": account, "ifMatch": item["_etag"],
                               "resourceBody": item | {"amount": item["amount"] + change,
                                                       "moves": item["moves"] + 1}})
        with self.moving(a, b) as move:
            return move.ended(client.request("POST", self.link + "/docs", operations, BATCH), 207)

    def by_patch(self, client: Client, a: str, b: str, amount: int) -> str:
        operations = [{"operationType": "Patch", "id": account, "resourceBody": {"operations": [
            {"op": "incr", "path": "/amount", "value": change},
            {"op": "incr", "path": "/moves", "value": 1}]}}
            for account, change in ((a, -amount), (b, amount))]
        with self.moving(a, b) as move:
            return move.ended(client.request("POST", self.link + "/docs", operations, BATCH))

    def touch(self, client: Client, a: str, _b: str, _amount: int) -> str:
        """A plain write: changes an account but not its amount."""
        item = self.read(client, a)
        with self.moving(a) as move:
            return move.ended(client.request("PUT", f"{self.link}/docs/{a}",
                                             item | {"moves": item["moves"] + 1},
                                             KEY | {"If-Match": item["_etag"]}))

    def read(self, client: Client, account: str) -> dict:
        answer = client.request("GET", f"{self.link}/docs/{account}", None, KEY)
        expect(answer.status == 200, f"{account}: {answer.status} {answer.body!r}")
        return answer.json()

    def look(self, client: Client, *_) -> str:
        answer = client.request("POST", self.link + "/docs",
                                {"query": "SELECT VALUE SUM(c.amount) FROM c"}, QUERY)
        expect(answer.status == 200, f"total: {answer.status} {answer.body!r}")
        expect(answer.json()["Documents"] == [TOTAL], f"a query found {answer.body!r}")
        answer = client.request("POST", self.link + "/sprocs/total", [], KEY)
        if had_no_effect(answer):
            return str(answer.status)
        expect(answer.status == 200, f"total: {answer.status} {answer.body!r}")
        expect(answer.json() == [TOTAL, TOTAL], f"a procedure found {answer.body!r}")
        return "done"

    def settle(self, client: Client) -> None:
        """Checks the total and each account's moves while no client is running."""
        self.look(client)
        for account in ACCOUNTS:
            least, most = self.moves[account], self.moves[account] + self.unknown[account]
            found = self.read(client, account)["moves"]
            expect(least <= found <= most, f"account {account}: {found} moves, {least} were acknowledged "
                                           f"and {most} requested")
            self.moves[account], self.unknown[account] = found, 0


class Move:
    status: int | None = None

    def ended(self, answer: Answer, *refusals: int) -> str:
        expect(answer.status in (200, UNCERTAIN, *refusals) or had_no_effect(answer),
               f"{answer.status} {answer.body!r}")
        self.status = answer.status
        return "done" if answer.status == 200 else str(answer.status)
