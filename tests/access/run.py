#!/usr/bin/env python3
"""Access control: every operation with every kind of credential, keys that change, tokens that expire."""

import argparse
import base64
import json
import secrets
import sys
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Answer, Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
from operations import DATABASE, MINE, OTHER, UPSERT, operations, pk, routes  # noqa: E402
from rules import INVALID, RULES  # noqa: E402
import tokens  # noqa: E402

READER, CONTRIBUTOR = ("00000000-0000-0000-0000-00000000000" + digit for digit in "12")
CUSTOM = "22222222-2222-2222-2222-222222222222"
ACTIONS = "Microsoft.DocumentDB/databaseAccounts/"
CONTAINERS = ACTIONS + "sqlDatabases/containers/"
EXPIRY_SECONDS = 10  # the shortest there is
RELOAD_SECONDS = 15


def new_key() -> str:
    return base64.b64encode(secrets.token_bytes(64)).decode()


class World:
    """A server with two containers, and every kind of credential for it."""

    def __init__(self, binary: Path, scratch: Path):
        self.signer, self.stranger = tokens.Signer("k1"), tokens.Signer("k1")
        self.keys_file = scratch / "jwks.json"
        self.trust(self.signer)
        self.key_file = scratch / "primary.key"
        self.key_file.write_text(new_key() + "\n")
        self.server = Server(binary, scratch / "data", "--key-file", str(self.key_file), "--token-issuer",
                             tokens.ISSUER, "--token-audience", tokens.AUDIENCE + ",https://other.example",
                             "--token-keys-file", str(self.keys_file))
        self.headers: dict[str, dict[str, str]] = {}
        self.media: dict[str, str] = {}

    def trust(self, *signers: tokens.Signer) -> None:
        text = json.dumps({"keys": [signer.jwk() for signer in signers]})
        scratch = self.keys_file.with_suffix(".new")
        scratch.write_text(text)
        scratch.rename(self.keys_file)

    def prepare(self) -> None:
        self.server.wait_until_ready()
        self.keys = {"primary": self.key_file.read_text().strip()}
        self.admin = Client(self.server.port, self.keys["primary"])
        for container in (MINE, OTHER):
            make_container(self.admin, "access", {"id": container.split("/")[-1],
                                                  "partitionKey": {"paths": ["/pk"], "version": 2}})
            for key, item in (("a", "1"), ("b", "2")):
                self.must("POST", container + "/docs", {"id": item, "pk": key}, pk(key))
            for feed, script in (("sprocs", "s"), ("triggers", "t"), ("udfs", "u")):
                self.must("POST", f"{container}/{feed}", {"id": script, "body": "function () {}",
                                                          "triggerType": "Pre", "triggerOperation": "All"})
            attached = self.must("POST", f"{container}/docs/1/attachments", b"text",
                                 pk("a") | {"Slug": "a", "content-type": "text/plain"})
            self.media[container] = attached.json()["media"]
        self.offer = self.must("GET", "/offers").json()["Offers"][0]["id"]
        self.make_keys()
        self.make_resource_tokens()
        self.make_roles()

    def must(self, method: str, path: str, body=None, headers: dict | None = None) -> Answer:
        answer = self.admin.request(method, path, body, headers)
        expect(answer.status < 300, f"{method} {path}: {answer.status} {answer.body!r}")
        return answer

    def make_keys(self) -> None:
        for kind in ("secondary", "primaryReadonly", "secondaryReadonly"):
            made = self.must("POST", "/regenerateKey", {"keyKind": kind}).json()
            self.keys[kind] = made[kind.replace("Readonly", "ReadonlyMasterKey") if "Readonly" in kind
                                   else kind + "MasterKey"]

    def make_resource_tokens(self) -> None:
        self.must("POST", DATABASE + "/users", {"id": "u"})
        own_link = self.must("GET", MINE).json()["_self"]
        wanted = {"read-container": ("Read", MINE[1:], None), "all-container-rid": ("All", own_link, None),
                  "all-other": ("All", OTHER[1:], None), "read-item": ("Read", MINE[1:] + "/docs/1", None),
                  "all-procedure": ("All", MINE[1:] + "/sprocs/s", None), "all-key": ("All", MINE[1:], ["a"])}
        # A user has one permission for each resource.
        others = {"all-container": ("All", MINE[1:], None), "all-item": ("All", MINE[1:] + "/docs/1", None),
                  "read-key": ("Read", MINE[1:], ["a"])}
        self.must("POST", DATABASE + "/users", {"id": "v"})
        for user, permissions in (("u", wanted), ("v", others)):
            for name, (mode, link, key) in permissions.items():
                body = {"id": name, "permissionMode": mode, "resource": link}
                made = self.must("POST", f"{DATABASE}/users/{user}/permissions",
                                 body | ({"resourcePartitionKey": key} if key else {})).json()
                self.headers["token " + name] = {"authorization": urllib.parse.quote(made["_token"], safe="")}
        good = self.must("GET", DATABASE + "/users/v/permissions/all-container").json()["_token"]
        start, signature, payload, _ = good.replace("sig=", "sig=;", 1).split(";")
        flipped = payload[:8] + ("B" if payload[8] == "A" else "A") + payload[9:]
        for name, token in (("forged", f"{start}{signature};{flipped};"), ("truncated", f"{start}{signature};"),
                            ("re-ordered", f"{start}{payload};{signature};")):
            self.headers[name + " token"] = {"authorization": urllib.parse.quote(token, safe="")}
        short = self.must("GET", DATABASE + "/users/v/permissions/all-container", None,
                          {"x-ms-documentdb-expiry-seconds": str(EXPIRY_SECONDS)}).json()["_token"]
        self.headers["expired token"] = {"authorization": urllib.parse.quote(short, safe="")}
        self.expiry = time.monotonic() + EXPIRY_SECONDS + 1

    def make_roles(self) -> None:
        self.must("PUT", "/sqlRoleDefinitions/" + CUSTOM, {"properties": {
            "roleName": "custom", "assignableScopes": [DATABASE],
            "permissions": [{"dataActions": [ACTIONS + "readMetadata", CONTAINERS + "items/create",
                                             CONTAINERS + "items/read"]}]}})
        assigned = {"reader": (READER, "/"), "contributor": (CONTRIBUTOR, "/"), "custom": (CUSTOM, MINE),
                    "database": (READER, DATABASE), "the-group": (READER, "/")}
        for number, (principal, (role, scope)) in enumerate(assigned.items()):
            self.must("PUT", f"/sqlRoleAssignments/33333333-3333-3333-3333-{number:012}", {"properties": {
                "roleDefinitionId": "/sqlRoleDefinitions/" + role, "scope": scope, "principalId": principal}})
        made = {name: self.signer.token(name) for name in ("reader", "contributor", "custom", "database", "nobody")}
        made["group"] = self.signer.token("member", groups=["x", "the-group"])
        for name, token in made.items():
            self.headers["jwt " + name] = {"authorization": "type=aad&ver=1.0&sig=" + token}
        for name, token in (("forged", self.stranger.token("contributor")), ("unsigned", tokens.unsigned("reader")),
                            ("expired", self.signer.token("contributor", life=-600)),
                            ("foreign", self.signer.token("contributor", aud="https://elsewhere.example"))):
            self.headers[name + " jwt"] = {
                "authorization": urllib.parse.quote("type=aad&ver=1.0&sig=" + token, safe="")}

    def ask(self, credential: str, operation) -> Answer:
        if credential in self.keys:
            client = Client(self.server.port, self.keys[credential])
        elif credential == "forged key":
            client = Client(self.server.port, new_key())
        else:
            client = self.admin
        headers = dict(operation.headers)
        if credential == "none":
            headers["authorization"] = ""
        headers |= self.headers.get(credential, {})
        return client.request(operation.method, operation.path, operation.body, headers)


