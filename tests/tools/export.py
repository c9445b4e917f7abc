#!/usr/bin/env python3
"""`orrery export` against a server: every item exactly once, also after kill -9, Ctrl-C and splits.

    tests/tools/export.py [--server build/release/orrery]
"""
import argparse
import csv
import gzip
import io
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

from documents import generate  # noqa: E402
from export_consistent import ConsistentChecks  # noqa: E402
from export_world import SYSTEM, ExportWorld, exact, lines_of  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402


class Checks(ExportWorld):
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

    def tables(self, server: Server) -> str:
        """CSV and TSV with all columns, which the import makes the same items of."""
        for name in ("table.csv", "table.tsv.gz"):
            file = self.scratch / name
            done = self.export(server, "--output", str(file), "--json", "--quiet")
            expect(done.returncode == 0, done.stderr)
            report = json.loads(done.stderr)
            expect(report["items"] == self.COUNT and report["incompleteItems"] == 0, str(report))
            self.expect_all(self.imported(server, file))
            left = [path.name for path in self.scratch.glob(name + ".*")]
            expect(not left, f"left behind: {left}")
        done = self.export(server, "--format", "csv", "--quiet")
        expect(done.returncode == 0, done.stderr)
        columns = done.stdout.split("\n", 1)[0].count(",") + 1
        expect(done.stdout.startswith("id,pk,v"), done.stdout[:100])
        return f"{columns} columns"

    def table_of_every_shape(self, server: Server) -> str:
        """Other names, control characters, properties of several kinds, all kinds of partition keys."""
        items = {exact(line)["id"]: exact(line) for line in generate(1500)}
        first, file = self.new_file(), self.scratch / "shapes.csv"
        first.write_text("\n".join(generate(1500)))
        container = self.loaded(server, first)
        done = self.export(server, "--container", container, "--output", str(file), "--consistent", "--quiet")
        expect(done.returncode == 0, done.stderr)
        found = [exact(line) for line in self.imported(server, file)]
        expect({item["id"]: item for item in found} == items and len(found) == len(items), "other items")
        return f"{len(items)} items, {file.stat().st_size // 1024} KB"

    def columns(self, server: Server) -> str:
        done = self.export(server, "--format", "csv", "--columns", "_own,id,v.x", "--json", "--quiet")
        expect(done.returncode == 0, done.stderr)
        header, *rows = csv.reader(io.StringIO(done.stdout, newline=""))
        expect(header == ["_own", "id", "v.x"], str(header))
        expect(sorted(int(row[0]) for row in rows) == list(range(self.COUNT)), "not one row per item")
        expect(json.loads(done.stderr)["incompleteItems"] == self.COUNT, done.stderr)  # pk is missing
        done = self.export(server, "--format", "tsv", "--columns", "pk", "--query", "SELECT c.pk FROM c", "--quiet")
        expect(done.returncode == 0 and "without a column" not in done.stderr, done.stderr)
        expect(len(lines_of(done.stdout)) == self.COUNT + 1, "not one row per result")
        done = self.export(server, "--format", "csv", "--query", "SELECT VALUE 1")
        expect(done.returncode == 1 and "not an object" in done.stderr, done.stderr)
        return f"{len(rows)} rows"

    def split_files(self, server: Server) -> str:
        file = self.scratch / "parts.json"
        done = self.export(server, "--output", str(file), "--split-items", "300", "--quiet")
        expect(done.returncode == 0, done.stderr)
        parts = [json.loads(part.read_text(), parse_float=str, parse_int=str) for part in self.parts(file)]
        expect([len(part) for part in parts] == [300] * 6 + [200], str([len(part) for part in parts]))
        self.expect_all([self.texts[item["id"]] for part in parts for item in part])
        done = self.export(server, "--output", str(file), "--split-items", "300")
        expect(done.returncode == 1 and "parts-00001.json' exists" in done.stderr, done.stderr)
        done = self.export(server, "--output", str(file), "--split-bytes", "100000", "--overwrite", "--json", "--quiet")
        expect(done.returncode == 0, done.stderr)
        parts = self.parts(file)
        expect(len(parts) == json.loads(done.stderr)["files"] < 7, done.stderr)
        expect(all(part.stat().st_size <= 100_000 for part in parts), "a file is too large")
        self.expect_all(self.imported(server, *parts))
        return f"{len(parts)} files"

    def compressed(self, server: Server) -> None:
        for name, options in (("packed.jsonl.gz", ()), ("packed.jsonl.zst", ()), ("packed", ("--compress", "zstd"))):
            file = self.scratch / name
            done = self.export(server, "--output", str(file), "--quiet", *options)
            expect(done.returncode == 0, done.stderr)
            expect(file.stat().st_size * 3 < sum(map(len, self.texts.values())), "it is not smaller")
            self.expect_all(self.imported(server, file))
        done = subprocess.run(self.command(server, "--compress", "gzip", "--quiet"), capture_output=True, timeout=120)
        expect(done.returncode == 0, done.stderr.decode())
        self.expect_all(lines_of(gzip.decompress(done.stdout).decode()))

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
        refused(1, "there is no container 'other' in database", "--container", "other")
        refused(2, "--split-items", "--split-items", "5")
        refused(2, "--columns is for CSV", "--columns", "id")
        refused(2, "is there twice", "--columns", "id,id", "--format", "csv")
        refused(2, "--consistent", "--consistent", "--query", "SELECT * FROM c")
        refused(1, "exists", "--consistent", "--output", str(file))
        expect(file.read_text() == "precious", "the file has changed")

    def killed(self, server: Server) -> str:
        """Kills it whenever its checkpoint has moved on; the server's limit leaves time for that."""
        file = self.new_file()
        kills = self.kill_often(file, self.command(server, "--output", str(file), "--page-items", "1", "--quiet"))
        self.expect_all(lines_of(file.read_text()))
        return f"{kills} times"

    def killed_with_parts(self, server: Server) -> str:
        file = self.scratch / "killed.json.gz"
        kills = self.kill_often(file, self.command(server, "--output", str(file), "--page-items", "3", "--quiet",
                                                   "--split-items", "170"))
        parts = [json.loads(gzip.decompress(part.read_bytes()), parse_float=str, parse_int=str)
                 for part in self.parts(file)]
        expect([len(part) for part in parts] == [170] * 11 + [130], str([len(part) for part in parts]))
        self.expect_all([self.texts[item["id"]] for part in parts for item in part])
        return f"{kills} times, {len(parts)} files"

    def kill_often(self, file: Path, command: list[str]) -> int:
        checkpoint = file.with_name(file.name + ".checkpoint")
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
            if not checkpoint.exists():
                break  # it was killed after its last step
        expect(kills > 0, "it was never killed")
        return kills

    def killed_at_random(self, server: Server) -> str:
        """A consistent table, at whatever stage it is: reading, listing, following, writing."""
        source = random.Random(5)
        file = self.scratch / "random.csv.gz"
        checkpoint = file.with_name(file.name + ".checkpoint")
        command = self.command(server, "--output", str(file), "--consistent", "--quiet", "--page-items", "2")
        kills = 0
        for _ in range(12):
            with subprocess.Popen(command, stderr=subprocess.PIPE) as process:
                while process.poll() is None and not checkpoint.exists():
                    time.sleep(0.001)
                try:
                    expect(process.wait(source.uniform(0, 0.15)) == 0, process.stderr.read().decode())
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                    kills += 1
            if not checkpoint.exists():
                break  # it was killed on its last steps
        else:
            done = subprocess.run(command, capture_output=True, text=True, timeout=120)
            expect(done.returncode == 0, done.stderr)
        self.expect_all(self.imported(server, file))
        return f"{kills} times"

    def other_options(self, server: Server) -> None:
        file = self.new_file()
        checkpoint = file.with_name(file.name + ".checkpoint")
        file.write_text("")
        checkpoint.write_text('{"purpose":"other","items":0,"bytes":0,"file":1,"fileItems":0,"fileBytes":0,'
                              '"fileSize":0,"incompleteItems":0,"tasks":[]}')
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
            for check in (checks.round_trip, checks.queries, checks.tables, checks.table_of_every_shape, checks.columns,
                          checks.split_files, checks.compressed, checks.refusals, checks.other_options, checks.killed_at_random):
                report.run(check.__name__, lambda check=check: check(server))
        consistent = ConsistentChecks(checks.binary, scratch)
        for check in (checks.splits, consistent.consistent, consistent.consistent_under_load):
            report.run(check.__name__, check)
        with checks.server("throttled", throttle=True) as server:
            checks.fill(server, throughput=4000)
            checks.limit(server, 400)
            for check in (checks.throttled, checks.terminal, checks.killed, checks.killed_with_parts):
                report.run(check.__name__, lambda check=check: check(server))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
