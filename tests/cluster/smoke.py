#!/usr/bin/env python3
"""A cluster as its operator and its users know it: three nodes start, every kind of request works through every node,
the SDKs too; nodes join, leave, are drained and replaced, and what is wrong is refused.

    tests/cluster/smoke.py [--server build/release/orrery] [--sdk js,python] [--scenario REGEX]
"""

import argparse
import base64
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parent))

from lib.ceph import POOL, free_port  # noqa: E402
from lib.client import Answer, Client, make_container  # noqa: E402
from lib.cluster import Cluster, Node  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

JSON = {"Content-Type": "application/json"}
QUERY = {"Content-Type": "application/query+json", "x-ms-documentdb-isquery": "True",
         "x-ms-documentdb-query-enablecrosspartition": "True"}
BATCH = JSON | {"x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"}
PARTITIONS = 6
KEYS = [f"key {number}" for number in range(24)]
PATIENCE_SECONDS = 60
SDK_SECONDS = 900
READONLY_KEY = base64.b64encode(bytes([9] * 64)).decode()


def key_of(pk: str) -> dict[str, str]:
    return {"x-ms-documentdb-partitionkey": json.dumps([pk])}


class Smoke:
    def __init__(self, cluster: Cluster):
        self.cluster = cluster
        self.link = ""

    def client(self, node: Node) -> Client:
        return Client(node.port, self.cluster.key, host=node.address)

    def through(self, node: Node, method: str, path: str, wanted: int, body=None, headers: dict | None = None) -> Answer:
        with self.client(node) as client:
            answer = client.request(method, path, body, JSON | (headers or {}))
        expect(answer.status == wanted, f"{method} {path} through {node.name}: {answer.status} {answer.body[:300]!r}")
        return answer

    def each(self, check: Callable[[Node], None]) -> None:
        for node in self.cluster.nodes:
            check(node)

    # What the cluster says of itself.

    def description(self, node: Node) -> dict:
        return self.through(node, "GET", "/_admin/cluster", 200).json()

    def partitions_of(self, name: str) -> int:
        """What the node is assigned, as the first node sees it."""
        return self.described(self.cluster.nodes[0], name).get("partitionsAssigned", 0)

    def described(self, by: Node, name: str) -> dict:
        return next((node for node in self.description(by)["nodes"] if node["name"] == name), {})

    def await_that(self, what: str, condition: Callable[[], bool]) -> float:
        begun = time.monotonic()
        while not condition():
            if time.monotonic() > begun + PATIENCE_SECONDS:
                raise AssertionError(f"never: {what}; {self.description(self.cluster.nodes[0])}")
            time.sleep(0.05)
        return time.monotonic() - begun

    def all_agree(self) -> str:
        """Every node describes the same cluster, with all nodes alive."""
        names = sorted(node.name for node in self.cluster.nodes)
        for node in self.cluster.nodes:
            self.await_that(f"{node.name} knows {names}", lambda node=node: sorted(
                one["name"] for one in self.description(node)["nodes"] if one["state"] == "alive") == names)
        descriptions = [self.description(node) for node in self.cluster.nodes]
        expect(len({one["id"] for one in descriptions}) == 1, f"several clusters: {descriptions}")
        expect(len({one["coordinator"]["node"] for one in descriptions}) == 1, f"coordinators: {descriptions}")
        for one in descriptions:
            expect(sum(node["partitionsAssigned"] for node in one["nodes"]) == one["partitions"], f"{one}")
        return f"{len(names)} nodes, {descriptions[0]['partitions']} partitions"

    def admin_is_refused(self) -> str:
        node = self.cluster.nodes[0]
        with self.client(node) as client:
            for headers in ({"authorization": ""}, {"authorization": "type%3dmaster%26ver%3d1.0%26sig%3dAAAA"}):
                for method, path in (("GET", "/_admin/cluster"), ("POST", f"/_admin/nodes/{node.name}/drain")):
                    answer = client.request(method, path, b"" if method == "POST" else None, headers)
                    expect(answer.status == 401, f"{method} {path} by a stranger: {answer.status}")
        self.through(node, "POST", "/_admin/nodes/nobody/drain", 404, b"")
        for path in ("/cluster", "/nodes/n1/drain", "/_admin/dbs"):
            with self.client(node) as client:
                answer = client.request("GET", path)
                expect(answer.status in (400, 401, 404, 405), f"GET {path}: {answer.status}")
        return ""

    # What users do.

    def fill(self) -> str:
        """A container that one node makes is there for all others at once."""
        first = self.cluster.nodes[0]
        with self.client(first) as client:
            self.link = "/" + make_container(client, "smoke", {
                "id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})
        for node in self.cluster.nodes:
            ranges = self.through(node, "GET", f"{self.link}/pkranges", 200).json()["PartitionKeyRanges"]
            expect(len(ranges) == PARTITIONS, f"{node.name} sees {len(ranges)} partitions")
        for number, pk in enumerate(KEYS):
            writer, reader = (self.cluster.nodes[(number + shift) % len(self.cluster.nodes)] for shift in (0, 1))
            self.through(writer, "POST", f"{self.link}/docs", 201, {"id": "kept", "pk": pk, "n": number}, key_of(pk))
            found = self.through(reader, "GET", f"{self.link}/docs/kept", 200, None, key_of(pk)).json()
            expect(found["n"] == number, f"{reader.name}: {found}")
        return f"{len(KEYS)} items in {PARTITIONS} partitions"

    def resources(self, node: Node) -> None:
        """Databases, containers, offers, users and permissions, seen by the other nodes at once."""
        name = f"of-{node.name}"
        self.through(node, "POST", "/dbs", 201, {"id": name})
        self.through(node, "POST", f"/dbs/{name}/colls", 201, {"id": "c", "partitionKey": {
            "paths": ["/pk"], "kind": "Hash", "version": 2}})
        self.through(node, "POST", f"/dbs/{name}/users", 201, {"id": "u"})
        self.through(node, "POST", f"/dbs/{name}/users/u/permissions", 201, {
            "id": "p", "permissionMode": "Read", "resource": f"dbs/{name}/colls/c"})
        for other in self.cluster.nodes:
            self.through(other, "GET", f"/dbs/{name}/colls/c", 200)
            token = self.through(other, "GET", f"/dbs/{name}/users/u/permissions/p", 200).json()["_token"]
            with self.client(node) as client:
                answer = client.request("GET", f"/dbs/{name}/colls/c", None, {"authorization": token.replace("&", "%26")
                                                                              .replace("=", "%3d")})
            expect(answer.status == 200, f"with a token of {other.name} through {node.name}: {answer.status}")
            self.through(other, "GET", "/offers", 200)
            self.through(other, "POST", "/dbs", 409, {"id": name})
        self.through(self.cluster.nodes[-1], "DELETE", f"/dbs/{name}", 204)
        for other in self.cluster.nodes:
            self.through(other, "GET", f"/dbs/{name}", 404)

    def items(self, node: Node) -> None:
        """Every kind of write and read, on every partition."""
        docs, name = f"{self.link}/docs", f"of {node.name}"
        for pk in KEYS:
            one = f"{docs}/{name.replace(' ', '%20')}"
            self.through(node, "POST", docs, 201, {"id": name, "pk": pk, "n": 1}, key_of(pk))
            self.through(node, "POST", docs, 409, {"id": name, "pk": pk}, key_of(pk))
            self.through(node, "POST", docs, 200, {"id": name, "pk": pk, "n": 2},
                         key_of(pk) | {"x-ms-documentdb-is-upsert": "True"})
            etag = self.through(node, "PUT", one, 200, {"id": name, "pk": pk, "n": 3}, key_of(pk)).json()["_etag"]
            self.through(node, "PUT", one, 412, {"id": name, "pk": pk}, key_of(pk) | {"If-Match": '"wrong"'})
            self.through(node, "GET", one, 304, None, key_of(pk) | {"If-None-Match": etag})
            patched = self.through(node, "PATCH", one, 200, {"operations": [{"op": "incr", "path": "/n", "value": 4}]},
                                   key_of(pk) | {"Content-Type": "application/json_patch+json"}).json()
            expect(patched["n"] == 7, f"{patched}")
            self.through(node, "DELETE", one, 204, None, key_of(pk))
            self.through(node, "GET", one, 404, None, key_of(pk))

    def batches(self, node: Node) -> None:
        for pk in KEYS[:8]:
            operations = [{"operationType": "Create", "resourceBody": {"id": "batch", "pk": pk}},
                          {"operationType": "Read", "id": "kept"}, {"operationType": "Delete", "id": "batch"}]
            done = self.through(node, "POST", f"{self.link}/docs", 200, operations, key_of(pk) | BATCH).json()
            expect([one["statusCode"] for one in done] == [201, 200, 204], f"{done}")
            operations[1]["id"] = "never there"
            self.through(node, "POST", f"{self.link}/docs", 207, operations, key_of(pk) | BATCH)
            self.through(node, "GET", f"{self.link}/docs/batch", 404, None, key_of(pk))

    def queries(self, node: Node) -> None:
        """Over one partition, and over all of them, in order and in pages."""
        with self.client(node) as client:
            for pk in KEYS[:8]:
                answer = client.request("POST", f"{self.link}/docs", {"query": "SELECT VALUE c.n FROM c"},
                                        QUERY | key_of(pk))
                expect(answer.status == 200 and answer.json()["Documents"] == [KEYS.index(pk)], f"{answer}")
            expect(sorted(self.all_pages(client, "SELECT VALUE c.pk FROM c")) == sorted(KEYS), "all items")
            feed, _ = client.feed(f"{self.link}/docs", "Documents", {"x-ms-max-item-count": "5"})
            expect(sorted(item["pk"] for item in feed) == sorted(KEYS), f"the feed of items: {len(feed)}")
            changes = client.request("GET", f"{self.link}/docs", None, {"A-IM": "Incremental Feed",
                                                                        "x-ms-max-item-count": "1000"})
            expect(changes.status == 200, f"change feed: {changes.status} {changes.body[:300]!r}")
            for text in ("SELECT VALUE COUNT(1) FROM c", "SELECT c.n FROM c ORDER BY c.n DESC"):
                plan = client.request("POST", f"{self.link}/docs", {"query": text}, QUERY | {
                    "x-ms-cosmos-is-query-plan-request": "True",
                    "x-ms-cosmos-supported-query-features": "OrderBy, Aggregate, NonValueAggregate"})
                expect(plan.status == 200 and "queryInfo" in plan.json(), f"plan: {plan.status} {plan.body[:300]!r}")

    def all_pages(self, client: Client, text: str) -> list:
        found, headers = [], QUERY | {"x-ms-max-item-count": "5"}
        while True:
            answer = client.request("POST", f"{self.link}/docs", {"query": text}, headers)
            expect(answer.status == 200, f"{text}: {answer.status} {answer.body[:300]!r}")
            found += answer.json()["Documents"]
            token = answer.headers.get("x-ms-continuation")
            if not token:
                return found
            headers["x-ms-continuation"] = token

    def scripts(self, node: Node) -> None:
        """A script made through one node runs through all of them, where its partition is."""
        body = """function (id) { __.readDocument(__.getAltLink() + '/docs/' + id, function (error, item) {
            if (error) throw error; getContext().getResponse().setBody(item.n); }); }"""
        name = f"read-{node.name}"
        self.through(node, "POST", f"{self.link}/sprocs", 201, {"id": name, "body": body})
        for other in self.cluster.nodes:
            for pk in KEYS[:6]:
                answer = self.through(other, "POST", f"{self.link}/sprocs/{name}", 200, ["kept"], key_of(pk))
                expect(answer.json() == KEYS.index(pk), f"{pk}: {answer.body!r}")
        self.through(node, "DELETE", f"{self.link}/sprocs/{name}", 204)

    def everything_is_there(self) -> None:
        for node in self.cluster.nodes:
            if node.wanted:
                self.queries(node)

    # What operators do.

    def join(self) -> str:
        before = self.description(self.cluster.nodes[0])
        node = self.cluster.add("n4")
        seconds = self.await_that("n4 has partitions", lambda: self.partitions_of("n4") > 0)
        self.await_that("no more moves", lambda: not self.description(node)["moves"])
        after = self.description(node)
        expect(after["partitions"] >= before["partitions"], f"{before} {after}")
        self.everything_is_there()
        return f"{self.partitions_of('n4')} of {after['partitions']} partitions after {seconds:.0f} s"

    def drain(self) -> str:
        first, name = self.cluster.nodes[0], "n4"
        self.through(first, "POST", f"/_admin/nodes/{name}/drain", 202, b"")
        self.await_that("n4 is empty", lambda: self.partitions_of(name) == 0)
        expect(self.described(first, name)["state"] == "draining", f"{self.description(first)}")
        self.everything_is_there()
        self.through(first, "DELETE", f"/_admin/nodes/{name}/drain", 202)
        self.await_that("n4 has partitions again", lambda: self.partitions_of(name) > 0)
        return ""

    def leave(self) -> str:
        """A planned stop: it exits with 0, and what it had is elsewhere at once."""
        node = self.cluster.node("n4")
        self.cluster.stop(node)
        self.cluster.nodes.remove(node)
        expect(self.partitions_of("n4") == 0, f"{self.description(self.cluster.nodes[0])}")
        self.everything_is_there()
        return ""

    def coordinator_stops(self) -> str:
        name = self.description(self.cluster.nodes[0])["coordinator"]["node"]
        node = self.cluster.node(name)
        other = next(one for one in self.cluster.nodes if one is not node)
        self.cluster.stop(node)
        self.await_that("another coordinator", lambda: self.description(other)["coordinator"]["node"] != name)
        self.cluster.resume(node)
        self.cluster.await_ready()
        self.everything_is_there()
        return f"{name}, then {self.description(other)['coordinator']['node']}"

    def all_stop(self) -> str:
        """The data is in the storage, and a cluster that was stopped as a whole starts again."""
        for stop in (self.cluster.stop, self.kill):
            for node in self.cluster.nodes:
                stop(node)
            for node in self.cluster.nodes:
                self.cluster.resume(node)
            self.cluster.await_ready()
            self.everything_is_there()
        return "by SIGTERM, and by kill -9"

    def kill(self, node: Node) -> None:
        node.wanted = False
        self.cluster.kill(node)


def run_sdks(cluster: Cluster, sdk: str, scenario: str) -> str:
    """Every SDK through another node."""
    counts = []
    for number, name in enumerate(sdk.split(",")):
        node = cluster.nodes[number % len(cluster.nodes)]
        done = subprocess.run([sys.executable, str(HERE.parent / "sdk/run.py"), "--endpoint", cluster.url(node), "--sdk",
                               name, "--scenario", scenario, "--readonly-key", READONLY_KEY], capture_output=True, text=True, timeout=SDK_SECONDS)
        expect(done.returncode == 0, f"{name} through {node.name}:\n{done.stdout[-3000:]}{done.stderr[-500:]}")
        counts.append(f"{name} through {node.name}: {done.stdout.splitlines()[-1]}")
    return "; ".join(counts)


# What is wrong: (what, options, what the server says)
def wrong_inputs(cluster: Cluster) -> list[tuple[str, list[str], str]]:
    conf, name = str(cluster.ceph.conf), cluster.nodes[0].name
    nowhere = cluster.directory / "nowhere.conf"
    nowhere.write_text("[global]\nmon_host = [v2:127.0.0.1:1]\n[client]\nrados_mon_op_timeout = 5\n"
                       "client_mount_timeout = 5\n")
    damaged = cluster.directory / "damaged.conf"
    damaged.write_text("this is no configuration\n\0\1\2")
    member = ["--cluster", conf, "--pool", POOL]
    return [("the name of a node that runs", [*member, "--node", name], name),
            ("a pool that does not exist", ["--cluster", conf, "--pool", "nothing", "--node", "n9"], "nothing"),
            ("a configuration that leads nowhere", ["--cluster", str(nowhere), "--pool", POOL, "--node", "n9"], ""),
            ("a damaged configuration", ["--cluster", str(damaged), "--pool", POOL, "--node", "n9"], ""),
            ("no configuration", ["--cluster", str(conf) + ".missing", "--pool", POOL, "--node", "n9"], "missing"),
            ("no pool", ["--cluster", conf, "--node", "n9"], "--pool"),
            ("no name", ["--cluster", conf, "--pool", POOL], "--node"),
            ("no cluster", ["--pool", POOL, "--node", "n9"], "--cluster"),
            ("a name that cannot be one", [*member, "--node", "../n9"], "n9"),
            ("memory as well", [*member, "--node", "n9", "--ephemeral"], "--ephemeral"),
            ("a lease of no time", [*member, "--node", "n9", "--lease-ms", "1"], "--lease-ms")]


def refuse(cluster: Cluster, number: int, options: list[str], said: str) -> str:
    with Server(cluster.binary, cluster.directory / f"wrong{number}", *options,
                listen=f"127.0.0.1:{free_port()}") as server:
        code = server.wait_for_exit()
        log = server.tail(5)
    expect(code not in (0, 75) and code > 0, f"exit code {code}\n{log}")
    expect(said in log and log.strip(), f"it says {log!r}")
    return log.strip().splitlines()[-1][:150]


def no_cluster(cluster: Cluster) -> str:
    """A server of its own has nothing to say about clusters."""
    with Server(cluster.binary, cluster.directory / "single", "--ephemeral").wait_until_ready() as server, \
            Client(server.port) as client:
        for method, path in (("GET", "/_admin/cluster"), ("POST", "/_admin/nodes/n1/drain")):
            answer = client.request(method, path, b"" if method == "POST" else None)
            expect(answer.status == 404, f"{method} {path}: {answer.status}")
        server.stop()
    return ""


def play(options: argparse.Namespace, report: Report, scratch: Path) -> None:
    readonly = scratch / "readonly.key"
    readonly.write_text(READONLY_KEY)
    with Cluster(options.server, scratch, ["n1", "n2", "n3"], "--partitions", str(PARTITIONS),
                 "--readonly-key-file", str(readonly)) as cluster:
        smoke = Smoke(cluster)
        report.run("all nodes agree", smoke.all_agree)
        report.run("only the account's owner may ask and drain", smoke.admin_is_refused)
        if not report.run("a container with items", smoke.fill):
            return
        for check in (smoke.resources, smoke.items, smoke.batches, smoke.queries, smoke.scripts):
            report.run(f"{check.__name__} through every node", lambda check=check: smoke.each(check))
        if options.sdk:
            report.run("SDKs", lambda: run_sdks(cluster, options.sdk, options.scenario))
        for number, (what, words, said) in enumerate(wrong_inputs(cluster)):
            report.run(f"refused: {what}", lambda number=number, words=words, said=said:
                       refuse(cluster, number, words, said))
        report.run("a server without a cluster", lambda: no_cluster(cluster))
        for what, check in [("a node joins", smoke.join), ("a node is drained", smoke.drain),
                            ("a node leaves", smoke.leave), ("the coordinator stops", smoke.coordinator_stops),
                            ("all nodes stop", smoke.all_stop), ("all nodes agree in the end", smoke.all_agree)]:
            if not report.run(what, check):
                break
        expect(not cluster.problems, "; ".join(cluster.problems))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--sdk", default="python,js", help="suites to run; empty: none")
    parser.add_argument("--scenario", default="", metavar="REGEX", help="only these scenarios of the suites")
    options = parser.parse_args()
    report = Report()
    with scratch_directory("smoke") as scratch:
        report.run("the cluster", lambda: play(options, report, scratch))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