def table(world: World, credential: str) -> str:
    """Compares one row of the table with the rules."""
    allows = RULES.get(credential)
    wrong, asked, allowed = [], 0, 0
    for operation in operations(world.offer, world.media):
        answer = world.ask(credential, operation)
        asked += 1
        if allows is None:
            right = answer.status == INVALID[credential]
        elif allows(operation):
            right = answer.status not in (401, 403) and answer.status < 500
            allowed += 1
        else:
            right = answer.status == 403
        if not right:
            wrong.append(f"{operation.name}: {answer.status} {answer.headers.get('x-ms-substatus', '')} "
                         f"{answer.body[:200].decode(errors='replace')}")
    expect(not wrong, f"{len(wrong)} of {asked} operations\n  " + "\n  ".join(wrong))
    return f"{allowed} of {asked} operations allowed"


def every_route(world: World) -> str:
    listed = {operation.route for operation in operations(world.offer, world.media)}
    expect(listed == routes(), f"not listed: {sorted(routes() - listed)}; not routes: {sorted(listed - routes())}")
    return f"{len(listed)} routes"


def status(world: World, headers: dict, method: str = "GET", path: str = MINE) -> int:
    return world.admin.request(method, path, None, headers).status


def until(what: str, check) -> None:
    deadline = time.monotonic() + RELOAD_SECONDS
    while not check():
        expect(time.monotonic() < deadline, f"{what}: not within {RELOAD_SECONDS} s")
        time.sleep(0.1)


