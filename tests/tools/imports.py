"""`orrery import`: formats, modes, failures, throttling, kills and the terminal."""

import gzip
import json
import os
import random
import signal
import subprocess
import time

from documents import generate
from lib.report import expect
from lib.server import Server
from terminal import Terminal
from world import DATABASE, PATIENCE_SECONDS, World, exact

CREATE = ("--create", "--partition-key", "/pk")
MANY = 12_000


def wanted(lines: list[str]) -> dict:
    items = [exact(line) for line in lines]
    return {(dict(item)["id"], str(dict(item).get("pk"))): item for item in items}


def expect_items(world: World, lines: list[str]) -> None:
    found, expected = world.items(), wanted(lines)
    missing = expected.keys() - found.keys()
    surplus = found.keys() - expected.keys()
    expect(not missing and not surplus, f"{len(missing)} missing {list(missing)[:3]}, "
           f"{len(surplus)} surplus {list(surplus)[:3]}")
    for key, item in expected.items():
        expect(found[key] == item, f"{key}: {found[key]} instead of {item}")


def load(world: World, *arguments, code: int = 0, stdin: bytes = b"") -> dict:
    return json.loads(world.run("import", "--json", "--quiet", *arguments, code=code, stdin=stdin))


def every_shape(world: World) -> str:
    lines = generate(MANY)
    report = load(world, *CREATE, world.write("items.jsonl", "\n".join(lines)))
    expect(report["loaded"] == MANY and report["complete"], f"{report}")
    expect_items(world, lines)
    expect(not list(world.directory.glob("*checkpoint*")), "the checkpoint is still there")
    return f"{MANY} items in {report['seconds']} s"


def json_layouts(world: World) -> str:
    lines = generate(300)
    pretty = [json.dumps(json.loads(line), indent=2) for line in generate(300, seed=5)]
    layouts = {
        "array.json": "\ufeff[" + ", \n".join(lines) + "]\n",
        "one-line.json": "[" + ",".join(lines) + "]",
        "values.json": "\n".join(pretty),
        "lines.ndjson": "\r\n".join(["", *lines, ""]),
        "no-extension": "\n\n".join(lines),
    }
    for name, content in layouts.items():
        items = World(world.binary, world.server, world.scratch)
        for packed in (False, True):
            data = gzip.compress(content.encode()) if packed else content.encode()
            file = items.write(name + (".gz" if packed else ""), data)
            report = load(items, *CREATE, file)
            expect(report["loaded"] == 300, f"{name}: {report}")
            expect(report["inputs"][0]["compression"] == ("gzip" if packed else "none"), f"{report}")
        if name != "values.json":  # Python has changed its numbers
            expect_items(items, lines)
    return f"{len(layouts)} layouts, plain and gzip"


def many_files_and_stdin(world: World) -> str:
    lines = generate(3000)
    files = [world.write(f"{i}.jsonl", "\n".join(lines[i::4])) for i in range(3)]
    report = load(world, *CREATE, *files, "-", stdin="\n".join(lines[3::4]).encode())
    expect(report["loaded"] == 3000 and len(report["inputs"]) == 4, f"{report}")
    expect_items(world, lines)
    return "3 files and standard input"


def csv(world: World) -> str:
    text = ("\ufeffid,pk,address.city,address.zip,tags[0],tags[1].n,a\\.b,empty\r\n"
            "1,a,\"Seattle, WA\",98012,x,1,007,\r\n"
            "02,a,\"two\nlines \"\"q\"\"\",\"98012\",,,true,\"\"\r\n"
            "3,,,,,2.50,null,[]\r\n")
    load(world, *CREATE, world.write("a.csv", text))
    expect_items(world, [
        '{"id":"1","pk":"a","address":{"city":"Seattle, WA","zip":98012},"tags":["x",{"n":1}],"a.b":"007"}',
        '{"id":"02","pk":"a","address":{"city":"two\\nlines \\"q\\"","zip":"98012"},"a.b":true,"empty":""}',
        '{"id":"3","tags":[{"n":2.50}],"a.b":null,"empty":[]}'])
    other = World(world.binary, world.server, world.scratch)
    load(other, *CREATE, "--strings", other.write("a.tsv", "id\tpk\tn\n1\ta, b\t7\n"))
    expect_items(other, ['{"id":"1","pk":"a, b","n":"7"}'])
    return "nested columns"


