"""What the checks of `orrery export` share: items of every shape, a server with them, and the command."""
import itertools
import json
import random
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from lib.client import Client, make_container  # noqa: E402
from lib.report import expect  # noqa: E402
from lib.server import Server  # noqa: E402
from world import Digits  # noqa: E402

SYSTEM = {"_rid", "_self", "_etag", "_attachments", "_ts"}
TEXTS = ["", "plain", "ünïcödé \U0001f680", 'quotes " and \\ and \n', "a\u2028b", "null"]
NUMBERS = ["0", "-1", "1.50", "1e3", "123456789012345678901234567890", "0.1", "-0"]


def lines_of(text: str) -> list[str]:
    """splitlines() would also split at characters that strings may contain."""
    return text.removesuffix("\n").split("\n")


def exact(text: str) -> dict:
    """The item with its numbers as they are written."""
    return json.loads(text, parse_float=Digits, parse_int=Digits)


def some_value(source: random.Random, depth: int = 0) -> str:
    """JSON text of any shape."""
    kind = source.randrange(4 if depth > 3 else 6)
    if kind == 0:
        return source.choice(["true", "false", "null"])
    if kind == 1:
        return source.choice(NUMBERS)
    if kind in (2, 3):
        return json.dumps(source.choice(TEXTS), ensure_ascii=source.random() < 0.5)
    values = [some_value(source, depth + 1) for _ in range(source.randrange(4))]
    if kind == 4:
        return "[" + ",".join(values) + "]"
    return "{" + ",".join(f'"{name}":{value}' for name, value in zip("xyz", values)) + "}"


def some_items(count: int) -> dict[str, dict]:
    source = random.Random(17)
    texts = {f"{n}": f'{{"id":"{n}","pk":"key {n % 50}","v":{some_value(source)},"_own":{n}}}'
             for n in range(count)}
    return {name: exact(text) for name, text in texts.items()} | {"texts": texts}


class ExportWorld:
    COUNT = 2000
    containers = itertools.count(1)

    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        made = some_items(self.COUNT)
        self.texts = made.pop("texts")
        self.items = made
        self.files = 0

    def fill(self, server: Server, throughput: int = 0) -> None:
        with Client(server.port) as client:
            link = make_container(client, "d", {"id": "c", "partitionKey": {"paths": ["/pk"], "kind": "Hash"}},
                                  {"x-ms-offer-throughput": str(throughput)} if throughput else None)
            for number, text in self.texts.items():
                key = f"key {int(number) % 50}"
                headers = {"x-ms-documentdb-partitionkey": json.dumps([key])}
                while (made := client.request("POST", f"/{link}/docs", text.encode(), headers)).status == 429:
                    time.sleep(int(made.headers["x-ms-retry-after-ms"]) / 1000)
                expect(made.status == 201, f"create: {made.status} {made.body!r}")

    def server(self, name: str, *options: str, throttle: bool = False) -> Server:
        return Server(self.binary, self.scratch / name, *options, throttle=throttle).wait_until_ready()

    def new_file(self) -> Path:
        self.files += 1
        return self.scratch / f"out-{self.files}"

    def command(self, server: Server, *options: str) -> list[str]:
        return [str(self.binary), "export", "--endpoint", f"http://127.0.0.1:{server.port}/",
                "--database", "d", "--container", "c", *options]

    def export(self, server: Server, *options: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(server, *options), capture_output=True, text=True, timeout=120)

    def expect_all(self, lines: list[str]) -> None:
        found = [exact(line) for line in lines]
        names = [item["id"] for item in found]
        expect(len(names) == len(set(names)), f"{len(names) - len(set(names))} items twice")
        expect({item["id"]: item for item in found} == self.items, "other items than were stored")

    def loaded(self, server: Server, *files: Path) -> str:
        """The name of a new container into which files were imported."""
        container = f"back{next(self.containers)}"
        target = ["--endpoint", f"http://127.0.0.1:{server.port}/", "--database", "d", "--container", container]
        done = subprocess.run([str(self.binary), "import", *target, "--create", "--partition-key", "/pk",
                               "--no-checkpoint", "--quiet", *map(str, files)], capture_output=True, text=True,
                              timeout=120)
        expect(done.returncode == 0, done.stdout + done.stderr)
        return container

    def imported(self, server: Server, *files: Path) -> list[str]:
        """The items of such a container, a line each."""
        done = self.export(server, "--container", self.loaded(server, *files), "--quiet")
        expect(done.returncode == 0, done.stderr)
        return lines_of(done.stdout)

    @staticmethod
    def parts(file: Path) -> list[Path]:
        return sorted(file.parent.glob(f"{file.name.split('.')[0]}-[0-9]*"))

    def limit(self, server: Server, throughput: int) -> None:
        with Client(server.port) as client:
            offer = client.request("GET", "/offers").json()["Offers"][0]
            offer["content"]["offerThroughput"] = throughput
            made = client.request("PUT", f"/offers/{offer['id']}", offer)
            expect(made.status == 200, f"offer: {made.status} {made.body!r}")