def rotation(world: World) -> None:
    """One key is regenerated while the other is used, and the other way round; both survive a restart."""
    old = dict(world.keys)
    made = world.must("POST", "/regenerateKey", {"keyKind": "secondary"}).json()
    world.keys["secondary"] = made["secondaryMasterKey"]
    expect(Client(world.server.port, old["secondary"]).request("GET", "/dbs").status == 401, "the old key is valid")
    expect(Client(world.server.port, world.keys["secondary"]).request("GET", "/dbs").status == 200, "not the new one")
    refused = world.admin.request("POST", "/regenerateKey", {"keyKind": "primary"})
    expect(refused.status == 409, f"a key in a file of the operator: {refused.status}")
    world.keys["primary"] = new_key()
    world.key_file.write_text(world.keys["primary"])
    secondary = Client(world.server.port, world.keys["secondary"])
    until("the key file", lambda: Client(world.server.port, world.keys["primary"]).request("GET", "/").status == 200)
    expect(secondary.request("GET", "/dbs").status == 200, "the other key")
    expect(Client(world.server.port, old["primary"]).request("GET", "/").status == 401, "the old key is valid")
    world.key_file.write_text("not a key")
    time.sleep(2.5)
    world.admin = Client(world.server.port, world.keys["primary"])
    expect(world.admin.request("GET", "/").status == 200, "a damaged file replaced the key")
    world.key_file.write_text(world.keys["primary"])


def own_primary(binary: Path, scratch: Path) -> None:
    """Without settings the primary key of the emulators is valid until it is regenerated, and not after a restart."""
    data = scratch / "own"
    with Server(binary, data) as server:
        server.wait_until_ready()
        client = Client(server.port)
        made = client.request("POST", "/regenerateKey", {"keyKind": "primary"}).json()
        expect(client.request("GET", "/dbs").status == 401, "the public key is still valid")
        server.stop()
    key = made["primaryMasterKey"]
    path = data / "keys/primary.key"
    expect(path.stat().st_mode & 0o777 == 0o600, "others may read the key")
    with Server(binary, data) as server:
        server.wait_until_ready()
        expect(Client(server.port).request("GET", "/dbs").status == 401, "the public key is valid again")
        expect(Client(server.port, key).request("GET", "/dbs").status == 200, "the new key is lost")
        log = server.log.read_text()
        expect(key not in log, "the key is in the log")
        server.stop()


