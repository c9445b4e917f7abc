import contextlib
import json
from concurrent.futures import ThreadPoolExecutor

from support import CHURN, PARTITIONS, container, of_other_client, refused, scenario

# 60 items under 12 keys; `n` is unique, `mod` has ties, `grade` is missing in every third.
QUERIED = [{"id": f"q-{n:02}", "pk": f"key-{n % 12}", "n": n * 37 % 60, "mod": n % 5,
            "name": f"name-{n * 7 % 60:02}", "tags": ["all", f"tag-{n % 4}"],
            **({"grade": n} if n % 3 else {})} for n in range(60)]
IDS = [item["id"] for item in QUERIED]
IDS_BY_N = [item["id"] for item in sorted(QUERIED, key=lambda item: item["n"])]
SUM = sum(item["n"] for item in QUERIED)


@contextlib.contextmanager
def queried():
    with container() as items:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(items.create_item, QUERIED))
        yield items


def rows(items, query, **options):
    options.setdefault("enable_cross_partition_query", True)
    return list(items.query_items(query, **options))


@scenario("query.filter")
def filters():
    with queried() as items:
        found = rows(items, "SELECT VALUE c.id FROM c WHERE c.n >= @low AND c.n < @high",
                     parameters=[{"name": "@low", "value": 10}, {"name": "@high", "value": 25}])
        assert sorted(found) == sorted(IDS_BY_N[10:25]), found
        joined = rows(items, 'SELECT c.id, t FROM c JOIN t IN c.tags WHERE t = "tag-3"')
        assert sorted(row["id"] for row in joined) == [item["id"] for item in QUERIED
                                                       if "tag-3" in item["tags"]]


@scenario("query.paging")
def paging():
    with queried() as items:
        for size in (1, 7, -1):
            pages = [list(page) for page in items.query_items(
                "SELECT * FROM c", enable_cross_partition_query=True, max_item_count=size).by_page()]
            assert sorted(item["id"] for page in pages for item in page) == IDS, size
            assert size < 0 or all(len(page) <= size for page in pages), size


@scenario("query.one_key")
def one_key():
    with queried() as items:
        wanted = [item["id"] for item in QUERIED if item["pk"] == "key-3"]
        ranges = set()

        def note(response):
            headers = response.http_request.headers
            if headers.get("x-ms-documentdb-isquery") or headers.get("content-type") == "application/query+json":
                ranges.add(headers.get("x-ms-documentdb-partitionkeyrangeid"))

        found = rows(items, "SELECT VALUE c.id FROM c", partition_key="key-3",
                     enable_cross_partition_query=None)
        assert sorted(found) == wanted, found
        ordered = rows(items, "SELECT VALUE c.n FROM c ORDER BY c.n", partition_key="key-3")
        assert ordered == sorted(item["n"] for item in QUERIED if item["pk"] == "key-3"), ordered
        # Without the cross-partition switch a query may address only one partition.
        query = 'SELECT VALUE c.id FROM c WHERE c.pk = "key-3"'
        assert sorted(rows(items, query, enable_cross_partition_query=False)) == wanted
        with refused(400):
            rows(items, "SELECT VALUE c.id FROM c", enable_cross_partition_query=False)
        assert rows(items, query + " ORDER BY c.id", raw_response_hook=note) == wanted
        assert CHURN or len(ranges - {None}) <= 1, ranges
        rows(items, "SELECT VALUE c.id FROM c ORDER BY c.id", raw_response_hook=note)
        assert not PARTITIONS or len(ranges - {None}) in (0, PARTITIONS), ranges


@scenario("query.order_by")
def order_by():
    with queried() as items:
        assert rows(items, "SELECT VALUE c.id FROM c ORDER BY c.n") == IDS_BY_N
        assert rows(items, "SELECT VALUE c.id FROM c ORDER BY c.n DESC") == IDS_BY_N[::-1]
        names = [row["name"] for row in rows(items, "SELECT c.name FROM c WHERE c.mod < 3 ORDER BY c.name")]
        assert names == sorted(item["name"] for item in QUERIED if item["mod"] < 3), names
        mods = rows(items, "SELECT VALUE c.mod FROM c ORDER BY c.mod")
        assert mods == sorted(item["mod"] for item in QUERIED), mods


