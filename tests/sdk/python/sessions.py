"""Session tokens, response headers, several clients, authentication."""

import re
from concurrent.futures import ThreadPoolExecutor

from azure.cosmos import PartitionKey

from support import ENDPOINT, OTHER_KEY, all_ids, container, new_client, of_other_client, refused, scenario, session_token


@scenario("session.token")
def token():
    with container() as items:
        last = {}
        for n in range(30):
            part, lsn = session_token(items.create_item({"id": str(n), "pk": f"key-{n % 10}"}))
            assert lsn > last.get(part, -1), (part, lsn, last)
            last[part] = lsn
        part, lsn = session_token(items.read_item("0", "key-0"))
        assert lsn >= last.get(part, 0)  # a range that has just taken over is new


@scenario("session.read_own_write")
def read_own_write():
    with container() as items:
        own = of_other_client(items, consistency_level="Session")
        own.create_item({"id": "one", "pk": "p", "n": 0})
        for n in range(1, 21):
            own.replace_item("one", {"id": "one", "pk": "p", "n": n})
            assert own.read_item("one", "p")["n"] == n


@scenario("session.ahead")
def ahead():
    with container() as items:
        # Without endpoint discovery the SDK reports 404/1002; with it, it retries first.
        own = of_other_client(items, consistency_level="Session", enable_endpoint_discovery=False)
        part, lsn = session_token(own.create_item({"id": "one", "pk": "p"}))
        for end in ("", ","):
            with refused(404, 1002):
                own.read_item("one", "p", session_token=f"{part}:-1#{lsn + 1000}{end}")
        assert own.read_item("one", "p", session_token=f"{part}:-1#{lsn}")["id"] == "one"


@scenario("session.recreated")
def recreated():
    """The client does not know that it is another container; its old token must not matter."""
    with container() as items:
        own = of_other_client(items, consistency_level="Session", enable_endpoint_discovery=False)
        for n in range(20):
            own.upsert_item({"id": "one", "pk": "p", "n": n})
        database = new_client().get_database_client(items.container_link.split("/")[1])
        database.delete_container(items.id)
        again = database.create_container(items.id, PartitionKey("/pk"))
        again.create_item({"id": "one", "pk": "p", "n": "new"})
        assert own.read_item("one", "p")["n"] == "new"


@scenario("response.headers")
def headers():
    with container() as items:
        for answer in (items.create_item({"id": "one", "pk": "p"}), items.read_item("one", "p")):
            got = answer.get_response_headers()
            assert float(got["x-ms-request-charge"]) > 0
            assert re.fullmatch(r"[0-9a-fA-F-]{36}", got["x-ms-activity-id"])
            assert float(got["x-ms-request-duration-ms"]) >= 0
        assert got["Content-Location"] == f"{ENDPOINT.rstrip('/')}/{items.container_link}/docs/one/", (
            got["Content-Location"], ENDPOINT)


@scenario("clients.concurrent")
def concurrent():
    with container() as items:
        def write(name):
            own = of_other_client(items)
            for n in range(50):
                own.create_item({"id": f"{name}{n}", "pk": f"key-{n % 9}"})

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(write, "ab"))
        assert all_ids(items) == sorted(f"{name}{n}" for name in "ab" for n in range(50))


@scenario("auth.wrong_key")
def wrong_key():
    with refused(401):
        list(new_client(key=OTHER_KEY).list_databases())
