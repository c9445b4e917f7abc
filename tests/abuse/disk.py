#!/usr/bin/env python3
"""Data directories that are in use, foreign, damaged or full; and shutdown under load."""

import argparse
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Iterator

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.report import Report, Skip, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, ServerError, inspect  # noqa: E402
from damage import KEY_PATH, check_damages, check_foreign_directories, digest, random_text  # noqa: E402
from raw import expect_error  # noqa: E402

DISK_MB = 64
BALLAST = "ballast"
BALLAST_MB = 24
WRITERS = 4


def check_second_server(binary: Path, scratch: Path) -> str:
    data = scratch / "twice"
    with Server(binary, data).wait_until_ready() as first, Client(first.port) as client:
        link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
        before = digest(data)
        log = scratch / "second.log"
        with open(log, "wb") as output:
            second = subprocess.run(
                [str(binary), "serve", "--listen", "127.0.0.1:0", "--data", str(data)],
                stdout=output, stderr=output, timeout=60)
        said = log.read_text().strip()
        expect(second.returncode == 1, f"exit code {second.returncode}: {said}")
        expect(f"in use by another process (process {first.process.pid})" in said, said)
        try:
            inspect(binary, data)
            raise AssertionError("inspect opens a directory in use")
        except ServerError as error:
            expect("in use" in str(error), f"{error}")
        expect(digest(data) == before, "the second server changed something")
        expect(client.item("POST", link, "p", body={"id": "1", "pk": "p"}).status == 201,
               "the first server no longer answers")
        first.stop()
    return said


def check_other_address(binary: Path, scratch: Path) -> None:
    data = scratch / "public"
    key_file = data / "account.key"
    with Server(binary, data, listen="0.0.0.0:0").wait_until_ready() as server:
        key = key_file.read_text().strip()
        expect(key_file.stat().st_mode & 0o777 == 0o600, f"mode {key_file.stat().st_mode:o}")
        with Client(server.port) as stranger, Client(server.port, key) as owner:
            expect_error(stranger.request("GET", "/dbs"), 401)
            expect_error(stranger.request("GET", "/"), 401)
            expect(owner.request("GET", "/dbs").status == 200, "the generated key is refused")
        expect(key not in server.log.read_text(), "the key is in the log")
        server.stop()
    with Server(binary, data, listen="0.0.0.0:0").wait_until_ready() as server:
        expect(key_file.read_text().strip() == key, "a different key after a restart")
        server.stop()


class Writers:
    """Clients that create items until they are stopped or have `enough` each, and record which were
    acknowledged."""

    def __init__(self, port: int, link: str, name: str, size: int, enough: int = 1 << 30):
        self.port, self.link, self.name, self.size = port, link, name, size
        self.enough = enough
        self.acknowledged: set[str] = set()
        self.refused = 0
        self.unanswered = 0
        self.problems: list[str] = []
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.write, args=(number,), daemon=True)
                        for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def write(self, writer: int) -> None:
        number = done = 0
        with Client(self.port) as client:
            while not self.stopping.is_set() and done < self.enough:
                number += 1
                item_id = f"{self.name}-{writer}-{number}"
                body = {"id": item_id, "pk": f"pk{number % 5}", "text": random_text(self.size)}
                try:
                    answer = client.item("POST", self.link, body["pk"], body=body)
                except NO_ANSWER:
                    self.unanswered += 1
                    return
                if answer.status == 201:
                    self.acknowledged.add(item_id)
                    done += 1
                elif answer.status == 503:
                    self.refused += 1
                    time.sleep(0.01)
                else:
                    self.problems.append(f"{item_id}: {answer.status} {answer.body[:300]!r}")

    def finish(self) -> set[str]:
        self.stopping.set()
        for thread in self.threads:
            thread.join(60)
            expect(not thread.is_alive(), "a writer hangs")
        expect(not self.problems, f"{self.problems[:3]}")
        return self.acknowledged


def wait_for(condition, seconds: float, text: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, text)
        time.sleep(0.02)


def expect_exactly(client: Client, link: str, ids: set[str], when: str) -> None:
    items, _ = client.feed(f"/{link}/docs", "Documents", {"x-ms-max-item-count": "-1"})
    found = [item["id"] for item in items]
    expect(len(found) == len(set(found)), f"{when}: an item appears twice")
    missing, extra = ids - set(found), set(found) - ids
    expect(not missing, f"{when}: lost {len(missing)}, such as {sorted(missing)[:3]}")
    expect(not extra, f"{when}: not acknowledged but present: {len(extra)}, {sorted(extra)[:3]}")


def check_end_under_load(binary: Path, scratch: Path) -> str:
    """On SIGTERM the server answers every write it executed, and stores no other."""
    data = scratch / "end"
    with Server(binary, data, "--partitions", "3").wait_until_ready() as server:
        with Client(server.port) as client:
            link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
        acknowledged: set[str] = set()
        unanswered = 0
    for turn in range(10):
        with Server(binary, data, "--partitions", "3").wait_until_ready() as server:
            writers = Writers(server.port, link, f"turn{turn}", 5000)
            time.sleep(0.2)
            server.stop()
            acknowledged |= writers.finish()
            unanswered += writers.unanswered
    with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
        expect_exactly(client, link, acknowledged, "after the last start")
    return f"{len(acknowledged)} acknowledged, {unanswered} never reached it"


