from azure.core import MatchConditions
from azure.cosmos.exceptions import CosmosBatchOperationError

from support import container, refused, scenario, user_part


def item(item_id, pk="a", **more):
    return {"id": item_id, "pk": pk, **more}


@scenario("patch.operations")
def operations():
    with container() as items:
        first = items.create_item(item("1", n=1, tags=["x"], old={}, name="before"))
        patched = items.patch_item("1", "a", [
            {"op": "add", "path": "/tags/-", "value": "y"}, {"op": "add", "path": "/tags/0", "value": "w"},
            {"op": "set", "path": "/tags/1", "value": "X"}, {"op": "replace", "path": "/name", "value": "after"},
            {"op": "incr", "path": "/n", "value": 41}, {"op": "remove", "path": "/old"},
            {"op": "move", "from": "/name", "path": "/title"}])
        assert user_part(patched) == item("1", n=42, tags=["w", "X", "y"], title="after"), patched
        assert patched["_etag"] != first["_etag"] and patched["_rid"] == first["_rid"]
        assert dict(items.read_item("1", "a")) == dict(patched)


@scenario("patch.condition")
def condition():
    with container() as items:
        first = items.create_item(item("1", n=1))
        add = [{"op": "incr", "path": "/n", "value": 1}]
        assert items.patch_item("1", "a", add, filter_predicate="from c where c.n = 1")["n"] == 2
        with refused(412, text="One of the specified pre-condition is not met"):
            items.patch_item("1", "a", add, filter_predicate="from c where c.n = 1")
        with refused(412):
            items.patch_item("1", "a", add, etag=first["_etag"], match_condition=MatchConditions.IfNotModified)
        assert items.read_item("1", "a")["n"] == 2


@scenario("patch.refused")
def patch_refused():
    with container() as items:
        items.create_item(item("1", s="x"))
        for operation in ({"op": "replace", "path": "/none", "value": 1}, {"op": "add", "path": "/none/x", "value": 1},
                          {"op": "incr", "path": "/s", "value": 1}, {"op": "set", "path": "/id", "value": "2"},
                          {"op": "set", "path": "/pk", "value": "b"}):
            with refused(400):
                items.patch_item("1", "a", [operation])
        with refused(404, text="Resource Not Found"):
            items.patch_item("none", "a", [{"op": "set", "path": "/s", "value": 1}])
        with refused(400):
            items.patch_item("1", "a", [{"op": "incr", "path": "/n", "value": 1}] * 11)


@scenario("batch.commit")
def commit():
    with container() as items:
        there = items.create_item(item("0", n=1))
        results = items.execute_item_batch([
            ("create", (item("1", n=1),)), ("upsert", (item("2"),)), ("read", ("1",)),
            ("patch", ("1", [{"op": "incr", "path": "/n", "value": 1}]), {"filter_predicate": "from c where c.n = 1"}),
            ("replace", ("2", item("2", n=7))), ("delete", ("0",), {"if_match_etag": there["_etag"]})], "a")
        assert [result["statusCode"] for result in results] == [201, 201, 200, 200, 200, 204], results
        assert results[2]["resourceBody"]["n"] == 1 and results[3]["resourceBody"]["n"] == 2
        assert all(result["requestCharge"] > 0 for result in results)
        assert items.read_item("2", "a")["n"] == 7
        with refused(404):
            items.read_item("0", "a")


@scenario("batch.rollback")
def rollback():
    with container() as items:
        items.create_item(item("0", n=1))
        try:
            items.execute_item_batch([("create", (item("1"),)), ("delete", ("0",)), ("create", (item("1"),)),
                                      ("read", ("1",))], "a")
            raise AssertionError("wanted a failure, got success")
        except CosmosBatchOperationError as error:
            statuses = [response["statusCode"] for response in error.operation_responses]
            assert (error.error_index, error.status_code) == (2, 409), error
            assert statuses == [424, 424, 409, 424], statuses
        assert items.read_item("0", "a")["n"] == 1
        with refused(404):
            items.read_item("1", "a")


@scenario("batch.refused")
def batch_refused():
    with container() as items:
        with refused(400, text="Batch request has no operations."):
            items.execute_item_batch([], "a")
        with refused(400, text="Batch request has more operations than what is supported."):
            items.execute_item_batch([("create", (item(str(i)),)) for i in range(101)], "a")
        try:
            items.execute_item_batch([("create", (item("1", "b"),))], "a")
            raise AssertionError("wanted a failure, got success")
        except CosmosBatchOperationError as error:
            assert error.status_code == 400, error


@scenario("key.delete_all")
def delete_all():
    with container() as items:
        for i in range(20):
            items.create_item(item(str(i), "a" if i < 15 else "b"))
        items.delete_all_items_by_partition_key("a")
        with refused(404):
            items.read_item("0", "a")
        assert [found["pk"] for found in items.read_all_items()] == ["b"] * 5
        items.create_item(item("0"))
        assert items.read_item("0", "a")["pk"] == "a"
