#!/usr/bin/env python3
"""Many clients move amounts between the accounts of one partition key: by stored procedures, by
transactional batches with etags, and by single writes that undo what they did. Readers add all
accounts up, in a query and in a procedure: every one of them must find the total unchanged, and the
counter of moves that each account carries must in the end say what was acknowledged.

    tests/isolation/run.py [--server build/release/orrery] [--seconds 10] [--seed 1]
"""
import argparse
import json
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import Client  # noqa: E402
from lib.report import Report, expect  # noqa: E402
from lib.server import Server  # noqa: E402

COLL = "/dbs/d/colls/c"
DOCS = COLL + "/docs"
KEY = {"x-ms-documentdb-partitionkey": '["bank"]', "Content-Type": "application/json"}
ACCOUNTS = 8
START = 1000
RETRIES = (409, 412, 424, 449)

MOVE = """function (from, to, amount) {
    var c = getContext().getCollection(), link = c.getAltLink() + '/docs/';
    c.readDocument(link + from, function (e1, a) {
        if (e1) throw e1;
        c.readDocument(link + to, function (e2, b) {
            if (e2) throw e2;
            a.amount -= amount; a.moves++; b.amount += amount; b.moves++;
            c.replaceDocument(a._self, a);
            c.replaceDocument(b._self, b, function () { getContext().getResponse().setBody(true); });
        });
    });
}"""
TOTAL = """function () {
    var c = getContext().getCollection();
    c.queryDocuments(c.getSelfLink(), 'SELECT VALUE SUM(r.amount) FROM r', function (e1, first) {
        if (e1) throw e1;
        c.readDocuments(c.getSelfLink(), {pageSize: 100}, function (e2, all) {
            if (e2) throw e2;
            getContext().getResponse().setBody([first[0], all.reduce(function (s, d) { return s + d.amount; }, 0)]);
        });
    });
}"""


class Bank:
    def __init__(self, port: int, seconds: float):
        self.port = port
        self.end = time.monotonic() + seconds
        self.lock = threading.Lock()
        self.moves = dict.fromkeys((str(i) for i in range(ACCOUNTS)), 0)
        self.counts: dict[str, int] = {}
        self.problems: list[str] = []

    def count(self, name: str, accounts: tuple = ()) -> None:
        with self.lock:
            self.counts[name] = self.counts.get(name, 0) + 1
            for account in accounts:
                self.moves[account] += 1

    def run(self, work, seed: int) -> None:
        rng = random.Random(seed)
        with Client(self.port) as client:
            while time.monotonic() < self.end:
                a, b = (str(n) for n in rng.sample(range(ACCOUNTS), 2))
                try:
                    work(client, a, b, rng.randint(1, 50))
                except Exception as error:
                    self.problems.append(f"{work.__name__}: {type(error).__name__}: {error}")
                    return

    def by_procedure(self, client: Client, a: str, b: str, amount: int) -> None:
        answer = client.request("POST", COLL + "/sprocs/move", [a, b, amount], KEY)
        expect(answer.status in (200, *RETRIES), f"{answer.status} {answer.body!r}")
        if answer.status == 200:
            self.count("procedures", (a, b))

    def read(self, client: Client, account: str) -> dict:
        answer = client.request("GET", f"{DOCS}/{account}", None, KEY)
        expect(answer.status == 200, f"{answer.status} {answer.body!r}")
        return answer.json()

    def by_batch(self, client: Client, a: str, b: str, amount: int) -> None:
        one, other = self.read(client, a), self.read(client, b)
        operations = []
        for item, change in ((one, -amount), (other, amount)):
            etag = item["_etag"]
            item["amount"] += change
            item["moves"] += 1
            operations.append({"operationType": "Replace", "id": item["id"], "resourceBody": item,
                               "ifMatch": etag})
        answer = client.request("POST", DOCS, operations, KEY | {
            "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"})
        expect(answer.status in (200, 207), f"{answer.status} {answer.body!r}")
        if answer.status == 200:
            self.count("batches", (a, b))

    def by_patch(self, client: Client, a: str, b: str, amount: int) -> None:
        operations = [{"operationType": "Patch", "id": account, "resourceBody": {"operations": [
            {"op": "incr", "path": "/amount", "value": change},
            {"op": "incr", "path": "/moves", "value": 1}]}}
            for account, change in ((a, -amount), (b, amount))]
        answer = client.request("POST", DOCS, operations, KEY | {
            "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"})
        expect(answer.status == 200, f"{answer.status} {answer.body!r}")
        self.count("patches", (a, b))

    def touch(self, client: Client, a: str, _b: str, _amount: int) -> None:
        """A plain writer: changes an account without changing its amount."""
        item = self.read(client, a)
        etag = item["_etag"]
        item["moves"] += 1
        answer = client.request("PUT", f"{DOCS}/{a}", item, KEY | {"If-Match": etag})
        expect(answer.status in (200, 412), f"{answer.status} {answer.body!r}")
        if answer.status == 200:
            self.count("writes", (a,))

    def look(self, client: Client, _a: str, _b: str, _amount: int) -> None:
        answer = client.request("POST", DOCS, {"query": "SELECT VALUE SUM(c.amount) FROM c"}, KEY | {
            "Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"})
        expect(answer.status == 200, f"{answer.status} {answer.body!r}")
        total = answer.json()["Documents"][0]
        expect(total == ACCOUNTS * START, f"a query found {total}")
        answer = client.request("POST", COLL + "/sprocs/total", [], KEY)
        expect(answer.status == 200, f"{answer.status} {answer.body!r}")
        totals = json.loads(answer.body)
        expect(totals == [ACCOUNTS * START] * 2, f"a procedure found {totals}")
        self.count("totals")

    def start(self, client: Client) -> None:
        for path, body in [("/dbs", {"id": "d"}),
                           ("/dbs/d/colls", {"id": "c", "partitionKey": {"paths": ["/pk"],
                                                                        "kind": "Hash"}}),
                           (COLL + "/sprocs", {"id": "move", "body": MOVE}),
                           (COLL + "/sprocs", {"id": "total", "body": TOTAL})]:
            made = client.request("POST", path, body, {"Content-Type": "application/json"})
            expect(made.status == 201, f"{path}: {made.status} {made.body!r}")
        for account in self.moves:
            made = client.request("POST", DOCS, {"id": account, "pk": "bank", "amount": START,
                                                 "moves": 0}, KEY)
            expect(made.status == 201, f"{made.status}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", default=str(ROOT / "build/release/orrery"))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as scratch, \
            Server(Path(options.server), Path(scratch) / "data").wait_until_ready() as server, \
            Client(server.port) as client:
        bank = Bank(server.port, options.seconds)
        bank.start(client)
        work = [bank.by_procedure] * 3 + [bank.by_batch] * 2 + [bank.by_patch, bank.touch,
                                                               bank.look, bank.look]
        threads = [threading.Thread(target=bank.run, args=(one, options.seed * 1000 + n))
                   for n, one in enumerate(work)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        def totals() -> str:
            expect(not bank.problems, "; ".join(bank.problems[:3]))
            missing = {"procedures", "batches", "patches", "writes", "totals"} - bank.counts.keys()
            expect(not missing, f"never got through: {missing}")
            return str(bank.counts)

        def no_lost_update() -> None:
            for account, moves in bank.moves.items():
                found = bank.read(client, account)["moves"]
                expect(found == moves, f"account {account}: {moves} acknowledged, {found} stored")

        report.run("the total is the same in every snapshot", totals)
        report.run("no acknowledged change is lost", no_lost_update)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