@scenario("query.parallel")
def parallel():
    with queried() as items:
        for query in ("SELECT VALUE c.id FROM c ORDER BY c.n", "SELECT VALUE c.id FROM c ORDER BY c.mod DESC",
                      "SELECT VALUE c.id FROM c WHERE c.n > 20", "SELECT DISTINCT VALUE c.mod FROM c"):
            serial = rows(items, query, max_item_count=1000)
            for size in (1, 3, 7):  # with -1 this SDK returns no rows of a query that it merges
                assert rows(items, query, max_item_count=size) == serial, (query, size)


@scenario("query.top")
def top():
    with queried() as items:
        found = rows(items, "SELECT TOP 5 VALUE c.id FROM c ORDER BY c.n", max_item_count=2)
        assert found == IDS_BY_N[:5], found
        assert len(rows(items, "SELECT TOP 13 VALUE c.id FROM c", max_item_count=4)) == 13
        found = rows(items, "SELECT TOP @n VALUE c.n FROM c ORDER BY c.n DESC",
                     parameters=[{"name": "@n", "value": 2}])
        assert found == [59, 58], found


@scenario("query.offset_limit")
def offset_limit():
    with queried() as items:
        # Of a range that is gone this SDK reads the first pages again.
        for size in (1000,) if CHURN else (1, 5, 1000):
            found = rows(items, "SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 10 LIMIT 20", max_item_count=size)
            assert found == IDS_BY_N[10:30], (size, found)
        assert len(rows(items, "SELECT VALUE c.id FROM c OFFSET 50 LIMIT 100")) == 10


@scenario("query.distinct")
def distinct():
    with queried() as items:
        assert sorted(rows(items, "SELECT DISTINCT VALUE c.mod FROM c")) == [0, 1, 2, 3, 4]
        assert rows(items, "SELECT DISTINCT VALUE c.mod FROM c ORDER BY c.mod DESC") == [4, 3, 2, 1, 0]
        assert len(rows(items, "SELECT DISTINCT c.mod, c.pk FROM c", max_item_count=7)) == 60


@scenario("query.aggregates")
def aggregates():
    with queried() as items:
        for size in (1, 1000):
            for query, wanted in (("COUNT(1)", 60), ("COUNT(c.grade)", 40), ("SUM(c.n)", SUM), ("AVG(c.n)", 29.5),
                                  ("MIN(c.n)", 0), ("MAX(c.name)", "name-59")):
                found = rows(items, f"SELECT VALUE {query} FROM c", max_item_count=size)
                assert found == [wanted], (query, size, found)
            assert rows(items, "SELECT VALUE COUNT(1) FROM c WHERE c.n > 1000", max_item_count=size) == [0]


@scenario("query.resume")
def resume():
    with queried() as items:
        for query, options in (("SELECT VALUE c.id FROM c WHERE c.n >= 0", {"partition_key": "key-5"}),
                               ("SELECT VALUE c.id FROM c", {"enable_cross_partition_query": True})):
            wanted = [item["id"] for item in QUERIED if item["pk"] == options.get("partition_key", item["pk"])]
            seen, token, source = [], None, items
            while True:
                pages = source.query_items(query, max_item_count=2, **options).by_page(token)
                page = next(pages, None)
                if page is None:  # the page before was full, and nothing is left
                    break
                seen += list(page)
                token, source = pages.continuation_token, of_other_client(items) if token is None else source
                if not token:
                    break
                assert len(seen) <= 60, "endless"
            assert sorted(seen) == wanted, (query, seen)
        resume_with_key_instead_of_range(items)


def resume_with_key_instead_of_range(items):
    """The token of a query on a key's feed range goes on where it was when the query names the key."""
    query = "SELECT VALUE c.id FROM c ORDER BY c.id"
    key_range = items.feed_range_from_partition_key("key-5")
    pages = items.query_items(query, feed_range=key_range, max_item_count=2).by_page()
    first = list(next(pages))
    named = items.query_items(query, partition_key="key-5", max_item_count=2)
    rest = [row for page in named.by_page(pages.continuation_token) for row in page]
    assert first + rest == sorted(item["id"] for item in QUERIED if item["pk"] == "key-5"), (first, rest)


@scenario("query.gateway_token")
def gateway_token():
    with queried() as items:
        seen, token, source = [], None, items
        while True:
            pages = source.query_items("SELECT VALUE c.id FROM c", max_item_count=7,
                                       enable_cross_partition_query=True).by_page(token)
            seen += list(next(pages, []))
            token, source = pages.continuation_token, of_other_client(items)
            if not token:
                break
            parts = json.loads(token)
            assert parts["token"] and parts["range"]["min"] < parts["range"]["max"], token
            assert len(token) <= 1024, token
        assert sorted(seen) == IDS, seen


