"""Documents of several types in one container: a book and its reviews, told apart by `type`."""

from lesson import FOUR_PARTITIONS, Lesson, items_by_partition, load, print_bars

BOOKS = [f"b{n}" for n in range(1, 101)]
REVIEWS = 10
REVIEWS_OF_B1 = "SELECT VALUE r.content FROM r WHERE r.bookId = 'b1' AND r.type = 'review'"
REVIEWS_THAT_PRAISE = "SELECT VALUE r.id FROM r WHERE r.type = 'review' AND r.stars = 5"

with Lesson("document-types") as lesson:
    store = lesson.container("books-and-reviews", "/bookId", throughput=FOUR_PARTITIONS)
    for book in BOOKS:
        load(store, [{"id": book, "bookId": book, "type": "book", "name": f"DocumentDB, volume {book}"},
                     *({"id": f"r{number}", "bookId": book, "type": "review", "stars": number % 5 + 1,
                        "content": f"Review {number} of {book}"} for number in range(1, REVIEWS + 1))], "bookId")

    with lesson.step("read a book by its key and id") as read:
        store.read_item("b1", "b1")
    with lesson.step("a book and its reviews: everything with its key") as whole:
        page = list(store.query_items("SELECT * FROM c", partition_key="b1"))
    with lesson.step("the reviews of a book: `type` within its key") as by_type:
        reviews = list(store.query_items(REVIEWS_OF_B1, partition_key="b1"))
    with lesson.step("the same, key found in the filter by the server") as by_filter:
        assert list(store.query_items(REVIEWS_OF_B1)) == reviews
    with lesson.step("reviews of all books with five stars: no key") as everywhere:
        praise = list(store.query_items(REVIEWS_THAT_PRAISE, enable_cross_partition_query=True))

    assert len(page) == 1 + REVIEWS and len(reviews) == REVIEWS and len(praise) == len(BOOKS) * REVIEWS // 5
    assert by_type.documents == REVIEWS, "the reviews of other books are not read"
    assert read.partitions == whole.partitions == by_type.partitions == by_filter.partitions == 1
    assert everywhere.partitions == 4

    lesson.print_steps()
    print_bars("100 books with 10 reviews each, by bookId", items_by_partition(store), "documents")
