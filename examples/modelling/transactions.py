"""Change several documents at once: a book is stored, and its author's `countOfBooks` goes up, or neither."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from azure.cosmos.exceptions import CosmosBatchOperationError, CosmosHttpResponseError

from lesson import Lesson

HERE = Path(__file__).parent
RETRY_WITH = 449
AUTHORS = ["a1", "a2", "a3", "a4", "a5"]


def author(id_: str) -> dict:
    return {"id": id_, "authorId": id_, "type": "author", "firstName": "Thomas", "lastName": "Andersen",
            "countOfBooks": 0, "books": []}


def book(number: int, author: str = "a1") -> dict:
    return {"id": f"b{number}", "authorId": author, "type": "book", "name": f"DocumentDB, volume {number}"}


def add_book(library, new: dict) -> int:
    """Returns the author's number of books."""
    while True:
        try:
            return library.scripts.execute_stored_procedure("addBook", partition_key=new["authorId"], params=[new])
        except CosmosHttpResponseError as error:
            # Too many others have changed the author meanwhile. Nothing was done: try again.
            if error.status_code != RETRY_WITH:
                raise


def refusal(action, *arguments, **options) -> Exception:
    try:
        action(*arguments, **options)
    except (CosmosHttpResponseError, CosmosBatchOperationError) as error:
        return error
    raise AssertionError("it was not refused")


with Lesson("transactions") as lesson:
    library = lesson.container("library", "/authorId")
    for each in AUTHORS:
        library.create_item(author(each))
    library.scripts.create_stored_procedure({"id": "addBook", "body": (HERE / "add_book.js").read_text()})
    library.scripts.create_trigger({"id": "knownAuthor", "body": (HERE / "known_author.js").read_text(),
                                    "triggerType": "Pre", "triggerOperation": "Create"})

    procedure = lesson.cheapest_step("stored procedure: add a book, count it",
                                     [partial(add_book, library, book(1, each)) for each in AUTHORS])
    with lesson.step("batch: add a book, count it") as batch:
        library.execute_item_batch([
            ("create", (book(2),), {}),
            ("patch", ("a1", [{"op": "incr", "path": "/countOfBooks", "value": 1},
                              {"op": "add", "path": "/books/-", "value": "b2"}]), {})], "a1")
    assert library.read_item("a1", "a1")["countOfBooks"] == 2 and procedure.requests == batch.requests == 1

    # Aborted in the middle: the procedure has stored the book when it finds no author. Nothing remains.
    def abort():
        error = refusal(add_book, library, book(3, "nobody"))
        assert "No author nobody" in str(error), error

    lesson.cheapest_step("stored procedure: unknown author, aborted", [abort] * len(AUTHORS))
    assert list(library.query_items("SELECT * FROM c", partition_key="nobody")) == []
    # So it is in the middle of a batch: b1 exists, so the author is not changed either.
    refusal(library.execute_item_batch, [("patch", ("a1", [{"op": "incr", "path": "/countOfBooks", "value": 1}]), {}),
                                         ("create", (book(1),), {})], "a1")
    assert library.read_item("a1", "a1")["countOfBooks"] == 2

    # A reference is checked by whoever writes it: without the trigger this book would be stored.
    def refuse():
        error = refusal(library.create_item, book(3, "nobody"), pre_trigger_include="knownAuthor")
        assert "There is no author nobody" in str(error), error

    lesson.cheapest_step("trigger: book of an unknown author, refused", [refuse] * len(AUTHORS))
    library.create_item(book(3), pre_trigger_include="knownAuthor")
    library.delete_item("b3", "a1")

    # Concurrent writers: every book is counted exactly once.
    with ThreadPoolExecutor(4) as writers:
        list(writers.map(lambda number: add_book(library, book(number)), range(100, 140)))
    thomas = library.read_item("a1", "a1")
    assert thomas["countOfBooks"] == len(thomas["books"]) == len(set(thomas["books"])) == 42

    with lesson.step("42 books later, how many? count them") as counted:
        books = library.query_items("SELECT VALUE COUNT(1) FROM c WHERE c.type = 'book'", partition_key="a1")
        assert list(books) == [42]
    with lesson.step("42 books later, how many? read the author") as precomputed:
        library.read_item("a1", "a1")
    assert precomputed.charge < counted.charge

    lesson.print_steps()
    print(f"Then four writers added 40 books at once: `countOfBooks` is {thomas['countOfBooks']}.\n")
