#!/usr/bin/env python3
"""`orrery migrate`: the target ends with what the source has, under load, after kill -9, and when items cannot be there.

    tests/tools/migrate.py [--server build/release/orrery]
"""
import argparse
import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

SYSTEM = {"_rid", "_self", "_etag", "_attachments", "_ts"}
PATIENCE_SECONDS = 120
WRONG_KEY = "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkhISE="
POLICY = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
          "excludedPaths": [{"path": "/text/?"}]}


class Source:
    """A container, and what it has: the oracle."""

    def __init__(self, client: Client, name: str, count: int, seed: int = 1, **definition):
        self.client, self.name, self.random = client, name, random.Random(seed)
        self.link = make_container(client, "d", {
            "id": name, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}} | definition)
        self.items: dict[str, dict] = {}
        self.writes = 0
        for number in range(count):
            self.write(f"{number}")

    def write(self, name: str, **more) -> None:
        """An item has the same partition key all its life, but not the same owner."""
        self.writes += 1
        item = {"id": name, "pk": f"key {int(name) % 20}",
                "owner": {"name": f"owner {self.random.randrange(9)}"}, "n": self.writes, "text": "x" * 50} | more
        made = self.client.item("POST", self.link, item["pk"], body=item, headers={"x-ms-documentdb-is-upsert": "True"})
        expect(made.status in (200, 201), f"write: {made.status} {made.body!r}")
        self.items[name] = item

    def delete(self, name: str) -> None:
        gone = self.client.item("DELETE", self.link, self.items[name]["pk"], name)
        expect(gone.status == 204, f"delete: {gone.status} {gone.body!r}")
        del self.items[name]

    def change(self) -> None:
        kind = self.random.random()
        if kind < 0.2:
            self.write(f"{self.random.randrange(10 ** 6, 10 ** 9)}")
        elif kind < 0.6:
            self.write(self.random.choice(list(self.items)))
        else:
            name = self.random.choice(list(self.items))
            self.delete(name)
            if kind > 0.8:
                self.write(name)

    def change_until(self, stopping: threading.Event) -> None:
        while not stopping.is_set():
            self.change()


