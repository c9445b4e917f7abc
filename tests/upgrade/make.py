#!/usr/bin/env python3
"""Writes a data directory with an old server, and what that server answers to reads of it.

    tests/upgrade/make.py --server OLD_BINARY --name format-2

makes format-2.tar.gz and format-2.json. The directory is that of a killed server: part of its content is only in the
log, a partition key is still being deleted, and expired items are still stored. run.py opens it with newer servers.
Fixtures are kept for good: add a new one when the format changes, do not make an old one again.
"""

import argparse
import json
import sys
import tarfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lib.client import Client, make_container  # noqa: E402
from lib.report import expect, scratch_directory  # noqa: E402
from lib.server import Server, inspect  # noqa: E402
from contents import CONTAINERS, DELETED_KEY, DELETING, PROCEDURES, TRIGGER, UDF  # noqa: E402
from reads import Recorder, reads_of  # noqa: E402

DATABASE = "d"
# No background sweep: what is expired or deleted stays on disk.
OPTIONS = ("--ttl-sweep-ms", "3600000")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, required=True, help="the old server")
    parser.add_argument("--name", required=True, help="of the fixture")
    arguments = parser.parse_args()
    with scratch_directory("fixture") as scratch:
        data = scratch / "data"
        with Server(arguments.server, data, *OPTIONS).wait_until_ready() as server:
            with Client(server.port) as client:
                fill(client)
            server.stop()  # moves the log into tables
        with Server(arguments.server, data, *OPTIONS).wait_until_ready() as server:
            with Client(server.port) as client:
                change(client)
                delete_key(client)
                expected = record(client)
            server.kill()
        count = sum(len(container["items"]) for container in expected["containers"])
        stored = int(inspect(arguments.server, data).split()[0])
        expect(stored > count, "expired and deleted items have been removed already")
        (HERE / f"{arguments.name}.json").write_text(lines_of(expected))
        pack(data, HERE / f"{arguments.name}.tar.gz")
    return 0


def fill(client: Client) -> None:
    for container in CONTAINERS:
        link = make_container(client, DATABASE, container.definition, container.headers)
        for item in container.items():
            create(client, container, link, item)
        if container.scripted:
            add_scripts(client, link)


def create(client: Client, container, link: str, item: dict) -> None:
    made = client.request("POST", f"/{link}/docs", item, container.key_headers(item))
    expect(made.status == 201, f"create {item['id']}: {made.status} {made.body!r}")


def add_scripts(client: Client, link: str) -> None:
    scripts = [("sprocs", {"id": name, "body": body}) for name, body in PROCEDURES.items()]
    for kind, script in [*scripts, ("triggers", TRIGGER), ("udfs", UDF)]:
        made = client.request("POST", f"/{link}/{kind}", script)
        expect(made.status == 201, f"create {script['id']}: {made.status} {made.body!r}")


def change(client: Client) -> None:
    """Versions other than the first, written one by one, in a batch and by a script."""
    for container in CONTAINERS:
        link = f"dbs/{DATABASE}/colls/{container.definition['id']}"
        items = list(container.items())
        for item in items[::5]:
            done = client.request("POST", f"/{link}/docs", item | {"changed": True},
                                  container.key_headers(item) | {"x-ms-documentdb-is-upsert": "True"})
            expect(done.status in (200, 201), f"upsert: {done.status} {done.body!r}")
        gone = items[1]  # its number is not used again
        done = client.request("DELETE", f"/{link}/docs/{container.path_id(gone)}", None,
                              container.key_headers(gone))
        expect(done.status == 204, f"delete: {done.status} {done.body!r}")
        if not container.scripted:
            continue
        key = {"x-ms-documentdb-partitionkey": '["a"]'}
        batch = [{"operationType": "Create", "resourceBody": {"id": f"batch {i}", "pk": "a", "n": 50 + i}}
                 for i in range(4)]
        done = client.request("POST", f"/{link}/docs", batch, key | {
            "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "True"})
        expect(done.status == 200, f"batch: {done.status} {done.body!r}")
        done = client.request("POST", f"/{link}/sprocs/write", [3], key)
        expect(done.status == 200, f"script: {done.status} {done.body!r}")
    time.sleep(2.1)  # items with a ttl of 1 expire


def delete_key(client: Client) -> None:
    link = f"dbs/{DATABASE}/colls/{DELETING}"
    key = {"x-ms-documentdb-partitionkey": json.dumps([DELETED_KEY])}
    done = client.request("POST", f"/{link}/operations/partitionkeydelete", b"", key)
    expect(done.status in (200, 202, 204), f"delete key: {done.status} {done.body!r}")


def record(client: Client) -> dict:
    recorder = Recorder(client)
    containers = []
    for container in CONTAINERS:
        link = f"dbs/{DATABASE}/colls/{container.definition['id']}"
        ranges = client.request("GET", f"/{link}/pkranges").json()["PartitionKeyRanges"]
        found, _ = client.feed(f"/{link}/docs", "Documents")
        items = [{"id": container.path_id(item), "key": container.key_headers(item), "item": item}
                 for item in found]
        containers.append({
            "link": link, "items": items,
            "definition": client.request("GET", f"/{link}").json(),
            "reads": [done for read in reads_of(container, link, ranges)
                      if (done := recorder.run(read))]})
    return {"containers": containers}


def lines_of(expected: dict) -> str:
    """JSON with a line for each item and each read, for small differences."""
    def listed(rows: list) -> str:
        return "[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "]"

    containers = ",\n".join(
        "{" + ", ".join(f'"{name}": ' + (listed(value) if isinstance(value, list) else json.dumps(value))
                        for name, value in container.items()) + "}"
        for container in expected["containers"])
    return '{"containers": [\n' + containers + "]}\n"


def pack(data: Path, archive: Path) -> None:
    def clean(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
        name = entry.name.removeprefix("data/")
        # The certificate's key is made again at start and does not belong into a repository.
        if name.startswith("tls") or name == "LOCK" or name.startswith("db/LOG") or name == "db/LOCK":
            return None
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        return entry

    with tarfile.open(archive, "w:gz") as tar:
        tar.add(data, "data", filter=clean)


if __name__ == "__main__":
    sys.exit(main())