def key_set_rotation(world: World) -> None:
    """A second signer is trusted within a second, the first one no longer."""
    following = tokens.Signer("k2")
    old, new = ({"authorization": "type=aad&ver=1.0&sig=" + signer.token("reader")}
                for signer in (world.signer, following))
    expect((status(world, old), status(world, new)) == (200, 401), "before")
    world.trust(world.signer, following)
    until("the second key", lambda: status(world, new) == 200)
    expect(status(world, old) == 200, "both are trusted")
    world.keys_file.write_text("{")
    time.sleep(2.5)
    expect((status(world, old), status(world, new)) == (200, 200), "a damaged file")
    world.trust(following)
    until("the removal", lambda: status(world, old) == 401)
    expect(status(world, new) == 200, "the new one")
    world.signer = following


def audit(world: World) -> str:
    """Requests that manage something are in the log with who sent them, and without what they would give away."""
    lines = [line for line in world.server.log.read_text(errors="replace").splitlines() if "event=management" in line]
    for who, operation, answer in (("primary key", "WriteContainer", 412), ("primaryReadonly key", "WriteContainer", 403),
                                   ("principal contributor", "WriteDatabase", 403), ("primary key", "ReadKeys", 200),
                                   ("secondary key", "WritePermission", 400)):
        found = [line for line in lines if f'who="{who}"' in line and f"operation={operation} " in line
                 and f"status={answer}" in line and "client=127.0.0.1" in line]
        expect(found, f"no line about {who}, {operation}, {answer}; first: {lines[:2]}")
    text = "\n".join(lines)
    for secret in list(world.keys.values()) + [header["authorization"][-60:] for header in world.headers.values()]:
        expect(secret not in text, "a secret is in the log")
    expect("QueryItems" not in text and "CreateItem" not in text, "items are not managed")
    return f"{len(lines)} lines"


def emulator_tokens(binary: Path, scratch: Path) -> None:
    """A bearer token that holds the account key works where that key is public, and can be switched off."""
    from lib.client import EMULATOR_KEY
    claims = {"oid": "tester", "aud": "https://localhost", "exp": int(time.time()) + 3600}
    token = ".".join([tokens.encoded({"alg": "RS256", "typ": "JWT"}), tokens.encoded(claims),
                      tokens.encoded(EMULATOR_KEY.encode())])
    headers = {"authorization": "type=aad&ver=1.0&sig=" + token}
    for options, expected in (((), 200), (("--emulator-tokens", "false"), 401)):
        with Server(binary, scratch / f"emulator{expected}", *options) as server:
            server.wait_until_ready()
            client = Client(server.port)
            answer = client.request("GET", "/dbs", None, headers)
            expect(answer.status == expected, f"{options}: {answer.status} {answer.body!r}")
            if expected == 200:
                refused = client.request("POST", "/dbs", {"id": "d"}, headers)
                expect(refused.headers.get("x-ms-substatus") == "5300", f"management: {refused.status}")
            server.stop()


def recreated(world: World) -> None:
    """A token bound by rid does not apply to a container of the same name; one bound by name does."""
    definition = {"id": "short", "partitionKey": {"paths": ["/pk"], "version": 2}}
    link = make_container(world.admin, "access", definition)
    self_link = world.must("GET", "/" + link).json()["_self"]
    made = {}
    for name, resource in (("by name", link), ("by rid", self_link)):
        body = {"id": name, "permissionMode": "Read", "resource": resource}
        token = world.must("POST", DATABASE + "/users/u/permissions", body).json()["_token"]
        made[name] = {"authorization": urllib.parse.quote(token, safe="")}
    for name, headers in made.items():
        for path in ("/" + link, "/" + self_link):
            expect(status(world, headers, path=path) == 200, f"{name}, {path}")
    world.must("DELETE", DATABASE + "/users/u/permissions/by%20name")
    expect(status(world, made["by name"], path="/" + link) == 200, "a token ends with its permission")
    world.must("DELETE", "/" + link)
    expect(status(world, made["by name"], path="/" + link) == 404, "the container is gone")
    expect(status(world, made["by rid"], path="/" + link) == 403, "gone, by rid")
    make_container(world.admin, "access", definition)
    expect(status(world, made["by name"], path="/" + link) == 200, "the new one, by name")
    expect(status(world, made["by rid"], path="/" + link) == 403, "the new one, by rid")


