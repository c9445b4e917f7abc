#!/usr/bin/env python3
"""`orrery bench` against a server: what it reports is what the server has done.

    tests/tools/bench.py [--server build/release/orrery]
"""
import argparse
import json
import math
import re
import signal
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
from terminal import Terminal  # noqa: E402
from world import DATABASE, PATIENCE_SECONDS, World  # noqa: E402

WORKLOADS = {"insert": {"insert"}, "read": {"read"}, "query": {"query"}, "a": {"read", "update"},
             "b": {"read", "update"}, "c": {"read"}, "d": {"read", "insert"}, "e": {"scan", "insert"},
             "f": {"read", "readModifyWrite"}}
MEMBERS = {"benchmark", "format", "version", "workload", "started", "complete", "interrupted", "problem",
           "settings", "load", "seconds", "unsent", "operations", "errors", "throttled", "conflicts",
           "itemsReturned", "throughput", "requestUnits", "requestUnitsPerSecond",
           "requestUnitsPerOperation", "latencyMs", "byOperation", "failures", "perMonth", "series",
           "cleanup"}
PERCENTILES = ["mean", "p50", "p90", "p99", "p99.9", "max"]
CREATE = ("--create", "--partition-key", "/pk")


def requests(server: Server) -> dict[str, int]:
    """How many requests the server has answered well so far, by operation."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    found: dict[str, int] = {}
    for line in text.splitlines():
        sample = re.match(r'orrery_requests_total\{operation="(\w+)",status="(\d+)"\} (\d+)', line)
        if sample and int(sample[2]) < 400:
            found[sample[1]] = found.get(sample[1], 0) + int(sample[3])
    return found


def bench(world: World, *arguments, code: int = 0) -> dict:
    return json.loads(world.run("bench", "--quiet", "--json", *arguments, code=code))


def output(world: World, *arguments) -> tuple[int, str]:
    """Its exit code, and all that it prints."""
    with world.start("bench", *arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        text, _ = process.communicate(timeout=PATIENCE_SECONDS)
    return process.returncode, text.decode()


def refused(world: World, code: int, text: str, *arguments) -> None:
    found, shown = output(world, *arguments)
    expect(found == code and text in shown, f"{arguments}: not {code} and '{text}' but {found}: {shown!r}")


def wait_for_requests(server: Server, before: dict[str, int], wanted: dict[str, int]) -> None:
    """Until the server has counted so many since then; it may count a request after its answer."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        now = requests(server)
        found = {operation: now.get(operation, 0) - before.get(operation, 0) for operation in wanted}
        if found == wanted:
            return
        expect(time.monotonic() < deadline, f"the server has seen {found}, not {wanted}")
        time.sleep(0.05)


def check_schema(result: dict, kinds: set[str]) -> None:
    expect(result.keys() == MEMBERS, f"members: {result.keys() ^ MEMBERS}")
    expect(result["byOperation"].keys() == kinds, str(result["byOperation"].keys()))
    for part in [result, *result["byOperation"].values()]:
        latencies = part["latencyMs"]
        expect(list(latencies) == PERCENTILES, str(latencies))
        order = [latencies[name] for name in PERCENTILES[1:]]
        expect(order == sorted(order), f"latencies: {latencies}")
        if part["operations"]:
            expect(0 < latencies["mean"] <= latencies["max"], f"latencies: {latencies}")
            expect(part["requestUnitsPerOperation"] > 0, str(part))
    for name in ("operations", "errors", "throttled"):
        for parts in (result["byOperation"].values(), result["series"]):
            total = sum(part[name] for part in parts)
            expect(total == result[name], f"{name}: {total} instead of {result[name]}")
    rate = result["operations"] / result["seconds"]
    expect(math.isclose(result["throughput"], rate, rel_tol=0.1, abs_tol=1), f"{result['throughput']} {rate}")
    month = 30 * 86400 * result["requestUnitsPerSecond"]
    expect(math.isclose(result["perMonth"]["requestUnits"], month, rel_tol=0.1), str(result["perMonth"]))


