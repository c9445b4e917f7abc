#!/usr/bin/env python3
"""Nodes that take partitions from each other, freeze and die, on a Ceph cluster that does so too.

An oracle outside of the nodes knows which commits were acknowledged: they must all be there, and nothing
else but the one commit that was under way.
"""
import argparse
import random
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from lib.ceph import POOL, Cluster
from lib.report import Report, expect, scratch_directory

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 120
DEADLINE_SECONDS = 5
VALUE_BYTES = 500


class Failed(Exception):
    """A command was answered with an error; the text begins with its code."""


class Answer:
    """What a node says to one command."""

    def __init__(self, command: str):
        self.command = command
        self.acked: list[int] = []
        self.changed = threading.Condition()
        self.text: str | None = None

    def wait_for_acks(self, count: int) -> None:
        with self.changed:
            done = self.changed.wait_for(lambda: len(self.acked) >= count or self.text is not None,
                                         PATIENCE_SECONDS)
        expect(done, f"only {len(self.acked)} of {count} commits were acknowledged")

    def wait(self, seconds: float = PATIENCE_SECONDS) -> str:
        with self.changed:
            expect(self.changed.wait_for(lambda: self.text is not None, seconds),
                   f"no answer to '{self.command}'")
        kind, _, rest = self.text.partition(" ")
        if kind == "error":
            raise Failed(rest)
        return rest

    def failure(self) -> str:
        try:
            return f"succeeded: {self.wait()}"
        except Failed as error:
            return str(error)


class Node:
    """One process. As a context manager it is killed on exit."""

    def __init__(self, binary: Path, cluster: Cluster, name_space: str, owner: str, pool: str = POOL):
        self.owner = owner
        self.answers: dict[int, Answer] = {}
        self.lock = threading.Lock()
        self.log = open(cluster.directory / f"log/node.{name_space}.{owner.replace('/', '.')}", "wb")
        self.process = subprocess.Popen(
            [str(binary), str(cluster.conf), pool, name_space, owner, str(DEADLINE_SECONDS)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True)
        threading.Thread(target=self.listen, daemon=True).start()

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_) -> None:
        self.kill()
        self.log.close()

    def listen(self) -> None:
        for line in self.process.stdout:
            number, kind, rest = line.rstrip("\n").split(" ", 2)
            answer = self.answers[int(number)]
            with answer.changed:
                if kind == "acked":
                    answer.acked.append(int(rest))
                else:
                    answer.text = f"{kind} {rest}"
                answer.changed.notify_all()
        for answer in list(self.answers.values()):
            with answer.changed:
                answer.text = answer.text or "error died"
                answer.changed.notify_all()

    def start(self, command: str, partition: int, *words: object) -> Answer:
        with self.lock:
            number = len(self.answers)
            line = " ".join(map(str, (number, command, partition, *words)))
            self.answers[number] = Answer(line)
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
        return self.answers[number]

    def do(self, command: str, partition: int, *words: object) -> str:
        return self.start(command, partition, *words).wait()

    def fill(self, partition: int, prefix: str, first: int = 0, count: int = 10**9) -> Answer:
        return self.start("fill", partition, prefix, first, count, VALUE_BYTES)

    def keys(self, partition: int) -> set[str]:
        """The keys without their first letter; checks that every commit is there as a whole."""
        found = [entry.split("=")[0] for entry in self.do("scan", partition).split()]
        halves = [{key[1:] for key in found if key[0] == letter} for letter in "az"]
        expect(halves[0] == halves[1], "half of a commit")
        expect(len(found) == 2 * len(halves[0]), "a key twice")
        return halves[0]

    def signal(self, number: signal.Signals) -> None:
        self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def expect_exactly(found: set[str], prefix: str, answer: Answer, after: str) -> None:
    """The acknowledged commits of a fill, and at most the one that was under way."""
    mine = {int(key[len(prefix):]) for key in found if re.fullmatch(re.escape(prefix) + r"\d+", key)}
    acked = set(answer.acked)
    expect(acked <= mine, f"{after}: lost {sorted(acked - mine)[:5]}")
    more = mine - acked
    expect(more <= {len(acked)}, f"{after}: not acknowledged, but there: {sorted(more)[:5]}")


