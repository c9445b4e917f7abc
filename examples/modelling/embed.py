"""Embed what is read together: a person with addresses and contact details is one document."""

from lesson import Lesson

ADDRESS = {"line1": "100 Some Street", "line2": "Unit 1", "city": "Seattle", "state": "WA", "zip": 98012}
CONTACTS = [{"email": "thomas@andersen.com"}, {"phone": "+1 555 555-5555", "extension": 5555}]
THOMAS = {"id": "1", "firstName": "Thomas", "lastName": "Andersen", "addresses": [ADDRESS], "contactDetails": CONTACTS}

# The same as rows of a relational database: a document for each, put together by the reader.
ROWS = [{"id": "person", "personId": "1", "firstName": "Thomas", "lastName": "Andersen"},
        {"id": "address-1", "personId": "1", "address": ADDRESS},
        *({"id": f"contact-{n}", "personId": "1", "contact": contact} for n, contact in enumerate(CONTACTS, 1))]

with Lesson("embed") as lesson:
    people = lesson.container("people", "/id")
    with lesson.step("one document: write the person") as write:
        people.create_item(THOMAS)
    with lesson.step("one document: read the person") as read:
        thomas = people.read_item("1", "1")
    with lesson.step("one document: add an e-mail address") as change:
        people.patch_item("1", "1", [{"op": "add", "path": "/contactDetails/-", "value": {"email": "ta@example.com"}}])

    rows = lesson.container("rows", "/personId")
    with lesson.step("as rows: write the person") as write_rows:
        for row in ROWS:
            rows.create_item(row)
    with lesson.step("as rows: read the person") as read_rows:
        found = list(rows.query_items("SELECT * FROM c", partition_key="1"))

    # Embedded arrays can be searched like tables: JOIN stays inside the document.
    in_seattle = people.query_items(
        "SELECT p.firstName, a.zip FROM p JOIN a IN p.addresses WHERE a.city = 'Seattle'", partition_key="1")
    assert list(in_seattle) == [{"firstName": "Thomas", "zip": 98012}]

    assert {name: thomas[name] for name in THOMAS} == THOMAS
    assert (read.requests, read.charge, write.requests) == (1, 1.0, 1)
    assert len(found) == len(ROWS) and write_rows.requests == len(ROWS)
    assert read_rows.charge > 2 * read.charge and write_rows.charge > 2 * write.charge
