"""Every operation of the REST API, as a request that changes nothing that matters: what is allowed may fail for
another reason (404, 412), only 401 and 403 are refusals. `routes()` reads the server's own table, so that a new route
without an operation here fails the test."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

ROUTER = Path(__file__).resolve().parents[2] / "src/gateway/router.cc"
ROUTE = re.compile(r'\{k(\w+),\s+k(Feed|One),\s+"(\w+)",')

# The names in the resource types of the server.
TYPES = {"dbs": "Database", "colls": "Container", "docs": "Item", "sprocs": "StoredProcedure", "triggers": "Trigger",
         "udfs": "Udf", "pkranges": "Range", "split": "Split", "merge": "Merge", "users": "User",
         "permissions": "Permission", "offers": "Offer", "operations": "Operation", "listKeys": "Keys",
         "readonlykeys": "ReadOnlyKeys", "regenerateKey": "KeyRegeneration", "backups": "Backup",
         "cluster": "Cluster", "drain": "Drain",
         "sqlRoleDefinitions": "RoleDefinition", "sqlRoleAssignments": "RoleAssignment", "conflicts": "Conflict",
         "clientencryptionkeys": "ClientEncryptionKey", "attachments": "Attachment", "media": "Media"}
DATABASE = "/dbs/access"
MINE, OTHER = DATABASE + "/colls/mine", DATABASE + "/colls/other"
GUID = "11111111-1111-1111-1111-111111111111"
NEVER = {"If-Match": '"never"'}


def pk(*values) -> dict:
    return {"x-ms-documentdb-partitionkey": json.dumps(list(values))}


UPSERT = {"x-ms-documentdb-is-upsert": "True"}
QUERY = {"x-ms-documentdb-isquery": "True", "content-type": "application/query+json"}
CROSS = QUERY | {"x-ms-documentdb-query-enablecrosspartition": "True"}
PLAN = {"x-ms-cosmos-is-query-plan-request": "True", "x-ms-cosmos-supported-query-features": "OrderBy"}
BATCH = {"x-ms-cosmos-is-batch-request": "True"}
BULK = BATCH | {"x-ms-cosmos-batch-atomic": "False", "x-ms-documentdb-partitionkeyrangeid": "0"}
TRIGGER = {"x-ms-documentdb-pre-trigger-include": "t"}
ALL = {"query": "SELECT * FROM c"}


@dataclass(frozen=True)
class Operation:
    needs: str  # what a credential must allow; see rules.py
    method: str
    path: str
    headers: dict = field(default_factory=dict)
    body: object = None
    key: str | None = None  # the partition key that it is confined to, if any
    container: str = ""  # that it works in, if the path does not say so

    @property
    def name(self) -> str:
        extra = " ".join(sorted(set(self.headers) - {"content-type"}))
        key = f" key {self.key}" if self.key else ""
        return f"{self.needs}: {self.method} {self.path}{key}{' (' + extra + ')' if extra else ''}"

    @property
    def segments(self) -> list[str]:
        path = self.path.partition("?")[0].strip("/").removeprefix("_admin/")
        return path.split("/") if path else []

    @property
    def route(self) -> tuple[str, str, str]:
        parts = self.segments
        if not parts:
            return "Account", "One", self.method
        feed = len(parts) % 2 == 1
        return TYPES[parts[-1 if feed else -2]], "Feed" if feed else "One", self.method


def routes() -> set[tuple[str, str, str]]:
    return set(ROUTE.findall(ROUTER.read_text()))


def item_operations(container: str) -> list[Operation]:
    docs = container + "/docs"
    found = []
    for key, item in (("a", "1"), ("b", "2")):
        new = {"id": "new", "pk": key}
        body = {"id": item, "pk": key}
        patch = {"operations": [{"op": "set", "path": "/x", "value": 1}]}
        read = {"operationType": "Read", "id": item}
        replace = {"operationType": "Replace", "id": item, "resourceBody": body}
        own = {"partitionKey": json.dumps([key])}
        found += [
            Operation("items/read", "GET", f"{docs}/{item}", pk(key), key=key),
            Operation("items/replace", "PUT", f"{docs}/{item}", pk(key) | NEVER, body, key),
            Operation("items/replace", "PATCH", f"{docs}/{item}", pk(key) | NEVER, patch, key),
            Operation("items/delete", "DELETE", f"{docs}/{item}", pk(key) | NEVER, key=key),
            Operation("items/replace", "PUT", f"{docs}/{item}", pk(key) | NEVER | TRIGGER, body, key),
            Operation("items/create", "POST", docs, pk(key), body, key),  # 409
            Operation("items/upsert", "POST", docs, pk(key) | UPSERT, new, key),
            Operation("executeQuery", "POST", docs, pk(key) | QUERY, ALL, key),
            Operation("readChangeFeed", "GET", docs, pk(key), key=key),
            Operation("batch items/read", "POST", docs, pk(key) | BATCH, [read], key),
            Operation("batch items/replace", "POST", docs, pk(key) | BATCH, [read, replace], key),
            Operation("batch items/read", "POST", docs, BULK, [read | own], key),
            Operation("batch items/replace", "POST", docs, BULK, [read | own, replace | own], key),
            Operation("execute", "POST", f"{container}/sprocs/s", pk(key), [], key),
        ]
    return found + [
        Operation("items/create", "POST", docs, {}, {"id": "1", "pk": "a"}),
        Operation("executeQuery", "POST", docs, CROSS, ALL),
        Operation("plan", "POST", docs, QUERY | PLAN, ALL),
        Operation("readChangeFeed", "GET", docs),
        Operation("items/delete", "POST", f"{container}/operations/partitionkeydelete", pk("none"), key="none"),
    ]


def attachment_operations(container: str, media: str) -> list[Operation]:
    """`media` is the link to the media of an attachment of item 1."""
    found = []
    body = {"id": "a", "contentType": "text/plain", "media": "m"}
    for key, item in (("a", "1"), ("b", "2")):
        feed = f"{container}/docs/{item}/attachments"
        found += [
            Operation("read attachment", "GET", feed, pk(key), key=key),
            Operation("read attachment", "POST", feed, pk(key) | QUERY, ALL, key),
            Operation("read attachment", "GET", feed + "/a", pk(key), key=key),
            Operation("write attachment", "POST", feed, pk(key), body, key),  # 409
            Operation("write attachment", "POST", feed, pk(key) | UPSERT | NEVER, body, key),
            Operation("write attachment", "PUT", feed + "/a", pk(key) | NEVER, body, key),
            Operation("write attachment", "DELETE", feed + "/a", pk(key) | NEVER, key=key),
        ]
    return found + [
        Operation("read attachment", "GET", media, container=container),
        Operation("write attachment", "PUT", media, NEVER, {}, container=container),
        Operation("read attachment", "GET", media, pk("a"), key="a", container=container),
        Operation("write attachment", "PUT", media, pk("a") | NEVER, {}, "a", container),
    ]


def container_operations(container: str) -> list[Operation]:
    found = [
        Operation("read container", "GET", container),
        Operation("manage", "PUT", container, NEVER, {"id": container.split("/")[-1],
                                                      "partitionKey": {"paths": ["/pk"], "version": 2}}),
        Operation("manage", "DELETE", container, NEVER),
        Operation("read ranges", "GET", container + "/pkranges"),
        Operation("read ranges", "GET", container + "/pkranges/0"),
        Operation("read details", "GET", container + "/pkranges?x-orrery-details=true"),
        Operation("manage", "POST", container + "/pkranges/99/split", {}, {}),
        Operation("manage", "POST", container + "/pkranges/99/merge", {}, {}),
    ]
    conflicts = container + "/conflicts"
    found += [
        Operation("read conflict", "GET", conflicts),
        Operation("read conflict", "POST", conflicts, QUERY, ALL),
        Operation("read conflict", "GET", conflicts + "/none"),
        Operation("delete conflict", "DELETE", conflicts + "/none"),
    ]
    for feed, script in (("sprocs", "s"), ("triggers", "t"), ("udfs", "u")):
        body = {"id": script, "body": "function () {}", "triggerType": "Pre", "triggerOperation": "All"}
        found += [
            Operation("read script", "GET", f"{container}/{feed}"),
            Operation("read script", "POST", f"{container}/{feed}", QUERY, ALL),
            Operation("read script", "GET", f"{container}/{feed}/{script}"),
            Operation("write script", "POST", f"{container}/{feed}", {}, body),  # 409
            Operation("write script", "PUT", f"{container}/{feed}/{script}", NEVER, body),
            Operation("write script", "DELETE", f"{container}/{feed}/{script}", NEVER),
        ]
    return found + item_operations(container)


def account_operations(offer: str) -> list[Operation]:
    user, permission = DATABASE + "/users/u", DATABASE + "/users/u/permissions/read-container"
    found = [
        Operation("read account", "GET", "/"),
        Operation("list databases", "GET", "/dbs"),
        Operation("list databases", "POST", "/dbs", QUERY, ALL),
        Operation("manage", "POST", "/dbs", {}, {"id": "access"}),  # 409
        Operation("read database", "GET", DATABASE),
        Operation("manage", "DELETE", DATABASE, NEVER),
        Operation("list containers", "GET", DATABASE + "/colls"),
        Operation("list containers", "POST", DATABASE + "/colls", QUERY, ALL),
        Operation("manage", "POST", DATABASE + "/colls", {}, {"id": "mine", "partitionKey": {"paths": ["/pk"]}}),
        Operation("read client key", "GET", DATABASE + "/clientencryptionkeys"),
        Operation("read client key", "POST", DATABASE + "/clientencryptionkeys", QUERY, ALL),
        Operation("read client key", "GET", DATABASE + "/clientencryptionkeys/none"),
        Operation("manage", "POST", DATABASE + "/clientencryptionkeys", {}, {}),  # 400
        Operation("manage", "PUT", DATABASE + "/clientencryptionkeys/none", {}, {}),  # 404
        Operation("read offer", "GET", "/offers"),
        Operation("read offer", "POST", "/offers", QUERY, ALL),
        Operation("read offer", "GET", "/offers/" + offer),
        Operation("manage", "PUT", "/offers/" + offer, NEVER, {}),
        Operation("read user", "GET", DATABASE + "/users"),
        Operation("read user", "POST", DATABASE + "/users", QUERY, ALL),
        Operation("manage", "POST", DATABASE + "/users", {}, {"id": "u"}),  # 409
        Operation("read user", "GET", user),
        Operation("manage", "PUT", user, NEVER, {"id": "u"}),
        Operation("manage", "DELETE", user, NEVER),
        Operation("read permission", "GET", user + "/permissions"),
        Operation("read permission", "POST", user + "/permissions", QUERY, ALL),
        Operation("manage", "POST", user + "/permissions", {}, {}),  # 400
        Operation("read permission", "GET", permission),
        Operation("manage", "PUT", permission, NEVER, {}),
        Operation("manage", "DELETE", permission, NEVER),
        Operation("manage", "POST", "/listKeys"),
        Operation("manage", "POST", "/readonlykeys"),
        Operation("manage", "POST", "/regenerateKey", {}, {"keyKind": "none"}),  # 400
        Operation("manage", "GET", "/backups"),
        Operation("manage", "POST", "/backups", {}, {"keep": 0}),  # 400
        Operation("manage", "GET", "/_admin/cluster"),  # 404: the server is alone
        Operation("manage", "POST", "/_admin/nodes/n1/drain"),
        Operation("manage", "DELETE", "/_admin/nodes/n1/drain"),
    ]
    for feed in ("/sqlRoleDefinitions", "/sqlRoleAssignments"):
        found += [Operation("manage", "GET", feed), Operation("manage", "GET", f"{feed}/{GUID}"),
                  Operation("manage", "PUT", f"{feed}/{GUID}", {}, {}),  # 400
                  Operation("manage", "DELETE", f"{feed}/{GUID}")]  # 404
    return found


def operations(offer: str, media: dict[str, str]) -> list[Operation]:
    """`media`: container -> link to the media of an attachment of its item 1."""
    found = account_operations(offer)
    for container in (MINE, OTHER):
        found += container_operations(container) + attachment_operations(container, media[container])
    return found
