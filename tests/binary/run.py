#!/usr/bin/env python3
"""Batches and bulk requests in the binary format of the .NET SDK, against a server. The SDK itself
cannot run here; lib/hybridrow.py implements its format.

    tests/binary/run.py [--server build/release/orrery]
"""
import argparse
import json
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib import hybridrow as hr  # noqa: E402
from lib.client import Client  # noqa: E402
from lib.report import Report, expect  # noqa: E402
from lib.server import Server  # noqa: E402

DOCS = "/dbs/d/colls/c/docs"


def operation(kind: int, **fields) -> dict:
    body = fields.pop("body", None)
    out = {"operationType": kind, "resourceType": hr.DOCUMENT, **fields}
    if body is not None:
        out["resourceBody"] = json.dumps(body).encode()
    return out


class Checks:
    def __init__(self, client: Client):
        self.client = client

    def send(self, operations: list[dict] | bytes, atomic: bool = True, key: str = '["p"]'):
        body = operations if isinstance(operations, bytes) else hr.encode(hr.OPERATION, operations)
        headers = {"Content-Type": "application/json",
                   "x-ms-cosmos-is-batch-request": "True",
                   "x-ms-cosmos-batch-atomic": str(atomic),
                   "x-ms-cosmos-batch-ordered": "True"}
        if atomic:
            headers["x-ms-documentdb-partitionkey"] = key
        else:
            headers["x-ms-documentdb-partitionkeyrangeid"] = "0"
            headers["x-ms-cosmos-batch-continue-on-error"] = "True"
        answer = self.client.request("POST", DOCS, body, headers)
        binary = answer.body.startswith(b"\x81")
        return answer, hr.decode(hr.RESULT, answer.body) if binary else None

    def setup(self) -> None:
        for path, body in [("/dbs", {"id": "d"}),
                           ("/dbs/d/colls", {"id": "c", "partitionKey": {"paths": ["/pk"],
                                                                        "kind": "Hash"}})]:
            made = self.client.request("POST", path, body, {"Content-Type": "application/json"})
            expect(made.status == 201, f"{path}: {made.status} {made.body!r}")

    def all_kinds(self) -> str:
        answer, results = self.send([
            operation(hr.CREATE, body={"id": "1", "pk": "p", "n": 1}),
            operation(hr.UPSERT, body={"id": "2", "pk": "p"}),
            operation(hr.REPLACE, id="2", body={"id": "2", "pk": "p", "x": "ü"}),
            operation(hr.PATCH, id="1", body={"operations": [
                {"op": "incr", "path": "/n", "value": 4}]}),
            operation(hr.READ, id="1"),
            operation(hr.CREATE, body={"id": "3", "pk": "p"}, minimalReturnPreference=True),
            operation(hr.DELETE, id="3")])
        expect(answer.status == 200, f"{answer.status} {answer.body!r}")
        codes = [result["statusCode"] for result in results]
        expect(codes == [201, 201, 200, 200, 200, 201, 204], str(codes))
        read = json.loads(results[4]["resourceBody"])
        expect(read["n"] == 5 and read["_etag"] == results[4]["eTag"], str(read))
        expect("resourceBody" not in results[5] or results[5]["resourceBody"] is None,
               "a body despite the minimal preference")
        expect(all(result["requestCharge"] > 0 for result in results), "charges")
        return f"{len(results)} results"

    def all_or_nothing(self) -> None:
        answer, results = self.send([
            operation(hr.CREATE, body={"id": "new", "pk": "p"}),
            operation(hr.REPLACE, id="1", body={"id": "1", "pk": "p"}, ifMatch='"no"'),
            operation(hr.CREATE, body={"id": "newer", "pk": "p"})])
        codes = [result["statusCode"] for result in results]
        expect((answer.status, codes) == (207, [424, 412, 424]), f"{answer.status} {codes}")
        gone = self.client.request("GET", f"{DOCS}/new", None,
                                   {"x-ms-documentdb-partitionkey": '["p"]'})
        expect(gone.status == 404, str(gone.status))

    def bulk(self) -> None:
        answer, results = self.send([
            operation(hr.CREATE, partitionKey='["a"]', body={"id": "1", "pk": "a"}),
            operation(hr.CREATE, partitionKey='["b"]', body={"id": "1", "pk": "b"}),
            operation(hr.CREATE, partitionKey='["a"]', body={"id": "1", "pk": "a"}),
            operation(hr.READ, partitionKey='["b"]', id="1")], atomic=False)
        codes = [result["statusCode"] for result in results]
        expect((answer.status, codes) == (207, [201, 201, 409, 200]), f"{answer.status} {codes}")

    def refusals(self) -> str:
        good = hr.encode(hr.OPERATION, [operation(hr.READ, id="1")])
        bad = {"cut short": good[:-3], "one byte": b"\x81",
               "wrong checksum": good[:25] + bytes([good[25] ^ 1]) + good[26:],
               "a hundred and one": hr.encode(hr.OPERATION, [operation(hr.READ, id="1")] * 101)}
        for name, body in bad.items():
            answer, results = self.send(body)
            expect(answer.status == 400 and results is None, f"{name}: {answer.status}")
        return f"{len(bad)} kinds"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", default=str(ROOT / "build/release/orrery"))
    options = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as scratch, \
            Server(Path(options.server), Path(scratch) / "data").wait_until_ready() as server, \
            Client(server.port) as client:
        checks = Checks(client)
        checks.setup()
        for name in ("all_kinds", "all_or_nothing", "bulk", "refusals"):
            report.run(name, getattr(checks, name))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
