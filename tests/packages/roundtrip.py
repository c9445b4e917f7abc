"""What a server from a package has to do: keep an item."""

from lib.client import EMULATOR_KEY, Client, make_container
from lib.report import expect

LINK = "dbs/packages/colls/items"
ITEM = {"id": "1", "pk": "a", "text": "hello"}


def store(port: int, key: str = EMULATOR_KEY) -> None:
    with Client(port, key) as client:
        make_container(client, "packages", {"id": "items", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}})
        made = client.item("POST", LINK, "a", body=ITEM)
        expect(made.status == 201, f"{made.status} {made.body!r}")
        # Brings the engine of stored procedures and its libraries into play.
        body = "function () { getContext().getResponse().setBody([1, 2].map(n => n * 2)); }"
        made = client.request("POST", f"/{LINK}/sprocs", {"id": "double", "body": body})
        expect(made.status == 201, f"{made.status} {made.body!r}")
        ran = client.request("POST", f"/{LINK}/sprocs/double", [], {"x-ms-documentdb-partitionkey": '["a"]'})
        expect(ran.status == 200 and ran.json() == [2, 4], f"{ran.status} {ran.body!r}")


def find(port: int, key: str = EMULATOR_KEY) -> None:
    with Client(port, key) as client:
        found = client.item("GET", LINK, "a", "1")
        expect(found.status == 200 and found.json()["text"] == ITEM["text"], f"{found.status} {found.body!r}")
