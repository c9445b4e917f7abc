#!/usr/bin/env python3
"""Runs the golden tests: every .test file against its own server, in every configuration.

    tests/golden/run.py [--server build/dev/orrery] [--config default,tls] [--only REGEX] [--rewrite]

The format is described in parse.py. `--rewrite` writes the answers of the first configuration to
the files; review the diff.
"""

import argparse
import contextlib
import dataclasses
import json
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import answers  # noqa: E402
import parse  # noqa: E402
import queries  # noqa: E402
from lib.ceph import Cluster  # noqa: E402
from lib.client import Answer, Client, EMULATOR_KEY, NO_ANSWER  # noqa: E402
from lib.report import scratch_directory  # noqa: E402
from nodes import Nodes  # noqa: E402
from lib.server import DEFAULT_BINARY, PATIENCE_SECONDS, Server, ServerError  # noqa: E402

CONFIGS = HERE.parent / "configs"
PAGES_MAX = 1000
PAGE_MARK = "-- page --"
READS = ("query", "plan", *parse.LISTS)  # they change nothing
ERROR_PART = 110  # characters of a message that --rewrite keeps for comparison


class Mismatch(Exception):
    pass


class Run:
    """One file against one server."""

    def __init__(self, file: parse.TestFile, config: dict, binary: Path, scratch: Path):
        self.file, self.config, self.binary = file, config, binary
        self.data = scratch / f"{file.path.parent.name}-{file.path.stem}-{config['name']}"
        self.names = {"db": "/dbs/golden", "coll": "/dbs/golden/colls/c",
                      "docs": "/dbs/golden/colls/c/docs"}
        self.answers: dict[int, str] = {}
        self.compared = 0
        self.unindexed = False
        self.options: list[str] = []  # of the last `restart`
        self.server: Server | None = None
        self.client: Client | None = None

    def run(self, rewrite: bool) -> list[str]:
        """Returns the problems, one text per failed statement."""
        problems = []
        try:
            self.start()
            for statement in self.file.statements:
                try:
                    self.execute(statement, rewrite)
                except NO_ANSWER as error:
                    problems.append(self.problem(statement, f"{error}\n{self.server.tail()}"))
                    self.server.kill()
                    self.start()
                except (Mismatch, answers.BrokenRule, ValueError, KeyError) as error:
                    problems.append(self.problem(statement, error))
                if self.config.get("restart") and statement.verb not in READS:
                    self.restart()
            self.server.stop()
        except ServerError as error:
            problems.append(f"{self.file.path.name}: [{self.config['name']}] server: {error}")
        finally:
            if self.server:
                self.server.kill()
        return problems

    def problem(self, statement: parse.Statement, error) -> str:
        where = f"{self.file.path.relative_to(HERE.parents[1])}:{statement.line}"
        return (f"{where}: [{self.config['name']}] "
                f"{statement.verb} {statement.argument or statement.body}\n{error}")

    def start(self) -> None:
        options = [*self.config.get("options", []), *self.options]
        if "ceph" in self.config:
            self.server = Nodes(self.binary, self.data, self.config["ceph"], *options)
        else:
            self.server = Server(self.binary, self.data, *options)
        self.server.wait_until_ready()
        if "ceph" in self.config:
            self.client = self.server.client()
        else:
            self.client = Client(self.server.port, secure=self.config.get("tls", False))

    def restart(self, options: list[str] | None = None) -> None:
        changed = options is not None and options != self.options
        if "--ephemeral" in self.config.get("options", []) and not changed:
            return
        self.options = self.options if options is None else options
        self.client.connection.close()
        self.server.stop()
        self.start()

    def execute(self, statement: parse.Statement, rewrite: bool) -> None:
        if statement.verb == "restart":
            return self.restart(statement.argument.split())
        if statement.verb == "container":
            return self.make_container(statement.argument)
        if statement.verb == "wait":
            return time.sleep(float(statement.argument))
        if statement.verb == "documents":
            return self.load(statement)
        if statement.verb in parse.SCRIPTS:
            statement = self.store(statement)
            if not statement:
                return None
        options = " ".join(self.config.get("options", []))
        if statement.notes.get("when", "") not in options:
            return None
        unless = statement.notes.get("unless", "").split(" | ")
        if any(option and option in options for option in unless):
            return None
        self.compared += 1
        check = self.query if statement.verb in READS else self.request
        return self.until_right(statement, lambda: check(statement, rewrite))

    def request(self, statement: parse.Statement, rewrite: bool) -> None:
        actual, paged = self.ask(statement)
        churns = "--churn-partitions-ms" in self.config.get("options", []) and parse.HEADERS["range"] in statement.headers
        if churns and actual.startswith("410/1002"):
            return None  # the range that it names is gone
        expected = statement.expected or ""
        if paged:  # the same elements, in any number of pages
            expected = expected.replace(f"\n{PAGE_MARK}", "")
            actual = actual.replace(f"\n{PAGE_MARK}", "")
        if expected != actual and rewrite:
            self.answers[statement.line] = actual
        elif expected != actual:
            raise Mismatch(indent("expected", expected) + indent("received", actual))

    def make_container(self, argument: str) -> None:
        definition = queries.definition_of(argument)
        if "indexing" in self.config:
            definition.setdefault("indexingPolicy", self.config["indexing"])
        self.unindexed = definition.get("indexingPolicy") is self.config.get("indexing", 0)
        self.client.request("POST", "/dbs", {"id": "golden"})
        made = self.client.request("POST", self.names["db"] + "/colls", definition)
        if made.status != 201:
            raise Mismatch(f"container: {made.status} {made.body.decode()}")

    def load(self, statement: parse.Statement) -> None:
        for line in statement.body.split("\n"):
            made = self.client.request("POST", self.names["docs"], self.fill(line).encode())
            if made.status != 201:
                raise Mismatch(f"{line}: {made.status} {made.body.decode()}")

    def store(self, statement: parse.Statement) -> parse.Statement | None:
        """Stores a script; returns the execution if it is a procedure."""
        script = {"id": statement.argument.split()[-1] if statement.argument else "run",
                  "body": statement.body}
        if statement.verb == "trigger":
            script["triggerType"], script["triggerOperation"] = statement.argument.split()[:2]
        feed = {"procedure": "sprocs", "trigger": "triggers", "function": "udfs"}[statement.verb]
        made = self.client.request("POST", f"{self.names['coll']}/{feed}", script,
                                   {parse.HEADERS["upsert"]: "True"})
        if made.status not in (200, 201):
            raise Mismatch(f"{statement.verb}: {made.status} {made.body.decode()}")
        if statement.verb != "procedure":
            return None
        return dataclasses.replace(
            statement, verb="POST", argument=f"$coll/sprocs/{script['id']}",
            headers={parse.HEADERS["pk"]: '["a"]'} | statement.headers,
            body=statement.notes.get("args", "[]"))

    @staticmethod
    def until_right(statement: parse.Statement, check) -> None:
        deadline = time.monotonic() + (PATIENCE_SECONDS if "eventually" in statement.notes else 0)
        while True:
            try:
                return check()
            except Mismatch:
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.05)

    def query(self, statement: parse.Statement, rewrite: bool) -> None:
        """Runs a query in one of its short forms, reading all pages."""
        headers = queries.headers_of(statement)
        text = self.fill(queries.text_of(statement))
        sent = parse.Statement(statement.line, [], "POST", "$docs", notes=statement.notes,
                               body=queries.body_of(text, statement.notes.get("params", "")))
        if self.config.get("page_size") and statement.verb != "plan":
            headers.setdefault(parse.HEADERS["max"], str(self.config["page_size"]))
        answer = self.send(sent, headers)
        answers.check_rules(answer)
        lines = self.answer_lines(sent, headers, answer)
        if statement.verb == "plan" and answer.status == 200:
            lines = queries.plan_lines(json.loads(answer.body))
        elif "from" in statement.notes:
            lines += queries.plan_lines(json.loads(json.loads(answer.body)["additionalErrorInfo"]))
        wanted = statement
        if self.unindexed and queries.is_refused(self.config["indexing"], statement):
            wanted = dataclasses.replace(statement, expected=f"400 BadRequest: {queries.UNINDEXED}")
        if queries.matches(wanted, lines):
            return
        if rewrite and statement.verb not in parse.LISTS:
            self.answers[statement.line] = "\n".join(
                lines if statement.argument == "ordered" or statement.verb == "plan"
                else sorted(lines))
            return
        raise Mismatch(indent("query", text) + indent("expected", wanted.expected or "(no rows)")
                       + indent("received", "\n".join(lines) or "(no rows)"))

    def answer_lines(self, sent: parse.Statement, headers: dict, answer: Answer) -> list[str]:
        if answer.status >= 400:
            return [": ".join(answers.error_line(answer))]
        feed = answers.feed_elements(answer)
        if not feed:
            return [f"not a feed: {answer.body[:300]!r}"]
        _, *rows = self.pages(sent, headers, answer, feed)
        return [row for row in rows if row != PAGE_MARK]

    def ask(self, statement: parse.Statement) -> tuple[str, bool]:
        """The whole answer as text, and whether it was read in pages of the configuration's size."""
        headers = {name: self.fill(value) for name, value in statement.headers.items()}
        notes = statement.notes
        pages_matter = {"max", "continuation"} & {name for name, wire in parse.HEADERS.items()
                                                  if wire in headers}
        lists = statement.verb == "GET" or parse.HEADERS["query"] in headers
        as_written = {"show", "capture", "one-page", "counts"} & notes.keys()
        paged = "page_size" in self.config and lists and not pages_matter and not as_written
        if paged:
            headers[parse.HEADERS["max"]] = str(self.config["page_size"])
        answer = self.send(statement, headers)
        answers.check_rules(answer, is_media=self.fill(statement.argument).startswith("/media/"))
        self.capture(notes.get("capture", ""), answer)
        lines = [self.status_line(answer, statement.expected)]
        for name in notes.get("show", "").split():
            lines.append(f"{name}: {answers.normalise_header(name, answer.headers.get(name))}")
        feed = answers.feed_elements(answer) if answer.status == 200 else None
        batch = answers.batch_results(answer)
        if feed:
            lines += self.pages(statement, headers, answer, feed)
        elif batch:
            lines += batch
        elif answer.status < 400 and answer.body:
            lines.append(answers.normalise(answer.body.decode()))
        return "\n".join(lines), paged

    def pages(self, statement: parse.Statement, headers: dict, answer: Answer, feed) -> list[str]:
        head, elements = feed
        pages = [elements]
        follow = "one-page" not in statement.notes and "x-ms-continuation" not in headers
        while follow and "x-ms-continuation" in answer.headers and len(pages) < PAGES_MAX:
            token = answer.headers["x-ms-continuation"]
            answer = self.send(statement, headers | {"x-ms-continuation": token})
            answers.check_rules(answer)
            found = answers.feed_elements(answer)
            if not found or found[0] != head:
                raise Mismatch(f"page {len(pages) + 1}: {answer.status} {answer.body[:300]!r}")
            pages.append(found[1])
        # The continuation of a change feed is its etag, until there is nothing new.
        while follow and "A-IM" in headers and answer.status != 304 and len(pages) < PAGES_MAX:
            answer = self.send(statement, headers | {"If-None-Match": answer.headers["etag"]})
            answers.check_rules(answer)
            found = answers.feed_elements(answer)
            if answer.status != 304 and not found:
                raise Mismatch(f"page {len(pages) + 1}: {answer.status} {answer.body[:300]!r}")
            pages.append(found[1] if found else [])
        # The last page may be empty, depending on where the data ends.
        while len(pages) > 1 and not pages[-1]:
            pages.pop()
        if "counts" in statement.notes:
            return [head, "pages of " + " ".join(str(len(page)) for page in pages)]
        texts = [[answers.normalise(element) for element in page] for page in pages]
        if "sort" in statement.notes:
            return [head, *sorted(sum(texts, []))]
        lines = [head]
        for number, page in enumerate(texts):
            lines += ([PAGE_MARK] if number else []) + page
        return lines

    def send(self, statement: parse.Statement, headers: dict) -> Answer:
        notes = statement.notes
        path = self.fill(statement.argument)
        body = None
        if statement.body is not None:
            body = self.fill(statement.body).encode(errors="surrogateescape")
        link = self.fill(notes["sign"]) if "sign" in notes else None
        if link == "last rid":
            rids = path.strip("/").split("/")[1::2]
            link = rids[-1].lower()
        key = notes.get("key", EMULATOR_KEY)
        signed = Client(self.server.port, key).signed(
            statement.verb, path, link, float(notes.get("date", 0)))
        return self.client.request(statement.verb, path, body, signed | headers)

    def fill(self, text: str) -> str:
        def repeat(match: re.Match) -> str:
            if match[1].startswith("hex:"):
                return bytes.fromhex(match[1][4:]).decode(errors="surrogateescape")
            unit, _, count = match[1].rpartition("*")
            return unit * int(count)

        text = re.sub(r"\$\{([^}]+)\}", repeat, text)
        text = re.sub(r"\$\$([a-z_]+)", lambda m: json.dumps(self.names[m[1]]), text)
        return re.sub(r"\$([a-z_]+)", lambda m: self.names.get(m[1], m[0]), text)

    def capture(self, wanted: str, answer: Answer) -> None:
        for entry in wanted.split():
            name, source = entry.split("=")
            if not source.startswith("body."):
                value = answer.headers[source]
            else:
                value = json.loads(answer.body)
                for member in source.split(".")[1:]:
                    value = value[int(member) if member.isdigit() else member]
            if value is None:
                raise Mismatch(f"nothing to capture from {source}: {answer.status} {answer.body!r}")
            self.names[name] = str(value)

    @staticmethod
    def status_line(answer: Answer, expected: str | None) -> str:
        if answer.status < 400:
            return str(answer.status)
        status, message = answers.error_line(answer)
        first = (expected or "").split("\n")[0]
        wanted = first.partition(": ")[2]
        # Only the expected part of the message is compared; in the text it replaces the whole.
        if wanted and wanted in message and first == f"{status}: {wanted}":
            return first
        return f"{status}: {re.split(r'(?<=[.]) ', message)[0][:ERROR_PART].strip()}"