def mongo(world: World) -> str:
    text = "\n".join([
        '{"_id":{"$oid":"5f0000000000000000000001"},"pk":"m","when":{"$date":{"$numberLong":"1714564800123"}}}',
        '{"_id":"text","pk":"m","n":{"$numberLong":"9007199254740993"},"d":{"$numberDecimal":"1.50"}}',
        '{"_id":7,"pk":"m","when":{"$date":"2024-05-01T12:00:00Z"},"list":[{"$oid":"aa"}],"$odd":{"a":1}}'])
    lines = [
        '{"id":"5f0000000000000000000001","pk":"m","when":"2024-05-01T12:00:00.123Z"}',
        '{"id":"text","pk":"m","n":9007199254740993,"d":1.50}',
        '{"id":"7","pk":"m","when":"2024-05-01T12:00:00Z","list":["aa"],"$odd":{"a":1}}']
    report = load(world, *CREATE, world.write("m.json", text))
    expect(report["inputs"][0]["format"] == "mongo (jsonl)", f"{report}")
    load(world, "--format", "mongo", world.write("array.json", "[" + text.replace("\n", ",") + "]"))
    expect_items(world, lines)
    return "extended JSON"


def mapping(world: World) -> str:
    lines = ['{"sku":17,"owner":{"name":"ann"}}', '{"sku":[1],"owner":{"name":"bob"}}', '{"owner":{}}']
    report = load(world, *CREATE, "--id", "sku", "--partition-key-field", "/owner/name", "--errors", "failed",
                  world.write("a.jsonl", "\n".join(lines)), code=1)
    expect(report["loaded"] == 1 and report["failed"] == 2, f"{report}")
    expect_items(world, ['{"sku":17,"owner":{"name":"ann"},"id":"17","pk":"ann"}'])
    failed = [json.loads(line) for line in world.path("failed").read_text().splitlines()]
    expect([one["source"].rpartition(":")[2] for one in failed] == ["2", "3"], f"{failed}")
    expect("no /sku" in failed[1]["reason"], f"{failed}")
    return "id and partition key from other properties"


def failures(world: World) -> str:
    good = [f'{{"id":"{i}","pk":{i}}}' for i in range(500)]
    bad = ['{"pk":1}', '{"id":"","pk":1}', '{"id":"x","pk":', '"text"', '{"id":"ttl","pk":1,"ttl":"soon"}',
           '{"id":"big","pk":1,"text":"' + "x" * (2 << 20) + '"}', '{"id":"utf\xff"}']
    lines = [line.encode("latin-1") for line in good + bad]
    random.Random(1).shuffle(lines)
    report = load(world, *CREATE, "--errors", "failed", world.write("a.jsonl", b"\n".join(lines)), code=1)
    expect((report["loaded"], report["failed"]) == (500, len(bad)), f"{report}")
    expect_items(world, good)
    failed = [json.loads(line) for line in world.path("failed").read_text().splitlines()]
    places = [int(one["source"].rpartition(":")[2]) for one in failed]
    expected = [n for n, line in enumerate(lines, 1) if line.decode("latin-1") in bad]
    expect(places == expected, f"{places} instead of {expected}")
    expect(all(one["reason"] for one in failed), "a reason is missing")
    expect({"pk": 1} in [one["item"] for one in failed], "an item is missing")
    return f"{len(bad)} of {len(lines)}"


