import base64
import json
import time

from azure.core.credentials import AccessToken
from azure.cosmos import PartitionKey

from support import KEY, READONLY_KEY, client, container, database, new_client, refused, scenario


def by_id(name):
    return {"query": "SELECT * FROM root r WHERE r.id=@id", "parameters": [{"name": "@id", "value": name}]}


def ids(found):
    return sorted(each["id"] for each in found)


@scenario("user.lifecycle")
def user_lifecycle():
    with database() as made:
        ann = made.create_user({"id": "ann"})
        read = ann.read()
        assert read["id"] == "ann" and all(isinstance(read[name], str) for name in ("_rid", "_self", "_permissions"))
        with refused(409):
            made.create_user({"id": "ann"})
        made.upsert_user({"id": "bob"})
        assert ids(made.list_users()) == ["ann", "bob"]
        assert ids(made.query_users(**by_id("bob"))) == ["bob"]
        assert made.replace_user("ann", {"id": "anna"}).id == "anna"
        with refused(404):
            made.get_user_client("ann").read()
        made.delete_user("anna")
        with refused(404):
            made.delete_user("anna")


@scenario("permission.lifecycle")
def permission_lifecycle():
    with container() as items:
        user = parent_of(items).create_user({"id": "ann"})
        body = {"id": "p", "permissionMode": "Read", "resource": items.container_link}
        made = user.create_permission(body)
        assert made.permission_mode == "Read" and made.properties["_token"].startswith("type=resource&ver=1&sig=")
        assert user.get_permission("p").properties["_etag"] == made.properties["_etag"]
        with refused(409):
            user.create_permission(body | {"id": "q"})
        user.create_permission(body | {"id": "key", "resourcePartitionKey": [1]})
        assert user.get_permission("key").properties["resourcePartitionKey"] == [1]
        assert ids(user.list_permissions()) == ["key", "p"]
        assert ids(user.query_permissions(**by_id("p"))) == ["p"]
        assert user.replace_permission("p", body | {"permissionMode": "All"}).permission_mode == "All"
        user.delete_permission("p")
        with refused(404):
            user.get_permission("p")


def parent_of(items):
    return client().get_database_client(items.container_link.split("/")[1])


def through(items, credential):
    """The same container with another credential."""
    return new_client(credential).get_database_client(parent_of(items).id).get_container_client(items.id)


def with_token(items, **permission):
    user = parent_of(items).upsert_user({"id": "holder"})
    made = user.upsert_permission({"resource": items.container_link} | permission)
    return through(items, {items.container_link: made.properties["_token"]})


@scenario("access.resource_token")
def resource_token():
    with container() as items:
        items.create_item({"id": "1", "pk": "a"})
        reader = with_token(items, id="r", permissionMode="Read")
        assert reader.read_item("1", "a")["id"] == "1"
        assert ids(reader.query_items("SELECT * FROM c ORDER BY c.id", enable_cross_partition_query=True)) == ["1"]
        assert reader.read()["id"] == items.id
        with refused(403):
            reader.create_item({"id": "2", "pk": "a"})
        with refused(403):
            reader.delete_item("1", "a")
        writer = with_token(items, id="r", permissionMode="All")
        writer.create_item({"id": "2", "pk": "a"})
        writer.delete_item("2", "a")


@scenario("access.partition_token")
def partition_token():
    with container() as items:
        for key in "ab":
            items.create_item({"id": "1", "pk": key})
        own = with_token(items, id="k", permissionMode="All", resourcePartitionKey=["a"])
        assert own.read_item("1", "a")["pk"] == "a"
        assert len(list(own.query_items("SELECT * FROM c", partition_key="a"))) == 1
        own.upsert_item({"id": "2", "pk": "a"})
        with refused(403):
            own.read_item("1", "b")
        with refused(403):
            own.upsert_item({"id": "2", "pk": "b"})
        with refused(403):
            list(own.query_items("SELECT * FROM c", enable_cross_partition_query=True))


@scenario("access.prefix_token")
def prefix_token():
    with database() as parent:
        items = parent.create_container("items", PartitionKey(["/t", "/u"], kind="MultiHash"))
        for tenant in "ab":
            for user in "12":
                items.create_item({"id": user, "t": tenant, "u": user})
        own = with_token(items, id="k", permissionMode="Read", resourcePartitionKey=["a"])
        assert own.read_item("2", ["a", "2"])["t"] == "a"
        # The SDK asks for the range of the prefix's hashes.
        assert ids(own.query_items("SELECT * FROM c", partition_key=["a"])) == ["1", "2"]
        with refused(403):
            own.read_item("1", ["b", "1"])
        with refused(403):
            list(own.query_items("SELECT * FROM c", partition_key=["b"]))


if READONLY_KEY:
    @scenario("access.readonly_key")
    def readonly_key():
        with container() as items:
            items.create_item({"id": "1", "pk": "a"})
            reader = through(items, READONLY_KEY)
            assert reader.read_item("1", "a")["id"] == "1"
            assert ids(reader.query_items("SELECT * FROM c", enable_cross_partition_query=True)) == ["1"]
            with refused(403):
                reader.create_item({"id": "2", "pk": "a"})
            with refused(403):
                new_client(READONLY_KEY).create_database("never")


class EmulatorCredential:
    """What test programs for emulators use: the account key in place of a signature."""

    def get_token(self, *scopes, **options):
        expiry = int(time.time()) + 3600
        claims = {"aud": "https://localhost.localhost", "iss": "https://sts.fake-issuer.net/", "oid": "tester",
                  "exp": expiry, "nbf": expiry - 7200}
        parts = [json.dumps({"alg": "RS256", "typ": "JWT"}), json.dumps(claims), KEY]
        token = ".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode() for part in parts)
        return AccessToken(token, expiry)


@scenario("access.aad")
def aad():
    with container() as items:
        own = through(items, EmulatorCredential())
        own.create_item({"id": "1", "pk": "a"})
        assert own.read_item("1", "a")["id"] == "1"
        assert ids(own.query_items("SELECT * FROM c", enable_cross_partition_query=True)) == ["1"]
        with refused(403, 5300):
            new_client(EmulatorCredential()).create_database("never")
        with refused(403, 5300):
            new_client(EmulatorCredential()).get_database_client(parent_of(items).id).create_container(
                "never", PartitionKey("/pk"))