class Checks:
    COUNT = 1500

    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch

    def server(self, name: str, *options: str) -> Server:
        return Server(self.binary, self.scratch / name, "--ephemeral", *options).wait_until_ready()

    def command(self, server: Server, source: str, target: str, *options: str) -> list[str]:
        return [str(self.binary), "migrate", "--endpoint", f"http://127.0.0.1:{server.port}/", "--database", "d",
                "--container", source, "--to-container", target, "--quiet", "--json", "--state",
                str(self.scratch / f"{server.port}-{target}"), *options]

    def migrate(self, server: Server, source: str, target: str, *options: str, code: int = 0) -> dict:
        done = subprocess.run(self.command(server, source, target, *options), capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == code, f"exit code {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout) | {"stderr": done.stderr}

    @staticmethod
    def expect_items(client: Client, container: str, expected: dict[str, dict], database: str = "d") -> None:
        found, _ = client.feed(f"/dbs/{database}/colls/{container}/docs", "Documents")
        plain = [{name: value for name, value in item.items() if name not in SYSTEM} for item in found]
        names = [item["id"] for item in plain]
        expect(len(names) == len(set(names)), f"{len(names) - len(set(names))} items twice")
        items = {item["id"]: item for item in plain}
        lost, undead = expected.keys() - items.keys(), items.keys() - expected.keys()
        other = [name for name in items if name in expected and items[name] != expected[name]]
        expect(not lost and not undead and not other,
               f"{len(lost)} lost: {sorted(lost)[:3]}, {len(undead)} too many: {sorted(undead)[:3]}, "
               f"{len(other)} differ: {other[:3]}")

    def new_key(self, server: Server) -> str:
        policy = self.scratch / "policy.json"
        policy.write_text(json.dumps(POLICY))
        with Client(server.port) as client:
            source = Source(client, "orders", self.COUNT, defaultTtl=-1,
                            uniqueKeyPolicy={"uniqueKeys": [{"paths": ["/id"]}]})
            report = self.migrate(server, "orders", "by-owner", "--partition-key", "/owner/name,/id",
                                  "--indexing-policy", str(policy), "--throughput", "5000")
            expect(report["verified"] and report["sourceItems"] == report["targetItems"] == self.COUNT, str(report))
            expect(report["sourceChecksum"] == report["targetChecksum"], str(report))
            expect(report["changedDuringComparison"] == report["deleted"] == 0, str(report))
            self.expect_items(client, "by-owner", source.items)
            made = client.request("GET", "/dbs/d/colls/by-owner").json()
            expect(made["partitionKey"] == {"paths": ["/owner/name", "/id"], "kind": "MultiHash", "version": 2}, str(made))
            expect(made["defaultTtl"] == -1 and made["uniqueKeyPolicy"]["uniqueKeys"][0]["paths"] == ["/id"], str(made))
            expect({"path": "/text/?"} in made["indexingPolicy"]["excludedPaths"], str(made))
            # Later changes: the same command goes on.
            for _ in range(200):
                source.change()
            report = self.migrate(server, "orders", "by-owner")
            expect(report["verified"] and report["deleted"] > 0 and report["copied"] < 2 * self.COUNT, str(report))
            self.expect_items(client, "by-owner", source.items)
            return f"{report['copied']} versions, {report['deleted']} deleted"

    def killed_under_load(self) -> str:
        """Killed at random moments while clients write and ranges move, then left alone to end."""
        with self.server("loaded", "--partitions", "3", "--churn-partitions-ms", "100") as server, \
                Client(server.port) as client, Client(server.port) as reader:
            source = Source(client, "live", self.COUNT, seed=2)
            command = self.command(server, "live", "copy", "--partition-key", "/owner/name", "--parallel", "3")
            state = self.scratch / f"{server.port}-copy"
            stopping = threading.Event()
            writer = threading.Thread(target=source.change_until, args=(stopping,))
            writer.start()
            try:
                randoms, kills = random.Random(3), 0
                for number in range(6):
                    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
                        while process.poll() is None and not state.exists():
                            time.sleep(0.001)
                        try:
                            process.wait(randoms.uniform(0.01, 0.4))
                        except subprocess.TimeoutExpired:
                            process.send_signal(signal.SIGINT if number == 2 else signal.SIGKILL)
                            kills += 1
                    expect(process.returncode in (0, 130, -signal.SIGKILL), f"exit code {process.returncode}")
            finally:
                stopping.set()
                writer.join()
            report = self.migrate(server, "live", "copy", "--partition-key", "/owner/name")
            expect(report["verified"], str(report))
            self.expect_items(reader, "copy", source.items)
            return f"{kills} kills, {source.writes} writes, {report['deleted']} deleted at the end"

    def under_load(self) -> str:
        """Verifies while clients write; follows until Ctrl-C."""
        with self.server("followed", "--partitions", "2") as server, Client(server.port) as client, \
                Client(server.port) as reader:
            source = Source(client, "live", self.COUNT, seed=4)
            stopping = threading.Event()
            source.write("1", owner={"name": "x" * 5000})  # has no place, which must not keep it from following
            writer = threading.Thread(target=source.change_until, args=(stopping,))
            writer.start()
            command = self.command(server, "live", "copy", "--partition-key", "/owner/name", "--follow")
            with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
                try:
                    line = process.stderr.readline()
                    if "so far" in line:
                        line = process.stderr.readline()
                    expect("following changes until Ctrl-C" in line, line + process.stderr.read() if not line else line)
                finally:
                    stopping.set()
                    writer.join()
                source.write("12345678")  # what it follows arrives
                deadline = time.monotonic() + PATIENCE_SECONDS
                while not any(item["id"] == "12345678" for item in
                              reader.feed("/dbs/d/colls/copy/docs", "Documents")[0]):
                    expect(time.monotonic() < deadline and process.poll() is None, "the change does not arrive")
                    time.sleep(0.05)
                source.delete("12345678")
                source.write("1")
                process.send_signal(signal.SIGINT)
                out, error = process.communicate(timeout=PATIENCE_SECONDS)
            expect(process.returncode == 0, f"exit code {process.returncode}: {error}")
            report = json.loads(out)
            expect(report["verified"] and report["sourceChecksum"] == report["targetChecksum"], out)
            expect(report["sourceItems"] == len(source.items), out)
            self.expect_items(reader, "copy", source.items)
            return f"{source.writes} writes"

    def other_account(self, server: Server) -> None:
        with self.server("other", "--partitions", "2") as other, Client(server.port) as client, \
                Client(other.port) as there:
            source = Source(client, "moved", 300, seed=5)
            to = ["--to-endpoint", f"http://127.0.0.1:{other.port}/", "--to-database", "new"]
            self.migrate(server, "moved", "moved", *to)
            self.expect_items(there, "moved", source.items, "new")
            made = there.request("GET", "/dbs/new/colls/moved").json()
            expect(made["partitionKey"]["paths"] == ["/pk"], str(made))

    def items_without_a_place(self, server: Server) -> str:
        errors = self.scratch / "failed.jsonl"
        with Client(server.port) as client:
            source = Source(client, "mixed", 100, seed=6)
            source.write("200", owner={"name": "x" * 5000})  # too long for a partition key
            expected = dict(source.items)
            del expected["200"]
            # Two items with one id, which the new key does not tell apart.
            twin = dict(source.items["7"], pk="another key")
            made = client.item("POST", source.link, twin["pk"], body=twin)
            expect(made.status == 201, str(made))
            options = ("--partition-key", "/owner/name", "--errors", str(errors))
            report = self.migrate(server, "mixed", "placed", *options, code=1)
            expect(not report["verified"] and report["rejected"] == 2, str(report))
            failed = [json.loads(line) for line in errors.read_text().splitlines()]
            expect({line["item"]["id"] for line in failed} == {"200", "7"}, str(failed))
            expect(all(line["reason"] for line in failed), str(failed))
            client.item("DELETE", source.link, twin["pk"], "7")
            source.write("200")
            report = self.migrate(server, "mixed", "placed", *options)
            expect(report["verified"] and errors.read_text() == "", str(report))
            self.expect_items(client, "placed", source.items)
            source.write("3", owner={"name": "x" * 5000})
            report = self.migrate(server, "mixed", "placed", *options, code=1)
            expect(report["rejected"] == 1 and report["targetItems"] == 100, str(report))
            del source.items["3"]
            self.expect_items(client, "placed", source.items)
        return f"{len(failed)} refused"

    def occupied(self, server: Server) -> None:
        with Client(server.port) as client:
            source = Source(client, "one", 50, seed=7)
            Source(client, "two", 70, seed=8)
            report = self.migrate(server, "one", "two", code=1)
            expect("has items" in report["stderr"] and "--into-existing" in report["stderr"], str(report))
            expect(len(client.feed("/dbs/d/colls/two/docs", "Documents")[0]) == 70, "the target has changed")
            report = self.migrate(server, "one", "two", "--into-existing")
            expect(report["verified"] and report["deleted"] == 20, str(report))
            self.expect_items(client, "two", source.items)

    def refusals(self, server: Server) -> None:
        def refused(text: str, source: str, target: str, *options: str, code: int = 1) -> None:
            done = subprocess.run(self.command(server, source, target, *options), capture_output=True, text=True,
                                  timeout=PATIENCE_SECONDS)
            expect(done.returncode == code and text in done.stdout + done.stderr,
                   f"{source} {target} {options}: {done.returncode} {done.stderr}")

        with Client(server.port) as client:
            Source(client, "wanted", 5, seed=9)
            endpoint = f"http://127.0.0.1:{server.port}/"
            refused("authorization token", "wanted", "never", "--key", WRONG_KEY)
            refused("authorization token", "wanted", "never", "--to-endpoint", endpoint, "--to-key", WRONG_KEY)
            refused("--to-endpoint", "wanted", "never", "--to-key", WRONG_KEY, code=2)
            refused("is not a path", "wanted", "never", "--partition-key", "name", code=2)
            refused("there is no container 'missing'", "missing", "never")
            expect(client.request("GET", "/dbs/d/colls/never").status == 404, "a container was created")
            refused("is the source", "wanted", "wanted")
            make_container(client, "d", {"id": "empty", "partitionKey": {"paths": ["/a"], "kind": "Hash"}})
            refused("another partition key", "wanted", "empty", "--partition-key", "/b")
            state = self.scratch / f"{server.port}-fresh"
            state.write_text("not JSON")
            refused("fresh", "wanted", "fresh")
            state.unlink()
            self.migrate(server, "wanted", "fresh")
            refused("other containers", "wanted", "elsewhere", "--state", str(state))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    report = Report()
    with scratch_directory("migrate") as scratch:
        checks = Checks(options.server.resolve(), scratch)
        with checks.server("data", "--partitions", "3") as server:
            for check in (checks.new_key, checks.other_account, checks.items_without_a_place, checks.occupied,
                          checks.refusals):
                report.run(check.__name__, lambda check=check: check(server))
            server.stop()
        for check in (checks.killed_under_load, checks.under_load):
            report.run(check.__name__, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