class Checks:
    def __init__(self, binary: Path, cluster: Cluster, seed: int, rounds: int):
        self.binary, self.cluster, self.rounds = binary, cluster, rounds
        self.random = random.Random(seed)
        self.spaces = 0

    def new_space(self) -> str:
        self.spaces += 1
        return f"s{self.spaces}"

    def node(self, space: str, owner: str, pool: str = POOL) -> Node:
        return Node(self.binary, self.cluster, space, owner, pool)

    def frozen_owner(self) -> str:
        """A frozen owner is replaced; when it wakes up, it cannot change anything."""
        for turn in range(self.rounds):
            space = self.new_space()
            with self.node(space, "a/1") as old, self.node(space, "b/1") as new:
                old.do("acquire", 1)
                writing = old.fill(1, "old")
                # Some of them are in the middle of a flush or a compaction.
                writing.wait_for_acks(self.random.randrange(20, 600))
                time.sleep(self.random.random() * 0.02)
                old.signal(signal.SIGSTOP)
                new.do("acquire", 1, "a/1")
                # The answers that were sent before it was frozen are all counted.
                time.sleep(0.2)
                at_takeover = new.keys(1)
                expect_exactly(at_takeover, "old", writing, "takeover")
                new.do("put", 1, "anew0", "x", "znew0", "x")
                old.signal(signal.SIGCONT)
                said = writing.failure()
                expect(said.startswith("fenced"), f"the old owner: {said}")
                expect(old.start("put", 1, "a", "b").failure().startswith("fenced"), "not fenced for ever")
                expect(old.start("acquire", 1).failure().startswith("owned"), "took it back")
                expect(new.keys(1) == at_takeover | {"new0"}, "the old owner has changed something")
                new.do("fill", 1, "new", 1, 200, VALUE_BYTES)
                new.do("release", 1)
                old.do("acquire", 1)
                expect(old.keys(1) == at_takeover | {f"new{i}" for i in range(201)}, "lost after release")
        return f"{self.rounds} rounds"

    def live_owner(self) -> str:
        """Two nodes take a partition from each other again and again while both write."""
        space, fills = self.new_space(), []
        with self.node(space, "a/1") as one, self.node(space, "b/1") as other:
            nodes = [one, other]
            one.do("acquire", 1)
            for turn in range(self.rounds):
                writer, taker = nodes[turn % 2], nodes[(turn + 1) % 2]
                prefix = f"t{turn}n"
                writing = writer.fill(1, prefix)
                fills.append((prefix, writing))
                writing.wait_for_acks(self.random.randrange(1, 200))
                taker.do("acquire", 1, writer.owner)
                said = writing.failure()
                expect(said.startswith(("fenced", "timeout")), f"the replaced owner: {said}")
                found = taker.keys(1)
                for name, fill in fills:
                    expect_exactly(found, name, fill, f"turn {turn}")
        return f"{self.rounds} takeovers"

    def handover(self) -> str:
        """Planned moves between two nodes, with a model."""
        space, model, slowest = self.new_space(), set(), 0.0
        with self.node(space, "a/1") as one, self.node(space, "b/1") as other:
            nodes = [one, other]
            one.do("acquire", 1)
            for turn in range(2 * self.rounds):
                giver, taker = nodes[turn % 2], nodes[(turn + 1) % 2]
                prefix, count = f"t{turn}n", self.random.randrange(1, 300)
                giver.do("fill", 1, prefix, 0, count, VALUE_BYTES)
                model |= {f"{prefix}{i}" for i in range(count)}
                giver.do("prepare", 1)
                giver.do("release", 1)
                expect(taker.do("owner", 1) == "released", "still owned")
                taker.do("acquire", 1)
                expect(taker.do("owner", 1) == taker.owner, "not owned")
                expect(taker.keys(1) == model, f"turn {turn}: {taker.keys(1) ^ model}")
        return f"{2 * self.rounds} moves"

    def killed_writer(self) -> str:
        """kill -9 at random moments; the next incarnation finds what was acknowledged."""
        space, fills = self.new_space(), []
        for turn in range(self.rounds):
            with self.node(space, f"a/{turn}") as node:
                node.do("acquire", 1, f"a/{turn - 1}")
                found = node.keys(1)
                for name, fill in fills:
                    expect_exactly(found, name, fill, f"turn {turn}")
                writing = node.fill(1, f"t{turn}n")
                fills.append((f"t{turn}n", writing))
                writing.wait_for_acks(self.random.randrange(1, 400))
                time.sleep(self.random.random() * 0.01)
                node.kill()
                writing.failure()
        return f"{self.rounds} kills"

    def dropped(self) -> str:
        """A partition that is dropped leaves nothing in the pool."""
        space = self.new_space()
        with self.node(space, "a/1") as node, self.node(space, "b/1") as other:
            for partition in (1, 2):
                node.do("acquire", partition)
                node.do("fill", partition, "x", 0, 300, VALUE_BYTES)
            expect(other.start("drop", 1).failure().startswith("owned"), "another node dropped it")
            node.do("drop", 1)
            node.do("drop", 1)
            listed = self.cluster.run("rados", "-p", POOL, "-N", space, "ls").split()
            left = [name for name in listed if name.startswith("p00000001")]
            expect(not left, f"left behind: {left}")
            expect(node.do("owner", 1) == "-" and len(node.keys(2)) == 300, "the other has changed")

    def full(self) -> str:
        """A full cluster refuses commits, and takes them again when there is space."""
        with self.node(self.new_space(), "a/1") as node:
            node.do("acquire", 1)
            node.do("fill", 1, "x", 0, 50, VALUE_BYTES)
            self.cluster.set_full(True)
            writing = node.fill(1, "y")
            try:
                said = writing.failure()
                expect(said.startswith("unavailable"), f"when it is full: {said}")
                expect("x49" in node.keys(1), "cannot read when it is full")
            finally:
                self.cluster.set_full(False)
            deadline = time.monotonic() + PATIENCE_SECONDS
            while (said := node.start("put", 1, "alast", "1", "zlast", "1").failure()) != "succeeded: ":
                expect(said.startswith("unavailable") and time.monotonic() < deadline, said)
                time.sleep(0.1)
            found = node.keys(1)
            expect_exactly(found, "y", writing, "when it was full")
            expect("last" in found and "x49" in found, "lost")

    def one_stalled_object(self) -> str:
        """While the log of one partition cannot be written, other partitions commit."""
        # On two of the three OSDs: while one is frozen, a third of the objects can be written. A pool on one
        # would do, but after a freeze Ceph 16 can leave such objects unreadable ("waiting for readable").
        self.cluster.ceph("osd", "pool", "create", "pairs", 16, 16, "replicated")
        self.cluster.ceph("osd", "pool", "set", "pairs", "size", 2)
        self.cluster.ceph("osd", "pool", "set", "pairs", "min_size", 2)
        space = self.new_space()
        with self.node(space, "a/1", "pairs") as node:
            places: dict[int, list[int]] = {}
            for partition in range(1, 19):
                node.do("acquire", partition)
                node.do("put", partition, "a0", "x", "z0", "x")
                places[partition] = self.osds_of_log(space, partition)
            frozen = places[1][0]
            stalled = [partition for partition, osds in places.items() if frozen in osds]
            others = [partition for partition, osds in places.items() if frozen not in osds]
            expect(others, f"all logs are on one OSD: {places}")
            self.cluster.signal_osd(frozen, signal.SIGSTOP)
            try:
                waiting = {p: node.start("put", p, "a1", "x", "z1", "x") for p in stalled}
                moving = [node.fill(p, "m", 0, 20) for p in others]
                for fill in moving:
                    fill.wait()
                for partition, answer in waiting.items():
                    expect(answer.text is None, f"partition {partition} did not stall")
                # Long enough for the outcome to become unknown.
                time.sleep(DEADLINE_SECONDS + 2)
            finally:
                self.cluster.signal_osd(frozen, signal.SIGCONT)
            for partition, answer in waiting.items():
                said = answer.failure()
                there = "1" in node.keys(partition)
                expect(there == (said == "succeeded: "), f"answered '{said}', but there: {there}")
            return f"{len(stalled)} of {len(places)} partitions stalled"

    def osds_of_log(self, space: str, partition: int) -> list[int]:
        """The OSDs that have the newest write-ahead log."""
        directory = f"p{partition:08x}"
        rados = ("rados", "-p", "pairs", "-N", space)
        logs = [key for key in self.cluster.run(*rados, "listomapkeys", directory).split()
                if re.fullmatch(r"f/\d+\.log", key)]
        entry = self.cluster.directory / "entry"
        self.cluster.run(*rados, "getomapval", directory, max(logs), entry)
        numbers = varints(entry.read_bytes()[3:])
        place = self.cluster.ceph("osd", "map", "pairs", f"{directory}.{numbers[0]:x}.{numbers[1]:x}", space)
        return [int(osd) for osd in re.search(r"acting \(\[([\d,]+)\]", place)[1].split(",")]

    def unanswered(self) -> str:
        """The cluster stops for longer than the deadline in the middle of commits: an answer is right."""
        space, fills = self.new_space(), []
        with self.node(space, "a/1") as node:
            node.do("acquire", 1)
            for turn in range(2):
                writing = node.fill(1, f"t{turn}n")
                fills.append((f"t{turn}n", writing))
                writing.wait_for_acks(50)
                for osd in range(3):
                    self.cluster.signal_osd(osd, signal.SIGSTOP)
                time.sleep(DEADLINE_SECONDS + 1.5)
                for osd in range(3):
                    self.cluster.signal_osd(osd, signal.SIGCONT)
                count = len(writing.acked)
                # It goes on, unless the commit turned out not to have been made.
                time.sleep(DEADLINE_SECONDS)
                if writing.text is None:
                    writing.wait_for_acks(count + 5)
                node.do("release", 1)
                writing.failure()
                node.do("acquire", 1)
                for name, fill in fills:
                    expect_exactly(node.keys(1), name, fill, f"turn {turn}")
            said = Path(node.log.name).read_text()
            found = re.findall(r"commit_outcome_found .*committed=(\w+)", said)
            expect(found, "no commit was left without an answer")
            return f"commits without an answer that had been made: {found.count('true')} of {len(found)}"

    def lost_osd(self) -> str:
        """One of three OSDs is killed while a partition is written."""
        space = self.new_space()
        with self.node(space, "a/1") as node, self.node(space, "b/1") as other:
            node.do("acquire", 1)
            writing = node.fill(1, "x")
            writing.wait_for_acks(100)
            self.cluster.signal_osd(2, signal.SIGKILL)
            writing.wait_for_acks(len(writing.acked) + 100)
            other.do("acquire", 1, "a/1")
            writing.failure()
            expect_exactly(other.keys(1), "x", writing, "after the loss")


def varints(data: bytes) -> list[int]:
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--driver", type=Path, default=ROOT / "build/dev/rados_driver")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--auth", choices=["none", "cephx"], default="cephx")
    parser.add_argument("--only", help="the name of one check")
    options = parser.parse_args()
    print(f"--seed {options.seed}", flush=True)
    report = Report()
    with scratch_directory("rados") as directory, Cluster(directory / "ceph", auth=options.auth) as cluster:
        checks = Checks(options.driver, cluster, options.seed, options.rounds)
        # The last one leaves the cluster without one of its OSDs.
        for check in (checks.frozen_owner, checks.live_owner, checks.handover, checks.killed_writer,
                      checks.dropped, checks.full, checks.one_stalled_object, checks.unanswered,
                      checks.lost_osd):
            if options.only in (None, check.__name__):
                report.run(check.__name__, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
