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
    with database() as made, refused(409):
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
