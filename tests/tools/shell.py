#!/usr/bin/env python3
"""`orrery shell` on a terminal and with scripts: results, errors, editing, completion, Ctrl-C, paging.

    tests/tools/shell.py [--server build/release/orrery]
"""
import argparse
import http.server
import json
import select
import signal
import stat
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
from terminal import Terminal  # noqa: E402

PATIENCE_SECONDS = 60
UP, LEFT, CTRL_C, CTRL_D, TAB = "\x1b[A", "\x1b[D", "\x03", "\x04", "\t"
ITEMS = 100
KEYS = 10
# What must not reach a terminal: an escape sequence, its one-character form, and a direction mark.
NASTY = "\x1b[31mred\x9b32m\u202etxet"


class OtherServer(http.server.BaseHTTPRequestHandler):
    """A server of the same API with less: no EXPLAIN, no merging of partitions, and one query that never ends."""
    protocol_version = "HTTP/1.1"
    metrics = False
    hanging = threading.Event()
    released = threading.Event()

    def do_GET(self) -> None:
        self.reply(200, {"id": "c", "_rid": "r", "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2}})

    def do_POST(self) -> None:
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["query"]
        if "EXPLAIN" in query:
            self.reply(400, {"code": "BadRequest", "message": "Syntax error, incorrect syntax near 'EXPLAIN'."})
        elif "ORDER BY" in query:
            self.reply(400, {"code": "BadRequest", "message": "cannot be served"}, {"x-ms-substatus": "1004"})
        elif "hang" in query:
            self.hanging.set()
            self.released.wait(PATIENCE_SECONDS)
            self.close_connection = True
        else:
            metrics = {"x-ms-documentdb-query-metrics": "retrievedDocumentCount=7;"} if self.metrics else {}
            self.reply(200, {"_rid": "r", "Documents": [], "_count": 0}, metrics)

    def reply(self, status: int, body: dict, headers: dict | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_) -> None:
        pass


@contextmanager
def other_server(with_metrics: bool = False) -> Iterator[int]:
    kind = type("Kind", (OtherServer,), {"metrics": with_metrics, "hanging": threading.Event(),
                                         "released": threading.Event()})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.kind = kind
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        kind.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class Checks:
    def __init__(self, binary: Path, scratch: Path, port: int):
        self.binary, self.scratch, self.port = binary, scratch, port
        self.terminals = 0

    def fill(self) -> None:
        with Client(self.port) as client:
            link = make_container(client, "db", {"id": "books", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}},
                                  {"x-ms-offer-throughput": "1000"})
            for n in range(ITEMS):
                item = {"id": f"{n}", "pk": f"key {n % KEYS}", "n": n, "address": {"city": "Oslo", "street": "Storgata"}}
                made = client.item("POST", link, item["pk"], None, item)
                expect(made.status == 201, f"create: {made.status} {made.body!r}")
            for name in ("twins", "nasty", "watched"):
                make_container(client, "db", {"id": name, "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
            client.item("POST", "dbs/db/colls/nasty", "a", None, {"id": "1", "pk": "a", "text": NASTY, NASTY: 1})

    def command(self, *options: str, port: int | None = None) -> list[str]:
        return [str(self.binary), "shell", "--endpoint", f"http://127.0.0.1:{port or self.port}/", *options]

    def run(self, *options: str, script: str = "", code: int = 0, port: int | None = None) -> tuple[str, str]:
        """What it prints on standard output and standard error."""
        done = subprocess.run(self.command(*options, port=port), input=script, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == code, f"exit code {done.returncode} instead of {code}: {done}")
        return done.stdout, done.stderr

    def statements(self, *statements: str, container: str = "books", code: int = 0, options: tuple = ()) -> list:
        """The results of statements as JSON, one a line."""
        given = [text for statement in statements for text in ("--command", statement)]
        out, _ = self.run("--database", "db", "--container", container, *options, *given, code=code)
        return [json.loads(line) for line in out.splitlines()]

    def terminal(self, *options: str, state: Path | None = None, port: int | None = None) -> Terminal:
        """A shell on a terminal of 80 columns and 24 lines."""
        self.terminals += 1
        home = state or self.scratch / f"home{self.terminals}"
        home.mkdir(exist_ok=True)
        return Terminal(["env", f"HOME={home}", f"XDG_STATE_HOME={home}/state", "TERM=xterm", "LC_ALL=C.UTF-8",
                         *self.command(*options, port=port)], self.scratch)

    @contextmanager
    def shell(self, *options: str, **more) -> Iterator[Terminal]:
        """One that uses db/books, at its prompt."""
        with self.terminal(*(options or ("--database", "db", "--container", "books")), **more) as shell:
            shell.wait_for("> ")
            yield shell

    # Scripts

    def scripts(self) -> None:
        out, err = self.run(script="ls\nuse db\nls\nuse db/books\n-- a comment\nSELECT VALUE c.n\nFROM c\n"
                                   "WHERE c.n < 3\nORDER BY c.n DESC;\nSELECT VALUE COUNT(1) FROM c\n")
        lines = [json.loads(line) for line in out.splitlines()]
        expect(lines[0] == {"id": "db"} and {"id": "books", "partitionKey": ["/pk"]} in lines, out)
        expect(lines[-4:] == [2, 1, 0, ITEMS], out)
        expect(err == "", err)
        out, _ = self.run(script="use db/books\n.quit\nSELECT VALUE 1;\n")
        expect(out == "", f"goes on after .quit: {out}")

    def errors_in_scripts(self) -> None:
        script = "use db/books\nSELECT VALUE 1;\nSELECT * FRM c;\nSELECT VALUE 2;\n"
        out, err = self.run(script=script, code=1)
        expect(out == "1\n" and err == "orrery: Syntax error, incorrect syntax near 'FRM'.\n", out + err)
        out, err = self.run("--keep-going", script=script, code=1)
        expect(out == "1\n2\n" and err.count("\n") == 1, out + err)
        for statement, problem in (("SELECT VALUE 1", "no container is in use"), ("nonsense", "unknown command"),
                                   ("use none", "no database 'none'"), ("use db/none", "no container 'db/none'"),
                                   ("quit", "did you mean .quit"), (".mode xml", "usage: .mode"),
                                   ("put", "no container is in use"), (".throughput", "`use` one")):
            _, err = self.run("--command", statement, code=1)
            expect(problem in err and err.count("\n") == 1, f"{statement}: {err}")

    def refusals(self) -> None:
        _, err = self.run("--container", "c", code=2)
        expect("--container needs --database" in err, err)
        self.run("--json", "--mode", "table", code=2)
        _, err = self.run("--database", "none", code=1)
        expect("no database 'none'" in err, err)
        _, err = self.run("--command", "ls", "--key", "d3Jvbmcga2V5IHdyb25nIGtleSB3cm9uZyBrZXkhISE=", code=1)
        expect("orrery doctor" in err, err)

    def commands_and_modes(self) -> None:
        query = "SELECT c.id, c.n FROM c WHERE c.n = 5"
        expect(self.statements(query, "SELECT VALUE 1") == [{"id": "5", "n": 5}, 1], "lines")
        out, _ = self.run("--database", "db", "--container", "books", "--json", "--command", query)
        expect(json.loads(out) == [{"id": "5", "n": 5}] and out.count("\n") > 3, out)
        out, _ = self.run("--database", "db", "--container", "books", "--json", "--command",
                          "SELECT * FROM c WHERE c.n < 0")
        expect(json.loads(out) == [], out)
        out, _ = self.run("--database", "db", "--container", "books", "--mode", "table", "--command", query)
        expect(out == "id | n\n---+--\n5  | 5\n", out)
        out, _ = self.run("--database", "db", "--container", "books", "--json", "--command", query,
                          "--command", ".stats")
        stats = json.loads(out[out.index("]\n") + 2:])
        expect(stats["last"]["items"] == 1 and stats["last"]["requestUnits"] > 0, str(stats))
        expect(stats["container"] == {"partitionKey": ["/pk"], "kilobytes": stats["container"]["kilobytes"],
                                      "items": ITEMS, "partitions": 3}, str(stats))

    def items(self) -> None:
        self.statements('put {"id":"a b","pk":"x","digits":1.50}', container="twins")
        out, _ = self.run("--database", "db", "--container", "twins", "--command", 'cat "a b" "x"')
        expect('"digits":1.50' in out, out)
        with Client(self.port) as client:
            for key in ("one", "two"):
                client.item("POST", "dbs/db/colls/twins", key, None, {"id": "twin", "pk": key})
        expect(len(self.statements("cat twin", container="twins")) == 2, "both twins")
        _, err = self.run("--database", "db", "--container", "twins", "--command", "rm twin", code=1)
        expect('["one"], ["two"]' in err, err)
        left = self.statements('rm twin "one"', "SELECT VALUE c.pk FROM c WHERE c.id = 'twin'", "rm twin",
                               "put {\"id\":\"t\",\n\"pk\":5}", "rm t 5", 'rm "a b"', "SELECT VALUE COUNT(1) FROM c",
                               container="twins")
        expect(left == ["two", 0], str(left))
        for wrong, problem in (("rm twin", "no item 'twin'"), ("cat none", "no item 'none'"),
                               ("cat none one", "partition key is JSON"), ("put {", "invalid JSON"),
                               ('put {"pk":1}', "'id'")):
            _, err = self.run("--database", "db", "--container", "twins", "--command", wrong, code=1)
            expect(problem in err, f"{wrong}: {err}")

    def throughput(self) -> None:
        shown = self.statements(".throughput", ".throughput auto 4000", ".throughput auto 5000", ".throughput 600",
                                ".throughput 1000")
        expect([(o["autoscale"], o["requestUnits"]) for o in shown]
               == [(False, 1000), (True, 4000), (True, 5000), (False, 600), (False, 1000)], str(shown))
        _, err = self.run("--database", "db", "--container", "books", "--command", ".throughput 17", code=1)
        expect("17" in err, err)
        _, err = self.run("--database", "db", "--command", ".throughput", code=1)
        expect("the database has no throughput" in err, err)

    def explains(self) -> None:
        plan, = self.statements("EXPLAIN SELECT * FROM c WHERE c.n = 5")
        expect(plan["access"] and plan["actual"]["rows"] == 1 and plan["partitions"] == 3, str(plan))
        out, _ = self.run("--database", "db", "--container", "books", "--mode", "table", "--command",
                          "explain select * from c where c.n = 5")
        expect("indexes paths " in out and "/n/?" in out, out)
        _, err = self.run("--database", "db", "--container", "books", "--command", "EXPLAIN SELECT * FRM c", code=1)
        expect("near 'FRM'" in err, err)

    def other_servers(self) -> None:
        explain = ("--database", "db", "--container", "c", "--command", "EXPLAIN SELECT * FROM c")
        with other_server() as server:
            _, err = self.run(*explain, port=server.server_port, code=1)
            expect("has no EXPLAIN" in err, err)
            _, err = self.run("--database", "db", "--container", "c", "--command", "SELECT * FROM c ORDER BY c.n",
                              port=server.server_port, code=1)
            expect("does not merge" in err, err)
        with other_server(with_metrics=True) as server:
            out, _ = self.run(*explain, port=server.server_port)
            expect(json.loads(out)["measured"] == {"retrievedDocumentCount": 7}, out)

    # Terminals

    def prompts(self) -> None:
        with self.shell("--database", "db") as shell:
            shell.wait_for("Connected to http://127.0.0.1")
            shell.wait_for("db> ")
            shell.press("use db/books\r")
            shell.wait_for("db/books> ")
            shell.press("SELECT c.id, c.n\r")
            shell.wait_for("...> ")
            shell.press("FROM c WHERE c.n = 42;\r")
            shell.wait_for("42 | 42")
            shell.wait_for("1 item · ")
            shell.wait_for(" RU · ")
            shell.press("nonsense\r")
            shell.wait_for("unknown command 'nonsense'")
            # Only at a prompt is Ctrl-D a key to the editor.
            self.wait_for_count(shell, "db/books> ", 3)
            shell.press(CTRL_D)
            expect(shell.finish() == 0, "exit code after Ctrl-D")
        with self.shell() as shell:
            shell.press(".quit\r")
            expect(shell.finish() == 0, "exit code after .quit")
        with self.terminal("--database", "none") as shell:
            expect(shell.finish() == 1 and "no database 'none'" in shell.text, shell.text)

    def editing(self) -> None:
        state = self.scratch / "state"
        with self.shell(state=state) as shell:
            shell.press("SELECT VALUE 'ünï世x'" + LEFT + "\x08界\r")
            shell.wait_for("\nünï世界\r\n")
            shell.press("SELECT VALUE\r")
            shell.wait_for("...> ")
            shell.press("20 + 3;\r")
            shell.wait_for("   23\r\n")
            shell.press(".quit\r")
            shell.finish()
        file = state / "state/orrery/history"
        lines = file.read_text().splitlines()
        expect(lines == ["SELECT VALUE 'ünï世界'", "SELECT VALUE 20 + 3;", ".quit"], str(lines))
        expect(stat.S_IMODE(file.stat().st_mode) == 0o600, oct(file.stat().st_mode))
        with self.shell(state=state) as shell:
            shell.press(UP + UP + LEFT + "9\r")  # before the semicolon
            shell.wait_for("   59\r\n")
            shell.press(".quit\r")
            expect(shell.finish() == 0, "exit code")

    def completion(self) -> None:
        with self.shell("--database", "db") as shell:
            shell.press("us" + TAB + "db/bo" + TAB + "\r")
            shell.wait_for("db/books> ")
            shell.press("sel" + TAB + "value c.addr" + TAB + ".ci" + TAB + " fr" + TAB + "c wh" + TAB + "c.n = 1;\r")
            shell.wait_for("\nOslo\r\n")
            shell.press("SELECT c.address." + TAB)
            # With the line shown again, which has a prompt of its own.
            shell.wait_for("\ncity    street\r\n\r\x1b[Kdb/books> SELECT c.address.")
            self.interrupt(shell, "db/books> ")
            shell.press(CTRL_D)
            expect(shell.finish() == 0, "exit code")

    def interrupt(self, shell: Terminal, prompt: str) -> None:
        """Presses Ctrl-C, which drops what was typed before, and waits for the next prompt."""
        prompts = shell.text.count(prompt)
        shell.press(CTRL_C)
        self.wait_for_count(shell, prompt, prompts + 1)

    @staticmethod
    def wait_for_count(shell: Terminal, text: str, count: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while shell.text.count(text) < count:
            expect(shell.read() and time.monotonic() < deadline, f"not {count} times {text!r}: {shell.text!r}")

    def interrupted_lines(self) -> None:
        with self.shell() as shell:
            shell.press("SELECT c.unfinished\r")
            shell.wait_for("...> ")
            shell.press("FROM")
            self.interrupt(shell, "db/books> ")
            shell.press("SELECT VALUE 40 + 2;\r")
            shell.wait_for("   42\r\n")
            shell.process.send_signal(signal.SIGTERM)
            expect(shell.finish() == 128 + signal.SIGTERM, shell.text)

    def interrupted_query(self) -> None:
        with other_server() as server, \
                self.shell("--database", "db", "--container", "c", port=server.server_port) as shell:
            shell.press("SELECT * FROM c WHERE c.hang;\r")
            expect(server.kind.hanging.wait(PATIENCE_SECONDS), "the query has not arrived")
            self.interrupt(shell, "db/c> ")
            expect("orrery: interrupted\r\n" in shell.text, repr(shell.text))
            shell.press("SELECT * FROM c;\r")
            shell.wait_for("0 items")
            shell.press(".quit\r")
            expect(shell.finish() == 0, shell.text)

    def interrupted_script(self) -> None:
        with other_server() as server:
            process = subprocess.Popen(
                self.command("--database", "db", "--container", "c", "--command", "SELECT * FROM c WHERE c.hang",
                             "--command", "SELECT VALUE 1", "--keep-going", port=server.server_port),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                expect(server.kind.hanging.wait(PATIENCE_SECONDS), "the query has not arrived")
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=PATIENCE_SECONDS)
            finally:
                process.kill()
            expect(process.returncode == 130 and out == "" and "interrupted" in err, f"{process.returncode} {out}{err}")

    def watching(self) -> None:
        with self.shell("--database", "db", "--container", "watched") as shell, Client(self.port) as client:
            for number in (1, 2):
                shell.press(".watch\r")
                self.wait_for_count(shell, "watching db/watched", number)
                client.item("POST", "dbs/db/colls/watched", "k", None, {"id": f"new {number}", "pk": "k", "t": NASTY})
                shell.wait_for(f'"id":"new {number}"')
                self.interrupt(shell, "db/watched> ")
                shell.press("SELECT VALUE 'after %d';\r" % number)
                shell.wait_for(f"\nafter {number}\r\n")
            expect("\x1b[31m" not in shell.text and "\x9b32m" not in shell.text, repr(shell.text))
            shell.press(".quit\r")
            expect(shell.finish() == 0, shell.text)

    def watching_in_a_script(self) -> None:
        """Each change is a line at once; a signal ends it."""
        with Client(self.port) as client, subprocess.Popen(
                self.command("--database", "db", "--container", "watched", "--command", ".watch"),
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            try:
                deadline = time.monotonic() + PATIENCE_SECONDS
                # It does not say when it has begun.
                while not select.select([process.stdout], [], [], 0.1)[0]:
                    expect(time.monotonic() < deadline, "no change appears")
                    client.item("POST", "dbs/db/colls/watched", "k", None, {"id": str(time.monotonic()), "pk": "k"})
                expect(json.loads(process.stdout.readline())["pk"] == "k", "another item")
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=PATIENCE_SECONDS)
            finally:
                process.kill()
            expect(process.returncode == 130 and err == "", f"{process.returncode} {err}")

    def paging(self) -> None:
        with self.shell() as shell:
            shell.press("SELECT VALUE CONCAT('row ', ToString(c.n), '.') FROM c ORDER BY c.n;\r")
            shell.wait_for("--More--")
            expect("row 20." in shell.text and "row 21." not in shell.text, repr(shell.text))
            shell.press("\r")
            self.wait_for_count(shell, "--More--", 2)
            expect("row 21." in shell.text and "row 22." not in shell.text, repr(shell.text))
            shell.press(" ")
            self.wait_for_count(shell, "--More--", 3)
            expect("row 44." in shell.text and "row 45." not in shell.text, repr(shell.text))
            shell.press("q")
            shell.wait_for("(stopped)")
            shell.press("SELECT VALUE 'not paged';\r")
            shell.wait_for("\nnot paged\r\n")
            # Ctrl-C ends a page as well.
            shell.press(".mode lines\rSELECT * FROM c;\r")
            self.wait_for_count(shell, "--More--", 4)
            self.interrupt(shell, "db/books> ")
            shell.press("SELECT VALUE 'after';\r")
            shell.wait_for('\n"after"\r\n')
            shell.press(".quit\r")
            expect(shell.finish() == 0 and "row 45." not in shell.text, repr(shell.text))

    def nasty_data(self) -> None:
        with self.shell("--database", "db", "--container", "nasty") as shell:
            shell.press("SELECT * FROM c;\r.mode json\rSELECT * FROM c;\r.mode lines\rSELECT * FROM c;\rcat 1\r")
            self.wait_for_count(shell, "\\u001b[31mred\\u009b32m\\u202etxet", 8)
            shell.press("use db/" + NASTY.replace("\x1b", "").replace("\x9b", "") + "\r")
            shell.wait_for("there is no container")
            shell.press("\x15.quit\r")
            shell.finish()
            data = shell.text.split("there is no container")
            for sequence in ("\x1b[31m", "\x9b"):
                expect(sequence not in shell.text, repr(shell.text))
            expect("\u202e" not in data[0].split("use db/")[0] and "\u202e" not in data[1], repr(shell.text))
        out, _ = self.run("--database", "db", "--container", "nasty", "--command", "SELECT VALUE c.text FROM c")
        expect(json.loads(out) == NASTY, "what is piped stays as it is")

    def all(self) -> list:
        return [self.scripts, self.errors_in_scripts, self.refusals, self.commands_and_modes, self.items,
                self.throughput, self.explains, self.other_servers, self.prompts, self.editing, self.completion,
                self.interrupted_lines, self.interrupted_query, self.interrupted_script, self.watching, self.watching_in_a_script,
                self.paging,
                self.nasty_data]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    binary = options.server.resolve()
    report = Report()
    with scratch_directory("shell") as scratch:
        with Server(binary, scratch / "data", "--ephemeral", "--partitions", "3").wait_until_ready() as server:
            checks = Checks(binary, scratch, server.port)
            checks.fill()
            for check in checks.all():
                report.run(check.__name__, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
