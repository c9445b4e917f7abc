from concurrent.futures import ThreadPoolExecutor

from azure.cosmos import PartitionKey

from support import container, database, of_other_client, scenario

IDS = [f"item-{n:02}" for n in range(25)]


@scenario("feed.containers")
def containers():
    with database() as parent:
        names = [f"c{n}" for n in range(5)]
        for name in names:
            parent.create_container(name, PartitionKey("/pk"))
        pages = pages_of(parent.list_containers(max_item_count=2).by_page())
        assert len(pages) >= 3 and all(len(page) <= 2 for page in pages), pages
        assert sorted(sum(pages, [])) == names


@scenario("feed.paging")
def paging():
    with container() as items:
        fill(items)
        for size in (1, 3, -1):
            pages = pages_of(items.read_all_items(max_item_count=size).by_page())
            assert sorted(sum(pages, [])) == IDS, (size, pages)
            assert size < 0 or all(len(page) <= size for page in pages), (size, pages)


@scenario("feed.resume")
def resume():
    with container() as items:
        fill(items)
        start = items.read_all_items(max_item_count=3).by_page()
        seen = [[item["id"] for item in next(start)] for _ in range(2)]
        assert start.continuation_token
        rest = of_other_client(items).read_all_items(max_item_count=4).by_page(start.continuation_token)
        assert sorted(sum(seen + pages_of(rest), [])) == IDS


def fill(items):
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: items.create_item({"id": IDS[n], "pk": f"key-{n % 12}"}), range(25)))


def pages_of(pages):
    return [[each["id"] for each in page] for page in pages]
