"""Data directories damaged while no server ran: refused, and left unchanged."""

import base64
import hashlib
import os
import re
import shutil
from pathlib import Path

from lib.client import Answer, Client, make_container
from lib.report import Report, expect
from lib.server import Server, ServerError, inspect
from raw import expect_error

SMALL_MEMTABLES = ("--memtable-mb", "16")
LARGE_ITEMS = 45  # 22 MB: more than fits one memtable, so there are tables too
SMALL_ITEMS = 200
KEY_PATH = {"paths": ["/pk"], "kind": "Hash", "version": 2}


def digest(directory: Path) -> dict[str, str]:
    """Hashes every file but the lock, to which a server writes its process id."""
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in sorted(directory.rglob("*"))
            if path.is_file() and path.name != "LOCK"}


def make_directory(binary: Path, data: Path) -> str:
    """Creates a directory with tables and three logs, as after a kill; returns the container's link."""
    with Server(binary, data, *SMALL_MEMTABLES).wait_until_ready() as server, Client(server.port) as client:
        link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
        for number in range(LARGE_ITEMS):
            write(client, link, f"large{number}", 500_000)
    for kind in ("small", "late"):
        with Server(binary, data, *SMALL_MEMTABLES).wait_until_ready() as server, Client(server.port) as client:
            for number in range(SMALL_ITEMS):
                write(client, link, f"{kind}{number}", 2000)
    expect(any((data / "db").glob("*.sst")), "the directory has no tables")
    expect(len(list((data / "db").glob("*.log"))) == 3, f"not three logs: {os.listdir(data / 'db')}")
    return link


