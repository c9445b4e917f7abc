import json
import time

from azure.core import MatchConditions

from support import SYSTEM_PROPERTIES, Statuses, container, key_header, raw, refused, scenario, user_part

PERSON = {
    "id": "1", "firstName": "Thomas", "lastName": "Andersen",
    "addresses": [{"line1": "100 Some Street", "line2": "Unit 1", "city": "Seattle", "state": "WA", "zip": 98012}],
    "contactDetails": [{"email": "thomas@andersen.com"}, {"phone": "+1 555 555-5555", "extension": 5555}],
}


def department(item_id, name, **more):
    return {"id": item_id, "department": name, **more}


def if_match(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfNotModified}


def if_changed(etag):
    return {"etag": etag, "match_condition": MatchConditions.IfModified}


@scenario("item.create_read")
def create_read():
    with container("/department") as items:
        statuses, item = Statuses(), department("0001", "Marketing", members=["Ann", "Bo"])
        created = items.create_item(item, raw_response_hook=statuses)
        read = items.read_item("0001", "Marketing", raw_response_hook=statuses)
        assert statuses == [201, 200], statuses
        assert user_part(read) == item and dict(read) == dict(created)
        assert all(field in read for field in SYSTEM_PROPERTIES)
        assert abs(read["_ts"] - time.time()) < 600
        assert read.get_response_headers()["etag"] == read["_etag"]


@scenario("item.replace")
def replace():
    with container("/department") as items:
        first = items.create_item(department("0001", "Marketing", n=1))
        statuses = Statuses()
        second = items.replace_item("0001", department("0001", "Marketing", n=2), raw_response_hook=statuses)
        assert statuses == [200], statuses
        assert second["_rid"] == first["_rid"] and second["_etag"] != first["_etag"]
        assert user_part(items.read_item("0001", "Marketing")) == department("0001", "Marketing", n=2)
        with refused(404):
            items.replace_item("none", department("none", "Marketing"))


@scenario("item.property_order")
def property_order():
    """A client that reads, changes and writes back gets the order it sent."""
    with container("/department") as items:
        items.create_item(department("0001", "Sales", n=1))
        first = items.read_item("0001", "Sales")
        replaced = items.replace_item("0001", {"added": 1, **first, "n": 2, "last": True})
        assert list(replaced) == ["added", "id", "department", "n", "_rid", "_self", "_etag", "_attachments", "_ts",
                                  "last"], replaced
        assert replaced["_etag"] != first["_etag"]
        assert list(items.read_item("0001", "Sales").items()) == list(replaced.items())


@scenario("item.exclude_system_properties")
def exclude_system_properties():
    with container("/department") as items:
        # The SDK drops headers that it does not know.
        status, _, text = raw("POST", f"{items.container_link}/docs", json.dumps(department("0001", "Sales")),
                              key_header("Sales") | {"x-ms-exclude-system-properties": "true"})
        assert status == 201, text
        for item in (json.loads(text), items.read_item("0001", "Sales")):
            assert list(item) == ["id", "department", "_rid", "_etag", "_ts"], item


@scenario("item.upsert")
def upsert():
    with container("/department") as items:
        statuses = Statuses()
        for n in (1, 2):
            items.upsert_item(department("0001", "Sales", n=n), raw_response_hook=statuses)
        assert statuses == [201, 200], statuses
        assert items.read_item("0001", "Sales")["n"] == 2


@scenario("item.delete")
def delete():
    with container("/department") as items:
        items.create_item(department("0001", "Sales"))
        statuses = Statuses()
        items.delete_item("0001", "Sales", raw_response_hook=statuses)
        assert statuses == [204], statuses
        with refused(404):
            items.read_item("0001", "Sales")
        with refused(404):
            items.delete_item("0001", "Sales")


@scenario("item.missing")
def missing():
    with container("/department") as items:
        with refused(404, text="Entity with the specified id does not exist in the system."):
            items.read_item("none", "Sales")
        other = type(items)(items.client_connection, items.container_link.rsplit("/colls/", 1)[0], "none")
        with refused(404):
            other.read_item("none", "Sales")


@scenario("item.conflict")
def conflict():
    with container("/department") as items:
        items.create_item(department("0001", "Sales", n=1))
        with refused(409):
            items.create_item(department("0001", "Sales", n=2))
        assert items.read_item("0001", "Sales")["n"] == 1


@scenario("item.same_id_other_key")
def same_id_other_key():
    pairs = [("0001", "Marketing"), ("0002", "Marketing"), ("0001", "Sales")]
    with container("/department") as items:
        for item_id, name in pairs:
            items.create_item(department(item_id, name, both=name + item_id))
        for item_id, name in pairs:
            assert items.read_item(item_id, name)["both"] == name + item_id
        with refused(409):
            items.create_item(department("0001", "Sales"))


@scenario("item.etag_replace")
def etag_replace():
    with container("/department") as items:
        first = items.create_item(department("0001", "Sales"))
        items.replace_item("0001", department("0001", "Sales", n=1), **if_match(first["_etag"]))
        with refused(412):
            items.replace_item("0001", department("0001", "Sales", n=2), **if_match(first["_etag"]))
        assert items.read_item("0001", "Sales")["n"] == 1


@scenario("item.etag_delete")
def etag_delete():
    with container("/department") as items:
        first = items.create_item(department("0001", "Sales"))
        second = items.replace_item("0001", department("0001", "Sales", n=1))
        with refused(412):
            items.delete_item("0001", "Sales", **if_match(first["_etag"]))
        items.delete_item("0001", "Sales", **if_match(second["_etag"]))
        with refused(404):
            items.read_item("0001", "Sales")


@scenario("item.etag_read")
def etag_read():
    with container("/department") as items:
        first, statuses = items.create_item(department("0001", "Sales")), Statuses()
        unchanged = items.read_item("0001", "Sales", raw_response_hook=statuses, **if_changed(first["_etag"]))
        assert dict(unchanged) == {}
        items.replace_item("0001", department("0001", "Sales", n=1))
        changed = items.read_item("0001", "Sales", raw_response_hook=statuses, **if_changed(first["_etag"]))
        assert changed["n"] == 1
        assert statuses == [304, 200], statuses


@scenario("item.no_content")
def no_content():
    with container("/department") as items:
        statuses = Statuses()
        options = {"no_response": True, "raw_response_hook": statuses}
        answers = [items.create_item(department("0001", "Sales", n=1), **options),
                   items.replace_item("0001", department("0001", "Sales", n=2), **options),
                   items.upsert_item(department("0001", "Sales", n=3), **options)]
        assert statuses == [201, 200, 200], statuses
        assert all(dict(answer) == {} and answer.get_response_headers()["etag"] for answer in answers)
        read = items.read_item("0001", "Sales")
        assert read["n"] == 3 and read["_etag"] == answers[-1].get_response_headers()["etag"]


@scenario("item.person")
def person():
    with container("/id") as items:
        items.create_item(PERSON)
        assert user_part(items.read_item("1", "1")) == PERSON
        moved = {**PERSON, "addresses": PERSON["addresses"] + [{"line1": "2 New Road", "city": "Oslo"}]}
        items.replace_item("1", moved)
        assert user_part(items.read_item("1", "1")) == moved
