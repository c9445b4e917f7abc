from azure.cosmos import PartitionKey
from azure.cosmos.partition_key import NonePartitionKeyValue, NullPartitionKeyValue

from support import container, database, key_header, raw, refused, scenario

PATHS = [
    ("/department", lambda value: {"department": value}),
    ("/properties/name", lambda value: {"properties": {"name": value}}),
    ("/id", lambda value: {}),
    ('/"department name"', lambda value: {"department name": value}),
    ("/'level\" 1*()'/'le/vel2'", lambda value: {'level" 1*()': {"le/vel2": value}}),
]


@scenario("key.paths")
def paths():
    with database() as parent:
        for index, (path, body) in enumerate(PATHS):
            for version in (1, 2):
                items = parent.create_container(f"c{index}v{version}", PartitionKey(path, version=version))
                assert items.read()["partitionKey"] == {"paths": [path], "kind": "Hash", "version": version}
                value = "one" if path == "/id" else "Human Resources"
                items.create_item({"id": "one", **body(value), "n": 1})
                assert items.read_item("one", value)["n"] == 1, path
                items.replace_item("one", {"id": "one", **body(value), "n": 2})
                assert items.read_item("one", value)["n"] == 2, path
                with refused(404):
                    items.read_item("one", "Other")
                items.delete_item("one", value)


@scenario("key.values")
def values():
    values_ = ["text", "", "é中文😀", "5", 5, 5.25, -17, 0, 1e300, True, False, None]
    with container() as items:
        for n, value in enumerate(values_):
            items.create_item({"id": "same", "pk": value, "n": n})
        for n, value in enumerate(values_):
            read = items.read_item("same", NullPartitionKeyValue if value is None else value)
            assert read["n"] == n and read["pk"] == value and type(read["pk"]) is type(value), (value, read)


@scenario("key.undefined")
def undefined():
    with container() as items:
        items.create_item({"id": "loose", "n": 1})
        assert items.read_item("loose", NonePartitionKeyValue)["n"] == 1
        with refused(404):
            items.read_item("loose", NullPartitionKeyValue)
        with refused(409):
            items.create_item({"id": "loose"})
        items.delete_item("loose", NonePartitionKeyValue)


@scenario("key.mismatch")
def mismatch():
    # The SDK takes the key from the body, so only a raw request can make the two differ.
    with container() as items:
        items.create_item({"id": "one", "pk": "a", "n": 1})
        status, sub_status, text = raw("PUT", f"{items.container_link}/docs/one",
                                       '{"id":"one","pk":"b","n":2}', key_header("a"))
        assert (status, sub_status) == (400, 1001), text
        assert items.read_item("one", "a")["n"] == 1


def hierarchical(levels):
    names = ["tenant", "user", "session"][:levels]

    def key(user):
        return ["Contoso", user, 7][:levels]

    def body(user, **more):
        return {"id": "one", **dict(zip(names, key(user))), **more}

    with database() as parent:
        items = parent.create_container("levels", PartitionKey([f"/{name}" for name in names]))
        assert items.read()["partitionKey"]["kind"] == "MultiHash"
        items.create_item(body("alice", n=1))
        items.create_item(body("bob", n=2))
        with refused(409):
            items.create_item(body("alice"))
        assert items.read_item("one", key("alice"))["n"] == 1
        assert items.read_item("one", key("bob"))["n"] == 2
        with refused(404):
            items.read_item("one", key("carol"))
        with refused(400, 1001, "Partition key provided either doesn't correspond to definition"):
            items.read_item("one", key("alice")[:-1])
        items.delete_item("one", key("alice"))
        assert items.read_item("one", key("bob"))["n"] == 2


scenario("key.hierarchical_two")(lambda: hierarchical(2))
scenario("key.hierarchical_three")(lambda: hierarchical(3))
