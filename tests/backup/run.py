#!/usr/bin/env python3
"""Backs up servers under load, kills them meanwhile, and compares what is restored with what clients know."""

import argparse
import json
import random
import shutil
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import NO_ANSWER, Client, make_container  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, PATIENCE_SECONDS, Server, inspect  # noqa: E402
from oracle import Load, Writer, compare, read_items  # noqa: E402

WRITERS = 3
MOMENTS = 20
KILLS = 6
UNCHANGED_BACKUPS_MAX = 5
LINK = "dbs/backup/colls/items"


def seconds(text: str) -> float:
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def iso(at: float) -> str:
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


class World:
    def __init__(self, binary: Path, scratch: Path, rng: random.Random):
        self.binary, self.scratch, self.rng = binary, scratch, rng
        self.data = scratch / "data"
        self.repository = scratch / "backups"
        self.restored = scratch / "restored"
        self.writers = [Writer(f"w{number}", LINK, rng) for number in range(WRITERS)]
        self.made: list[dict] = []

    def start(self, *options: str) -> Server:
        # Small memtables, so that there are tables and old logs.
        return Server(self.binary, self.data, "--memtable-mb", "1", "--partitions", "2",
                      "--backup-dir", str(self.repository), "--log-retention-hours", "1",
                      *options).wait_until_ready()

    def orrery(self, *arguments: object) -> str:
        done = subprocess.run([str(self.binary), *map(str, arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == 0, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def refused(self, *arguments: object) -> str:
        done = subprocess.run([str(self.binary), *map(str, arguments)], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        expect(done.returncode == 1, f"{arguments}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stderr

    def restore(self, *wanted: object) -> float:
        """Returns the time whose state it is."""
        shutil.rmtree(self.restored, ignore_errors=True)
        text = self.orrery("restore", "--json", "--from", self.repository, "--to", self.restored, *wanted)
        return seconds(json.loads(text)["at"])

    def check_restored(self, at: float) -> int:
        with Server(self.binary, self.restored).wait_until_ready() as server, Client(server.port) as client:
            known = compare(self.writers, read_items(client, LINK), at)
            server.kill()
        return known

    def listed(self) -> list[dict]:
        return json.loads(self.orrery("backup", "--to", self.repository, "--list", "--json"))


def back_up(client: Client, body: dict | None = None) -> dict:
    """Has the server make a backup, and waits for it."""
    begun = client.request("POST", "/backups", body or {})
    expect(begun.status == 202, f"POST /backups: {begun.status} {begun.body!r}")
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        state = client.request("GET", "/backups").json()
        if state["running"] is None:
            expect("error" not in state["last"], f"{state['last']}")
            return next(backup for backup in state["backups"] if backup["id"] == state["last"]["id"])
        time.sleep(0.01)
    raise AssertionError("the backup does not end")


def check_backups_under_load(world: World) -> str:
    with world.start() as server, Client(server.port) as client:
        make_container(client, "backup", {"id": "items", "partitionKey": {"paths": ["/pk"]}})
        load = Load(world.writers, server.port)
        for _ in range(4):
            time.sleep(world.rng.uniform(0.3, 1.2))
            world.made.append(back_up(client))
        load.finish()
        world.made.append(back_up(client))
        for _ in range(UNCHANGED_BACKUPS_MAX):
            world.made.append(back_up(client))
            # A compaction between two backups replaces files whose data has not changed.
            if world.made[-1]["newBytes"] < world.made[-1]["bytes"] / 2:
                break
        server.stop()
    expect(world.made[-1]["newBytes"] < world.made[-1]["bytes"] / 2, f"a backup without changes: {world.made[-1]}")
    continued = [entry["continues"] for entry in world.listed()]
    expect(continued == [False] + [True] * (len(world.made) - 1), f"{world.listed()}")
    count = sum(len(item.changes) for writer in world.writers for item in writer.items)
    return f"{len(world.made)} backups during {count} writes"


def check_backup_states(world: World) -> str:
    found = []
    for backup in world.made:
        at = world.restore("--backup", backup["id"])
        expect(abs(at - seconds(backup["reached"])) < 1e-6, f"restored {at}, not {backup['reached']}")
        found.append(world.check_restored(at))
    inspect(world.binary, world.restored)
    return f"items: {found}"


def check_moments(world: World) -> str:
    begin, end = seconds(world.made[0]["reached"]), seconds(world.made[-1]["reached"])
    found = []
    for _ in range(MOMENTS):
        at = world.rng.uniform(begin, end)
        at = seconds(iso(at))
        expect(world.restore("--at", iso(at)) == at, "another moment")
        found.append(world.check_restored(at))
    inspect(world.binary, world.restored)
    return f"{MOMENTS} moments, {min(found)} to {max(found)} items"


def check_limits_of_time(world: World) -> None:
    begin, end = seconds(world.made[0]["reached"]), seconds(world.made[-1]["reached"])
    shutil.rmtree(world.restored, ignore_errors=True)
    where = ("--from", world.repository, "--to", world.restored)
    text = world.refused("restore", *where, "--at", iso(begin - 0.001))
    expect("earlier states cannot be restored" in text, text)
    text = world.refused("restore", *where, "--at", iso(end + 0.001))
    expect("make another one" in text, text)
    expect(not world.restored.exists(), "a refused restore leaves a directory")


def check_targets(world: World) -> None:
    shutil.rmtree(world.restored, ignore_errors=True)
    world.restored.mkdir()
    where = ("restore", "--from", world.repository, "--to", world.restored)
    (world.restored / "mine").write_text("x")
    expect("not empty" in world.refused(*where), "a directory with files is overwritten")
    expect((world.restored / "mine").read_text() == "x", "the file has changed")
    (world.restored / "mine").unlink()
    world.orrery(*where)  # an empty directory will do
    expect("not a directory of backups" in world.refused("restore", "--from", world.data, "--to", world.scratch / "x"),
           "anything is taken for backups")


def check_kills(world: World) -> str:
    interrupted = 0
    for _ in range(KILLS):
        with world.start() as server, Client(server.port) as client:
            found = read_items(client, LINK)
            for writer in world.writers:
                writer.settle(found)
            load = Load(world.writers, server.port)
            time.sleep(world.rng.uniform(0.1, 0.4))
            expect(client.request("POST", "/backups", {}).status == 202, "no backup")
            time.sleep(world.rng.uniform(0, 0.15))
            try:
                interrupted += client.request("GET", "/backups").json()["running"] is not None
            except NO_ANSWER:
                pass
            server.kill()
            load.finish()
    with world.start() as server, Client(server.port) as client:
        found = read_items(client, LINK)
        for writer in world.writers:
            writer.settle(found)
        world.made.append(back_up(client))
        server.stop()
    world.orrery("backup", "--to", world.repository, "--verify")
    records = {path.stem for path in world.repository.glob("*.backup")}
    logs = {path.stem for path in world.repository.glob("*.commits")}
    expect(records == logs, f"backups {records}, logs {logs}")
    for backup in world.listed()[-3:]:
        world.check_restored(world.restore("--backup", backup["id"]))
    at = world.rng.uniform(seconds(world.made[0]["reached"]), seconds(world.made[-1]["reached"]))
    world.check_restored(world.restore("--at", iso(at)))
    return f"{interrupted} of {KILLS} backups were under way when the server was killed"


def run_and_kill(command: list[object], after: float) -> bool:
    """Whether it was killed before its end."""
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.kill()
    return process.wait() != 0


def check_killed_commands(world: World) -> str:
    killed = 0
    for _ in range(KILLS):
        shutil.rmtree(world.restored, ignore_errors=True)
        killed += run_and_kill([world.binary, "restore", "--from", world.repository, "--to", world.restored],
                               world.rng.uniform(0, 0.2))
        if world.restored.exists():
            inspect(world.binary, world.restored)
        killed += run_and_kill([world.binary, "backup", "--data", world.data, "--to", world.repository],
                               world.rng.uniform(0, 0.2))
    world.orrery("backup", "--data", world.data, "--to", world.repository)
    world.orrery("backup", "--to", world.repository, "--verify")
    world.check_restored(world.restore())
    return f"{killed} killed"


def check_pruning(world: World) -> str:
    def size() -> int:
        return sum(path.stat().st_size for path in world.repository.rglob("*") if path.is_file())
    before = size()
    newest = [backup["id"] for backup in world.listed()[-2:]]
    world.orrery("backup", "--to", world.repository, "--keep", "2")
    expect([backup["id"] for backup in world.listed()] == newest, "other backups are left")
    world.orrery("backup", "--to", world.repository, "--verify")
    for backup in newest:
        world.check_restored(world.restore("--backup", backup))
    expect(size() < before, f"{before} bytes, now {size()}")
    return f"{before >> 10} KB, now {size() >> 10} KB"


def check_damage(world: World) -> str:
    """Every file of a backup counts."""
    files = [path for path in world.repository.rglob("*")
             if path.is_file() and path.stat().st_size > 0 and path.name not in ("LOCK", "LOCK.1")]
    for path in files:
        good = path.read_bytes()
        middle = len(good) // 2
        path.write_bytes(good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:])
        world.refused("backup", "--to", world.repository, "--verify")
        path.write_bytes(good)
    world.orrery("backup", "--to", world.repository, "--verify")
    return f"{len(files)} files"


def check_requests(world: World) -> None:
    with world.start() as server, Client(server.port) as client:
        for body in ({"directory": "../other"}, {"directory": "/tmp"}, {"keep": 0}, {"keep": "x"}, {"what": 1}, [1]):
            answer = client.request("POST", "/backups", body)
            expect(answer.status == 400, f"{body}: {answer.status} {answer.body!r}")
        made = back_up(client, {"directory": "below/it", "keep": 1})
        back_up(client, {"directory": "below/it", "keep": 1})
        state = client.request("GET", "/backups").json()
        expect([entry["id"] for entry in state["backups"]] == [made["id"] + 1], f"{state}")
        server.stop()


def check_command(world: World) -> None:
    """The command has the server make backups."""
    with world.start() as server:
        where = ("backup", "--endpoint", f"http://127.0.0.1:{server.port}/", "--directory", "by-command")
        first = json.loads(world.orrery(*where, "--json"))
        expect("backup 2:" in world.orrery(*where), "not the second one")
        world.orrery(*where, "--keep", "1")
        world.refused(*where[:3], "--directory", "../elsewhere")
        server.stop()
    backups = json.loads(world.orrery("backup", "--to", world.repository / "by-command", "--list", "--json"))
    expect([backup["id"] for backup in backups] == [first["id"] + 2], f"{backups}")


def check_servers_without_backups(world: World) -> None:
    with Server(world.binary, world.data).wait_until_ready() as server, Client(server.port) as client:
        answer = client.request("POST", "/backups", {})
        expect(answer.status == 403 and b"--backup-dir" in answer.body, f"{answer.status} {answer.body!r}")
        server.stop()


def check_in_memory(world: World) -> None:
    repository = world.scratch / "memory"
    with Server(world.binary, world.scratch / "none", "--ephemeral", "--backup-dir",
                str(repository)).wait_until_ready() as server, Client(server.port) as client:
        make_container(client, "db", {"id": "c", "partitionKey": {"paths": ["/pk"]}})
        client.item("POST", "dbs/db/colls/c", "a", body={"id": "1", "pk": "a"})
        back_up(client)
    target = world.scratch / "from-memory"
    world.orrery("restore", "--from", repository, "--to", target)
    with Server(world.binary, target).wait_until_ready() as server, Client(server.port) as client:
        expect(client.item("GET", "dbs/db/colls/c", "a", "1").status == 200, "the item is lost")


def check_keys(world: World) -> None:
    """Clients of the server can use the restored one."""
    data, repository, target = (world.scratch / name for name in ("keyed", "keyed-backups", "keyed-restored"))
    with Server(world.binary, data).wait_until_ready() as server, Client(server.port) as client:
        key = client.request("POST", "/regenerateKey", {"keyKind": "secondary"}).json()["secondaryMasterKey"]
        server.stop()
    world.orrery("backup", "--data", data, "--to", repository)
    world.orrery("restore", "--from", repository, "--to", target)
    for name in ("tls/certificate.pem", "tls/key.pem", "keys/secondary.key"):
        expect((target / name).read_bytes() == (data / name).read_bytes(), f"another {name}")
        expect(not (target / name).stat().st_mode & 0o077, f"others can read {name}")
    expect(not repository.stat().st_mode & 0o077, "others can read the backups")
    with Server(world.binary, target).wait_until_ready() as server, Client(server.port, key) as client:
        expect(client.request("GET", "/dbs").status == 200, "the key is not known")


def check_inspection(world: World) -> str:
    world.restore()
    shown = json.loads(world.orrery("inspect", "--data", world.restored, "--json"))
    paths = {path["path"] for entry in shown["partitions"] for path in entry["indexPaths"]}
    expect({"/id", "/pk", "/n", "/text"} <= paths, f"paths {paths}")
    expect(shown["items"] == sum(entry["items"] for entry in shown["partitions"]), f"{shown}")
    checked = json.loads(world.orrery("inspect", "--data", world.restored, "--verify", "--json"))
    expect(checked["problems"] == [], f"{checked['problems']}")
    world.orrery("inspect", "--data", world.restored, "--repair")
    with Server(world.binary, world.restored).wait_until_ready():
        expect("in use" in world.refused("inspect", "--data", world.restored, "--repair"), "a directory in use")
    damaged = 0
    for table in (world.restored / "db").glob("*.sst"):
        good = table.read_bytes()
        table.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
        done = subprocess.run([world.binary, "inspect", "--data", str(world.restored), "--verify"],
                              capture_output=True, text=True, timeout=PATIENCE_SECONDS)
        expect(done.returncode == 1 and table.name in done.stdout + done.stderr,
               f"{table.name}: {done.returncode}\n{done.stdout}{done.stderr}")
        table.write_bytes(good)
        damaged += 1
    return f"{shown['items']} items, {len(paths)} paths, {damaged} damaged tables found"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    report = Report()
    with scratch_directory("backup") as scratch:
        world = World(options.server.resolve(), scratch, random.Random(options.seed))
        for name, check in (("backups under load", check_backups_under_load),
                            ("state of every backup", check_backup_states),
                            ("states in between", check_moments),
                            ("limits of time", check_limits_of_time),
                            ("targets", check_targets),
                            ("killed during backups", check_kills),
                            ("killed commands", check_killed_commands),
                            ("pruning", check_pruning),
                            ("damaged backups", check_damage),
                            ("inspection", check_inspection),
                            ("requests", check_requests),
                            ("command", check_command),
                            ("servers without backups", check_servers_without_backups),
                            ("backup of memory", check_in_memory),
                            ("keys", check_keys)):
            report.run(name, lambda check=check: check(world))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
