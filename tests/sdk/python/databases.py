from support import client, database, random_id, refused, scenario, Statuses

BY_ID = "SELECT * FROM root r WHERE r.id=@id"


def by_id(name):
    return {"query": BY_ID, "parameters": [{"name": "@id", "value": name}]}


@scenario("database.lifecycle")
def lifecycle():
    name, statuses = random_id(), Statuses()
    proxy, created = client().create_database(name, return_properties=True, raw_response_hook=statuses)
    assert created["id"] == name
    read = proxy.read(raw_response_hook=statuses)
    assert dict(read) == dict(created)
    assert all(isinstance(read[field], str) for field in ("_rid", "_self", "_etag", "_colls", "_users"))
    assert [each["id"] for each in client().list_databases()].count(name) == 1
    client().delete_database(name, raw_response_hook=statuses)
    assert statuses == [201, 200, 204], statuses
    with refused(404):
        proxy.read()


@scenario("database.conflict")
def conflict():
    with database() as made, refused(409, 3206):
        client().create_database(made.id)


@scenario("database.missing")
def missing():
    with refused(404):
        client().get_database_client(random_id("none")).read()
    with refused(404):
        client().delete_database(random_id("none"))


@scenario("database.create_if_not_exists")
def create_if_not_exists():
    name = random_id()
    _, first = client().create_database_if_not_exists(name, return_properties=True)
    try:
        _, second = client().create_database_if_not_exists(name, return_properties=True)
        assert first["_rid"] == second["_rid"]
    finally:
        client().delete_database(name)


@scenario("database.query_by_id")
def query_by_id():
    with database() as made:
        assert [each["id"] for each in client().query_databases(**by_id(made.id))] == [made.id]
        assert not list(client().query_databases(**by_id(random_id("none"))))


def names(prefix):
    return [prefix + letter for letter in "bca"]


def resource_queries(prefix, ask):
    """Queries over resources of one kind with these names; `ask` gives all rows."""
    b, c, a = names(prefix)

    def asked(query, max_item_count=None, **values):
        values = {"like": prefix + "_", **values}
        return list(ask(query=query, max_item_count=max_item_count,
                        parameters=[{"name": "@" + name, "value": value} for name, value in values.items()]))

    for page_size in (None, 1):
        found = asked("SELECT r.id FROM r WHERE r.id LIKE @like ORDER BY r.id DESC", page_size)
        assert found == [{"id": c}, {"id": b}, {"id": a}], found
    found = asked("SELECT VALUE COUNT(1) FROM r WHERE STARTSWITH(r.id, @prefix)", prefix=prefix)
    assert found == [3], found
    found = asked("SELECT VALUE r.id FROM r WHERE r.id IN (@a, @none) OR r.id = @c ORDER BY r.id",
                  a=a, c=c, none=prefix + "none")
    assert found == [a, c], found
    [first] = asked("SELECT TOP 1 * FROM r WHERE r.id LIKE @like AND r.id != @a ORDER BY r.id", a=a)
    assert first["id"] == b and first["_rid"], first
    with refused(400):
        asked("SELECT * FORM r")


@scenario("database.query")
def query():
    prefix = random_id()
    try:
        for name in names(prefix):
            client().create_database(name)
        resource_queries(prefix, client().query_databases)
    finally:
        for name in names(prefix):
            client().delete_database(name)
