from azure.cosmos import PartitionKey

from databases import by_id
from support import PARTITIONS, Statuses, container, database, random_id, refused, scenario


@scenario("container.lifecycle")
def lifecycle():
    with database() as parent:
        statuses = Statuses()
        proxy, created = parent.create_container("one", PartitionKey("/pk"), return_properties=True,
                                                 raw_response_hook=statuses)
        read = proxy.read(raw_response_hook=statuses)
        assert dict(read) == dict(created)
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