def server_refusals(world: World) -> str:
    """What only the server knows: unique keys."""
    with world.client() as client:
        client.request("POST", "/dbs", {"id": DATABASE})
        made = client.request("POST", f"/dbs/{DATABASE}/colls", {
            "id": world.container, "partitionKey": {"paths": ["/pk"], "kind": "Hash", "version": 2},
            "uniqueKeyPolicy": {"uniqueKeys": [{"paths": ["/email"]}]}})
        expect(made.status == 201, f"{made}")
    lines = [f'{{"id":"{i}","pk":"a","email":"{i % 100}@x"}}' for i in range(150)]
    file = world.write("a.jsonl", "\n".join(lines))
    for mode, counts in (("upsert", (100, 0, 50)), ("skip", (0, 100, 50)), ("create", (0, 0, 150))):
        report = load(world, "--mode", mode, "--parallel", "1", file, code=1)
        expect((report["loaded"], report["skipped"], report["failed"]) == counts, f"{mode}: {report}")
    expect(len(world.items()) == 100, "not 100 items")
    return "unique keys in each mode"


def modes(world: World) -> str:
    old = [f'{{"id":"{i}","pk":1,"v":1}}' for i in range(0, 300)]
    new = [f'{{"id":"{i}","pk":1,"v":2}}' for i in range(200, 500)]
    load(world, *CREATE, world.write("old.jsonl", "\n".join(old)))
    file = world.write("new.jsonl", "\n".join(new))
    report = load(world, "--mode", "skip", file)
    expect((report["loaded"], report["skipped"]) == (200, 100), f"{report}")
    expect_items(world, old + new[100:])
    report = load(world, "--mode", "create", file, "--errors", "failed", code=1)
    expect((report["loaded"], report["failed"]) == (0, 300), f"{report}")
    expect("already" in world.path("failed").read_text(), "no reason")
    load(world, file)
    expect_items(world, old[:200] + new)
    return "skip, create, upsert"


def dry_run(world: World) -> str:
    file = world.write("a.csv", 'id,pk\n1,a\n2,"b\n')
    report = load(world, *CREATE, "--dry-run", "--errors", "failed", file, code=1)
    expect((report["dryRun"], report["loaded"], report["failed"]) == (True, 1, 1), f"{report}")
    expect(report["inputs"] == [{"source": file, "format": "csv", "compression": "none"}], f"{report}")
    with world.client() as client:
        expect(client.request("GET", world.link).status == 404, "the container was created")
    expect("a quote is not closed" in world.path("failed").read_text(), "no reason")
    return "nothing is written"


def creates_container(world: World) -> str:
    policy = world.write("policy.json", '{"indexingMode":"consistent","automatic":true,'
                         '"includedPaths":[{"path":"/a/?"}],"excludedPaths":[{"path":"/*"}]}')
    lines = [f'{{"id":"{i}","t":"{i % 7}","u":{i % 3}}}' for i in range(500)]
    file = world.write("a.jsonl", "\n".join(lines))
    load(world, "--create", "--partition-key", "/t,/u", "--throughput", "1000", "--indexing-policy", policy, file)
    with world.client() as client:
        made = client.request("GET", world.link).json()
        offers = client.request("GET", "/offers").json()["Offers"]
    expect(made["partitionKey"] == {"paths": ["/t", "/u"], "kind": "MultiHash", "version": 2}, f"{made}")
    expect({"path": "/a/?"} in made["indexingPolicy"]["includedPaths"], f"{made}")
    offer = next(one for one in offers if one["offerResourceId"] == made["_rid"])
    expect(offer["content"]["offerThroughput"] == 1000, f"{offer}")
    expect(len(world.items()) == 500, "not all items")
    world.run("import", "--create", "--partition-key", "/other", file, code=1)
    return "hierarchical key, throughput, indexing policy"