def check_workload(world: World, name: str) -> str:
    """Every operation and item that the result claims is one that the server has seen."""
    load = 0 if name == "insert" else 150
    before = requests(world.server)
    result = bench(world, *CREATE, "--workload", name, "--load", load, "--count", 300, "--connections", 4,
                   "--seed", 3)
    check_schema(result, WORKLOADS[name])
    expect(result["complete"] and result["operations"] == 300 and not result["errors"], str(result))
    parts = {kind: part["operations"] for kind, part in result["byOperation"].items()}
    inserted = parts.get("insert", 0)
    expect(world.count() == load + inserted, f"{world.count()} items instead of {load + inserted}")
    rewritten = parts.get("readModifyWrite", 0)
    queries = parts.get("query", 0) + parts.get("scan", 0)
    wait_for_requests(world.server, before, {
        "CreateItem": inserted,
        "UpsertItem": load,
        "ReadItem": parts.get("read", 0) + rewritten + result["conflicts"],
        "ReplaceItem": parts.get("update", 0) + rewritten,
        # The pages of a scan depend on where its items are.
        **({} if name == "e" else {"QueryItems": queries}),
    })
    expect((result["itemsReturned"] > 0) == (queries > 0), str(result["itemsReturned"]))
    return f"{parts}, {result['requestUnitsPerOperation']} RU each"


