"""Keep the reference on the side that grows no list: publishers and their books."""

from lesson import Lesson, load

BOOKS = 400
PAGE = 20
NEW = str(BOOKS + 1)
TITLES = {str(n): f"DocumentDB, volume {n}" for n in range(1, BOOKS + 1)}
IN_PAGE = "SELECT b.id, b.name FROM b WHERE ARRAY_CONTAINS(@ids, b.id)"

with Lesson("one-to-many") as lesson:
    # The publisher lists its books.
    publishers = lesson.container("publishers", "/id")
    publishers.create_item({"id": "mspress", "name": "Microsoft Press", "books": list(TITLES)})
    books = lesson.container("books", "/id")
    # Each book names its publisher, which is also its partition key.
    books_of = lesson.container("books-by-publisher", '/"pub-id"')
    for number, title in TITLES.items():
        books.create_item({"id": number, "name": title})
    load(books_of, ({"id": number, "name": title, "pub-id": "mspress"} for number, title in TITLES.items()), "pub-id")

    with lesson.step("list in the publisher: add a book") as add_to_list:
        books.create_item({"id": NEW, "name": "Learn about DocumentDB"})
        publishers.patch_item("mspress", "mspress", [{"op": "add", "path": "/books/-", "value": NEW}])
    with lesson.step(f"list in the publisher: show {PAGE} books") as show_from_list:
        ids = publishers.read_item("mspress", "mspress")["books"][:PAGE]
        listed = list(books.query_items(IN_PAGE, parameters=[{"name": "@ids", "value": ids}],
                                        enable_cross_partition_query=True))

    with lesson.step("pub-id in the book: add a book") as add_with_reference:
        books_of.create_item({"id": NEW, "name": "Learn about DocumentDB", "pub-id": "mspress"})
    with lesson.step(f"pub-id in the book: show {PAGE} books") as show_by_reference:
        found = list(books_of.query_items(f"SELECT TOP {PAGE} b.id, b.name FROM b WHERE b['pub-id'] = 'mspress'",
                                          partition_key="mspress"))

    assert len(listed) == len(found) == PAGE
    assert (add_with_reference.requests, show_by_reference.requests) == (1, 1)
    assert add_to_list.requests == show_from_list.requests == 2
    assert add_with_reference.charge < add_to_list.charge and show_by_reference.charge < show_from_list.charge