def random_text(size: int) -> str:
    """Text that does not compress, so that it takes its full size on disk."""
    return base64.b64encode(os.urandom(size * 3 // 4)).decode()


def write(client: Client, link: str, item_id: str, size: int) -> None:
    answer = client.item("POST", link, "p", body={"id": item_id, "pk": "p", "text": random_text(size)})
    expect(answer.status == 201, f"create {item_id}: {answer.status}")


def flip(path: Path, position: int, count: int = 16) -> None:
    content = bytearray(path.read_bytes())
    for i in range(position, position + count):
        content[i] ^= 0x5A
    path.write_bytes(content)


def truncate(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:size])


def the(data: Path, pattern: str) -> Path:
    return sorted((data / "db").glob(pattern))[-1]


def middle(path: Path) -> int:
    return path.stat().st_size // 2


# name, how to damage the directory
DAMAGES = [
    ("ORRERY is empty", lambda data: truncate(data / "ORRERY", 0)),
    ("ORRERY is changed", lambda data: flip(data / "ORRERY", 0, 5)),
    ("ORRERY is missing", lambda data: (data / "ORRERY").unlink()),
    ("the database is missing", lambda data: shutil.rmtree(data / "db")),
    ("the database is an empty folder", lambda data: (shutil.rmtree(data / "db"),
                                                      (data / "db").mkdir())),
    ("CURRENT is empty", lambda data: truncate(data / "db/CURRENT", 0)),
    ("CURRENT is changed", lambda data: flip(data / "db/CURRENT", 3, 5)),
    ("CURRENT is missing", lambda data: (data / "db/CURRENT").unlink()),
    ("the manifest is truncated", lambda data: truncate(the(data, "MANIFEST-*"),
                                                  middle(the(data, "MANIFEST-*")))),
    ("the manifest is changed", lambda data: flip(the(data, "MANIFEST-*"),
                                                  middle(the(data, "MANIFEST-*")))),
    ("the manifest is missing", lambda data: the(data, "MANIFEST-*").unlink()),
    ("a table is truncated", lambda data: truncate(the(data, "*.sst"), middle(the(data, "*.sst")))),
    ("a table is missing", lambda data: the(data, "*.sst").unlink()),
    ("a log is changed in the middle", lambda data: flip(the(data, "*.log"), middle(the(data, "*.log")))),
    ("the list of logs is truncated", lambda data: truncate(data / "db/WALS", 11)),
    ("the list of logs is changed", lambda data: flip(data / "db/WALS", 3, 5)),
    ("the list of logs is missing", lambda data: (data / "db/WALS").unlink()),
]

# name, which of the three logs
MISSING_LOGS = [("the oldest log is missing", 0), ("a log between others is missing", 1),
                ("the newest log is missing", 2)]


def refused(binary: Path, data: Path, *words: str) -> str:
    """Expects the server to exit at once with one error line and no change; returns the line."""
    before = digest(data) if data.is_dir() else {}
    with Server(binary, data) as server:
        code = server.wait_for_exit()
        said = server.tail()
    expect(code == 1, f"exit code {code}: {said}")
    lines = [line for line in said.splitlines() if line.startswith("orrery: ")]
    expect(len(lines) == 1, f"not one clear line: {said!r}")
    for word in words:
        expect(word in lines[0], f"'{word}' is not in: {lines[0]}")
    after = digest(data) if data.is_dir() else {}
    changed = [name for name in before.keys() | after.keys() if before.get(name) != after.get(name)]
    expect(not changed, f"refused but changed {sorted(changed)}: {lines[0]}")
    return lines[0].removeprefix("orrery: ")


def check_damages(report: Report, binary: Path, scratch: Path) -> None:
    good = scratch / "good"
    made: dict[str, str] = {}
    report.run("a directory to damage", lambda: made.update(link=make_directory(binary, good)))
    if not made:
        return
    for name, damage in DAMAGES:
        report.run(name, lambda: check_damage(binary, good, scratch / "damaged", damage))
    report.run("a table is changed", lambda: check_changed_table(binary, good, scratch / "damaged",
                                                                 made["link"]))
    for name, which in MISSING_LOGS:
        report.run(name, lambda: check_missing_log(binary, good, scratch / "damaged", which))
    report.run("the only log is missing", lambda: check_only_log(binary, scratch / "only"))
    report.run("the undamaged directory is complete", lambda: check_whole(binary, good, made["link"]))


def check_damage(binary: Path, good: Path, data: Path, damage, *words: str) -> str:
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(good, data)
    damage(data)
    expect(digest(data) != digest(good), "the damage did not happen")
    said = refused(binary, data, *words)
    inspect_refuses(binary, data, *words)
    return said


def inspect_refuses(binary: Path, data: Path, *words: str) -> None:
    try:
        raise AssertionError(f"the server refuses the directory, inspect does not: {inspect(binary, data)}")
    except ServerError as error:
        for word in words:
            expect(word in str(error), f"'{word}' is not in: {error}")


def check_missing_log(binary: Path, good: Path, data: Path, which: int) -> str:
    log = sorted(path.name for path in (good / "db").glob("*.log"))[which]
    return check_damage(binary, good, data, lambda damaged: (damaged / "db" / log).unlink(),
                        f"write-ahead log {log} is missing")


def check_only_log(binary: Path, good: Path) -> str:
    """Removes the only log of a server's first run, which has all its writes."""
    with Server(binary, good).wait_until_ready() as server, Client(server.port) as client:
        link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
        write(client, link, "1", 100)
    expect(len(list((good / "db").glob("*.log"))) == 1, f"not one log: {os.listdir(good / 'db')}")
    return check_missing_log(binary, good, good.with_name("only-damaged"), 0)


def check_changed_table(binary: Path, good: Path, data: Path, link: str) -> str:
    """Tables are checked when read: damage is reported as an error, not as a missing item."""
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(good, data)
    for table in (data / "db").glob("*.sst"):
        size = table.stat().st_size
        # Only items: the catalog comes first and the index last.
        for position in range(size // 2, size * 3 // 4, 100_000):
            flip(table, position)
    try:
        raise AssertionError(f"inspect finds nothing: {inspect(binary, data)}")
    except ServerError:
        pass
    statuses = []
    with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
        for number in range(LARGE_ITEMS):
            answer = client.item("GET", link, "p", f"large{number}")
            statuses.append(answer.status)
            if answer.status != 200:
                expect_error(answer, 500)
        expect(500 in statuses, "damaged items were read")
        expect_error(first_bad_page(client, f"/{link}/docs"), 500)
        expect(client.request("GET", "/dbs").status == 200, "no answer after an error")
        server.stop()
    return f"{statuses.count(200)} items can be read, {statuses.count(500)} return 500"


def first_bad_page(client: Client, path: str) -> Answer | None:
    headers: dict[str, str] = {}
    while True:
        answer = client.request("GET", path, headers=headers)
        if answer.status != 200:
            return answer
        if "x-ms-continuation" not in answer.headers:
            return None
        headers["x-ms-continuation"] = answer.headers["x-ms-continuation"]


def check_whole(binary: Path, data: Path, link: str) -> str:
    with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
        found, _ = client.feed(f"/{link}/docs", "Documents")
        expect(len(found) == LARGE_ITEMS + 2 * SMALL_ITEMS, f"{len(found)} items")
        server.stop()
    return inspect(binary, data)


def check_foreign_directories(report: Report, binary: Path, scratch: Path) -> None:
    foreign = scratch / "foreign"
    foreign.mkdir()
    (foreign / "thesis.txt").write_text("years of work")

    def check_foreign() -> str:
        said = refused(binary, foreign, "not empty", "thesis.txt")
        expect(sorted(path.name for path in foreign.iterdir()) == ["thesis.txt"], "it left a file")
        return said

    newer = scratch / "newer"

    def check_newer() -> str:
        with Server(binary, newer).wait_until_ready() as server:
            server.stop()
        marker = (newer / "ORRERY").read_text()
        format_now = int(re.search(r"format = (\d+)", marker)[1])
        changed = marker.replace(f"format = {format_now}", f"format = {format_now + 1}")
        (newer / "ORRERY").write_text(changed + "shape = round\n")
        return refused(binary, newer, f"format {format_now + 1}", "newer")

    plain_file = scratch / "file"
    plain_file.write_text("x")
    report.run("a directory with other files", check_foreign)
    report.run("a directory of a newer server", check_newer)
    report.run("a file instead of a directory",
               lambda: refused(binary, plain_file, "is not a directory"))