@scenario("query.full_pages")
def full_pages():
    with queried() as items:
        wanted = [item["id"] for item in sorted(QUERIED, key=lambda item: item["n"]) if item["pk"] == "key-3"]
        assert len(wanted) == 5
        for query, options in (("SELECT VALUE c.id FROM c", {"partition_key": "key-3"}),
                               ('SELECT VALUE c.id FROM c WHERE c.pk = "key-3"', {"enable_cross_partition_query": True}),
                               ("SELECT VALUE c.id FROM c ORDER BY c.n", {"partition_key": "key-3"}),
                               ('SELECT VALUE c.id FROM c WHERE c.pk = "key-3" ORDER BY c.n',
                                {"enable_cross_partition_query": True})):
            in_order = list if "ORDER BY" in query else sorted
            for size in (1, 5):
                assert in_order(rows(items, query, max_item_count=size, **options)) == in_order(wanted), (query, size)
                pages = [list(page) for page in items.query_items(query, max_item_count=size, **options).by_page()]
                assert in_order(row for page in pages for row in page) == in_order(wanted), (query, size, pages)
                assert all(0 < len(page) <= size for page in pages), (query, size, pages)


@scenario("query.lists")
def lists():
    with container() as items:
        for name, n in (("c", 3), ("a", 1), ("d", 2), ("b", 1)):
            items.create_item({"id": name, "pk": "one", "n": n})
        found = rows(items, "SELECT VALUE MAKELIST(c.n) FROM c", partition_key="one")
        assert found == [[3, 1, 2, 1]], found
        found = rows(items, 'SELECT VALUE MAKELIST(c.id) FROM c WHERE c.id > "0"', partition_key="one")
        assert found == [["c", "a", "d", "b"]], found
        found = rows(items, "SELECT VALUE MAKESET(c.n) FROM c", partition_key="one")
        assert found == [[3, 1, 2]], found


@scenario("query.count")
def count():
    with queried() as items:
        seen = []
        pages = items.query_items("SELECT VALUE COUNT(1) FROM c", partition_key="key-1", populate_query_metrics=True,
                                  response_hook=lambda headers, _: seen.append(headers)).by_page()
        assert [list(page) for page in pages] == [[5]] and pages.continuation_token is None
        parts = dict(part.split("=") for part in seen[0]["x-ms-documentdb-query-metrics"].split(";"))
        assert (parts["retrievedDocumentCount"], parts["retrievedDocumentSize"]) == ("0", "0"), parts
        assert float(parts["indexUtilizationRatio"]) == 1, parts


@scenario("query.index_metrics")
def index_metrics():
    with queried() as items:
        seen = []
        rows(items, "SELECT * FROM c", partition_key="key-1", populate_index_metrics=True,
             response_hook=lambda headers, _: seen.append(headers))
        found = seen[0]["x-ms-cosmos-index-utilization"]["UtilizedSingleIndexes"]
        assert [(one["FilterExpression"], one["IndexSpec"], one["IndexImpactScore"]) for one in found] == [
            ("", "/pk/?", "High")], found


@scenario("query.metrics")
def metrics():
    with queried() as items:
        seen = []
        found = rows(items, "SELECT * FROM c WHERE c.mod = 1", partition_key="key-1", populate_query_metrics=True,
                     response_hook=lambda headers, _: seen.append(headers))
        assert len(found) == 1
        text = seen[0]["x-ms-documentdb-query-metrics"]
        parts = dict(part.split("=") for part in text.split(";"))
        assert parts["outputDocumentCount"] == "1" and float(parts["totalExecutionTimeInMs"]) >= 0, text


@scenario("query.read_many")
def read_many():
    with queried() as items:
        wanted = QUERIED[::2] + [{"id": "none", "pk": "key-0"}]
        found = items.read_items([(item["id"], item["pk"]) for item in wanted])
        assert sorted(item["id"] for item in found) == [item["id"] for item in QUERIED[::2]]


@scenario("query.refused")
def refusals():
    with queried() as items:
        for query, code in (("SELECT * FROM c WHERE", "SC1002"), ("SELEC * FROM c", "SC1001"),
                            ("SELECT VALUE x FROM c", "SC2001"), ("SELECT VALUE NOPE(c.n) FROM c", "SC2005"),
                            ("SELECT * FROM c ORDER BY LOWER(c.name)", "2206")):
            try:
                rows(items, query)
            except Exception as error:  # status and message are checked below
                assert getattr(error, "status_code", None) == 400 and code in str(error), (query, str(error))
            else:
                raise AssertionError(f"{query}: not refused")