def another_container(world: World) -> str:
    """Of the same server with mapping, and of another server with its definition."""
    lines = generate(2500, seed=11)
    load(world, *CREATE, world.write("a.jsonl", "\n".join(lines)))
    near = World(world.binary, world.server, world.scratch)
    report = load(near, "--from-container", world.container, "--create", "--id", "pk", "--mode", "create",
                  "--dry-run", code=1)
    expect(report["inputs"] == [{"source": f"{DATABASE}/{world.container}", "format": "container",
                                 "compression": "none"}], f"{report}")
    report = load(near, "--from-container", world.container, *CREATE, "--errors", "failed")
    expect(report["loaded"] == 2500 and not list(near.directory.glob("*checkpoint*")), f"{report}")
    expect_items(near, lines)
    with Server(world.binary, world.scratch / "far", "--ephemeral", "--partitions", "2").wait_until_ready() as server:
        far = world.at(server)
        load(far, "--create", "--from-endpoint", f"http://127.0.0.1:{world.server.port}/",
             "--from-container", world.container)
        expect_items(far, lines)
        with far.client() as client:
            made = client.request("GET", far.link).json()
        expect(made["partitionKey"]["paths"] == ["/pk"], f"{made}")
        server.stop()
    near.run("import", "--from-container", near.container, code=2)
    near.run("import", "--from-container", "missing", code=1)
    near.run("import", "--from-container", world.container, "--checkpoint", "x", code=2)
    near.run("import", "--from-container", world.container, "--format", "csv", code=2)
    near.run("import", "--from-container", world.container, near.path("failed"), code=2)
    near.run("import", "--from-database", DATABASE, near.path("failed"), code=2)
    near.run("import", "--from-container", world.container, "--from-key", "d3Jvbmc=", code=2)
    return "2 servers"


def wrong_use(world: World) -> str:
    file = world.write("a.jsonl", '{"id":"1","pk":1}')
    world.run("import", file, code=1)  # no such container
    world.run("import", "--create", file, code=2)
    world.run("import", *CREATE, "--parallel", "0", file, code=2)
    world.run("import", *CREATE, "--parallel", "1001", file, code=2)
    world.run("import", *CREATE, world.path("missing.json"), code=1)
    world.run("import", *CREATE, world.write("strange", "what is this?\n"), code=1)
    world.run("import", *CREATE, "--errors", file, file, code=1)
    world.run("import", *CREATE, "--restart", "--checkpoint", file, file, code=1)
    expect(world.path("a.jsonl").stat().st_size > 0, "an input was overwritten")
    world.run("import", code=2)
    return "exit codes"


def large_items(world: World) -> str:
    lines = [json.dumps({"id": str(i), "pk": i % 2, "text": "x" * size}, separators=(",", ":"))
             for i, size in enumerate([1_499_000, 1_600_000, 2_097_000, 700_000, 700_000, 700_000, 1])]
    report = load(world, *CREATE, "--parallel", "2", world.write("a.jsonl", "\n".join(lines)))
    expect(report["loaded"] == len(lines), f"{report}")
    expect_items(world, lines)
    return "items up to 2 MB"


def many_requests(world: World) -> str:
    lines = [f'{{"id":"{i}","pk":"{i}"}}' for i in range(5000)]
    load(world, *CREATE, "--parallel", "200", world.write("a.jsonl", "\n".join(lines)))
    expect_items(world, lines)
    return "--parallel 200"


def throttled(world: World) -> str:
    lines = [f'{{"id":"{i}","pk":{i % 20}}}' for i in range(300)]
    with Server(world.binary, world.scratch / "throttled", "--ephemeral", throttle=True).wait_until_ready() as server:
        slow = world.at(server)
        report = load(slow, *CREATE, "--throughput", "400", "--parallel", "1", slow.write("a.jsonl", "\n".join(lines)))
        expect(report["throttled"] > 0 and report["failed"] == 0, f"{report}")
        expect_items(slow, lines)
        server.stop()
    return f"{report['throttled']} refusals, {report['seconds']} s"


def round_trip(world: World) -> str:
    """Import and export: the same set of items, digit for digit."""
    lines = generate(100_000, seed=5)
    load(world, *CREATE, world.write("in.jsonl", "\n".join(lines)))
    world.run("export", "--output", world.path("out.jsonl"), "--quiet")
    found = world.path("out.jsonl").read_text().removesuffix("\n").split("\n")
    expect(len(found) == len(lines), f"{len(found)} items of {len(lines)}")
    # Most are the same text; the others may escape characters in another way.
    other_lines, other_found = set(lines), set(found)
    other_lines, other_found = other_lines - other_found, other_found - other_lines
    expect(wanted(list(other_lines)) == wanted(list(other_found)), "the items differ")
    return f"{len(found)} items"


