import base64
import re

from azure.cosmos import PartitionKey

from databases import by_id, names, resource_queries
from support import PARTITIONS, Statuses, client, container, database, random_id, refused, scenario


@scenario("container.lifecycle")
def lifecycle():
    with database() as parent:
        statuses = Statuses()
        proxy, created = parent.create_container("one", PartitionKey("/pk"), return_properties=True,
                                                 raw_response_hook=statuses)
        read = proxy.read(raw_response_hook=statuses)
        assert dict(read) == dict(created)
        headers = client().client_connection.last_response_headers
        assert headers["x-ms-alt-content-path"] == f"dbs/{parent.id}", headers
        assert len(base64.b64decode(headers["x-ms-content-path"].replace("-", "/"))) == 4, headers
        assert re.fullmatch(r"\d+:\d+#\d+", headers["x-ms-session-token"]), headers
        assert all(isinstance(read[field], str) for field in
                   ("_rid", "_self", "_etag", "_docs", "_sprocs", "_triggers", "_udfs", "_conflicts"))
        assert [each["id"] for each in parent.list_containers()] == ["one"]
        parent.delete_container("one", raw_response_hook=statuses)
        assert statuses == [201, 200, 204], statuses
        with refused(404):
            proxy.read()


@scenario("container.conflict")
def conflict():
    with database() as parent:
        parent.create_container("one", PartitionKey("/pk"))
        with refused(409):
            parent.create_container("one", PartitionKey("/pk"))


@scenario("container.create_if_not_exists")
def create_if_not_exists():
    with database() as parent:
        _, first = parent.create_container_if_not_exists("one", PartitionKey("/pk"), return_properties=True)
        _, second = parent.create_container_if_not_exists("one", PartitionKey("/pk"), return_properties=True)
        assert first["_rid"] == second["_rid"]


@scenario("container.query_by_id")
def query_by_id():
    with database() as parent:
        for name in ("items", "other"):
            parent.create_container(name, PartitionKey("/pk"))
        assert [each["id"] for each in parent.query_containers(**by_id("items"))] == ["items"]
        assert not list(parent.query_containers(**by_id(random_id("none"))))


@scenario("container.query")
def query():
    with database() as parent:
        for name in names("c-"):
            parent.create_container(name, PartitionKey("/pk"))
        resource_queries("c-", parent.query_containers)


@scenario("container.defaults")
def defaults():
    with container() as proxy:
        read = proxy.read()
        assert read["partitionKey"] == {"paths": ["/pk"], "kind": "Hash", "version": 2}, read
        policy = read["indexingPolicy"]
        assert (policy["indexingMode"], policy["automatic"]) == ("consistent", True)
        assert [each["path"] for each in policy["includedPaths"]] == ["/*"]
        assert [each["path"] for each in policy["excludedPaths"]] == ['/"_etag"/?']
        assert read["conflictResolutionPolicy"]["mode"] == "LastWriterWins"
        assert read["conflictResolutionPolicy"]["conflictResolutionPath"] == "/_ts"
        assert "defaultTtl" not in read


@scenario("container.policies")
def policies():
    composite = [[{"path": "/name", "order": "ascending"}, {"path": "/age", "order": "descending"}]]
    unique = [["/email"], ["/name/first", "/name/last"]]
    excluded = ["/payload/*", '/"_etag"/?']
    with database() as parent:
        proxy, created = parent.create_container(
            "policies", PartitionKey("/tenant"), default_ttl=3600, return_properties=True,
            unique_key_policy={"uniqueKeys": [{"paths": paths} for paths in unique]},
            indexing_policy={"indexingMode": "consistent", "automatic": True,
                             "includedPaths": [{"path": "/*"}],
                             "excludedPaths": [{"path": path} for path in excluded],
                             "compositeIndexes": composite})
        for answer in (created, proxy.read()):
            assert answer["partitionKey"] == {"paths": ["/tenant"], "kind": "Hash", "version": 2}
            assert answer["defaultTtl"] == 3600
            assert [each["paths"] for each in answer["uniqueKeyPolicy"]["uniqueKeys"]] == unique
            policy = answer["indexingPolicy"]
            assert [each["path"] for each in policy["includedPaths"]] == ["/*"]
            assert [each["path"] for each in policy["excludedPaths"]] == excluded
            assert policy["compositeIndexes"] == composite


