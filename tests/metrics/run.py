#!/usr/bin/env python3
"""What operators see: /metrics, its access rules, the log of slow queries, the dashboard and the alerts."""

import argparse
import collections
import http.client
import json
import socket
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, Skip, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
import deployed  # noqa: E402
from exposition import Scrape  # noqa: E402

PK = {"paths": ["/pk"], "kind": "Hash", "version": 2}
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
SECRET = "secret-of-a-customer"
TOKEN = "a-token-for-prometheus"
QUERY = {"query": "SELECT * FROM c WHERE c.name = @name", "parameters": [{"name": "@name", "value": SECRET}]}


def get(host: str, port: int, headers: dict | None = None) -> tuple[int, str, http.client.HTTPMessage]:
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("GET", "/metrics", headers=headers or {})
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body, response.headers


def scrape(server: Server) -> Scrape:
    status, text, headers = get("127.0.0.1", server.port)
    expect(status == 200, f"{status} {text}")
    expect(headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8", headers["content-type"])
    return Scrape(text)


def query(client: Client, container: str, headers: dict | None = None, body: dict | None = None):
    return client.request("POST", f"/{container}/docs", body or QUERY,
                          {"content-type": "application/query+json", "x-ms-documentdb-isquery": "True",
                           "x-ms-documentdb-query-enablecrosspartition": "True"} | (headers or {}))


def lines_about(server: Server, event: str, count: int) -> list[str]:
    """They are written before the answer is sent, so there is no need to wait for them."""
    lines = [line for line in server.log.read_text(errors="replace").splitlines()
             if f"event={event}" in line or f'"event":"{event}"' in line]
    expect(len(lines) == count, f"{len(lines)} lines about {event}, not {count}\n{server.tail()}")
    return lines


class Traffic:
    """Requests with known answers, and what the metrics must say about them."""

    def __init__(self, server: Server):
        self.server = server
        self.client = Client(server.port)
        self.container = make_container(self.client, "d", {"id": "c", "partitionKey": PK})
        self.expected: collections.Counter = collections.Counter()
        self.charges: dict[str, float] = collections.defaultdict(float)

    def note(self, operation: str, status: int, answer) -> None:
        expect(answer.status == status, f"{operation}: {answer.status} {answer.body!r}, not {status}")
        self.expected[operation, str(status)] += 1
        self.charges[operation] += float(answer.headers["x-ms-request-charge"])

    def send(self) -> None:
        client, container = self.client, self.container
        for i in range(20):
            self.note("CreateItem", 201, client.item("POST", container, "a", body={"id": str(i), "pk": "a"}))
        self.note("CreateItem", 409, client.item("POST", container, "a", body={"id": "1", "pk": "a"}))
        self.note("CreateItem", 400, client.item("POST", container, "a", body=b"{"))
        for i in range(10):
            self.note("ReadItem", 200, client.item("GET", container, "a", str(i)))
        self.note("ReadItem", 404, client.item("GET", container, "a", "none"))
        self.note("ReadItem", 401, client.item("GET", container, "a", "1", headers={"authorization": "x"}))
        self.note("ReplaceItem", 200, client.item("PUT", container, "a", "1", {"id": "1", "pk": "a"}))
        self.note("ReplaceItem", 412, client.item("PUT", container, "a", "1", {"id": "1", "pk": "a"},
                                                  {"if-match": '"other"'}))
        self.note("DeleteItem", 204, client.item("DELETE", container, "a", "2"))
        self.note("QueryItems", 200, query(client, container))
        self.note("ReadFeed", 200, client.item("GET", container, "a"))
        self.note("ReadDatabase", 200, client.request("GET", "/dbs/d"))
        self.note("Unknown", 405, client.request("DELETE", "/dbs"))

    def check_counts(self) -> str:
        before = scrape(self.server)
        self.send()
        after = scrape(self.server)
        samples = after.family_of("orrery_requests_total").samples
        found = collections.Counter()
        for name, labels in samples:
            named = dict(labels)
            grown = after.value(name, **named) - before.value(name, **named)
            if grown:
                found[named["operation"], named["status"]] = grown
        expect(found == self.expected + collections.Counter({("Probe", "200"): 1}),
               f"{dict(found)}, not {dict(self.expected)} and one scrape")
        self.check_times_and_charges(before, after)
        self.check_traffic(before, after)
        return f"{sum(self.expected.values())} requests"

    def check_times_and_charges(self, before: Scrape, after: Scrape) -> None:
        for operation, charge in self.charges.items():
            grown = {name: after.value(name, operation=operation) - before.value(name, operation=operation)
                     for name in ("orrery_request_units_total", "orrery_request_duration_seconds_count",
                                  "orrery_request_duration_seconds_sum")}
            requests = sum(n for (name, _), n in self.expected.items() if name == operation)
            expect(grown["orrery_request_duration_seconds_count"] == requests, f"{operation}: {grown}")
            expect(0 < grown["orrery_request_duration_seconds_sum"] < 60, f"{operation}: {grown}")
            expect(abs(grown["orrery_request_units_total"] - charge) < 0.001,
                   f"{operation}: {grown}, not {charge} RU")

    def check_traffic(self, before: Scrape, after: Scrape) -> None:
        def grown(name: str, **labels: str) -> float:
            return after.value(name, **labels) - before.value(name, **labels)
        expect(grown("orrery_received_bytes_total") > 30 * 100, "too few bytes received")
        expect(grown("orrery_sent_bytes_total") > 30 * 100, "too few bytes sent")
        expect(grown("orrery_connections_accepted_total") == 1, "that of the second scrape")
        batches = grown("orrery_commit_batches_total")
        expect(batches == 22, f"{batches} batches, not 20 creates, a replace and a delete")
        expect(1 <= grown("orrery_commits_total") <= batches, "each commit holds at least one batch")
        expect(after.value("orrery_open_partitions") == 1, "one partition is open")
        expect(after.value("orrery_connections") >= 2, "the client and the scrape")
        expect(after.value("orrery_disk_free_bytes") > 0, "the data is on a disk")
        expect(after.value("orrery_storage_used_bytes") > 0, "the data takes space")
        expect(after.value("orrery_process_resident_memory_bytes") > 1 << 20, "the process takes memory")
        expect(abs(after.value("orrery_process_start_time_seconds") - time.time()) < 3600, "started just now")
        expect(after.value("orrery_exceptions_total") == 0, "no bugs")

    def check_changes(self) -> None:
        before = scrape(self.server)
        path = f"/{self.container}/docs"
        changes = self.client.request("GET", path, None, {"A-IM": "Incremental Feed", "x-ms-max-item-count": "-1"})
        expect(changes.status == 200, changes.body)
        idle = self.client.request("GET", path, None, {"A-IM": "Incremental Feed",
                                                       "If-None-Match": changes.headers["etag"]})
        expect(idle.status == 304, idle.body)
        after = scrape(self.server)
        for found in ("changes", "nothing"):
            name = "orrery_change_feed_reads_total"
            expect(after.value(name, found=found) - before.value(name, found=found) == 1, f"one that found {found}")
        self.check_lag(changes.headers["etag"])
        expect(after.value("orrery_change_streams_limit") == 1000, "the default")
        with Client(self.server.port) as streaming:
            streaming.connection.request("GET", path, None, streaming.signed("GET", path) | {
                "Accept": "text/event-stream", "x-ms-max-item-count": "2"})
            stream = streaming.connection.getresponse()
            expect(stream.status == 200, "a stream")
            expect(scrape(self.server).value("orrery_change_streams") == 1, "one stream")
            stream.close()

    def check_lag(self, etag: str) -> None:
        path = f"/{self.container}/docs"
        poll = {"A-IM": "Incremental Feed", "User-Agent": "a reader"}
        lags = []
        for headers in (poll | {"If-None-Match": etag}, {"x-ms-max-item-count": "1"} | poll):
            expect(self.client.request("GET", path, None, headers).status in (200, 304), "a poll")
        for _ in range(2):
            samples = scrape(self.server).family_of("orrery_change_feed_reader_lag").samples
            lags.append(sorted(value for (_, labels), value in samples.items()
                               if dict(labels)["client"] == "a reader"))
            self.client.item("POST", self.container, "a", body={"id": f"lag {len(lags)}", "pk": "a"})
        expect(lags[0][0] == 0 and lags[0][1] > 10, f"one has read all, one has read a page: {lags}")
        expect(lags[1] == [lag + 1 for lag in lags[0]], f"both have one more to read: {lags}")

    def check_autoscale(self) -> None:
        container = make_container(self.client, "d", {"id": "scaled", "partitionKey": PK},
                                   {"x-ms-cosmos-offer-autopilot-settings": '{"maxThroughput":1000}'})
        at = {"database": "d", "container": "scaled"}
        expect(scrape(self.server).value("orrery_offer_scaled_request_units", **at) == 100, "a tenth")
        for i in range(60):
            answer = self.client.item("POST", container, "a", body={"id": str(i), "pk": "a"})
            expect(answer.status == 201, answer.body)
        after = scrape(self.server)
        expect(100 < after.value("orrery_offer_scaled_request_units", **at) <= 1000, "scaled up")
        expect(after.value("orrery_offer_request_units", **at) == 1000, "the maximum")

    def check_scripts(self) -> None:
        before = scrape(self.server)
        made = self.client.request("POST", f"/{self.container}/sprocs", {
            "id": "p", "body": "function (end) { while (end) {} getContext().getResponse().setBody(1); }"})
        expect(made.status == 201, made.body)
        run = self.client.request("POST", f"/{self.container}/sprocs/p", [False],
                                  {"x-ms-documentdb-partitionkey": '["a"]'})
        expect(run.status == 200, run.body)
        # A job is counted when its thread is done with it, shortly after the answer.
        for _ in range(100):
            runs = scrape(self.server).value("orrery_script_runs_total")
            if runs:
                break
            time.sleep(0.01)
        after = scrape(self.server)
        expect(runs == 1 and after.value("orrery_script_timeouts_total") == 0, f"{runs} runs")
        expect(after.value("orrery_lane_started_total", lane="scripts") == 1, "one job")
        grown = after.value("orrery_lane_started_total", lane="control") - \
            before.value("orrery_lane_started_total", lane="control")
        expect(grown == 1, f"{grown} jobs in the control lane, not the creation alone")


def check_slow_queries(server: Server, container: str, in_json: bool) -> None:
    lines_about(server, "slow_query", 0)
    with Client(server.port) as client:
        client.item("POST", container, "a", body={"id": "slow", "pk": "a", "name": SECRET})
        header = {"traceparent": f"00-{TRACE}-{PARENT}-01", "x-ms-activity-id": "my-activity"}
        answer = query(client, container, header)
        expect(answer.status == 200 and answer.json()["_count"] == 1, answer.body)
        expect("traceresponse" not in answer.headers, "traceresponse is only a draft")
        query(client, container, {"traceparent": f"00-{TRACE}-{PARENT}-0"})
        long = "SELECT * FROM c WHERE c.name = '" + "x" * 3000 + "'"
        query(client, container, body={"query": long})
        query(client, container, body={"query": "SELECT * FROM c WHERE c.name = ABS("})
    good, malformed, cut, wrong = lines_about(server, "slow_query", 4)
    expect(SECRET not in server.log.read_text(), "the log has the value of a parameter")
    expect(TRACE not in malformed, malformed)
    expect(len(cut) < 1500 and "..." in cut, cut)
    expect("400" in wrong, wrong)
    if in_json:
        line = json.loads(good)
    else:
        line = dict(part.split("=", 1) for part in good.split() if "=" in part)
        line["query"] = QUERY["query"] if f'query="{QUERY["query"]}"' in good else good
        line["plan"] = good.split('plan="', 1)[1].split('"')[0]
    expected = {"activity_id": "my-activity", "container": "d/c", "status": 200, "rows": 1, "items_read": 1,
                "query": QUERY["query"], "trace_id": TRACE, "parent_id": PARENT,
                "ru": float(answer.headers["x-ms-request-charge"]), "plan": "index lookup on /name/?"}
    for name, value in expected.items():
        found = line[name] if isinstance(value, str) else float(line[name])
        expect(found == value, f"{name} is {line[name]!r}, not {value!r}: {good}")
    for name in ("ms", "run_ms", "index_entries_read", "item_bytes_read", "row_bytes"):
        expect(float(line[name]) > 0, f"{name}: {good}")


def check_no_lines(server: Server) -> None:
    lines_about(server, "slow_query", 0)


def check_quiet(server: Server) -> None:
    with Client(server.port) as client:
        container = make_container(client, "d", {"id": "c", "partitionKey": PK})
        expect(query(client, container).status == 200, "the query runs")
    check_no_lines(server)


def own_address() -> str:
    """An address of this machine that is not a loopback address."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError as error:
            raise Skip("this machine has no network") from error
        address = probe.getsockname()[0]
    if address.startswith("127."):
        raise Skip("this machine has no network")
    return address


def check_access(server: Server, with_token: bool) -> None:
    port, other = server.port, own_address()
    expect(get("127.0.0.1", port)[0] == 200, "local clients need nothing")
    refusal = 401 if with_token else 403
    status, text, headers = get(other, port)
    expect(status == refusal and "--metrics-token-file" in text, f"{status} {text}")
    expect(headers["www-authenticate"] == ("Bearer" if with_token else None), str(headers))
    expect(get("127.0.0.1", port, {"X-Forwarded-For": "10.0.0.1"})[0] == refusal, "behind a proxy")
    expect(get(other, port, {"authorization": "Bearer wrong"})[0] == refusal, "with a wrong token")
    right = get(other, port, {"authorization": f"Bearer {TOKEN}"})[0]
    expect(right == (200 if with_token else 403), f"{right} with the token")


def check_short_token(binary: Path, scratch: Path) -> None:
    short = scratch / "short-token"
    short.write_text("abc\n")
    with Server(binary, scratch / "short", "--metrics-token-file", str(short)) as server:
        expect(server.wait_for_exit() == 1, "a token that can be guessed is refused")
        expect("at least 16 characters" in server.tail(), server.tail())


def run(binary: Path, scratch: Path, report: Report) -> None:
    with Server(binary, scratch / "text", "--slow-query-ms", "off") as server:
        server.wait_until_ready()
        traffic = Traffic(server)
        report.run("counts of requests, times, charges", traffic.check_counts)
        report.run("change feeds", traffic.check_changes)
        report.run("autoscale", traffic.check_autoscale)
        report.run("scripts and lanes", traffic.check_scripts)
        report.run("dashboard", lambda: deployed.check_dashboard(scrape(server)))
        report.run("alerts", lambda: deployed.check_rules(scrape(server)))
        report.run("documentation", lambda: deployed.check_documentation(scrape(server)))
        report.run("no slow queries when turned off", lambda: check_no_lines(server))
    for style in ("text", "json"):
        with Server(binary, scratch / f"slow-{style}", "--slow-query-ms", "0", "--log-format", style) as server:
            server.wait_until_ready()
            with Client(server.port) as client:
                container = make_container(client, "d", {"id": "c", "partitionKey": PK})
            report.run(f"slow queries as {style}",
                       lambda: check_slow_queries(server, container, style == "json"))
    with Server(binary, scratch / "default") as server:
        server.wait_until_ready()
        report.run("fast queries are not logged", lambda: check_quiet(server))
    token = scratch / "token"
    token.write_text(TOKEN + "\n")
    for options in ([], ["--metrics-token-file", str(token)]):
        with Server(binary, scratch / f"open-{len(options)}", *options, listen="0.0.0.0:0") as server:
            server.wait_until_ready()
            report.run("access " + ("with a token" if options else "without a token"),
                       lambda: check_access(server, bool(options)))
    report.run("short tokens are refused", lambda: check_short_token(binary, scratch))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    binary = parser.parse_args().server
    report = Report()
    with scratch_directory("metrics") as scratch:
        run(binary, scratch, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