def streams(world: World) -> None:
    """A stream of events ends with what allows it: its role, a key that is regenerated."""
    assignment = "/sqlRoleAssignments/44444444-4444-4444-4444-444444444444"
    world.must("PUT", assignment, {"properties": {"roleDefinitionId": "/sqlRoleDefinitions/" + READER, "scope": MINE,
                                                  "principalId": "listener"}})
    token = {"authorization": "type=aad&ver=1.0&sig=" + world.signer.token("listener")}
    made = world.must("POST", "/regenerateKey", {"keyKind": "secondaryReadonly"}).json()
    world.keys["secondaryReadonly"] = made["secondaryReadonlyMasterKey"]

    def listen(client: Client, headers: dict):
        path = MINE + "/docs"
        client.connection.request("GET", path, None, client.signed("GET", path) | headers | {
            "Accept": "text/event-stream", "If-None-Match": "*"})
        answer = client.connection.getresponse()
        expect(answer.status == 200, f"stream: {answer.status}")
        return answer

    def write(number: int) -> None:
        world.must("POST", MINE + "/docs", {"id": "1", "pk": "a", "n": number}, pk("a") | UPSERT)

    def field(stream, name: str) -> str:
        for line in stream:
            if line.startswith(name.encode()):
                return line.decode()
        raise AssertionError(f"the stream has ended without a line '{name}'")

    with Client(world.server.port) as one, Client(world.server.port, world.keys["secondaryReadonly"]) as other:
        by_role, by_key = listen(one, token), listen(other, {})
        write(1)
        expect('"n":1' in field(by_role, "data") and '"n":1' in field(by_key, "data"), "the first change")
        world.must("DELETE", assignment)
        write(2)
        field(by_role, "event: error")
        expect("does not have required RBAC permissions" in field(by_role, "data"), "another error")
        expect('"n":2' in field(by_key, "data"), "the second change")
        made = world.must("POST", "/regenerateKey", {"keyKind": "secondaryReadonly"}).json()
        world.keys["secondaryReadonly"] = made["secondaryReadonlyMasterKey"]
        field(by_key, "event: error")


def escaped_links(world: World) -> None:
    """.NET escapes the names in links."""
    make_container(world.admin, "access", {"id": "a b", "partitionKey": {"paths": ["/pk"], "version": 2}})
    body = {"id": "escaped", "permissionMode": "Read", "resource": "dbs/access/colls/a%20b"}
    token = world.must("POST", DATABASE + "/users/u/permissions", body).json()["_token"]
    headers = {"authorization": urllib.parse.quote(token, safe="")}
    expect(status(world, headers, path=DATABASE + "/colls/a%20b") == 200, "the container")
    expect(status(world, headers, path=MINE) == 403, "another one")


def key_prefixes(world: World) -> None:
    """A token for the first levels of a hierarchical key reaches all keys below, and no others."""
    link = make_container(world.admin, "access", {
        "id": "levels", "partitionKey": {"paths": ["/t", "/u"], "kind": "MultiHash", "version": 2}})
    for tenant in "ab":
        for user in "12":
            world.must("POST", f"/{link}/docs", {"id": "i", "t": tenant, "u": user}, pk(tenant, user))
    body = {"id": "prefix", "permissionMode": "All", "resource": link, "resourcePartitionKey": ["a"]}
    token = world.must("POST", DATABASE + "/users/u/permissions", body).json()["_token"]
    headers = {"authorization": urllib.parse.quote(token, safe="")}
    docs = f"/{link}/docs"
    for key, expected in ((("a", "1"), 200), (("a", "2"), 200), (("b", "1"), 403), (("aa", "1"), 403)):
        expect(status(world, headers | pk(*key), path=docs + "/i") == expected, f"{key}")
    listed = world.admin.request("GET", docs, None, headers | pk("a"))
    expect(listed.status == 200 and listed.json()["_count"] == 2, f"the prefix itself: {listed.status}")
    expect(status(world, headers | pk("b"), path=docs) == 403, "another prefix")
    expect(status(world, headers | pk(), path=docs) == 403, "an empty key")
    expect(status(world, headers, path=docs) == 403, "no key")
    for bounds in (("", "FF"), ("00", "3F")):
        epks = {"x-ms-start-epk": bounds[0], "x-ms-end-epk": bounds[1]}
        expect(status(world, headers | epks, path=docs) == 403, f"hashes {bounds}")