@scenario("container.index_paths")
def index_paths():
    with database() as parent:
        proxy, created = parent.create_container(
            "items", PartitionKey("/pk"), return_properties=True,
            indexing_policy={"indexingMode": "Lazy", "automatic": False,
                             "includedPaths": [{"path": "/", "indexes": [
                                 {"kind": "Hash", "dataType": "Number", "precision": 2}]}],
                             "excludedPaths": [{"path": '/"systemMetadata"/*'}]})
        for answer in (created, proxy.read()):
            assert answer["indexingPolicy"] == {
                "indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/"}],
                "excludedPaths": [{"path": '/"systemMetadata"/*'}, {"path": '/"_etag"/?'}]}, answer
        for n in (2, 3, 1):
            proxy.create_item({"id": str(n), "pk": "a", "n": n, "systemMetadata": n})
        query = "SELECT VALUE c.n FROM c ORDER BY c."
        assert list(proxy.query_items(query + "n", partition_key="a")) == [1, 2, 3]
        with refused(400):
            list(proxy.query_items(query + "systemMetadata", partition_key="a"))


@scenario("container.quota")
def quota():
    with container() as proxy:
        for n in range(20):
            proxy.create_item({"id": str(n), "pk": str(n)})
        read = proxy.read(populate_partition_key_range_statistics=True, populate_quota_info=True)
        headers = client().client_connection.last_response_headers
        assert ";collectionSize=10485760" in headers["x-ms-resource-quota"], headers
        assert ";documentsCount=20;" in headers["x-ms-resource-usage"], headers
        assert len(read["statistics"]) == (PARTITIONS or len(read["statistics"])), read
        assert sum(each["documentCount"] for each in read["statistics"]) == 20, read
        assert "statistics" not in proxy.read()


@scenario("container.key_refused")
def key_refused():
    with database() as parent:
        with refused(400, text="Too many partition key paths (4) specified. A maximum of 3 is allowed."):
            parent.create_container("many", PartitionKey(["/a", "/b", "/c", "/d"], kind="MultiHash"))
        with refused(400, text="path '/id ds' could not be accepted, failed near position '4'. Partition key "
                               "paths must contain only valid"):
            parent.create_container("space", PartitionKey("/id ds"))


@scenario("container.replace")
def replace():
    with database() as parent:
        proxy = parent.create_container("items", PartitionKey("/pk"))
        before = proxy.read()
        policy = {"indexingMode": "consistent", "automatic": True, "includedPaths": [{"path": "/*"}],
                  "excludedPaths": [{"path": "/big/*"}, {"path": '/"_etag"/?'}]}
        parent.replace_container(proxy, PartitionKey("/pk"), default_ttl=60, indexing_policy=policy)
        after = proxy.read()
        assert after["defaultTtl"] == 60
        assert [each["path"] for each in after["indexingPolicy"]["excludedPaths"]] == ["/big/*", '/"_etag"/?']
        assert after["_rid"] == before["_rid"] and after["_etag"] != before["_etag"]


@scenario("container.partition_key_fixed")
def partition_key_fixed():
    with database() as parent:
        proxy = parent.create_container("items", PartitionKey("/pk"))
        with refused(400):
            parent.replace_container(proxy, PartitionKey("/other"))
        assert proxy.read()["partitionKey"]["paths"] == ["/pk"]


@scenario("container.throughput")
def throughput():
    with database() as parent:
        for ru in (400, 20000):
            proxy = parent.create_container(f"ru{ru}", PartitionKey("/pk"), offer_throughput=ru)
            offer = proxy.get_throughput()
            assert offer.offer_throughput == ru
            assert offer.properties["resource"] == proxy.read()["_self"]


@scenario("container.partitions")
def partitions():
    with container() as proxy:
        ranges = [_bounds(each) for each in proxy.read_feed_ranges()]
        ranges.sort()
        assert ranges[0][0] == "" and ranges[-1][1] == "FF", ranges
        assert all(left[1] == right[0] for left, right in zip(ranges, ranges[1:])), ranges
        assert not PARTITIONS or len(ranges) == PARTITIONS, ranges


def _bounds(feed_range):
    return feed_range["Range"]["min"], feed_range["Range"]["max"]
