"""What happens to the cluster while clients work: one thing after the other, chosen by the seed."""

import random
import signal
import threading
import time
from contextlib import contextmanager
from typing import Callable, Iterator

from any_node import Patient
from lib.cluster import Cluster, Node
from lib.report import expect
from lib.ceph import OSDS

JSON = {"Content-Type": "application/json"}
RANGES_MAX = 12
CLOCK_JUMP_SECONDS = 240  # more than 15 minutes and the clients' signatures are out of date
SLOW_OSD_PART = 0.15  # of a second that a slow OSD stands still, and then runs


class Disturbances:
    """Each leaves the cluster as it was, or on the way there."""

    def __init__(self, cluster: Cluster, client: Patient, links: list[str], rng: random.Random):
        self.cluster, self.client, self.links, self.rng = cluster, client, links, rng
        self.lease = cluster.lease_ms / 1000
        self.stopping = threading.Event()

    def kinds(self) -> dict[str, Callable[[], str]]:
        kinds = {"kill -9 of a node": self.kill_node, "a node frozen for longer than its lease": self.freeze_long,
                 "a node frozen for a moment": self.freeze_shortly, "a planned stop": self.planned_stop,
                 "a drained node": self.drain, "kill -9 of an OSD": self.kill_osd, "a frozen OSD": self.freeze_osd,
                 "a slow OSD": self.slow_osd, "splits": self.split, "kill -9 of two nodes": self.kill_two,
                 "a full pool": self.full_pool, "a jumping clock": self.jump_clock}
        if self.cluster.network:
            kinds |= {"nodes that do not reach each other": self.cut_nodes,
                      "a node that does not reach the storage": self.cut_storage}
        return kinds

    def rest(self, seconds: float) -> None:
        self.stopping.wait(seconds)

    @contextmanager
    def disturbed(self, *nodes: Node) -> Iterator[None]:
        for node in nodes:
            node.disturb()
        try:
            yield
        finally:
            for node in nodes:
                node.calm()

    def any_node(self) -> Node:
        return self.rng.choice(self.cluster.nodes)

    # Nodes.

    def kill_node(self) -> str:
        return self.kill(self.any_node())

    def kill_two(self) -> str:
        return self.kill(*self.rng.sample(self.cluster.nodes, 2))

    def kill(self, *nodes: Node) -> str:
        with self.disturbed(*nodes):
            for node in nodes:
                self.cluster.kill(node)
            self.cluster.await_ready()
        return ", ".join(node.name for node in nodes)

    def freeze_long(self) -> str:
        return self.freeze(self.rng.uniform(1.2, 2.5) * self.lease)

    def freeze_shortly(self) -> str:
        return self.freeze(self.rng.uniform(0.1, 0.9) * self.lease)

    def freeze(self, seconds: float) -> str:
        node = self.any_node()
        with self.disturbed(node):
            self.cluster.freeze(node)
            self.rest(seconds)
            self.cluster.thaw(node)
            self.rest(1)  # it may find out that it has lost its lease, and end
            self.cluster.await_ready()
        return f"{node.name} for {seconds:.1f} s"

    def planned_stop(self) -> str:
        node = self.any_node()
        with self.disturbed(node):
            self.cluster.stop(node)
            self.rest(self.rng.uniform(0, 2))
            self.cluster.resume(node)
            self.cluster.await_ready()
        return node.name

    def drain(self) -> str:
        node = self.any_node()
        path = f"/_admin/nodes/{node.name}/drain"
        answer = self.client.request("POST", path, b"", JSON)
        expect(answer.status == 202, f"drain {node.name}: {answer.status} {answer.body[:300]!r}")
        self.rest(self.rng.uniform(0.5, 4))
        answer = self.client.request("DELETE", path)
        expect(answer.status == 202, f"end draining {node.name}: {answer.status} {answer.body[:300]!r}")
        return node.name

    def jump_clock(self) -> str:
        node, seconds = self.any_node(), self.rng.choice([-CLOCK_JUMP_SECONDS, CLOCK_JUMP_SECONDS])
        self.cluster.shift_clock(node, seconds)
        self.rest(self.rng.uniform(2, 4))
        self.cluster.shift_clock(node, 0)
        return f"{node.name} by {seconds} s"

    # The network.

    def cut_nodes(self) -> str:
        nodes = self.cluster.nodes if self.rng.random() < 0.5 else self.rng.sample(self.cluster.nodes, 2)
        with self.disturbed(*nodes):
            self.cluster.network.cut_between([node.name for node in nodes])
            self.rest(self.rng.uniform(0.3, 2) * self.lease)
            self.cluster.network.heal()
            self.cluster.await_ready()
        return ", ".join(node.name for node in nodes)

    def cut_storage(self) -> str:
        node, seconds = self.any_node(), self.rng.uniform(0.3, 2) * self.lease
        with self.disturbed(node):
            self.cluster.network.cut_storage(node.name)
            self.rest(seconds)
            self.cluster.network.heal()
            self.rest(1)
            self.cluster.await_ready()
        return f"{node.name} for {seconds:.1f} s"

    # The storage. It may be slow for everybody.

    def kill_osd(self) -> str:
        osd = self.rng.randrange(OSDS)
        with self.disturbed(*self.cluster.nodes):
            self.cluster.ceph.signal_osd(osd, signal.SIGKILL)
            self.rest(self.rng.uniform(0, 3))
            self.cluster.ceph.start_osd(osd)
            self.await_osds()
        return f"osd.{osd}"

    def freeze_osd(self) -> str:
        osd, seconds = self.rng.randrange(OSDS), self.rng.uniform(1, 8)
        with self.disturbed(*self.cluster.nodes):
            self.cluster.ceph.signal_osd(osd, signal.SIGSTOP)
            self.rest(seconds)
            self.cluster.ceph.signal_osd(osd, signal.SIGCONT)
            self.await_osds()
        return f"osd.{osd} for {seconds:.1f} s"

    def slow_osd(self) -> str:
        osd, until = self.rng.randrange(OSDS), time.monotonic() + self.rng.uniform(2, 4)
        with self.disturbed(*self.cluster.nodes):
            while time.monotonic() < until and not self.stopping.is_set():
                for number in (signal.SIGSTOP, signal.SIGCONT):
                    self.cluster.ceph.signal_osd(osd, number)
                    time.sleep(SLOW_OSD_PART)
        return f"osd.{osd}"

    def full_pool(self) -> str:
        with self.disturbed(*self.cluster.nodes):
            self.cluster.ceph.set_full(True)
            self.rest(self.rng.uniform(0, 3))
            self.cluster.ceph.set_full(False)
        return ""

    def await_osds(self) -> None:
        deadline = time.monotonic() + 60
        while not self.cluster.ceph.is_healthy():
            expect(time.monotonic() < deadline, "the OSDs are not back after 60 s")
            time.sleep(0.2)

    # Partitions.

    def split(self) -> str:
        done = []
        for link in self.links:
            answer = self.client.request("GET", f"/{link}/pkranges")
            expect(answer.status == 200, f"ranges: {answer.status} {answer.body[:300]!r}")
            ranges = sorted(answer.json()["PartitionKeyRanges"], key=lambda one: one["minInclusive"])
            what = "split" if len(ranges) < RANGES_MAX and self.rng.random() < 0.7 else "merge"
            chosen = self.rng.choice(ranges)["id"]
            answer = self.client.request("POST", f"/{link}/pkranges/{chosen}/{what}", b"", JSON)
            # Another one may be under way, or it is the last range, which has no neighbour, or another node has that.
            expect(answer.status in (202, 400, 409, 410, 501), f"{what}: {answer.status} {answer.body[:300]!r}")
            done += [f"{what} of {link.rpartition('/')[2]}"] if answer.status == 202 else []
        self.rest(self.rng.uniform(0, 1))
        return ", ".join(done)


class Script(threading.Thread):
    """Disturbs until it is stopped; every kind once before any comes again."""

    def __init__(self, disturbances: Disturbances, only: list[str], rng: random.Random):
        super().__init__(daemon=True)
        self.disturbances, self.rng = disturbances, rng
        kinds = disturbances.kinds()
        self.kinds = {name: kind for name, kind in kinds.items() if not only or any(word in name for word in only)}
        self.done: list[str] = []
        self.problem = ""

    def run(self) -> None:
        waiting: list[str] = []
        try:
            while not self.disturbances.stopping.is_set():
                if not waiting:
                    waiting = self.rng.sample(list(self.kinds), len(self.kinds))
                name = waiting.pop()
                remark = self.kinds[name]()
                self.done.append(f"{name}: {remark}" if remark else name)
                self.disturbances.rest(self.rng.uniform(0.2, 2))
        except Exception as error:  # the round reports it
            self.problem = f"{name}: {type(error).__name__}: {error}"

    def finish(self) -> None:
        self.disturbances.stopping.set()
        self.join()
        expect(not self.problem, self.problem)
