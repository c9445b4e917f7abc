import time
from datetime import datetime, timezone

from azure.cosmos import PartitionKey

from support import container, database, of_other_client, refused, scenario

KEYS = 6


def fill(items, first, count):
    for n in range(first, first + count):
        items.create_item({"id": str(n), "pk": f"key {n % KEYS}"})
    return [str(n) for n in range(first, first + count)]


def changes(items, **options):
    """Reads until there is nothing new; returns the ids and the continuation."""
    ids = []
    for page in items.query_items_change_feed(max_item_count=4, **options).by_page():
        for item in page:
            assert item["_lsn"] > 0, item
            ids.append(item["id"])
    headers = items.client_connection.last_response_headers
    assert float(headers["x-ms-request-charge"]) >= 1, headers
    return ids, headers["etag"]


@scenario("changes.start")
def start():
    with container() as items:
        first = fill(items, 0, 20)
        ids, beginning = changes(items, start_time="Beginning")
        assert sorted(ids) == sorted(first), ids
        ids, now = changes(items, start_time="Now")
        assert ids == [], ids
        time.sleep(2.1)
        moment = datetime.now(timezone.utc)
        second = fill(items, 20, 10)
        items.replace_item("3", {"id": "3", "pk": "key 3", "again": True})
        items.delete_item("4", "key 4")
        since = sorted([*second, "3"])
        assert sorted(changes(items, start_time=moment)[0]) == since
        for token in (beginning, now):
            ids, _ = changes(of_other_client(items), continuation=token, priority="Low")
            assert sorted(ids) == since, ids
        ids, _ = changes(items, start_time="Beginning", priority="High")
        assert sorted(ids) == sorted(set(first + second) - {"4"}), ids


@scenario("changes.scopes")
def scopes():
    with container() as items:
        ids = fill(items, 0, 30)
        of_key, token = changes(items, start_time="Beginning", partition_key="key 2")
        assert of_key == [each for each in ids if int(each) % KEYS == 2], of_key
        items.upsert_item({"id": "8", "pk": "key 2"})
        assert changes(items, partition_key="key 2", continuation=token)[0] == ["8"]
        of_ranges = [each for feed_range in items.read_feed_ranges()
                     for each in changes(items, start_time="Beginning", feed_range=feed_range)[0]]
        assert sorted(of_ranges) == sorted(ids), of_ranges


@scenario("changes.transactions")
def transactions():
    with container() as items:
        _, now = changes(items, start_time="Now", partition_key="a")
        ids = ["9", "1", "5", "3", "7", "2"]
        items.execute_item_batch([("create", ({"id": each, "pk": "a"},)) for each in ids], "a")
        page = list(next(items.query_items_change_feed(partition_key="a", continuation=now,
                                                       max_item_count=2).by_page()))
        assert [item["id"] for item in page] == ids, page
        assert len({item["_lsn"] for item in page}) == 1, page


@scenario("changes.hierarchical")
def hierarchical():
    with database() as parent:
        items = parent.create_container("h", PartitionKey(["/tenant", "/user"], kind="MultiHash"))
        for n in range(12):
            items.create_item({"id": str(n), "tenant": f"t{n % 3}", "user": f"u{n % 4}"})
        assert changes(items, start_time="Beginning", partition_key=["t1", "u1"])[0] == ["1"]
        of_prefix, _ = changes(items, start_time="Beginning", partition_key=["t1"])
        assert sorted(of_prefix) == ["1", "10", "4", "7"], of_prefix


@scenario("changes.versions")
def versions():
    with database() as parent:
        items = parent.create_container("v", PartitionKey("/pk"), change_feed_policy={"retentionDuration": 5})
        assert items.read()["changeFeedPolicy"] == {"retentionDuration": 5}
        items.create_item({"id": "0", "pk": "a"})
        assert list(items.query_items_change_feed(mode="AllVersionsAndDeletes")) == []
        token = items.client_connection.last_response_headers["etag"]
        scopes = [{"partition_key": "a"}, *({"feed_range": each} for each in items.read_feed_ranges())]
        tokens = []
        for scope in scopes:
            assert list(items.query_items_change_feed(mode="AllVersionsAndDeletes", **scope)) == []
            tokens.append(items.client_connection.last_response_headers["etag"])
        items.create_item({"id": "1", "pk": "a"})
        items.replace_item("1", {"id": "1", "pk": "a", "n": 1})
        items.delete_item("1", "a")
        changed = list(items.query_items_change_feed(mode="AllVersionsAndDeletes", continuation=token))
        assert [change["metadata"]["operationType"] for change in changed] == ["create", "replace", "delete"], changed
        assert [change["current"].get("n") for change in changed] == [None, 1, None], changed
        assert changed[2]["previous"]["n"] == 1 and changed[2]["metadata"]["id"] == "1", changed
        assert changed[2]["metadata"]["previousImageLSN"] == changed[1]["metadata"]["lsn"], changed
        of_key, *of_ranges = [list(items.query_items_change_feed(mode="AllVersionsAndDeletes", continuation=each))
                              for each in tokens]
        assert of_key == changed, of_key
        assert [each for part in of_ranges for each in part] == changed, of_ranges
    with container() as items, refused(400):
        list(items.query_items_change_feed(mode="AllVersionsAndDeletes"))