class Checks:
    def __init__(self, binary: Path, scratch: Path, server: Server):
        self.binary, self.scratch, self.server = binary, scratch, server

    def world(self) -> World:
        return World(self.binary, self.server, self.scratch)

    def workload(self, name: str) -> str:
        return check_workload(self.world(), name)

    def templates(self) -> None:
        world = self.world()
        file = world.write("template.json", """{
            "id": "n-{{sequence}}", "pk": "tenant {{random 1 5}}", "place": {"x": [{{random -3 3}}]},
            "color": "{{pick red green}}", "text": "{{text 12}}", "ref": "{{uuid}}"}""")
        result = bench(world, *CREATE, "--workload", "insert", "--template", file, "--count", 80)
        items = [dict(item) for item in world.items().values()]
        expect(len(items) == result["operations"] == 80, f"{len(items)} items")
        expect({item["id"] for item in items} == {f"n-{n}" for n in range(80)}, "ids")
        expect({item["pk"] for item in items} == {f"tenant {n}" for n in range(1, 6)}, "keys")
        expect({item["color"] for item in items} == {"red", "green"}, "colors")
        expect(all(abs(int(dict(item["place"])["x"][0])) <= 3 for item in items), "numbers")
        expect(all(re.fullmatch(r"[\w-]{12}", item["text"]) for item in items), "texts")
        expect(len({item["ref"] for item in items}) == 80, "references")

    def bad_templates(self) -> None:
        world = self.world()
        for text, problem in (
                ('{\n "a": {{uuid}}\n}', "line 2, column 7: this placeholder stands for text"),
                ('{\n\n "a": "{{nothing}}"}', "line 3, column 8: {{nothing}} is not known"),
                ('{"a": {{sequence}},}', "line 1, column 20: expected a property name"),
                ('{"id": "same", "pk": 1}', "same id"), ("[]", "JSON object")):
            file = world.write("bad.json", text)
            refused(world, 1, problem, *CREATE, "--workload", "insert", "--template", file)
        with world.client() as client:
            expect(client.request("GET", world.link).status == 404, "a container was created for it")
        refused(world, 2, "--template", "--workload", "insert", "--template", str(world.path("missing")))
        refused(world, 1, "--query: line 1, column 8: {{x}}", *CREATE, "--workload", "query", "--query",
                "SELECT {{x}}")

    def refusals(self) -> None:
        world = self.world()
        refused(world, 1, "there is no container", "--workload", "insert")
        refused(world, 1, "authorization token", "--workload", "insert", "--key",
                "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkhISE=")
        refused(world, 2, "--workload is required")
        refused(world, 2, "--workload", "--workload", "g")
        refused(world, 2, "needs items", "--workload", "read")
        refused(world, 2, "--loaded needs --seed", "--workload", "read", "--loaded", "5")
        refused(world, 2, "--connections", "--workload", "insert", "--connections", "0")
        refused(world, 2, "--connections", "--workload", "insert", "--connections", "1001")
        refused(world, 2, "--rate or --ru", "--workload", "insert", "--rate", "5", "--ru", "5")
        for wrong in ("0", "-1", "5x", "25h", "s"):
            refused(world, 2, "--duration is a time", "--workload", "insert", f"--duration={wrong}")
        refused(world, 2, "--query is for", "--workload", "insert", "--query", "SELECT 1")
        refused(world, 1, "cannot write", *CREATE, "--workload", "insert", "--svg", "/nowhere/x.svg")
        refused(world, 1, "scans need a property", *CREATE, "--workload", "e", "--load", "5", "--template",
                world.write("plain.json", "{}"))
        refused(world, 1, "orrery doctor", "--workload", "insert", "--endpoint", "http://127.0.0.1:1/")

    def later_runs(self) -> None:
        """Items of an earlier run are found again with its seed, and new ones follow them."""
        world = self.world()
        bench(world, *CREATE, "--workload", "insert", "--count", 60, "--seed", 12345)
        result = bench(world, "--workload", "c", "--loaded", 60, "--seed", 12345, "--count", 200)
        expect(result["operations"] == 200 and not result["errors"], str(result["failures"]))
        bench(world, "--workload", "insert", "--loaded", 60, "--seed", 12345, "--count", 40)
        expect(world.count() == 100, f"{world.count()} items")
        # Without a seed, the items are others.
        bench(world, "--workload", "insert", "--count", 10)
        expect(world.count() == 110, f"{world.count()} items")
        result = bench(world, "--workload", "read", "--loaded", 60, "--seed", 5, "--count", 20, code=1)
        expect(result["operations"] == 0 and result["errors"] == 20, str(result))
        expect([part["status"] for part in result["failures"]] == [404], str(result["failures"]))

    def queries(self) -> None:
        world = self.world()
        result = bench(world, *CREATE, "--workload", "query", "--load", 100, "--count", 20, "--query",
                       "SELECT VALUE COUNT(1) FROM c WHERE c.number >= {{random 0 99}}")
        expect(result["itemsReturned"] == 20 and not result["errors"], str(result))
        result = bench(world, "--workload", "query", "--count", 7, "--query", "SELECT * FROM c")
        expect(result["itemsReturned"] == 700, str(result))
        result = bench(world, "--workload", "query", "--count", 5, "--query", "SELECT", code=1)
        expect(result["errors"] == 5 and "yntax" in result["failures"][0]["example"], str(result))

    def distributions(self) -> None:
        world = self.world()
        for name in ("uniform", "zipfian", "latest"):
            result = bench(world, *CREATE, "--workload", "read", "--load", 50, "--seed", 1, "--count", 100,
                           "--distribution", name)
            expect(result["settings"]["distribution"] == name and result["operations"] == 100, str(result))
        expect(world.count() == 50, "loading again replaces the items")

    def paced(self) -> str:
        """Both limits hold from below, however slow this machine is."""
        world = self.world()
        result = bench(world, *CREATE, "--workload", "insert", "--count", 60, "--ru", 400)
        most = 400 * (result["seconds"] + 0.2) + 16 * 10  # what all connections may have started with
        expect(result["requestUnits"] <= most, f"{result['requestUnits']} RU in {result['seconds']} s")
        result = bench(world, "--workload", "insert", "--count", 50, "--rate", 50)
        expect(result["operations"] == 50 and result["seconds"] >= 0.98, str(result["seconds"]))
        expect(result["unsent"] == 0, str(result["unsent"]))
        return f"{result['throughput']}/s"

    def open_loop(self) -> None:
        """One connection cannot keep up with such a rate, and the latencies show it."""
        world = self.world()
        arguments = (*CREATE, "--workload", "insert", "--connections", 1, "--count", 400)
        closed = bench(world, *arguments)["latencyMs"]["p50"]
        opened = bench(world, *arguments, "--rate", 1_000_000)["latencyMs"]["p50"]
        # All operations are due at once, so half of them wait for 200 others or more.
        expect(opened >= 10 * closed, f"{opened} ms with a rate, {closed} ms without")
        result = bench(world, "--workload", "insert", "--connections", 1, "--rate", 1_000_000,
                       "--duration", "0.5s")
        missing = 500_000 - result["operations"] - result["unsent"]
        expect(abs(missing) <= 1, f"{missing} of the operations are missing")

    def durations(self) -> None:
        world = self.world()
        result = bench(world, *CREATE, "--workload", "insert", "--duration", "1.2s", "--connections", 3)
        expect(result["seconds"] >= 1.2 and len(result["series"]) >= 2, str(result["series"]))
        expect(world.count() == result["operations"], f"{world.count()} items, {result['operations']}")

    def files(self) -> None:
        world = self.world()
        names = [str(world.path(name)) for name in ("old.json", "new.json", "other.json")]
        svg = str(world.path("chart.svg"))
        for name, workload in zip(names, ("a", "a", "b")):
            text = world.run("bench", *CREATE, "--workload", workload, "--load", 50, "--count", 200,
                             "--result", name, "--svg", svg)
            expect("operations/s" in text and "p99.9" in text and "30 days" in text, text)
            check_schema(json.loads(Path(name).read_text()), WORKLOADS[workload])
        chart = xml.etree.ElementTree.parse(svg).getroot()
        space = "{http://www.w3.org/2000/svg}"
        expect(chart.tag == space + "svg" and len(chart.findall(space + "polyline")) == 6, chart.tag)
        texts = {text.text for text in chart.iter(space + "text")}
        expect({"p50", "p99", "seconds", "Operations per second"} <= texts, str(texts))
        code, table = output(world, "--compare", *names[:2])
        expect(code == 0, table)
        for line in ("operations/s", "read p99 ms", "update max ms", "RU per operation"):
            expect(re.search(re.escape(line) + r" +[\d.]+ +[\d.]+ +[+-]?[\d.]+ %", table), f"{line}: {table}")
        refused(world, 1, "different workloads: a and b", "--compare", names[0], names[2])
        refused(world, 1, "not a result", "--compare", names[0], world.write("x.json", "{}"))
        refused(world, 1, "cannot read", "--compare", names[0], "/nowhere.json")
        refused(world, 2, "--compare", "--compare", names[0])

    def cleanup(self) -> None:
        world = self.world()
        with world.client() as client:
            make_container(client, DATABASE, {"id": world.container,
                                              "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
            expect(client.item("POST", world.link[1:], "a", body={"id": "mine", "pk": "a"}).status == 201, "")
            result = bench(world, "--workload", "d", "--load", 40, "--count", 100, "--cleanup")
            inserted = result["byOperation"]["insert"]["operations"]
            expect(result["cleanup"]["items"] == 40 + inserted, str(result["cleanup"]))
            expect(world.count() == 1, f"{world.count()} items are left")
            other = self.world()
            result = bench(other, *CREATE, "--workload", "insert", "--count", 10, "--cleanup",
                           "--throughput", 1000)
            expect(result["cleanup"]["container"] and not result["cleanup"]["database"], str(result))
            expect(client.request("GET", other.link).status == 404, "the container is left")
            result = bench(other, *CREATE, "--workload", "insert", "--count", 10, "--cleanup",
                           "--database", "own")
            expect(result["cleanup"]["database"], str(result))
            expect(client.request("GET", "/dbs/own").status == 404, "the database is left")

    def terminal(self) -> str:
        world = self.world()
        file = world.path("result.json")
        command = world.command("bench", *CREATE, "--workload", "a", "--load", 50, "--duration", "10m",
                                "--cleanup", "--result", file)
        with Terminal(command, world.directory) as terminal:
            terminal.wait_for("workload a · ")
            terminal.wait_for("/s · p50 ")
            terminal.press("\x03")
            code = terminal.finish()
            expect(code == 130, f"exit code {code}: {terminal.text!r}")
            for text in ("\rloading · ", "\x1b[K", "Interrupted.", "p99.9", "Deleted the container"):
                expect(text in terminal.text, f"'{text}' is not in {terminal.text!r}")
        result = json.loads(file.read_text())
        check_schema(result, WORKLOADS["a"])
        expect(result["interrupted"] and not result["complete"] and result["operations"] > 0, str(result))
        expect(not result["errors"], str(result["failures"]))
        with world.client() as client:
            expect(client.request("GET", world.link).status == 404, "the container is left")
        return f"{result['operations']} operations"

    def interrupted_inserts(self) -> None:
        """What was under way at Ctrl-C has been counted, or has not been done."""
        world = self.world()
        connections, items = 4, 50
        process = world.start("bench", "--quiet", "--json", *CREATE, "--workload", "insert", "--duration", "10m",
                              "--connections", connections, stdout=subprocess.PIPE)
        while world.count() < items:
            expect(process.poll() is None, f"exit code {process.returncode}")
        process.send_signal(signal.SIGINT)
        result = json.loads(process.communicate(timeout=PATIENCE_SECONDS)[0])
        expect(process.returncode == 130 and result["interrupted"], str(result))
        expect(world.count() == result["operations"], f"{world.count()} items, {result['operations']} counted")

    def lost_server(self, server: Server) -> None:
        world = World(self.binary, server, self.scratch)
        connections, items = 4, 50
        process = world.start("bench", "--quiet", "--json", *CREATE, "--workload", "insert", "--duration", "10m",
                              "--connections", connections, stdout=subprocess.PIPE)
        while world.count() < items:
            expect(process.poll() is None, f"exit code {process.returncode}")
        server.kill()
        result = json.loads(process.communicate(timeout=PATIENCE_SECONDS)[0])
        expect(process.returncode == 1 and "cannot connect" in result["problem"], str(result["problem"]))
        # Each connection may have lost an answer.
        expect(result["operations"] >= items - connections, str(result["operations"]))

    def throttled(self, server: Server) -> str:
        world = World(self.binary, server, self.scratch)
        result = bench(world, *CREATE, "--throughput", 400, "--workload", "insert", "--count", 300,
                       "--connections", 20)
        expect(result["throttled"] > 0 and not result["errors"], str(result["failures"]))
        expect(result["operations"] == 300 and world.count() == 300, f"{world.count()} items")
        # Ended by time: those that wait for their next attempt have not been carried out.
        result = bench(world, "--workload", "insert", "--duration", "1s", "--connections", 20)
        expect(not result["errors"], str(result["failures"]))
        expect(world.count() == 300 + result["operations"], f"{world.count()} items")
        return f"{result['throttled']} attempts"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    binary = options.server.resolve()
    report = Report()
    with scratch_directory("bench") as scratch:
        with Server(binary, scratch / "data", "--ephemeral", "--partitions", "3").wait_until_ready() as server:
            checks = Checks(binary, scratch, server)
            for name in WORKLOADS:
                report.run(f"workload {name}", lambda name=name: checks.workload(name))
            for check in (checks.templates, checks.bad_templates, checks.refusals, checks.later_runs,
                          checks.queries, checks.distributions, checks.paced, checks.open_loop,
                          checks.durations, checks.files, checks.cleanup, checks.terminal,
                          checks.interrupted_inserts):
                report.run(check.__name__, check)
        for name, throttle in (("throttled", True), ("lost_server", False)):
            with Server(binary, scratch / name, "--ephemeral", throttle=throttle).wait_until_ready() as server:
                report.run(name, lambda name=name, server=server: getattr(checks, name)(server))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
