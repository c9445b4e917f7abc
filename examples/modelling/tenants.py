"""A key for tenants: the tenant's id in a shared container, or a container for each tenant."""

from collections import Counter

from diagram import draw
from lesson import FOUR_PARTITIONS, Lesson, items_by_partition, load

BIG = "contoso"
SMALL = [f"tenant-{number:02}" for number in range(1, 30)]
ORDERS_OF_BIG, ORDERS_OF_SMALL = 300, 10
OPEN_ORDERS = "SELECT * FROM o WHERE o.status = 'open'"


def orders(tenant: str) -> list[dict]:
    return [{"id": f"order-{number}", "tenantId": tenant, "customerId": f"customer-{number % 50}",
             "status": "open" if number % 10 == 0 else "paid", "total": 10 + number}
            for number in range(ORDERS_OF_BIG if tenant == BIG else ORDERS_OF_SMALL)]


def home(container, tenant: str) -> int:
    """The physical partition of a tenant."""
    key = container.feed_range_from_partition_key(tenant)
    return next(number for number, feed_range in enumerate(container.read_feed_ranges())
                if container.is_feed_range_subset(feed_range, key))


with Lesson("tenants") as lesson:
    shared = lesson.container("shared", "/tenantId", throughput=FOUR_PARTITIONS)
    own = {tenant: lesson.container(tenant, "/customerId") for tenant in (BIG, *SMALL)}
    for tenant, container in own.items():
        load(shared, orders(tenant), "tenantId")
        load(container, orders(tenant), "customerId")

    with lesson.step("shared container: open orders of a tenant") as of_tenant:
        found = list(shared.query_items(OPEN_ORDERS, partition_key="tenant-01"))
    with lesson.step("shared container: open orders of all") as of_all:
        everybody = list(shared.query_items(OPEN_ORDERS, enable_cross_partition_query=True))
    with lesson.step("own containers: open orders of a tenant") as of_own:
        assert len(list(own["tenant-01"].query_items(OPEN_ORDERS, enable_cross_partition_query=True))) == len(found)
    with lesson.step("own containers: open orders of all") as of_all_own:
        assert len(everybody) == sum(len(list(each.query_items(OPEN_ORDERS, enable_cross_partition_query=True)))
                                     for each in own.values())

    beside = [tenant for tenant in SMALL if home(shared, tenant) == home(shared, BIG)]
    reserved = sum(container.get_throughput().offer_throughput for container in own.values())
    spread = items_by_partition(shared)
    draw("tenants", [("key /tenantId: 30 tenants", shared, Counter(
        order["tenantId"] for tenant in own for order in orders(tenant)))], "orders")

    assert (of_tenant.partitions, of_all.partitions) == (1, 4) and of_all_own.partitions == len(own)
    assert spread[home(shared, BIG)] == ORDERS_OF_BIG + ORDERS_OF_SMALL * len(beside) and 0 < len(beside) < len(SMALL)

    lesson.print_steps()
    print(f"{BIG.capitalize()} is in partition {home(shared, BIG)}, and so are {len(beside)} of the {len(SMALL)} small "
          f"tenants: they share its request units.\nContainers for {len(own)} tenants reserve at least {reserved:,} "
          "RU/s.\n")
