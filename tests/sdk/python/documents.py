"""The content of items: JSON fidelity, sizes, ids."""

import json

from support import container, key_header, raw, refused, scenario, user_part


def nested(depth):
    value = "deep"
    for level in range(depth):
        value = [value] if level % 2 else {"in": value}
    return value


DIFFICULT = {
    "zulu": 1, "alpha": 2, 'mike "quoted"\\': 3, "nul\0name": 4, "": 5, "中文": 6,
    "text": "é ñ 中文 \u2028\u2029 \0\x01\x1f \x7f \"quotes\" \\back\\ /slash/ \b\f\n\r\t",
    "pairs": "😀 𝒳 \U0001D11E",
    "empty": {"object": {}, "array": [], "string": "", "nested": [[], {}, [{}]]},
    "literals": [True, False, None],
    "numbers": [0, -1, 0.1, 1e21, 1.5e-7, 1.7976931348623157e308, 5e-324, 9007199254740993,
                18446744073709551616, -123456789012345678901234567890, 1.0, 4.35],
    "deep": nested(100),
}
NUMBERS = ("[9007199254740993,18446744073709551616,-123456789012345678901234567890,1.0,1.50,1e2,1E+2,"
           "0.1000000000000000055511151231257827,1e400,-0,-0.0,5e-324]")
UNUSUAL_IDS = ["a b", " leading", "é中文😀", "plus+plus", "100%", "%20", "q'u\"o", "a&b=c;d", "x" * 255,
               "~!@$^*()_{}|:<>,."]


@scenario("json.fidelity")
def fidelity():
    with container("/id") as items:
        item = {**DIFFICULT, "id": "difficult"}
        for answer in (items.create_item(item), items.read_item("difficult", "difficult")):
            assert json.dumps(user_part(answer)) == json.dumps(item), answer


@scenario("json.numbers")
def numbers():
    with container("/id") as items:
        link = f"{items.container_link}/docs"
        created = raw("POST", link, f'{{"id":"numbers","list":{NUMBERS}}}', key_header("numbers"))
        read = raw("GET", f"{link}/numbers", headers=key_header("numbers"))
        assert (created[0], read[0]) == (201, 200), (created, read)
        assert all(f'"list":{NUMBERS}' in text for _, _, text in (created, read)), (created, read)


@scenario("json.duplicates")
def duplicates():
    with container() as items:
        body = '{"id":"no","pk":5,"n":1,"o":{"a":1,"b":2,"a":3},"n":2,"id":"one","pk":"p"}'
        status, _, text = raw("POST", f"{items.container_link}/docs", body, key_header("p"))
        assert status == 201 and text.startswith('{"id":"one","pk":"p","n":2,"o":{"a":3,"b":2},"_rid":'), text
        wanted = '{"id": "one", "pk": "p", "n": 2, "o": {"a": 3, "b": 2}}'
        assert json.dumps(user_part(items.read_item("one", "p"))) == wanted


@scenario("json.large")
def large():
    with container("/id") as items:
        payload = "x" * 1_900_000
        items.create_item({"id": "large", "payload": payload})
        assert items.read_item("large", "large")["payload"] == payload


@scenario("json.too_large")
def too_large():
    with container("/id") as items:
        payload = "x" * 2_200_000
        with refused(413):
            items.create_item({"id": "large", "payload": payload})
        items.create_item({"id": "small"})
        with refused(413):
            items.replace_item("small", {"id": "small", "payload": payload})
        assert "payload" not in items.read_item("small", "small")


@scenario("id.unusual")
def unusual():
    with container() as items:
        for name in UNUSUAL_IDS:
            items.create_item({"id": name, "pk": "p"})
            assert items.read_item(name, "p")["id"] == name
        for name in ("a?b", "a#b"):  # the SDK itself refuses these
            link = f"{items.container_link}/docs"
            created = raw("POST", link, json.dumps({"id": name, "pk": "p"}), key_header("p"))
            read = raw("GET", f"{link}/{name}", headers=key_header("p"))
            assert (created[0], read[0]) == (201, 200), (name, created, read)


@scenario("id.refused")
def ids_refused():
    with container() as items:
        for item in ({"pk": "p"}, {"id": "", "pk": "p"}):
            with refused(400):
                items.create_item(item)
        with refused(400, text="Ensure to provide a unique non-empty string less than '1024' characters."):
            items.create_item({"id": "x" * 1024, "pk": "p"})
        for body in ('{"id":"a\\\\b","pk":"p"}', '{"id":5,"pk":"p"}', '{"id":null,"pk":"p"}'):
            status, _, text = raw("POST", f"{items.container_link}/docs", body, key_header("p"))
            assert status == 400 and isinstance(json.loads(text)["message"], str), (body, status, text)
