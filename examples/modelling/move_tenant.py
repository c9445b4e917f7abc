"""Moves a tenant that has become big from the shared container into its own, while it goes on working."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from lesson import FOUR_PARTITIONS, Lesson, items_by_partition, load, print_bars

BIG = "contoso"
SMALL = [f"tenant-{number:02}" for number in range(1, 30)]
PAUSE_SECONDS = 0.002  # between two writes of the client
PAGE = 100
COPIERS = 4  # at once; copying must be faster than writing, or the last step takes long
PAGES_MAX = 30
PATIENCE_SECONDS = 60
# The change feed shows what documents are, not that they are gone: mark them, and have the ttl remove them.
REMOVED = {"deleted": True, "ttl": 86400}


class Application:
    """Knows each tenant's container. Between processes, keep this in a document that every one of them watches."""

    def __init__(self, shared):
        self.shared = shared
        self.own = {}
        self.gate = threading.Lock()

    def save(self, order: dict) -> None:
        with self.gate:
            self.own.get(order["tenantId"], self.shared).upsert_item(order)

    @contextmanager
    def writes_paused(self):
        with self.gate:
            yield


class Writer(threading.Thread):
    """A client of the tenant that creates, changes and removes orders. It remembers what was acknowledged."""

    def __init__(self, application: Application):
        super().__init__()
        self.application = application
        self.acknowledged: dict[str, dict] = {}
        self.stopping = threading.Event()

    def run(self) -> None:
        number = 0
        while not self.stopping.wait(PAUSE_SECONDS):
            number += 1
            order = {"id": f"order-{number % 700}", "tenantId": BIG, "customerId": f"customer-{number % 50}",
                     "version": number}
            if number % 10 == 0:
                order |= REMOVED
            self.application.save(order)
            self.acknowledged[order["id"]] = order

    def wait_for_more(self, count: int) -> None:
        """Returns once the writer has completed `count` more writes."""
        goal, deadline = self.version() + count, time.monotonic() + PATIENCE_SECONDS
        while self.version() < goal:
            assert self.is_alive() and time.monotonic() < deadline, "the writer has stopped"
            time.sleep(0.001)

    def version(self) -> int:
        return max((order["version"] for order in list(self.acknowledged.values())), default=0)


def user_part(document: dict) -> dict:
    return {name: value for name, value in document.items() if not name.startswith("_")}


def copy_page(source, target, tenant: str, position: str | None) -> tuple[int, str]:
    """Copies a page of what has changed since the position; returns how much that was, and the new position.

    Only a page: as long as somebody writes, the change feed has no end.
    """
    seen = {}
    pages = source.query_items_change_feed(
        partition_key=tenant, max_item_count=PAGE, response_hook=lambda headers, _: seen.update(headers),
        **({"continuation": position} if position else {"start_time": "Beginning"})).by_page()
    documents = [user_part(document) for document in next(pages, [])]
    with ThreadPoolExecutor(COPIERS) as copiers:
        list(copiers.map(target.upsert_item, documents))
    return len(documents), seen["etag"]


def move(application: Application, tenant: str, target) -> None:
    position = None
    for _ in range(PAGES_MAX):
        copied, position = copy_page(application.shared, target, tenant, position)
        if copied < PAGE:
            break
    with application.writes_paused():
        while True:
            copied, position = copy_page(application.shared, target, tenant, position)
            if copied == 0:
                break
        application.own[tenant] = target


with Lesson("move-tenant") as lesson:
    shared = lesson.container("shared", "/tenantId", throughput=FOUR_PARTITIONS)
    load(shared, ({"id": f"order-{number}", "tenantId": tenant, "customerId": f"customer-{number % 50}", "version": 0}
                  for tenant in (BIG, *SMALL) for number in range(400 if tenant == BIG else 20)), "tenantId")
    print_bars("before: shared container, key /tenantId", items_by_partition(shared), "orders")

    # On its own the tenant needs another key: with /tenantId all of it would be in one partition.
    own = lesson.container(BIG, "/customerId", throughput=FOUR_PARTITIONS)
    application = Application(shared)
    writer = Writer(application)
    writer.start()
    try:
        writer.wait_for_more(100)
        move(application, BIG, own)
        writer.wait_for_more(100)
    finally:
        writer.stopping.set()
        writer.join()

    moved = {document["id"]: user_part(document) for document in own.read_all_items()}
    expected = {document["id"]: user_part(document) for document in shared.query_items(
        "SELECT * FROM c", partition_key=BIG)} | writer.acknowledged
    lost = [id_ for id_ in expected if moved.get(id_) != expected[id_]]
    assert not lost and moved.keys() == expected.keys(), lost

    shared.delete_all_items_by_partition_key(BIG)
    assert sum(items_by_partition(shared)) == 20 * len(SMALL)
    assert all(items_by_partition(own)), "with its own key the tenant uses all partitions"
    print_bars("after: shared container, key /tenantId", items_by_partition(shared), "orders")
    print(f"Acknowledged writes lost: {len(lost)}.\n")