def messages(world: World) -> None:
    """The texts and sub-statuses that clients look for."""
    def refusal(credential: str, method: str, path: str, body=None) -> tuple[str, str]:
        answer = world.admin.request(method, path, body, world.headers[credential])
        return f"{answer.status}/{answer.headers.get('x-ms-substatus', '0')}", answer.json()["message"]

    code, text = refusal("token read-container", "DELETE", MINE + "/docs/1")
    expect(code == "403/0" and "Insufficient permissions provided in the authorization header for the corresponding "
           "request. Please retry with another authorization header." in text, f"{code} {text}")
    code, text = refusal("jwt contributor", "POST", "/dbs", {"id": "x"})
    expect(code == "403/5300" and "The given request [POST /dbs] cannot be authorized by AAD token in data plane."
           in text, f"{code} {text}")
    code, text = refusal("jwt nobody", "GET", MINE)
    expect(code == "403/5301" and "principal [nobody] does not have required RBAC permissions to perform action ["
           + ACTIONS + f"readMetadata] on resource [{MINE}]. Learn more: https://aka.ms/cosmos-native-rbac." in text,
           f"{code} {text}")
    code, text = refusal("jwt reader", "DELETE", MINE + "/docs/1")
    expect(code == "403/5302" and CONTAINERS + "items/delete" in text, f"{code} {text}")
    own_link = world.must("GET", MINE).json()["_self"]
    code, text = refusal("jwt reader", "DELETE", f"/{own_link}docs/1")
    expect(code == "403/5303" and f"on resource [{MINE}]" in text, f"by rid: {code} {text}")
    for credential, expected in (("expired jwt", "401/5006"), ("forged jwt", "401/5004"), ("foreign jwt", "401/5008"),
                                 ("unsigned jwt", "401/5004")):
        code, text = refusal(credential, "GET", MINE)
        expect(code == expected, f"{credential}: {code} {text}")
    code, text = refusal("expired token", "GET", MINE)
    expect(code == "403/0" and "token expiry time" in text, f"{code} {text}")


def after_restart(world: World, binary: Path) -> None:
    """Tokens, keys and roles survive a restart."""
    world.server.stop()
    options = world.server.process.args
    world.server = Server(binary, world.server.data, *options[options.index("--key-file"):-1])
    world.server.wait_until_ready()
    world.admin = Client(world.server.port, world.keys["primary"])
    for credential in ("token all-key", "secondary", "primaryReadonly"):
        table(world, credential)
    reader = {"authorization": "type=aad&ver=1.0&sig=" + world.signer.token("reader")}
    expect(status(world, reader) == 200, "the reader's role")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    binary = options.server.resolve()
    report = Report()
    with scratch_directory("access") as scratch:
        world = World(binary, scratch)
        try:
            world.prepare()
            report.run("every route is in the table", lambda: every_route(world))
            for credential in RULES:
                report.run(f"table: {credential}", lambda: table(world, credential))
            time.sleep(max(0.0, world.expiry - time.monotonic()))
            for credential in INVALID:
                report.run(f"table: {credential}", lambda: table(world, credential))
            for check in (audit, messages, recreated, escaped_links, key_prefixes, streams,
                          rotation, key_set_rotation):
                report.run(check.__name__, lambda: check(world))
            report.run("after_restart", lambda: after_restart(world, binary))
        finally:
            world.server.kill()
        report.run("own_primary", lambda: own_primary(binary, scratch))
        report.run("emulator_tokens", lambda: emulator_tokens(binary, scratch))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