@contextmanager
def small_disk(mount_point: Path) -> Iterator[tuple[Path, Path]]:
    """A disk with the data directory and a ballast file, which can be deleted to free space."""
    if os.geteuid() != 0:
        raise Skip("only root can mount a small disk")
    mount_point.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none",
                              str(mount_point)], capture_output=True, text=True)
    if mounted.returncode != 0:
        raise Skip(f"mounting a small disk failed: {mounted.stderr.strip()}")
    try:
        # The server log is next to the data directory and must not be on the full disk.
        (mount_point / "data").mkdir()
        data = mount_point.with_name(mount_point.name + "-data")
        data.symlink_to(mount_point / "data")
        (mount_point / BALLAST).write_bytes(bytes(BALLAST_MB << 20))
        yield mount_point, data
    finally:
        subprocess.run(["umount", "-l", str(mount_point)], check=True)


def check_full_disk(binary: Path, scratch: Path) -> str:
    with small_disk(scratch / "disk") as (disk, data):
        with Server(binary, data, "--partitions", "2").wait_until_ready() as server:
            with Client(server.port) as client:
                link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
                full = fill_up(server, link)
                check_while_full(client, link, full)
                (disk / BALLAST).unlink()
                more = write_again(server, client, link)
                expect_exactly(client, link, full | more, "after space was freed")
            server.kill()
        with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
            expect_exactly(client, link, full | more, "after a kill and restart")
            server.stop()
        remark = inspect(binary, data)
    return f"{len(full)} items until full, {len(more)} after; {remark}"


def fill_up(server: Server, link: str) -> set[str]:
    writers = Writers(server.port, link, "first", 20_000)
    wait_for(lambda: writers.refused > 30, 60, "the disk is not full yet")
    time.sleep(0.5)
    acknowledged = writers.finish()
    expect(server.running(), f"the server died\n{server.tail()}")
    return acknowledged


def check_while_full(client: Client, link: str, acknowledged: set[str]) -> None:
    expect_exactly(client, link, acknowledged, "on a full disk")
    body = {"id": "too-much", "pk": "pk0", "text": random_text(100_000)}
    refused_write = client.item("POST", link, "pk0", body=body)
    expect_error(refused_write, 503)
    expect_error(client.item("GET", link, "pk0", "too-much"), 404)
    victim = next(item for item in acknowledged if int(item.split("-")[-1]) % 5 == 0)
    before = client.item("GET", link, "pk0", victim)
    expect(before.status == 200, f"a read on a full disk: {before.status}")
    expect_error(client.item("PUT", link, "pk0", victim, body | {"id": victim}), 503)
    after = client.item("GET", link, "pk0", victim)
    expect(after.body == before.body, "a refused replace changed the item")
    expect_error(client.request("POST", "/dbs", {"id": "x" * 200}), 503)
    expect(client.request("GET", "/dbs").status == 200, "databases cannot be listed")


def write_again(server: Server, client: Client, link: str) -> set[str]:
    """After space is freed, writes succeed without a restart."""
    # Only as many as fit: the disk must not fill up again.
    writers = Writers(server.port, link, "second", 20_000, enough=25)
    wait_for(lambda: len(writers.acknowledged) == WRITERS * 25, 30,
             "writes do not succeed after space was freed")
    acknowledged = writers.finish()
    expect(client.request("POST", "/dbs", {"id": "after"}).status == 201, "no database can be created")
    return acknowledged


def check_start_on_full_disk(binary: Path, scratch: Path) -> str:
    """Killed and started on a full disk: it serves or reports why not, and loses nothing."""
    with small_disk(scratch / "full") as (disk, data):
        with Server(binary, data).wait_until_ready() as server:
            with Client(server.port) as client:
                link = make_container(client, "db", {"id": "c", "partitionKey": KEY_PATH})
            acknowledged = fill_up(server, link)
            server.kill()
        with open(disk / "filler", "wb", buffering=0) as filler:
            try:
                while True:
                    filler.write(bytes(4096))
            except OSError:
                pass  # no space is left
        try:
            with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
                expect_exactly(client, link, acknowledged, "started on a full disk")
                outcome = "served"
        except ServerError as error:
            expect("No space left" in str(error), f"{error}")
            outcome = "refused: no space left; no data lost"
        (disk / BALLAST).unlink()
        (disk / "filler").unlink()
        with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
            expect_exactly(client, link, acknowledged, "started with space")
            server.stop()
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    binary = parser.parse_args().server
    report = Report()
    with scratch_directory("disk") as scratch:
        report.run("a second server", lambda: check_second_server(binary, scratch))
        report.run("the key on another address", lambda: check_other_address(binary, scratch))
        report.run("SIGTERM under load", lambda: check_end_under_load(binary, scratch))
        check_foreign_directories(report, binary, scratch)
        check_damages(report, binary, scratch)
        report.run("disk full and free again", lambda: check_full_disk(binary, scratch))
        report.run("start on a full disk", lambda: check_start_on_full_disk(binary, scratch))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
