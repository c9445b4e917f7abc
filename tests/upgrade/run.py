#!/usr/bin/env python3
"""Opens data directories of earlier versions: every answer, etag and continuation token must still be valid.

Each fixture (made by make.py) is unpacked into a temporary directory, read, killed, read again, written to and read
once more. `orrery inspect` must find no problems before and after.
"""

import argparse
import json
import sys
import tarfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from lib.client import Client  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server, inspect  # noqa: E402
from reads import Read, rest_of  # noqa: E402

FORMAT = 4


class Directory:
    """An unpacked fixture, and what the server that wrote it answered."""

    def __init__(self, binary: Path, archive: Path, scratch: Path):
        self.binary = binary
        self.data = scratch / "data"
        with tarfile.open(archive) as tar:
            tar.extractall(scratch)
        self.containers = json.loads(archive.with_name(archive.name.replace(".tar.gz", ".json")).read_text())["containers"]

    def server(self) -> Server:
        return Server(self.binary, self.data).wait_until_ready()

    def format(self) -> str:
        return (self.data / "ORRERY").read_text().splitlines()[0]

    def inspected(self) -> str:
        line = inspect(self.binary, self.data)
        expect(line.endswith(" 0 problems"), line)
        return line


def check_definitions(directory: Directory, client: Client) -> None:
    for container in directory.containers:
        found = client.request("GET", f"/{container['link']}")
        expect(found.json() == container["definition"], f"{container['link']}: {found.body!r}")


def check_items(directory: Directory, client: Client) -> str:
    count = 0
    for container in directory.containers:
        for row in container["items"]:
            check_item(client, container["link"], row)
            count += 1
    return f"{count} items"


def check_item(client: Client, link: str, row: dict) -> None:
    """Names, rid, timestamp, etag: in the body, in the header, and as a condition."""
    path, item = f"/{link}/docs/{row['id']}", row["item"]
    found = client.request("GET", path, headers=row["key"])
    expect(found.status == 200 and found.json() == item, f"{path}: {found.status} {found.body!r}, not {item}")
    expect(found.headers["etag"] == item["_etag"], f"{path}: etag {found.headers['etag']}")
    same = client.request("GET", path, headers=row["key"] | {"if-none-match": item["_etag"]})
    expect(same.status == 304, f"{path}: {same.status} with its etag")
    by_rid = client.request("GET", "/" + item["_self"].rstrip("/"), headers=row["key"])
    expect(by_rid.status == 200 and by_rid.json() == item, f"{item['_self']}: {by_rid.status}")


def check_reads(directory: Directory, client: Client) -> str:
    tokens = 0
    for container in directory.containers:
        for recorded in container["reads"]:
            tokens += check_read(client, container["link"], Read(**recorded))
    return f"{tokens} continuation tokens"


def check_read(client: Client, link: str, read: Read) -> int:
    """From the beginning and from each token; returns the number of tokens."""
    for start, (token, _) in enumerate(read.pages):
        rows = rest_of(client, read, token)
        wanted = [row for _, page in read.pages[start:] for row in page]
        # A feed has no order of its own: ranges of a part of the hash space may be read in another one than before.
        same = rows == wanted or read.name.startswith("feed") and sorted(rows) == sorted(wanted)
        expect(same, f"{link}: {read.name} from page {start}: {rows}, not {wanted}")
    return len(read.pages) - 1


def write(directory: Directory, client: Client) -> None:
    """Changes the first items of each container, under the condition that they are unchanged."""
    for container in directory.containers:
        docs, rows = f"/{container['link']}/docs", container["items"]
        rids = {row["item"]["_rid"] for row in rows}
        replaced, patched, removed = rows[0], rows[1], rows[2]
        old = replaced["item"]["_etag"]
        for expected in (200, 412):
            done = client.request("PUT", f"{docs}/{replaced['id']}", replaced["item"] | {"upgraded": True},
                                  replaced["key"] | {"if-match": old})
            expect(done.status == expected, f"{docs}: replace {done.status} {done.body!r}")
            if expected == 200:
                replaced["item"] = done.json()
        expect(replaced["item"]["_etag"] != old and replaced["item"]["_rid"] in rids, f"{docs}: {replaced['item']}")
        done = client.request("PATCH", f"{docs}/{patched['id']}",
                              {"operations": [{"op": "add", "path": "/patched", "value": 1}]},
                              patched["key"] | {"if-match": patched["item"]["_etag"]})
        expect(done.status == 200, f"{docs}: patch {done.status} {done.body!r}")
        patched["item"] = done.json()
        done = client.request("DELETE", f"{docs}/{removed['id']}", None,
                              removed["key"] | {"if-match": removed["item"]["_etag"]})
        expect(done.status == 204, f"{docs}: delete {done.status} {done.body!r}")
        fresh = {name: value for name, value in removed["item"].items() if not name.startswith("_")}
        done = client.request("POST", docs, fresh, removed["key"])
        expect(done.status == 201 and done.json()["_rid"] not in rids, f"{docs}: create {done.status} {done.body!r}")
        removed["item"] = done.json()


def replace_offers(directory: Directory, client: Client) -> str:
    """The throughput of an offer that was never replaced is the highest it ever had."""
    offers, _ = client.feed("/offers", "Offers")
    expect(len(offers) >= len(directory.containers), f"{len(offers)} offers")
    for offer in offers:
        first = offer["content"]["offerThroughput"]
        for throughput, highest in ((first, first), (first + 100, first + 100), (first, first + 100)):
            offer["content"]["offerThroughput"] = throughput
            done = client.request("PUT", f"/offers/{offer['id']}", offer)
            expect(done.status == 200, f"{offer['_self']}: {done.status} {done.body!r}")
            parameters = done.json()["content"]["offerMinimumThroughputParameters"]
            expect(parameters["maxThroughputEverProvisioned"] == highest, f"{offer['_self']}: {parameters}")
    return f"{len(offers)} offers"


def check_upgrade(binary: Path, archive: Path, report: Report) -> None:
    name = archive.name.removesuffix(".tar.gz")
    with scratch_directory("upgrade") as scratch:
        directory = Directory(binary, archive, scratch)
        before = directory.format()

        def inspect_unchanged() -> str:
            line = directory.inspected()
            expect(directory.format() == before, f"inspect has changed the format: {directory.format()}")
            return line

        def read(server: Server, *checks) -> None:
            with Client(server.port) as client:
                for check in checks:
                    report.run(f"{name} {check.__name__}", lambda: check(directory, client))

        report.run(f"{name} inspect", inspect_unchanged)
        everything = (check_definitions, check_items, check_reads)
        with directory.server() as server:
            report.run(f"{name} format", lambda: expect(directory.format() == f"format = {FORMAT}", directory.format()))
            read(server, *everything)
            server.kill()
        report.run(f"{name} inspect after kill", directory.inspected)
        with directory.server() as server:
            read(server, *everything, write, replace_offers, check_items)
            server.stop()
        report.run(f"{name} inspect after writes", directory.inspected)
        with directory.server() as server:
            read(server, check_definitions, check_items)
            server.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    arguments = parser.parse_args()
    report = Report()
    for archive in sorted(HERE.glob("*.tar.gz")):
        check_upgrade(arguments.server, archive, report)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
