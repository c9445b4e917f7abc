"""The oracle for databases, containers and scripts: created, filled and deleted during kills."""

import random

from lib.client import NO_ANSWER, Client
from lib.report import expect

PREFIX = "made-"
SHARED = "made-shared"  # has throughput, shared by its containers without their own
DATABASES = ("made-1", "made-2", SHARED)
UDFS_MAX = 40  # per container; the server allows 50
# database -> container -> ids of its items and of its UDFs, which begin with `udf`
State = dict[str, dict[str, frozenset[str]]]


class ResourceWorker:
    def __init__(self):
        self.state: State = {}
        self.pending: tuple | None = None
        self.rids: dict[tuple[str, ...], str] = {}  # of existing resources
        self.used_rids: set[str] = set()
        self.items_made = 0
        self.acknowledged = 0

    def run(self, client: Client, rng: random.Random) -> None:
        """Sends requests until the server is killed."""
        try:
            while True:
                self.step(client, self.choose(rng))
        except NO_ANSWER:
            return

    def choose(self, rng: random.Random) -> tuple:
        database = rng.choice(DATABASES)
        containers = self.state.get(database)
        if containers is None:
            return ("create", database)
        if rng.random() < 0.12:
            return ("delete", database)
        container = rng.choice(["plain", "offered"])
        if container not in containers:
            return ("create", database, container)
        if rng.random() < 0.3:
            return ("delete", database, container)
        self.items_made += 1
        if rng.random() < 0.3 and sum(map(is_udf, containers[container])) < UDFS_MAX:
            return ("create", database, container, f"udf{self.items_made}")
        return ("create", database, container, f"item{self.items_made}")

    def step(self, client: Client, action: tuple) -> None:
        self.pending = action
        verb, *names = action
        kinds = ("dbs", "colls", "udfs" if is_udf(names[-1]) else "docs")
        path = "/" + "/".join(f"{kind}/{name}" for kind, name in zip(kinds, names))
        if verb == "delete":
            answer = client.request("DELETE", path)
        else:
            answer = client.request("POST", path.rpartition("/")[0], *self.content(names))
        self.pending = None
        expect(answer.status == (204 if verb == "delete" else 201),
               f"{action}: {answer.status} {answer.body[:300]!r}")
        if verb == "create":
            self.learn_rid(tuple(names), answer.json()["_rid"])
        self.state = after(self.state, action)
        self.acknowledged += 1

    @staticmethod
    def content(names: list[str]) -> tuple[dict, dict]:
        body = {"id": names[-1]}
        if len(names) == 2:
            body["partitionKey"] = {"paths": ["/id"], "kind": "Hash", "version": 2}
        if is_udf(names[-1]):
            body["body"] = f"() => '{names[-1]}'"
        return body, {"x-ms-offer-throughput": "400"} if names[-1] in (SHARED, "offered") else {}

    def learn_rid(self, names: tuple[str, ...], rid: str) -> None:
        expect(rid not in self.used_rids, f"{names}: rid {rid} was used before")
        self.used_rids.add(rid)
        self.rids[names] = rid

    def verify(self, client: Client) -> None:
        """Expects exactly the state before or after the pending request."""
        found, rids = self.read_state(client)
        possible = [self.state]
        if self.pending:
            possible.append(after(self.state, self.pending))
        expect(found in possible, f"databases: found {found}, expected one of {possible}")
        for names, rid in rids.items():
            if names in self.rids and exists(self.state, names):
                expect(self.rids[names] == rid, f"{names}: a different rid")
            else:
                self.learn_rid(names, rid)
        self.rids = rids
        self.state, self.pending = found, None

    def read_state(self, client: Client) -> tuple[State, dict[tuple[str, ...], str]]:
        state: State = {}
        rids: dict[tuple[str, ...], str] = {}
        owners = set()
        for database in client.feed("/dbs", "Databases")[0]:
            link = f"/dbs/{database['id']}"
            if not database["id"].startswith(PREFIX):
                owners |= {found["_rid"]
                           for found in client.feed(link + "/colls", "DocumentCollections")[0]}
                continue
            if database["id"] == SHARED:
                owners.add(database["_rid"])
            rids[(database["id"],)] = database["_rid"]
            state[database["id"]] = {}
            for container in client.feed(link + "/colls", "DocumentCollections")[0]:
                items, _ = client.feed(f"{link}/colls/{container['id']}/docs", "Documents")
                udfs, _ = client.feed(f"{link}/colls/{container['id']}/udfs", "UserDefinedFunctions")
                expect(all(udf["body"] == f"() => '{udf['id']}'" for udf in udfs), f"bodies of {udfs}")
                items = items + udfs
                state[database["id"]][container["id"]] = frozenset(item["id"] for item in items)
                rids[(database["id"], container["id"])] = container["_rid"]
                for item in items:
                    rids[(database["id"], container["id"], item["id"])] = item["_rid"]
                if database["id"] != SHARED or container["id"] == "offered":
                    owners.add(container["_rid"])
        offers, _ = client.feed("/offers", "Offers")
        expect({offer["offerResourceId"] for offer in offers} == owners,
               f"offers of {[offer['offerResourceId'] for offer in offers]}, expected {owners}")
        return state, rids


def after(state: State, action: tuple) -> State:
    verb, database, *rest = action
    state = {name: dict(containers) for name, containers in state.items()}
    if not rest:
        if verb == "create":
            state[database] = {}
        else:
            del state[database]
    elif len(rest) == 1:
        if verb == "create":
            state[database][rest[0]] = frozenset()
        else:
            del state[database][rest[0]]
    else:
        state[database][rest[0]] |= {rest[1]}
    return state


def is_udf(name: str) -> bool:
    return name.startswith("udf")


def exists(state: State, names: tuple[str, ...]) -> bool:
    if names[0] not in state or len(names) == 1:
        return names[0] in state
    containers = state[names[0]]
    return names[1] in containers and (len(names) == 2 or names[2] in containers[names[1]])
