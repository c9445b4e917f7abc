"""Splits that the server begins by itself: because of data, and because of throughput."""

import random
import threading
import time
from pathlib import Path

from lib.client import Client, make_container
from lib.report import expect
from lib.server import Server, inspect
from ranges import check_tiles, list_ranges
from session import JSON, described

PATIENCE_SECONDS = 120
TEXT = "".join(random.Random(2).choices("abcdefghijklmnopqrstuvwxyz", k=20_000))
ITEM_COUNT = 300
KEY_PATH = {"paths": ["/pk"], "kind": "Hash", "version": 2}


def wait_for_ranges(client: Client, link: str, least: int) -> list[dict]:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        ranges = list_ranges(client, link)
        check_tiles(ranges)
        if len(ranges) >= least:
            return ranges
        expect(time.monotonic() < deadline,
               f"{len(ranges)} ranges after {PATIENCE_SECONDS} s, expected {least}")
        time.sleep(0.05)


def write_many(client: Client, link: str, key_of, count: int = ITEM_COUNT) -> None:
    for number in range(count):
        made = client.item("POST", link, key_of(number),
                           body={"id": str(number), "pk": key_of(number), "text": TEXT})
        expect(made.status == 201, f"create {number}: {described(made)}")


def read_all(client: Client, link: str) -> list[str]:
    items, _ = client.feed(f"/{link}/docs", "Documents", {"x-ms-max-item-count": "17"})
    expect(all(item["text"] == TEXT for item in items), "a different text")
    return sorted((item["id"] for item in items), key=int)


def grow_by_data(binary: Path, data: Path) -> str:
    """6 MB in partitions of 1 MB at most."""
    with Server(binary, data, "--partition-max-mb", "1").wait_until_ready() as server, \
            Client(server.port) as client:
        link = make_container(client, "splits", {"id": "growing", "partitionKey": KEY_PATH})
        write_many(client, link, lambda number: f"key {number}")
        ranges = wait_for_ranges(client, link, 6)
        wait_for_sizes(client, link)
        expect(read_all(client, link) == [str(number) for number in range(ITEM_COUNT)], "items are missing")
        server.stop()
    return f"{len(ranges)} ranges; {inspect(binary, data)}"


def wait_for_sizes(client: Client, link: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        answer = client.request("GET", f"/{link}/pkranges?x-orrery-details=true", None,
                                client.signed("GET", f"/{link}/pkranges"))
        expect(answer.status == 200, f"details: {described(answer)}")
        sizes = [one["sizeInBytes"] for one in answer.json()["details"]]
        if max(sizes) <= 1 << 20:
            expect(sum(sizes) >= ITEM_COUNT * len(TEXT), f"too little: {sizes}")
            return
        expect(time.monotonic() < deadline, f"still too large: {sizes}")
        time.sleep(0.05)


def one_key_stays(binary: Path, data: Path) -> str:
    """A partition of one key cannot become smaller, so it is not split again and again."""
    with Server(binary, data, "--partition-max-mb", "1").wait_until_ready() as server, \
            Client(server.port) as client:
        link = make_container(client, "splits", {"id": "one", "partitionKey": KEY_PATH})
        write_many(client, link, lambda _: "the key", 150)
        time.sleep(3)
        ranges = list_ranges(client, link)
        expect(len(ranges) == 1, f"a single key was split into {len(ranges)} ranges")
        server.stop()
    return inspect(binary, data)


def grow_by_throughput(binary: Path, data: Path) -> str:
    """A partition gives 10,000 RU/s at most."""
    with Server(binary, data).wait_until_ready() as server, Client(server.port) as client:
        link = make_container(client, "splits", {"id": "offered", "partitionKey": KEY_PATH},
                              {"x-ms-offer-throughput": "400"})
        expect(len(list_ranges(client, link)) == 1, "more than one range for 400 RU/s")
        writer = threading.Thread(target=fill_offered, args=(server.port, link), daemon=True)
        writer.start()
        set_throughput(client, 25_000)
        ranges = wait_for_ranges(client, link, 3)
        writer.join(PATIENCE_SECONDS)
        expect(not writer.is_alive(), "the writer has not finished")
        expect(len(ranges) == 3, f"{len(ranges)} ranges for 25,000 RU/s")
        set_throughput(client, 400)
        time.sleep(1)
        expect(len(list_ranges(client, link)) == 3, "the number of ranges changed with less throughput")
        expect(read_all(client, link) == [str(number) for number in range(ITEM_COUNT)], "items are missing")
        server.stop()
    return inspect(binary, data)


def fill_offered(port: int, link: str) -> None:
    with Client(port) as client:
        write_many(client, link, lambda number: f"key {number}")


def set_throughput(client: Client, throughput: int) -> None:
    offer = client.request("GET", "/offers").json()["Offers"][0]
    offer["content"] = {"offerThroughput": throughput}
    answer = client.request("PUT", f"/offers/{offer['id']}", offer, client.signed(
        "PUT", f"/offers/{offer['id']}", offer["id"].lower()))
    expect(answer.status == 200, f"offer of {throughput}: {described(answer)}")


def full_key(binary: Path, data: Path) -> str:
    """The items of one key take 2 MB at most, also after a split and a restart."""
    options = ("--logical-partition-max-mb", "2")
    with Server(binary, data, *options).wait_until_ready() as server, Client(server.port) as client:
        link = make_container(client, "splits", {"id": "full", "partitionKey": KEY_PATH})
        taken = fill_key(client, link, "a")
        expect(1.9 < taken * len(TEXT) / (1 << 20) <= 2, f"{taken} items were taken")
        write_many(client, link, lambda _: "b", 20)
        only = list_ranges(client, link)[0]["id"]
        answer = client.request("POST", f"/{link}/pkranges/{only}/split", b"", JSON)
        expect(answer.status == 202, f"split: {described(answer)}")
        wait_for_ranges(client, link, 2)
        write_many(client, link, lambda number: f"other {number}", 20)
        check_full(client, link)
        server.kill()
    with Server(binary, data, *options).wait_until_ready() as server, Client(server.port) as client:
        check_full(client, link)
        gone = client.item("DELETE", link, "a", "0")
        expect(gone.status == 204, f"delete: {described(gone)}")
        made = client.item("POST", link, "a", body={"id": "late", "pk": "a", "text": TEXT})
        expect(made.status == 201, f"create after a delete: {described(made)}")
        server.stop()
    return f"{taken} items of a key; {inspect(binary, data)}"


def fill_key(client: Client, link: str, key: str) -> int:
    for number in range(1000):
        made = client.item("POST", link, key, body={"id": str(number), "pk": key, "text": TEXT})
        if made.status != 201:
            check_refusal(made)
            return number
    raise AssertionError("the key never became full")


def check_full(client: Client, link: str) -> None:
    check_refusal(client.item("POST", link, "a", body={"id": "one more", "pk": "a", "text": TEXT}))


def check_refusal(answer) -> None:
    expect(answer.status == 403 and answer.headers.get("x-ms-substatus") == "1014",
           f"expected 403/1014: {described(answer)}")
    expect("Partition key reached maximum size of 2 MB" in answer.json()["message"], f"the message: {described(answer)}")
