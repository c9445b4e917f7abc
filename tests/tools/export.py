#!/usr/bin/env python3
"""`orrery export` against a server: every item exactly once, also after kill -9, Ctrl-C and splits.

    tests/tools/export.py [--server build/release/orrery]
"""
import argparse
import json
import os
import pty
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

SYSTEM = {"_rid", "_self", "_etag", "_attachments", "_ts"}
TEXTS = ["", "plain", "ünïcödé \U0001f680", 'quotes " and \\ and \n', "a\u2028b", "null"]
NUMBERS = ["0", "-1", "1.50", "1e3", "123456789012345678901234567890", "0.1", "-0"]


def lines_of(text: str) -> list[str]:
    """splitlines() would also split at characters that strings may contain."""
    return text.removesuffix("\n").split("\n")


def exact(text: str) -> dict:
    """The item with its numbers as they are written."""
    return json.loads(text, parse_float=str, parse_int=str)


def some_value(source: random.Random, depth: int = 0) -> str:
    """JSON text of any shape."""
    kind = source.randrange(4 if depth > 3 else 6)
    if kind == 0:
        return source.choice(["true", "false", "null"])
    if kind == 1:
        return source.choice(NUMBERS)
    if kind in (2, 3):
        return json.dumps(source.choice(TEXTS), ensure_ascii=source.random() < 0.5)
    values = [some_value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind == 4:
        return "[" + ",".join(values) + "]"
    return "{" + ",".join(f'"{name}":{value}' for name, value in zip("xyz", values)) + "}"


def some_items(count: int) -> dict[str, dict]:
    source = random.Random(17)
    texts = {f"{n}": f'{{"id":"{n}","pk":"key {n % 50}","v":{some_value(source)},"_own":{n}}}'
             for n in range(count)}
    return {name: exact(text) for name, text in texts.items()} | {"texts": texts}


class Checks:
    COUNT = 2000

    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        made = some_items(self.COUNT)
        self.texts = made.pop("texts")
        self.items = made
        self.files = 0

    def fill(self, server: Server, throughput: int = 0) -> None:
        with Client(server.port) as client:
            link = make_container(client, "d", {"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}},
                                  {"x-ms-offer-throughput": str(throughput)} if throughput else None)
            for number, text in self.texts.items():
                key = f"key {int(number) % 50}"
                headers = {"x-ms-documentdb-partitionkey": json.dumps([key])}
                while (made := client.request("POST", f"/{link}/docs", text.encode(), headers)).status == 429:
                    time.sleep(int(made.headers["x-ms-retry-after-ms"]) / 1000)
                expect(made.status == 201, f"create: {made.status} {made.body!r}")

    def server(self, name: str, *options: str, throttle: bool = False) -> Server:
        return Server(self.binary, self.scratch / name, *options, throttle=throttle).wait_until_ready()

    def new_file(self) -> Path:
        self.files += 1
        return self.scratch / f"out-{self.files}"

    def command(self, server: Server, *options: str) -> list[str]:
        return [str(self.binary), "export", "--endpoint", f"http://127.0.0.1:{server.port}/",
                "--database", "d", "--container", "c", *options]

    def export(self, server: Server, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(server, *options), capture_output=True, text=True, timeout=120)

    def expect_all(self, lines: list[str]) -> None:
        found = [exact(line) for line in lines]
        names = [item["id"] for item in found]
        expect(len(names) == len(set(names)), f"{len(names) - len(set(names))} items twice")
        expect({item["id"]: item for item in found} == self.items, "other items than were stored")

    def round_trip(self, server: Server) -> str:
        done = self.export(server)
        expect(done.returncode == 0, done.stderr)
        self.expect_all(lines_of(done.stdout))
        file = self.new_file()
        done = self.export(server, "--output", str(file), "--format", "json", "--system-properties", "--quiet")
        expect(done.returncode == 0 and done.stderr == "", done.stderr)
        items = json.loads(file.read_text())
        expect(len(items) == self.COUNT and all(SYSTEM <= item.keys() for item in items), "system properties")
        expect(not file.with_name(file.name + ".checkpoint").exists(), "a checkpoint is left")
        return f"{len(items)} items"

    def queries(self, server: Server) -> None:
        def result(query: str, *options: str) -> list:
            done = self.export(server, "--query", query, *options)
            expect(done.returncode == 0, done.stderr)
            return [json.loads(line) for line in lines_of(done.stdout)]

        expect(result("SELECT VALUE COUNT(1) FROM c") == [self.COUNT], "count over all partitions")
        in_order = result("SELECT VALUE c._own FROM c ORDER BY c._own DESC", "--page-items", "50")
        expect(in_order == list(reversed(range(self.COUNT))), "order over all partitions")
        one_key = result("SELECT VALUE c.pk FROM c", "--partition-key", '"key 7"')
        expect(one_key == ["key 7"] * (self.COUNT // 50), str(one_key))

    def refusals(self, server: Server) -> None:
        def refused(code: int, text: str, *options: str) -> None:
            done = self.export(server, *options)
            expect(done.returncode == code and text in done.stderr, f"{options}: {done.returncode} {done.stderr}")

        file = self.new_file()
        file.write_text("precious")
        refused(1, "--overwrite", "--output", str(file))
        expect(file.read_text() == "precious", "the file has changed")
        refused(1, "cannot create", "--output", str(self.scratch / "missing" / "file"))
        refused(1, "authorization token", "--key", "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkhISE=")
        refused(2, "not a key in base64", "--key", "x")
        refused(1, "Syntax error", "--query", "SELECT")
        refused(2, "--partition-key", "--partition-key", "a")
        refused(1, "Resource Not Found", "--container", "other")

    def killed(self, server: Server) -> str:
        """Kills it whenever its checkpoint has moved on; the server's limit leaves time for that."""
        file = self.new_file()
        checkpoint = file.with_name(file.name + ".checkpoint")
        command = self.command(server, "--output", str(file), "--page-items", "1", "--quiet")
        source = random.Random(3)
        kills = reached = 0
        while True:
            with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
                while process.poll() is None:
                    try:
                        written = json.loads(checkpoint.read_text())["items"]
                    except FileNotFoundError:
                        continue
                    if written > reached:
                        reached = written
                        time.sleep(source.random() / 10)
                        process.kill()
                        process.wait()
                        kills += 1
                if process.returncode != -signal.SIGKILL:
                    expect(process.returncode == 0, process.stderr.read().decode())
                    break
        expect(kills > 0, "it was never killed")
        self.expect_all(lines_of(file.read_text()))
        return f"{kills} times"

    def other_options(self, server: Server) -> None:
        file = self.new_file()
        checkpoint = file.with_name(file.name + ".checkpoint")
        file.write_text("")
        checkpoint.write_text('{"purpose":"other","items":0,"bytes":0,"tasks":[]}')
        done = self.export(server, "--output", str(file))
        expect(done.returncode == 1 and "other options" in done.stderr, done.stderr)
        checkpoint.write_text("not JSON")
        expect(self.export(server, "--output", str(file)).returncode == 1, "took a broken checkpoint")
        done = self.export(server, "--output", str(file), "--overwrite")
        expect(done.returncode == 0, done.stderr)
        self.expect_all(lines_of(file.read_text()))

    def terminal(self, server: Server) -> None:
        """On a server that makes the export last for seconds, so that it does not end before Ctrl-C."""
        file = self.new_file()
        command = self.command(server, "--output", str(file), "--page-items", "1", "--parallel", "1")
        shown, process = self.on_terminal(command, interrupt=True)
        expect("\rexported " in shown and "items · " in shown and "\x1b[K" in shown, repr(shown))
        expect(process == 130, f"exit code {process}: {shown!r}")
        expect("run the same command again" in shown, repr(shown))
        done = self.export(server, "--output", str(file), "--page-items", "1", "--parallel", "1")
        expect(done.returncode == 0 and "going on after" in done.stderr, done.stderr)
        self.expect_all(lines_of(file.read_text()))

    def on_terminal(self, command: list[str], interrupt: bool) -> tuple[str, int]:
        """What a command shows on a terminal, and its exit code; Ctrl-C after the first progress."""
        process, terminal = pty.fork()
        if process == 0:
            os.execv(command[0], command)
        shown = b""
        while True:
            try:
                piece = os.read(terminal, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
            if interrupt and b"exported" in shown:
                os.write(terminal, b"\x03")
                interrupt = False
        _, status = os.waitpid(process, 0)
        os.close(terminal)
        return shown.decode(), os.waitstatus_to_exitcode(status)

    def splits(self) -> None:
        with self.server("churn", "--churn-partitions-ms", "50") as server:
            self.fill(server)
            file = self.new_file()
            done = self.export(server, "--output", str(file), "--page-items", "5")
            expect(done.returncode == 0, done.stderr)
            self.expect_all(lines_of(file.read_text()))

    def throttled(self, server: Server) -> str:
        done = self.export(server, "--page-items", "1", "--json", "--quiet")
        expect(done.returncode == 0, done.stderr)
        self.expect_all(lines_of(done.stdout))
        report = json.loads(done.stderr)
        expect(report["complete"] and report["items"] == self.COUNT, str(report))
        expect(report["requestUnits"] >= self.COUNT, str(report))
        return f"{report['requestUnits']} RU"

    def limit(self, server: Server, throughput: int) -> None:
        with Client(server.port) as client:
            offer = client.request("GET", "/offers").json()["Offers"][0]
            offer["content"]["offerThroughput"] = throughput
            made = client.request("PUT", f"/offers/{offer['id']}", offer)
            expect(made.status == 200, f"offer: {made.status} {made.body!r}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    report = Report()
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with scratch_directory("export") as scratch:
        checks = Checks(options.server.resolve(), scratch)
        with checks.server("data", "--partitions", "7") as server:
            checks.fill(server)
            for check in (checks.round_trip, checks.queries, checks.refusals,
                          checks.other_options):
                report.run(check.__name__, lambda check=check: check(server))
        report.run("splits", checks.splits)
        with checks.server("throttled", throttle=True) as server:
            checks.fill(server, throughput=4000)
            checks.limit(server, 400)
            for check in (checks.throttled, checks.terminal, checks.killed):
                report.run(check.__name__, lambda check=check: check(server))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
