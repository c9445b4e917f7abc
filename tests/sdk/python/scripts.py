from azure.core import MatchConditions
from azure.cosmos.documents import TriggerOperation, TriggerType

from databases import by_id, names, resource_queries
from support import container, refused, scenario

BODY = "serverScript() { var x = 10; }"
RULE = {"triggerType": TriggerType.Pre, "triggerOperation": TriggerOperation.All}


class Kind:
    """One kind of script; the SDK's method names follow one pattern."""

    def __init__(self, name, rest):
        self.name, self.rest = name, rest

    def definition(self, name, body=BODY):
        return {"id": name, "body": body, **self.rest}

    def call(self, scripts, verb, *arguments, plural="", **options):
        return getattr(scripts, f"{verb}_{self.name}{plural}")(*arguments, **options)

    def ids(self, scripts):
        return [each["id"] for each in self.call(scripts, "list", plural="s")]


PROCEDURE, TRIGGER, UDF = KINDS = (Kind("stored_procedure", {}), Kind("trigger", RULE),
                                   Kind("user_defined_function", {}))


def lifecycle(kind):
    with container() as proxy:
        scripts = proxy.scripts
        assert not kind.ids(scripts)
        created = kind.call(scripts, "create", kind.definition("my script"))
        assert {**created, **kind.definition("my script")} == dict(created), created
        assert all(isinstance(created[field], str) for field in ("_rid", "_self", "_etag"))
        kind.call(scripts, "create", kind.definition("other", "(a, b) => a + b"))
        assert kind.ids(scripts) == ["my script", "other"]
        found = list(kind.call(scripts, "query", plural="s", **by_id("other")))
        assert [each["body"] for each in found] == ["(a, b) => a + b"], found
        assert dict(kind.call(scripts, "get", "my script")) == dict(created)
        replaced = kind.call(scripts, "replace", "my script", kind.definition("my script", "new"))
        assert replaced["_rid"] == created["_rid"] and replaced["_etag"] != created["_etag"]
        # Given a resource, the SDK uses its _self.
        assert dict(kind.call(scripts, "get", created)) == dict(replaced)
        kind.call(scripts, "delete", "my script")
        for verb in ("get", "delete"):
            with refused(404):
                kind.call(scripts, verb, "my script")


@scenario("script.stored_procedures")
def stored_procedures():
    lifecycle(PROCEDURE)


@scenario("script.triggers")
def triggers():
    lifecycle(TRIGGER)


@scenario("script.udfs")
def udfs():
    lifecycle(UDF)


@scenario("script.conflict")
def conflict():
    with container() as proxy:
        for kind in KINDS:
            kind.call(proxy.scripts, "create", kind.definition("one"))
            with refused(409):
                kind.call(proxy.scripts, "create", kind.definition("one"))


@scenario("script.query")
def query():
    with container() as proxy:
        for kind in KINDS:
            for name in names("s-"):
                kind.call(proxy.scripts, "create", kind.definition(name))
            resource_queries("s-", lambda kind=kind, **query: kind.call(proxy.scripts, "query", plural="s", **query))


@scenario("script.etag")
def etag():
    with container() as proxy:
        scripts = proxy.scripts
        created = scripts.create_stored_procedure(PROCEDURE.definition("p"))
        current = {"etag": created["_etag"], "match_condition": MatchConditions.IfNotModified}
        scripts.replace_stored_procedure("p", PROCEDURE.definition("p", "new"), **current)
        with refused(412):
            scripts.replace_stored_procedure("p", PROCEDURE.definition("p", "stale"), **current)
        with refused(412):
            scripts.delete_stored_procedure("p", **current)
        assert scripts.get_stored_procedure("p")["body"] == "new"


@scenario("script.feed")
def feed():
    with container() as proxy:
        names = [f"u{n}" for n in range(5)]
        for name in names:
            proxy.scripts.create_user_defined_function(UDF.definition(name))
        pages = [[each["id"] for each in page] for page in
                 proxy.scripts.list_user_defined_functions(max_item_count=2).by_page()]
        assert len(pages) >= 3 and all(len(page) <= 2 for page in pages), pages
        assert sum(pages, []) == names


@scenario("script.refused")
def refusals():
    with container() as proxy:
        scripts = proxy.scripts
        for create, definition in (
                (scripts.create_stored_procedure, {"id": "p"}),
                (scripts.create_trigger, {"id": "t", "body": BODY}),
                (scripts.create_trigger, TRIGGER.definition("t") | {"triggerType": "then"}),
                (scripts.create_trigger, TRIGGER.definition("t") | {"triggerOperation": "read"})):
            with refused(400):
                create(definition)
        assert not TRIGGER.ids(scripts)


@scenario("script.without_key")
def without_key():
    with container() as proxy:
        proxy.scripts.create_stored_procedure({"id": "p", "body": "() => getContext().getResponse().setBody('ran')"})
        with refused(400, text="PartitionKey value must be supplied"):
            proxy.scripts.execute_stored_procedure("p", params=[])
        assert proxy.scripts.execute_stored_procedure("p", partition_key="a") == "ran"
