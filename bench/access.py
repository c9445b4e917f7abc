#!/usr/bin/env python3
"""Measures point reads with every kind of credential and prints one table.

    cmake --preset release && cmake --build --preset release
    bench/access.py [--rounds 5] [--seconds 3] [--check]

Reads with a resource token and with a JSON Web Token (RS256, 2,048 bits, allowed by a role assignment) alternate with
reads signed with the account key. With --check a missed target gives exit code 1.
"""
import json
import pathlib
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(ROOT / "tests"), str(ROOT / "tests/access")]
import tokens  # noqa: E402
from lib.client import Client  # noqa: E402
from lib.server import Server  # noqa: E402
from run import conclude, parse_arguments  # noqa: E402
from transactions import Bench, send  # noqa: E402

ITEMS = 10_000
CONNECTIONS = 32
DATA_READER = "00000000-0000-0000-0000-000000000001"
PRINCIPAL = "11111111-1111-1111-1111-111111111111"
RATIO_MIN = 0.9


def resource_token(client: Client) -> str:
    send(client, "POST", "/dbs/bench/users", {"id": "reader"})
    permission = {"id": "p", "permissionMode": "Read", "resource": "dbs/bench/colls/items"}
    made = send(client, "POST", "/dbs/bench/users/reader/permissions", permission)
    return urllib.parse.quote(made.json()["_token"], safe="")


def web_token(client: Client, signer: tokens.Signer) -> str:
    send(client, "PUT", "/sqlRoleAssignments/33333333-3333-3333-3333-333333333333", {"properties": {
        "roleDefinitionId": "/sqlRoleDefinitions/" + DATA_READER, "scope": "/dbs/bench/colls/items",
        "principalId": PRINCIPAL}})
    return urllib.parse.quote("type=aad&ver=1.0&sig=" + signer.token(PRINCIPAL), safe="")


def main() -> int:
    arguments = parse_arguments(__doc__, rounds=5)
    with tempfile.TemporaryDirectory(prefix="orrery-bench-", dir=arguments.scratch) as scratch:
        signer, keys = tokens.Signer("k1"), pathlib.Path(scratch) / "jwks.json"
        keys.write_text(json.dumps({"keys": [signer.jwk()]}))
        with Server(pathlib.Path(arguments.build) / "orrery", pathlib.Path(scratch) / "data", "--token-issuer",
                    tokens.ISSUER, "--token-audience", tokens.AUDIENCE, "--token-keys-file",
                    str(keys)).wait_until_ready() as server, Client(server.port) as client:
            bench = Bench(arguments, server.port)
            read = ("read", "--items", str(ITEMS))
            bench.load(read[0], CONNECTIONS, "--setup", *read[1:])
            rates = bench.rates(CONNECTIONS, {
                "account key": read,
                "resource token": (*read, "--authorization", resource_token(client)),
                "JSON Web Token": (*read, "--authorization", web_token(client, signer))})
    base = rates.pop("account key")
    table = [(f"point read, account key, {CONNECTIONS} connections", f"{base:.0f}/s", "", None)]
    for name, rate in rates.items():
        table += [(f"point read, {name}", f"{rate:.0f}/s", "", None),
                  ("  of the account key", f"{rate / base:.2f}", f">= {RATIO_MIN}", rate / base >= RATIO_MIN)]
    return conclude(arguments, table)


if __name__ == "__main__":
    sys.exit(main())