def indent(title: str, text: str) -> str:
    return f"  {title}:\n" + "".join(f"    {line[:2000]}\n" for line in text.split("\n"))


def load_configs(names: str) -> list[dict]:
    chosen = []
    for name in names.split(",") if names else sorted(path.stem for path in CONFIGS.glob("*.json")):
        config = json.loads((CONFIGS / f"{name}.json").read_text()) | {"name": name}
        # Three nodes for each file take long.
        if names or not config.get("cluster"):
            chosen.append(config)
    return chosen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--config", default="", metavar="A,B", help="names in tests/configs (default: all but cluster)")
    parser.add_argument("--only", default="", metavar="REGEX", help="only files whose name matches")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rewrite", action="store_true")
    options = parser.parse_args()
    try:
        files = [parse.read_file(path) for path in sorted(HERE.glob("*/*.test"))
                 if re.search(options.only, path.stem)]
    except parse.FormatError as error:
        sys.exit(str(error))
    configs = load_configs(options.config)[:1 if options.rewrite else None]
    passed = failed = 0
    with (scratch_directory("golden") as scratch, contextlib.ExitStack() as stack,
          ThreadPoolExecutor(options.jobs) as pool):
        for config in configs:
            if config.get("cluster"):
                config["ceph"] = stack.enter_context(Cluster(scratch / "ceph")).conf
            runs = [Run(file, config, options.server.resolve(), scratch) for file in files
                    if file.path.parent.name == config.get("folder", file.path.parent.name)]
            problems = sum(pool.map(lambda run: run.run(options.rewrite), runs), [])
            good = max(0, sum(run.compared for run in runs) - len(problems))
            print("\n".join(problems + [f"{config['name']}: {good} passed, {len(problems)} failed"]),
                  flush=True)
            passed += good
            failed += len(problems)
            if options.rewrite:
                for run in runs:
                    parse.rewrite(run.file, run.answers)
    assumed = [file.path.stem for file in files if "assumed" in file.authorities]
    print(f"assumed: {len(assumed)} of {len(files)} files ({', '.join(assumed)})")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
