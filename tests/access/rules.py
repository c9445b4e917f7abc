"""Who may do what, stated without looking at the server: one predicate per credential."""

from operations import MINE, OTHER, Operation

READS = {"read account", "read details", "list databases", "read database", "list containers", "read container",
         "read ranges", "read script", "read client key", "read offer", "read user", "items/read", "executeQuery", "plan", "readChangeFeed",
         "batch items/read", "read conflict", "read attachment"}
ITEMS = {"items/read", "items/replace", "items/delete", "items/create", "items/upsert", "executeQuery", "plan",
         "readChangeFeed", "batch items/read", "batch items/replace"}
IN_CONTAINER = ITEMS | {"read script", "write script", "execute", "read conflict", "delete conflict", "read attachment",
                        "write attachment"}
METADATA = {"read account", "list databases", "read database", "list containers", "read container", "read ranges",
            "read script", "read client key"}


def below(path: str):
    def is_below(op: Operation) -> bool:
        place = op.container or op.path
        return place == path or place.startswith(path + "/")
    return is_below


def is_start_up(op: Operation, container: str) -> bool:
    """What SDKs read before they can use a token for something in the container."""
    return op.needs == "read account" or (op.needs in ("read container", "read ranges") and below(container)(op))


def token(mode: str, container: str = MINE, child: str = "", key: str = ""):
    """A resource token for the container, or a child of it, or the items with a key."""
    def allowed(op: Operation) -> bool:
        if is_start_up(op, container):
            return True
        if not below(container)(op) or op.needs not in IN_CONTAINER:
            return False
        if mode == "Read" and op.needs not in READS:
            return False
        # A trigger could change more than the child. The attachments of an item are a part of it; links to their media
        # are made of rids, the child's link is not.
        attached = op.path.startswith(f"{container}/{child}/attachments")
        named = op.path == f"{container}/{child}" or attached
        if child and (not named or "x-ms-documentdb-pre-trigger-include" in op.headers):
            return False
        if not key or op.needs in ("read script", "plan"):
            return True
        return op.needs != "write script" and op.key == key
    return allowed


def role(actions: set[str], scope: str = ""):
    """Data actions, on everything below the scope."""
    def allowed(op: Operation) -> bool:
        if op.needs == "read account":  # at any scope
            return "readMetadata" in actions
        if op.needs in METADATA:
            needed = "readMetadata"
        else:
            needed = {"plan": "executeQuery", "execute": "executeStoredProcedure", "batch items/read": "items/read",
                      "batch items/replace": "items/replace", "read conflict": "manageConflicts",
                      "delete conflict": "manageConflicts", "read attachment": "items/read",
                      "write attachment": "items/replace"}.get(op.needs, op.needs)
        if needed not in actions:
            return False
        # Of a batch with both, the reading is needed as well.
        if op.needs == "batch items/replace" and "items/read" not in actions:
            return False
        return not scope or below(scope)(op)
    return allowed


READER = {"readMetadata", "items/read", "executeQuery", "readChangeFeed"}
CONTRIBUTOR = READER | {"items/create", "items/replace", "items/upsert", "items/delete", "executeStoredProcedure",
                        "manageConflicts"}

# By the name of the credential. A credential that is not valid is refused with 401, or 403 if it was once.
RULES = {
    "primary": lambda op: True,
    "secondary": lambda op: True,
    "primaryReadonly": lambda op: op.needs in READS,
    "secondaryReadonly": lambda op: op.needs in READS,
    "token read-container": token("Read"),
    "token all-container": token("All"),
    "token all-container-rid": token("All"),
    "token all-other": token("All", OTHER),
    "token read-item": token("Read", child="docs/1"),
    "token all-item": token("All", child="docs/1"),
    "token all-procedure": token("All", child="sprocs/s"),
    "token read-key": token("Read", key="a"),
    "token all-key": token("All", key="a"),
    "jwt reader": role(READER),
    "jwt contributor": role(CONTRIBUTOR),
    "jwt custom": role({"readMetadata", "items/create", "items/read"}, MINE),
    "jwt database": role(READER, "/dbs/access"),
    "jwt group": role(READER),
    "jwt nobody": role(set()),
}
INVALID = {"none": 401, "forged key": 401, "forged token": 401, "truncated token": 401, "re-ordered token": 401,
           "expired token": 403, "forged jwt": 401, "expired jwt": 401, "unsigned jwt": 401, "foreign jwt": 401}
