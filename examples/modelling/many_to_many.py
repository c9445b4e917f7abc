"""Books and authors: join documents, id arrays on both sides, and the hybrid with what a page shows."""

from collections import Counter

from lesson import Lesson

AUTHORS = [f"a{n}" for n in range(1, 21)]
BOOKS = {f"b{n}": [AUTHORS[n % 20], AUTHORS[n * 7 % 20]] if n % 20 != n * 7 % 20 else [AUTHORS[n % 20]]
         for n in range(1, 101)}
BY_ID = "SELECT * FROM c WHERE ARRAY_CONTAINS(@ids, c.id)"


def author(id_: str) -> dict:
    return {"id": id_, "firstName": "Thomas", "lastName": f"Andersen {id_}"}


def thumbnail(id_: str) -> str:
    return f"https://images.example/{id_}-small.png"


def by_id(container, ids: list[str]) -> list[dict]:
    return list(container.query_items(BY_ID, parameters=[{"name": "@ids", "value": ids}],
                                      enable_cross_partition_query=True))


with Lesson("many-to-many") as lesson:
    # Join documents, as in a relational database.
    authors, books = lesson.container("authors", "/id"), lesson.container("books", "/id")
    joins = lesson.container("joins", "/bookId")
    for each in AUTHORS:
        authors.create_item(author(each))
    for book, its_authors in BOOKS.items():
        books.create_item({"id": book, "name": f"DocumentDB, volume {book}"})
        for each in its_authors:
            joins.create_item({"id": each, "authorId": each, "bookId": book})
    with lesson.step("join documents: show a book") as show_joined:
        book = books.read_item("b1", "b1")
        ids = list(joins.query_items("SELECT VALUE j.authorId FROM j", partition_key="b1"))
        names = by_id(authors, ids)
    with lesson.step("join documents: an author has a new picture") as picture_joined:
        authors.patch_item("a2", "a2", [{"op": "set", "path": "/thumbnailUrl", "value": thumbnail("new")}])

    # Ids on both sides.
    authors, books = lesson.container("authors-ids", "/id"), lesson.container("books-ids", "/id")
    for each in AUTHORS:
        authors.create_item(author(each) | {"books": [book for book, its in BOOKS.items() if each in its]})
    for book, its_authors in BOOKS.items():
        books.create_item({"id": book, "name": f"DocumentDB, volume {book}", "authors": its_authors})
    with lesson.step("id arrays: show a book") as show_ids:
        book = books.read_item("b1", "b1")
        names = by_id(authors, book["authors"])
    with lesson.step("id arrays: an author has a new picture") as picture_ids:
        authors.patch_item("a2", "a2", [{"op": "set", "path": "/thumbnailUrl", "value": thumbnail("new")}])

    # Hybrid: ids, and what the page of a book shows of its authors.
    books = lesson.container("books-hybrid", "/id")
    for book, its_authors in BOOKS.items():
        books.create_item({"id": book, "name": f"DocumentDB, volume {book}", "authors": [
            {"id": each, "name": f"Thomas Andersen {each}", "thumbnailUrl": thumbnail(each)} for each in its_authors]})
    with lesson.step("hybrid: show a book") as show_hybrid:
        book = books.read_item("b1", "b1")
    with lesson.step("hybrid: an author has a new picture") as picture_hybrid:
        authors.patch_item("a2", "a2", [{"op": "set", "path": "/thumbnailUrl", "value": thumbnail("new")}])
        for stale in books.query_items("SELECT * FROM b WHERE ARRAY_CONTAINS(b.authors, {'id': 'a2'}, true)",
                                       enable_cross_partition_query=True):
            at = [each["id"] for each in stale["authors"]].index("a2")
            books.patch_item(stale["id"], stale["id"], [
                {"op": "set", "path": f"/authors/{at}/thumbnailUrl", "value": thumbnail("new")}])

    # A JOIN unfolds the array inside each document: how many books has each author?
    counted = Counter(books.query_items("SELECT VALUE a.id FROM b JOIN a IN b.authors",
                                        enable_cross_partition_query=True))
    assert counted == Counter(each for its_authors in BOOKS.values() for each in its_authors)

    assert {each["id"] for each in names} == {each["id"] for each in book["authors"]} == set(BOOKS["b1"])
    assert show_hybrid.requests == 1 and show_hybrid.charge < show_ids.charge < show_joined.charge
    assert picture_joined.requests == picture_ids.requests == 1 and picture_hybrid.requests == counted["a2"] + 2