def has_moved(world: World) -> bool:
    with world.client() as client:
        answer = client.request("GET", world.link + "/pkranges")
    return answer.status == 200 and max(int(one["id"]) for one in answer.json()["PartitionKeyRanges"]) > 2


def moving_ranges(world: World) -> str:
    """Ranges split and merge during the import, which cannot end before they have."""
    lines = generate(MANY, seed=3)
    server = Server(world.binary, world.scratch / "moving", "--ephemeral", "--churn-partitions-ms", "50")
    with server.wait_until_ready():
        moving = world.at(server)
        process = moving.start("import", *CREATE, "--parallel", "4", "--json", "--quiet", "-",
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdin.write("\n".join(lines[:MANY // 2] + [""]).encode())
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not has_moved(moving):
            expect(time.monotonic() < deadline, "no range has moved")
            time.sleep(0.01)
        output, _ = process.communicate("\n".join(lines[MANY // 2:]).encode(), timeout=PATIENCE_SECONDS)
        expect(process.returncode == 0 and json.loads(output)["loaded"] == MANY, f"{process.returncode}: {output}")
        expect_items(moving, lines)
        server.stop()
    return f"{MANY} items"


def expect_numbers(world: World, count: int) -> None:
    """Each generated item is there once, under whatever id."""
    numbers = sorted(int(dict(item)["number"]) for item in world.items().values())
    expect(numbers == list(range(count)), f"{len(numbers)} items, {len(set(numbers))} different of {count}")


def killed(world: World) -> str:
    """Kills at random moments, with generated ids, which must not double items."""
    source = random.Random(16)
    lines = generate(MANY, with_id=False)
    lines[5000:5000] = ["{broken"]
    arguments = (*CREATE, "--generate-ids", "--parallel", "2", "--errors", "failed", "--quiet",
                 world.write("a.jsonl", "\n".join(lines)))
    kills = 0
    for _ in range(4):
        process = world.start("import", *arguments, stderr=subprocess.DEVNULL)
        try:
            process.wait(source.uniform(0.05, 1.5))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    else:
        world.run("import", *arguments, code=1)
    expect_numbers(world, MANY)
    expect(len(world.path("failed").read_text().splitlines()) == 1, "not one failure")
    expect(not list(world.directory.glob("*checkpoint*")), "the checkpoint is still there")
    return f"{kills} kills"


def resumed_in(mode: str, world: World) -> str:
    """Killed for certain in the middle; goes on from the checkpoint, not from the start."""
    lines = [line.encode() + b"\n" for line in generate(4000, with_id=False)]
    arguments = (*CREATE, "--generate-ids", "--mode", mode, "--checkpoint", "progress", "--json", "--quiet", "-")
    process = world.start("import", *arguments, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    sent = 0
    while checkpoint(world).get("records", 0) < 500:
        expect(time.monotonic() < deadline and sent < 3900, "no checkpoint")
        process.stdin.write(b"".join(lines[sent:sent + 100]))
        process.stdin.flush()
        sent += 100
        time.sleep(0.1)
    process.kill()
    process.wait()
    process.stdin.close()
    report = load(world, *arguments, stdin=b"".join(lines))
    expect(report["resumed"] and report["records"] == 4000 and report["failed"] == 0, f"{report}")
    expect_numbers(world, 4000)
    world.run("import", *arguments[:-1], "-", stdin=b"".join(lines), code=1 if mode == "create" else 0)
    expect_numbers(world, 4000)
    return f"resumed after {sent} records were sent"


def checkpoint(world: World) -> dict:
    path = world.path("progress")
    return json.loads(path.read_text()) if path.exists() else {}


def other_checkpoint(world: World) -> str:
    path = world.path("progress")
    file = world.write("a.jsonl", '{"id":"1","pk":1}')
    path.write_text('{"version":1,"import":"another","source":0,"records":1,"loaded":1,"skipped":0,"failed":0,'
                    '"errorsBytes":0}')
    arguments = (*CREATE, "--checkpoint", path, file)
    world.run("import", *arguments, code=1)
    path.write_text("damaged")
    world.run("import", *arguments, code=1)
    expect(load(world, "--restart", *arguments)["loaded"] == 1, "--restart has not loaded it")
    expect(not path.exists(), "the checkpoint is still there")
    return "refused, but for --restart"


def interrupted(world: World) -> str:
    """On a terminal: the progress line, then Ctrl-C, then the same command again."""
    lines = [f'{{"id":"{i}","pk":{i % 9}}}\n' for i in range(3000)]
    pipe = world.path("pipe")
    os.mkfifo(pipe)
    arguments = (*CREATE, "--checkpoint", "progress", pipe)
    with Terminal(world.command("import", *arguments), world.directory) as terminal:
        with open(pipe, "w") as writer:
            writer.write("".join(lines[:2000]))
            writer.flush()
            terminal.wait_for("imported 2,000 items")
            terminal.press("\x03")
            code = terminal.finish()
    expect(code == 130, f"exit code {code}: {terminal.text}")
    expect("\r" in terminal.text and "\x1b[K" in terminal.text, "no line was redrawn")
    expect("Interrupted" in terminal.text and "goes on" in terminal.text, terminal.text)
    expect(checkpoint(world)["records"] == 2000, f"{checkpoint(world)}")
    process = world.start("import", *arguments, "--json", "--quiet", stdout=subprocess.PIPE)
    with open(pipe, "w") as writer:
        writer.write("".join(lines))
    report = json.loads(process.communicate(timeout=PATIENCE_SECONDS)[0])
    expect(report["resumed"] and report["loaded"] == 3000, f"{report}")
    expect_items(world, lines)
    return "Ctrl-C, exit code 130, resumed"


def server_gone(world: World) -> str:
    """The server ends during an import; the import stops, and goes on with the next server."""
    lines = [f'{{"id":"{i}","pk":{i % 9}}}\n' for i in range(2000)]
    data = world.scratch / "gone"
    with Server(world.binary, data).wait_until_ready() as server:
        port = server.port
        there = world.at(server)
        arguments = (*CREATE, "--checkpoint", "progress", "--json", "--quiet", "-")
        process = there.start("import", *arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        process.stdin.write("".join(lines[:1000]).encode())
        process.stdin.flush()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while there.count() < 1000:
            expect(time.monotonic() < deadline, "the items do not arrive")
            time.sleep(0.05)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        out = json.loads(process.communicate("".join(lines[1000:]).encode(), timeout=PATIENCE_SECONDS)[0])
    expect(process.returncode == 1 and out["problem"] and not out["complete"], f"{out}")
    expect(out["loaded"] == 1000, f"{out}")
    with Server(world.binary, data, listen=f"127.0.0.1:{port}").wait_until_ready() as server:
        report = load(there, *arguments, stdin="".join(lines).encode())
        expect(report["resumed"] and report["loaded"] == 2000, f"{report}")
        there.server = server
        expect_items(there, lines)
        server.stop()
    return "stopped, then resumed"


CHECKS = {
    "items of every shape": every_shape,
    "JSON layouts": json_layouts,
    "many files": many_files_and_stdin,
    "CSV and TSV": csv,
    "mongoexport": mongo,
    "mapping": mapping,
    "failures": failures,
    "refusals of the server": server_refusals,
    "modes": modes,
    "dry run": dry_run,
    "creates the container": creates_container,
    "another container": another_container,
    "wrong use": wrong_use,
    "large items": large_items,
    "many requests": many_requests,
    "throttled": throttled,
    "round trip": round_trip,
    "moving ranges": moving_ranges,
    "killed at random": killed,
    "resumed, upsert": lambda world: resumed_in("upsert", world),
    "resumed, create": lambda world: resumed_in("create", world),
    "another checkpoint": other_checkpoint,
    "terminal": interrupted,
    "server gone": server_gone,
}
