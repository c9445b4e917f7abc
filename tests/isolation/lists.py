"""Clients that append to the lists of some items and read them by every kind of request, and record
what they saw. checker.py checks the record."""

import itertools
import json
import random
import re
import threading
from pathlib import Path

from answers import UNCERTAIN, had_no_effect
from history import Append, History, Read, Transaction
from lib.client import Answer, Client, make_container
from lib.report import expect

HERE = Path(__file__).parent
JSON = {"Content-Type": "application/json"}
QUERY = {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True"}
BATCH = JSON | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
PARTITION_KEYS = ("p0", "p1", "p2")
SLOTS = 4
APPENDS_MAX = 40  # per item; then a new item replaces it, so that lists stay short


class Keys:
    """The items in use; the first append creates an item."""

    def __init__(self):
        self.lock = threading.Lock()
        self.appends = {(pk, slot): 0 for pk in PARTITION_KEYS for slot in range(SLOTS)}

    def ids(self, pk: str) -> list[str]:
        return [f"{slot}.{self.appends[pk, slot] // APPENDS_MAX}" for slot in range(SLOTS)]

    def count(self, pk: str, item_id: str) -> None:
        with self.lock:
            self.appends[pk, int(item_id.partition(".")[0])] += 1


def body_of(pk: str, item_id: str, values: tuple[int, ...]) -> dict:
    return {"id": item_id, "pk": pk, "list": values, "n": len(values)}


def patch_of(value: int) -> dict:
    return {"operations": [{"op": "add", "path": "/list/-", "value": value},
                           {"op": "incr", "path": "/n", "value": 1}]}


def values_of(item: dict) -> tuple[int, ...]:
    expect(item["n"] == len(item["list"]), f"a partial change: {item}")
    return tuple(item["list"])


class ListsClient:
    """The operations of one client."""

    def __init__(self, client: Client, history: History, keys: Keys, link: str, rng: random.Random):
        self.client = client
        self.history = history
        self.keys = keys
        self.link = link
        self.rng = rng

    def work(self) -> str:
        pk = self.rng.choice(PARTITION_KEYS)
        what = self.rng.choices(
            [self.run_procedure, self.patch_in_batch, self.replace_in_batch, self.replace,
             self.replace_with_trigger, self.patch, self.read_one, self.query, self.read_feed],
            [35, 8, 8, 8, 6, 8, 8, 14, 5])[0]
        return f"{what.__name__} {what(pk)}"

    def send(self, method: str, path: str, pk: str | None, body=None, headers: dict | None = None) -> Answer:
        key = {"x-ms-documentdb-partitionkey": json.dumps([pk])} if pk else {}
        return self.client.request(method, f"/{self.link}{path}", body, JSON | key | (headers or {}))

    def append(self, pk: str, item_id: str) -> Append:
        self.keys.count(pk, item_id)
        return self.history.append(f"{pk}/{item_id}")

    def settle(self, answer: Answer, transaction: Transaction, steps: list[Read | Append]) -> str:
        """Records a write that either succeeded with these steps, or failed completely."""
        if answer.status in (200, 201):
            self.history.commit(transaction, steps)
            return "done"
        if answer.status == UNCERTAIN:
            return "unknown"  # it stays unknown in the history
        expect(had_no_effect(answer), f"{transaction.name}: {answer.status} {answer.body[:500]!r}")
        self.history.abort(transaction)
        return str(answer.status)

    # Scripts.

    def run_procedure(self, pk: str) -> str:
        ids = self.keys.ids(pk)
        steps, appends = self.plan(pk, ids)
        fails = self.rng.random() < 0.15
        transaction = self.history.begin("procedure", appends, at_once=False)
        answer = self.send("POST", "/sprocs/lists", pk, [pk, steps, fails])
        if answer.status == 200:
            self.history.commit(transaction, self.steps_of(pk, steps, appends, answer.json()))
            return "done"
        # The text is JSON nested in JSON; its content needs no escapes.
        seen = re.search(r"seen(.*?)seen", answer.body.decode().replace("\\", ""))
        if not seen:
            return self.settle(answer, transaction, [])
        expect(fails, f"{transaction.name} failed: {answer.body[:500]!r}")
        self.history.abort(transaction, self.steps_of(pk, steps, appends, json.loads(seen[1])))
        return "failed as asked"

    def plan(self, pk: str, ids: list[str]) -> tuple[list[list], list[Append]]:
        """Reads, some of them repeated, then alternating writes and reads."""
        several = self.rng.choices(ids, k=self.rng.randint(1, 4))
        steps = [self.rng.choice([["read", one], ["read", one], ["query", ids], ["feed", ids]])
                 for one in several]
        if self.rng.random() < 0.1:
            steps.append(["wait", self.rng.randint(1, 20)])
        appends = []
        for one in self.rng.choices(ids, k=self.rng.choice([0, 1, 1, 2, 2, 3])):
            append = self.append(pk, one)
            appends.append(append)
            how = self.rng.choice(["replace", "replace", "upsert", "recreate", "patch"])
            steps += [[how, one, append.value],
                      self.rng.choice([["read", one], ["read", self.rng.choice(ids)], ["query", ids],
                                       ["feed", ids]])]
        return steps, appends

    def steps_of(self, pk: str, steps: list[list], appends: list[Append], seen: list) -> list[Read | Append]:
        done: list[Read | Append] = []
        waiting = iter(appends)
        for (what, target, *_), found in zip(steps, seen, strict=True):
            if what == "wait":
                continue
            lists = {item_id: values_of({"list": values, "n": n}) for item_id, values, n in found}
            wanted = [target] if isinstance(target, str) else target
            done += [Read(f"{pk}/{one}", lists.get(one, ())) for one in wanted]
            if what not in ("read", "query", "feed"):
                done.append(next(waiting))
        return done

    def replace_with_trigger(self, pk: str) -> str:
        one, other = self.rng.sample(self.keys.ids(pk), 2)
        item = self.read_item(pk, one)
        appends = [self.append(pk, one), self.append(pk, other)]
        values = values_of(item) if item else ()
        body = body_of(pk, one, values + (appends[0].value,))
        body["also"] = {"id": other, "value": appends[1].value, "fails": self.rng.random() < 0.15}
        transaction = self.history.begin("trigger", appends, at_once=False)
        answer = self.write(pk, item, body, {"x-ms-documentdb-post-trigger-include": "lists"})
        if answer.status == 400 and body["also"]["fails"]:
            self.history.abort(transaction)
            return "failed as asked"
        return self.settle(answer, transaction, [Read(appends[0].key, values), *appends])

    # Batches.

    def patch_in_batch(self, pk: str) -> str:
        ids = self.rng.sample(self.keys.ids(pk), self.rng.randint(2, 3))
        appends = [self.append(pk, one) for one in ids]
        operations: list[dict] = []
        for one, append in zip(ids, appends):
            operations += [{"operationType": "Patch", "id": one, "resourceBody": patch_of(append.value)},
                           {"operationType": "Read", "id": self.rng.choice(ids)}]
        return self.send_batch(pk, operations, appends, {})

    def replace_in_batch(self, pk: str) -> str:
        ids = self.rng.sample(self.keys.ids(pk), 2)
        items = {one: self.read_item(pk, one) for one in ids}
        appends = [self.append(pk, one) for one in ids]
        read = {append.key: values_of(item) if item else () for append, item in zip(appends, items.values())}
        operations = []
        for append, (one, item) in zip(appends, items.items()):
            body = body_of(pk, one, read[append.key] + (append.value,))
            if not item:
                operations.append({"operationType": "Create", "resourceBody": body})
            elif self.rng.random() < 0.3:
                operations += [{"operationType": "Delete", "id": one, "ifMatch": item["_etag"]},
                               {"operationType": "Create", "resourceBody": body}]
            else:
                operations.append({"operationType": "Replace", "id": one, "resourceBody": body,
                                   "ifMatch": item["_etag"]})
        return self.send_batch(pk, operations, appends, read)

    def send_batch(self, pk: str, operations: list[dict], appends: list[Append],
                   read: dict[str, tuple[int, ...]]) -> str:
        """`read`: the state of the items that the batch's conditions imply."""
        if self.rng.random() < 0.15:
            operations.append({"operationType": "Delete", "id": "never there"})
        transaction = self.history.begin("batch", appends)
        answer = self.send("POST", "/docs", pk, operations, BATCH)
        if answer.status == 207:
            statuses = {result["statusCode"] for result in answer.json()}
            expect(statuses <= {404, 409, 412, 424, 449}, f"{transaction.name}: {answer.body[:500]!r}")
            self.history.abort(transaction)
            return "refused"
        if answer.status != 200:
            return self.settle(answer, transaction, [])
        steps: list[Read | Append] = [Read(key, values) for key, values in read.items()]
        waiting = iter(appends)
        for operation, result in zip(operations, answer.json(), strict=True):
            expect(result["statusCode"] in (200, 201, 204), f"{transaction.name}: {result}")
            if operation["operationType"] in ("Patch", "Replace", "Create"):
                steps.append(next(waiting))
            if operation["operationType"] != "Delete":
                item = result["resourceBody"]
                steps.append(Read(f"{pk}/{item['id']}", values_of(item)))
        self.history.commit(transaction, steps)
        return "done"

    # Single requests.

    def read_item(self, pk: str, item_id: str) -> dict | None:
        transaction = self.history.begin("read")
        answer = self.send("GET", f"/docs/{item_id}", pk)
        expect(answer.status in (200, 404), f"{transaction.name}: {answer.status} {answer.body[:500]!r}")
        item = answer.json() if answer.status == 200 else None
        self.history.commit(transaction, [Read(f"{pk}/{item_id}", values_of(item) if item else ())])
        return item

    def read_one(self, pk: str) -> str:
        self.read_item(pk, self.rng.choice(self.keys.ids(pk)))
        return "done"

    def write(self, pk: str, item: dict | None, body: dict, headers: dict | None = None) -> Answer:
        """Replaces `item` with `body`, unless another client changed it first."""
        if item:
            return self.send("PUT", f"/docs/{item['id']}", pk, body,
                             {"If-Match": item["_etag"]} | (headers or {}))
        return self.send("POST", "/docs", pk, body, headers)

    def replace(self, pk: str) -> str:
        one = self.rng.choice(self.keys.ids(pk))
        item = self.read_item(pk, one)
        append = self.append(pk, one)
        values = values_of(item) if item else ()
        transaction = self.history.begin("replace", [append])
        answer = self.write(pk, item, body_of(pk, one, values + (append.value,)))
        steps = [Read(append.key, values), append]
        if answer.status in (200, 201):
            steps.append(Read(append.key, values_of(answer.json())))
        return self.settle(answer, transaction, steps)

    def patch(self, pk: str) -> str:
        one = self.rng.choice(self.keys.ids(pk))
        append = self.append(pk, one)
        transaction = self.history.begin("patch", [append])
        answer = self.send("PATCH", f"/docs/{one}", pk, patch_of(append.value),
                           {"Content-Type": "application/json_patch+json"})
        steps: list[Read | Append] = [append]
        if answer.status == 200:
            steps.append(Read(append.key, values_of(answer.json())))
        return self.settle(answer, transaction, steps)

    # Many items at once: a page is a snapshot.

    def query(self, pk: str) -> str:
        ids = self.keys.ids(pk)
        where = self.rng.choice(["ARRAY_CONTAINS(@ids, c.id)", f"c.id IN ({json.dumps(ids)[1:-1]})",
                                 "c.n > 0 AND ARRAY_CONTAINS(@ids, c.id) ORDER BY c.n DESC"])
        body = {"query": f"SELECT c.id, c.pk, c.list, c.n FROM c WHERE {where}",
                "parameters": [{"name": "@ids", "value": ids}]}
        if self.rng.random() < 0.3:
            scope = {"x-ms-documentdb-partitionkeyrangeid": self.rng.choice(self.ranges())}
            return self.read_pages("POST", None, [], body, QUERY | scope)
        return self.read_pages("POST", pk, ids, body, QUERY)

    def ranges(self) -> list[str]:
        answer = self.send("GET", "/pkranges", None)
        expect(answer.status == 200, f"ranges: {answer.status} {answer.body[:500]!r}")
        return [one["id"] for one in answer.json()["PartitionKeyRanges"]]

    def read_feed(self, pk: str) -> str:
        return self.read_pages("GET", pk, self.keys.ids(pk))

    def read_pages(self, method: str, pk: str | None, ids: list[str], body: dict | None = None,
                   headers: dict | None = None, size: int | None = None) -> str:
        """`ids`: the items of interest, all if empty; those missing from a single page did not
        exist."""
        size = size or self.rng.choice([-1, -1, 2, 5])
        continuation: dict[str, str] = {}
        for number in itertools.count():
            transaction = self.history.begin("page")
            answer = self.send(method, "/docs", pk, body,
                               (headers or {}) | continuation | {"x-ms-max-item-count": str(size)})
            if answer.status == 410 and pk is None:  # the range it names has been split or merged
                self.history.commit(transaction, [])
                return "gone"
            expect(answer.status == 200, f"{transaction.name}: {answer.status} {answer.body[:500]!r}")
            lists = {f"{item['pk']}/{item['id']}": values_of(item) for item in answer.json()["Documents"]
                     if not ids or item["id"] in ids}
            token = answer.headers["x-ms-continuation"]
            if number == 0 and not token:
                lists = {f"{pk}/{one}": () for one in ids} | lists
            self.history.commit(transaction, [Read(key, values) for key, values in lists.items()])
            if not token:
                return "done"
            continuation = {"x-ms-continuation": token}


class Lists:
    """The container, and the state shared by all clients."""

    def __init__(self):
        self.history = History()
        self.keys = Keys()
        self.link = ""

    def fill(self, client: Client) -> None:
        self.link = make_container(client, "isolation", {
            "id": "lists", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
        scripts = [("sprocs", {"id": "lists", "body": (HERE / "lists_procedure.js").read_text()}),
                   ("triggers", {"id": "lists", "body": (HERE / "lists_trigger.js").read_text(),
                                 "triggerType": "Post", "triggerOperation": "All"})]
        for kind, script in scripts:
            made = client.request("POST", f"/{self.link}/{kind}", script, JSON)
            expect(made.status == 201, f"{kind}: {made.status} {made.body!r}")

    def work(self, client: Client, rng: random.Random) -> str:
        """Performs one operation; returns its outcome."""
        return self.worker(client, rng).work()

    def worker(self, client: Client, rng: random.Random) -> ListsClient:
        return ListsClient(client, self.history, self.keys, self.link, rng)

    def settle(self, client: Client) -> None:
        """Reads everything, for the history."""
        worker = self.worker(client, random.Random(0))
        before = len(self.history.transactions)
        for pk in PARTITION_KEYS:
            worker.read_pages("GET", pk, [], size=100)
        seen = {step.key for page in self.history.transactions[before:] for step in page.steps}
        for pk in PARTITION_KEYS:
            for newest in self.keys.ids(pk):
                slot, _, generations = newest.partition(".")
                for generation in range(int(generations) + 1):
                    if f"{pk}/{slot}.{generation}" not in seen:
                        worker.read_item(pk, f"{slot}.{generation}")
