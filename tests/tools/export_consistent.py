"""`orrery export --consistent` while items change and partitions split."""
import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from export_world import SYSTEM, ExportWorld, exact, lines_of  # noqa: E402
from lib.client import Client  # noqa: E402
from lib.report import expect  # noqa: E402


def count_lines(file: Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def expect_same(found: dict, expected: dict) -> None:
    lost = [place for place in expected if place not in found]
    undead = [place for place in found if place not in expected]
    other = [place for place in found if place in expected and found[place] != expected[place]]
    expect(not lost and not undead and not other,
           f"{len(lost)} lost: {lost[:3]}, {len(undead)} deleted: {undead[:3]}, "
           f"{len(other)} in another state: {[(found[p], expected[p]) for p in other[:3]]}")


class Writer:
    """Changes items, and knows what they are and have been."""

    LINK = "dbs/d/colls/c"

    def __init__(self, client: Client, items: dict, source: random.Random):
        self.client, self.source = client, source
        self.items = {(item["pk"], item["id"]) if isinstance(name, str) else name: item
                      for name, item in items.items()}
        self.touched: dict[tuple[str, str], list[dict]] = {}
        self.changes = 0

    def change_until(self, stopping: threading.Event) -> None:
        while not stopping.is_set():
            self.change(1)

    def change(self, count: int) -> None:
        for _ in range(count):
            self.changes += 1
            kind = self.source.random()
            if kind < 0.2:
                self.write(f"key {self.source.randrange(50)}", f"new {self.source.randrange(10 ** 9)}")
                continue
            key, name = self.source.choice(list(self.items))
            if kind < 0.6:
                self.write(key, name)
            else:
                self.delete(key, name)
            if kind > 0.9:
                self.write(key, name)

    def write(self, key: str, name: str) -> None:
        text = json.dumps({"id": name, "pk": key, "n": self.changes, "by": str(id(self))})
        self.touched.setdefault((key, name), []).append(exact(text))
        made = self.client.item("POST", self.LINK, key, body=text.encode(), headers={"x-ms-documentdb-is-upsert": "True"})
        expect(made.status in (200, 201), f"write: {made.status} {made.body!r}")
        self.items[key, name] = exact(text)

    def delete(self, key: str, name: str) -> None:
        self.touched.setdefault((key, name), [])
        gone = self.client.item("DELETE", self.LINK, key, name.replace(" ", "%20"))
        expect(gone.status == 204, f"delete: {gone.status} {gone.body!r}")
        del self.items[key, name]


class ConsistentChecks(ExportWorld):
    def consistent(self) -> str:
        """Stops the export at times to change items, while ranges split: it ends with the last state."""
        with self.server("stopped", "--partitions", "3", "--churn-partitions-ms", "50") as server, \
                Client(server.port) as client:
            self.fill(server)
            writer = Writer(client, self.items, random.Random(7))
            file = self.new_file()
            spool = file.with_name(file.name + ".spool")
            command = self.command(server, "--output", str(file), "--consistent", "--page-items", "1",
                                   "--parallel", "1", "--split-items", "700", "--quiet")
            with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
                for reach in (1, 400, 800, 1200):
                    while process.poll() is None and count_lines(spool) < reach:
                        time.sleep(0.002)
                    process.send_signal(signal.SIGSTOP)
                    # With fewer items than there are, it is still copying.
                    if count_lines(spool) < self.COUNT * 3 // 4:
                        writer.change(150)
                    process.send_signal(signal.SIGCONT)
                error = process.communicate(timeout=120)[1]
                expect(process.returncode == 0, error)
            found = [exact(line) for part in self.parts(file) for line in lines_of(part.read_text())]
            names = [(item["pk"], item["id"]) for item in found]
            expect(len(names) == len(set(names)), f"{len(names) - len(set(names))} items twice")
            expect_same({(item["pk"], item["id"]): item for item in found}, writer.items)
            done = self.export(server, "--consistent", "--partition-key", '"key 7"', "--system-properties")
            expect(done.returncode == 0, done.stderr)
            some = [json.loads(line) for line in lines_of(done.stdout)]
            expect({item["id"] for item in some} == {name for key, name in writer.items if key == "key 7"}, "one key")
            expect(all(SYSTEM <= item.keys() and "_lsn" not in item for item in some), "system properties")
        return f"{writer.changes} changes, {len(found)} items"

    def consistent_under_load(self) -> str:
        """While other clients write: nothing twice, nothing older than when it began."""
        with self.server("loaded", "--partitions", "3", "--churn-partitions-ms", "50") as server, \
                Client(server.port) as client, Client(server.port) as other:
            self.fill(server)
            writer = Writer(client, self.items, random.Random(8))
            writer.change(300)
            before = dict(writer.items)
            stopping = threading.Event()
            late = Writer(other, writer.items, random.Random(9))
            thread = threading.Thread(target=lambda: late.change_until(stopping))
            thread.start()
            done = self.export(server, "--consistent", "--page-items", "20")
            stopping.set()
            thread.join()
            expect(done.returncode == 0, done.stderr)
            found = [exact(line) for line in lines_of(done.stdout)]
            places = {(item["pk"], item["id"]): item for item in found}
            expect(len(places) == len(found), f"{len(found) - len(places)} items twice")
            touched = late.touched
            for place, item in before.items():
                if place not in touched:
                    expect(places.get(place) == item, f"{place} was {item} and is {places.get(place)}")
            for place, item in places.items():
                expect(place in before or place in touched, f"{place} had been deleted")
                expect(item in touched.get(place, []) or item == before.get(place), f"{place} has never been {item}")
        return f"{late.changes} changes during {len(found)} items"
