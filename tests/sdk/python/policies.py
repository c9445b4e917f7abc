"""Unique keys and time to live."""

from azure.cosmos import PartitionKey
from azure.cosmos.exceptions import CosmosResourceNotFoundError

from support import all_ids, container, database, eventually, refused, scenario

UNIQUE_EMAIL = {"unique_key_policy": {"uniqueKeys": [{"paths": ["/email"]}]}}


def item(item_id, pk="p", **more):
    return {"id": item_id, "pk": pk, **more}


def gone(items, item_id):
    try:
        items.read_item(item_id, "p")
        return False
    except CosmosResourceNotFoundError:
        return True


@scenario("unique.conflict")
def conflict():
    with container(**UNIQUE_EMAIL) as items:
        items.create_item(item("1", email="a@x"))
        items.create_item(item("2", email="b@x"))
        with refused(409):
            items.create_item(item("3", email="a@x"))
        with refused(409):
            items.upsert_item(item("3", email="a@x"))
        with refused(409):
            items.replace_item("2", item("2", email="a@x"))
        items.replace_item("2", item("2", email="b@x", n=1))
        items.delete_item("1", "p")
        items.create_item(item("3", email="a@x"))


@scenario("unique.other_key")
def other_key():
    with container(**UNIQUE_EMAIL) as items:
        items.create_item(item("1", email="a@x"))
        items.create_item(item("1", pk="q", email="a@x"))
        assert all_ids(items) == ["1", "1"]


@scenario("unique.missing_is_null")
def missing_is_null():
    with container(**UNIQUE_EMAIL) as items:
        items.create_item(item("1"))
        with refused(409):
            items.create_item(item("2"))
        with refused(409):
            items.create_item(item("3", email=None))
        items.create_item(item("4", email="a@x"))


@scenario("ttl.container_default")
def container_default():
    with container(default_ttl=2) as items:
        items.create_item(item("short"))
        assert not gone(items, "short")
        eventually("the item expires", lambda: gone(items, "short"))
        assert all_ids(items) == []
        items.create_item(item("short"))


@scenario("ttl.item")
def own_ttl():
    with container(default_ttl=-1) as items:
        items.create_item(item("stays"))
        items.create_item(item("goes", ttl=1))
        eventually("the item expires", lambda: gone(items, "goes"))
        assert all_ids(items) == ["stays"]


@scenario("ttl.never")
def never():
    with container(default_ttl=1) as items:
        items.create_item(item("stays", ttl=-1))
        items.create_item(item("goes"))
        eventually("the item expires", lambda: gone(items, "goes"))
        assert not gone(items, "stays") and all_ids(items) == ["stays"]


@scenario("ttl.refused")
def ttl_refused():
    with database() as parent:
        items = parent.create_container("items", PartitionKey("/pk"), default_ttl=-1)
        for ttl in (0, -2, 1.5, "1", None):
            with refused(400):
                items.create_item(item("bad", ttl=ttl))
        for ttl in (0, -2):
            with refused(400):
                parent.create_container("bad", PartitionKey("/pk"), default_ttl=ttl)
