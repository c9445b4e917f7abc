"""A key for user profiles: the user's id."""

from collections import Counter

from diagram import draw
from lesson import FOUR_PARTITIONS, Lesson, items_by_partition, load

USERS = 400
# As unevenly as people live.
COUNTRIES = ["US"] * 50 + ["IN"] * 25 + ["DE"] * 15 + ["NZ"] * 8 + ["IS"] * 2
FIND_BY_EMAIL = "SELECT * FROM u WHERE u.email = 'user-7@example.com'"


def profile(number: int) -> dict:
    return {"id": f"user-{number}", "country": COUNTRIES[number % 100], "email": f"user-{number}@example.com",
            "name": f"User {number}", "settings": {"theme": "dark", "language": "en"}}


with Lesson("profiles") as lesson:
    by_id = lesson.container("by-id", "/id", throughput=FOUR_PARTITIONS)
    by_country = lesson.container("by-country", "/country", throughput=FOUR_PARTITIONS)
    profiles = [profile(number) for number in range(USERS)]
    load(by_id, profiles, "id")
    load(by_country, profiles, "country")

    with lesson.step("key /id: sign in by user id") as sign_in:
        by_id.read_item("user-7", "user-7")
    with lesson.step("key /id: find by e-mail") as find:
        assert len(list(by_id.query_items(FIND_BY_EMAIL, enable_cross_partition_query=True))) == 1
    with lesson.step("key /country: sign in, country unknown") as sign_in_without_key:
        assert len(list(by_country.query_items("SELECT * FROM u WHERE u.id = 'user-7'",
                                               enable_cross_partition_query=True))) == 1
    spread, skewed = items_by_partition(by_id), items_by_partition(by_country)
    draw("profiles", [(f"key /id: {USERS} users", by_id, Counter(each["id"] for each in profiles)),
                      ("key /country: 5 countries", by_country, Counter(each["country"] for each in profiles))],
         "profiles")

    assert (sign_in.partitions, sign_in.charge) == (1, 1.0)
    assert find.partitions == sign_in_without_key.partitions == 4 and find.documents == 1
    assert sum(spread) == sum(skewed) == USERS
    assert max(spread) < 1.2 * USERS / 4, "user ids spread evenly"
    assert max(skewed) >= USERS / 2, "half of the users are in one partition"
