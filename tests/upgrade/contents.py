"""The containers of the fixture and what is in them."""

import json
import urllib.parse
from dataclasses import dataclass, field
from typing import Callable, Iterator

DELETED_KEY = "deleted"
DELETED_ITEMS = 300
DELETING = "deleting"  # the container with that key


@dataclass(frozen=True)
class Container:
    definition: dict
    items: Callable[[], Iterator[dict]]
    # The partition key of an item; None without partition key.
    key_of: Callable[[dict], list | None]
    headers: dict = field(default_factory=dict)
    scripted: bool = False

    def key_headers(self, item: dict) -> dict:
        key = self.key_of(item)
        return {} if key is None else {"x-ms-documentdb-partitionkey": json.dumps(key)}

    @staticmethod
    def path_id(item: dict) -> str:
        return urllib.parse.quote(item["id"], safe="")


LONG = "the first three hundred bytes are the same in all of them; " * 6


def values(number: int) -> dict:
    """Ties, missing values, mixed types, arrays, and strings longer than the index keeps."""
    kinds = [number // 4, number // 4, f"text {number % 3}", None, [number % 2], {"x": number % 2}]
    out = {"n": number // 3, "bucket": number % 4, "mixed": kinds[number % 6],
           "tags": ["a", "b", "c"][:number % 4], "long": LONG + str(number // 2),
           "nested": {"deep": [{"value": number % 5}]}, "name": f"Name {number:03}"}
    if number % 7 == 0:
        del out["n"]
    return out


IDS = ["ordinary", "with space", "süß", "日本語", "emoji 🚀", "quote'd", 'double"quoted', "plus+and%percent",
       "a.b~c", "𝒳", "combining é", "dash-under_score"]


def keyed_items() -> Iterator[dict]:
    keys = ["a", "b", "", 1, -0.5, True, None, "schlüssel", "x" * 150]
    for number in range(48):
        item_id = IDS[number] if number < len(IDS) else f"item {number}"
        yield {"id": item_id, "pk": keys[number % len(keys)]} | values(number)
    yield {"id": "without key"} | values(7)


def doomed_items() -> Iterator[dict]:
    for number in range(DELETED_ITEMS):
        yield {"id": f"d{number}", "pk": DELETED_KEY}
    for number in range(12):
        yield {"id": f"kept {number}", "pk": "kept", "n": number}


def hierarchical_items() -> Iterator[dict]:
    for number in range(40):
        yield {"id": f"h{number}", "a": f"tenant {number % 3}", "b": number % 4, "c": f"{number % 2}"} | values(number)


def unique_items() -> Iterator[dict]:
    for number in range(20):
        yield {"id": f"u{number}", "pk": number % 2, "email": f"{number}@x.org", "place": {"row": number, "seat": 1}}


def expiring_items() -> Iterator[dict]:
    for number in range(20):
        ttl = {0: {"ttl": 1}, 1: {"ttl": 2_000_000_000}, 2: {"ttl": -1}}.get(number % 4, {})
        yield {"id": f"t{number}", "pk": number % 3, "n": number} | ttl


def plain_items() -> Iterator[dict]:
    for number in range(15):
        yield {"id": f"p{number}"} | values(number)


def key_of_pk(item: dict) -> list:
    return [item["pk"]] if "pk" in item else [{}]


HASH = {"paths": ["/pk"], "kind": "Hash", "version": 2}
INDEXING = {
    "indexingMode": "consistent", "automatic": True,
    "includedPaths": [{"path": "/*"}], "excludedPaths": [{"path": "/nested/*"}, {"path": '/"_etag"/?'}],
    "compositeIndexes": [[{"path": "/bucket", "order": "ascending"}, {"path": "/n", "order": "descending"}],
                         [{"path": "/lower", "order": "ascending"}, {"path": "/n", "order": "ascending"}]]}
COMPUTED = [{"name": "lower", "query": "SELECT VALUE LOWER(c.name) FROM c"}]


def throughput(units: int) -> dict:
    return {"x-ms-offer-throughput": str(units)}


CONTAINERS = [
    Container({"id": "one", "partitionKey": HASH, "indexingPolicy": INDEXING, "computedProperties": COMPUTED},
              keyed_items, key_of_pk, throughput(400), scripted=True),
    Container({"id": "seven", "partitionKey": HASH, "indexingPolicy": INDEXING, "computedProperties": COMPUTED},
              keyed_items, key_of_pk, throughput(42_000), scripted=True),
    Container({"id": "version-1", "partitionKey": HASH | {"version": 1}}, keyed_items, key_of_pk,
              throughput(18_000)),
    Container({"id": "levels", "partitionKey": {"paths": ["/a", "/b", "/c"], "kind": "MultiHash", "version": 2}},
              hierarchical_items, lambda item: [item["a"], item["b"], item["c"]], throughput(30_000)),
    Container({"id": "unique", "partitionKey": HASH,
               "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/email"]}, {"paths": ["/place/row", "/place/seat"]}]}},
              unique_items, key_of_pk),
    Container({"id": "expiring", "partitionKey": HASH, "defaultTtl": 2_000_000_000}, expiring_items, key_of_pk),
    Container({"id": DELETING, "partitionKey": HASH}, doomed_items, key_of_pk, throughput(12_000)),
    # A container without partition key, as clients before 2018-12-31 create them.
    Container({"id": "plain"}, plain_items, lambda item: None, {"x-ms-version": "2016-07-11"}),
]

PROCEDURES = {
    # Items that a script sees before they are committed have etags of another kind.
    "write": """function (count) {
        for (let i = 0; i < count; ++i) {
            __.createDocument(__.getSelfLink(), {id: 'script ' + i, pk: 'a', n: 60 + i, bucket: 1});
        }
        __.queryDocuments(__.getSelfLink(), 'SELECT * FROM c WHERE c.id = "ordinary"', (error, found) => {
            found[0].changedByScript = true;
            __.replaceDocument(found[0]._self, found[0]);
        });
    }""",
    # One page of a query, and its continuation.
    "page": """function (continuation, size) {
        const options = {pageSize: size};
        if (continuation) options.continuation = continuation;
        __.queryDocuments(__.getSelfLink(), 'SELECT VALUE c.id FROM c ORDER BY c.n DESC', options,
            (error, found, after) => {
                if (error) throw error;
                __.response.setBody({rows: found, continuation: after.continuation || null});
            });
    }""",
}
TRIGGER = {"id": "stamp", "triggerType": "Pre", "triggerOperation": "Create",
           "body": """function () {
               const item = getContext().getRequest().getBody();
               item.stamped = true;
               getContext().getRequest().setBody(item);
           }"""}
UDF = {"id": "twice", "body": "function (x) { return x * 2; }"}
