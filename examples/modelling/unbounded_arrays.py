"""Do not embed a list without an end: the comments on a post."""

from azure.cosmos.exceptions import CosmosHttpResponseError

from lesson import Lesson

TEXT = "I have read this with great interest, and I would like to add a remark. " * 14  # 1 KB
BATCH = 100
RECENT = 3


def comments(first: int, end: int) -> list[dict]:
    return [{"id": number, "author": f"reader-{number % 50}", "comment": TEXT} for number in range(first, end)]


def append(value: dict) -> dict:
    return {"op": "add", "path": "/comments/-", "value": value}


def create_in_batches(posts, post: str, count: int) -> None:
    """The post has the most recent comments, documents of 100 beside it have all of them."""
    posts.create_item({"id": "post", "postId": post, "title": "What's new in the coolest cloud",
                       "recentComments": comments(count - RECENT, count)})
    for first in range(0, count, BATCH):
        posts.create_item({"id": f"comments-{first // BATCH}", "postId": post,
                           "comments": comments(first, min(first + BATCH, count))})


def add_comment(posts, post: str, number: int) -> None:
    """One transaction changes the open document of comments and the post: both have the same partition key."""
    posts.execute_item_batch([
        ("patch", (f"comments-{number // BATCH}", [append(comments(number, number + 1)[0])]), {}),
        ("patch", ("post", [{"op": "set", "path": "/recentComments",
                             "value": comments(number + 1 - RECENT, number + 1)}]), {})], post)


def grow_until_refused(posts, post: str, number: int) -> tuple[int, CosmosHttpResponseError]:
    while True:
        try:
            posts.patch_item(post, post, [append(comments(number, number + 1)[0])])
            number += 1
        except CosmosHttpResponseError as error:
            return number, error


with Lesson("unbounded-arrays") as lesson:
    posts = lesson.container("posts", "/postId")
    in_one_array, in_batches = [], []
    for count in (10, 150, 1050):
        post = f"array-of-{count}"
        posts.create_item({"id": post, "postId": post, "comments": comments(0, count)})
        with lesson.step(f"one array: add a comment to {count:,}") as add:
            posts.patch_item(post, post, [append(comments(count, count + 1)[0])])
        in_one_array.append(add.charge)
    with lesson.step("one array: show the post") as show_all:
        posts.read_item(post, post)

    for count in (10, 150, 1050):
        post = f"batches-of-{count}"
        create_in_batches(posts, post, count)
        with lesson.step(f"documents of 100: add a comment to {count:,}") as add:
            add_comment(posts, post, count)
        in_batches.append(add.charge)
    with lesson.step("documents of 100: show the post") as show_recent:
        shown = posts.read_item("post", post)
    assert [each["id"] for each in shown["recentComments"]] == [1048, 1049, 1050]

    assert in_one_array[2] > 5 * in_one_array[1] > 5 * in_one_array[0]
    assert in_batches[2] < 2 * in_batches[1] and show_recent.charge * 10 < show_all.charge

    posts.create_item({"id": "full", "postId": "full", "comments": comments(0, 1980)})
    count, refusal = grow_until_refused(posts, "full", 1980)
    assert refusal.status_code == 413
    assert len(posts.read_item("full", "full")["comments"]) == count
    lesson.print_steps()
    print(f"The array holds {count:,} comments of 1 KB. The next one is refused with status {refusal.status_code}:\n"
          "a document has at most 2 MB.\n")
