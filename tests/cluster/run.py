#!/usr/bin/env python3
"""Many clients use a cluster through all of its nodes at once while things happen to it; then everything they saw is
checked. A round does everything once that disturbances.py can do, in an order chosen by the seed.

    tests/cluster/run.py [--server build/release/orrery] [--rounds 1] [--seed 1] [--only kill,OSD] [--keep DIRECTORY]

Requests on single items must be linearizable (registers.py, checker/main.go), transactions isolated (tests/isolation),
and the change feed complete (arrivals.py). Clients get answers, or errors after which they may try again.
"""

import argparse
import random
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Callable

HERE = Path(__file__).resolve().parent
sys.path[1:1] = [str(HERE.parent), str(HERE.parent / "isolation"), str(HERE.parent / "changefeed")]

import linearizability  # noqa: E402
import planted  # noqa: E402
from any_node import AnyNode, Patient, Troubles, Unanswered  # noqa: E402
from arrivals import WRITERS, Arrivals  # noqa: E402
from bank import Bank  # noqa: E402
from checker import check as check_isolation  # noqa: E402
from disturbances import Disturbances, Script  # noqa: E402
from lib.cluster import Cluster  # noqa: E402
from lib.network import Network, enter_own_network  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY  # noqa: E402
from lists import Lists  # noqa: E402
from registers import Registers  # noqa: E402

NODES = ["n1", "n2", "n3"]
OPTIONS = ("--consistency", "strong", "--partitions", "4")
CLIENTS = {"registers": 6, "bank": 2, "lists": 3}
DATABASES = ("cluster", "isolation")
HISTORY = "history.jsonl"
PROBLEMS_SHOWN = 5
PATIENCE_SECONDS = 120


class Load:
    """Runs all clients until they are stopped."""

    def __init__(self, world: "World"):
        self.world = world
        self.stopping = threading.Event()
        self.problems: list[str] = []
        self.threads = [threading.Thread(target=self.run, args=job, daemon=True) for job in world.jobs()]
        for thread in self.threads:
            thread.start()

    def run(self, work: Callable, client: AnyNode, rng: random.Random) -> None:
        with client:
            while not self.stopping.is_set():
                try:
                    work(client, rng)
                except Unanswered:
                    pass
                except Exception as error:  # the round reports it
                    self.problems.append(f"{type(error).__name__}: {error}")
                    return

    def finish(self) -> None:
        self.stopping.set()
        deadline = time.monotonic() + PATIENCE_SECONDS
        for thread in self.threads:
            thread.join(max(0, deadline - time.monotonic()))
        waiting = sum(thread.is_alive() for thread in self.threads)
        expect(not waiting, f"{waiting} clients still wait for an answer")
        expect(not self.problems, f"{len(self.problems)} problems\n" + "\n".join(self.problems[:PROBLEMS_SHOWN]))


class World:
    """The containers of a round, and what clients know of them."""

    def __init__(self, cluster: Cluster, troubles: Troubles, rng: random.Random):
        self.cluster, self.troubles, self.rng = cluster, troubles, rng
        self.registers, self.bank, self.lists, self.arrivals = Registers(), Bank(), Lists(), Arrivals()
        with self.patient() as client:
            for part in (self.registers, self.bank, self.lists, self.arrivals):
                part.fill(client)

    def new_rng(self) -> random.Random:
        return random.Random(self.rng.random())

    def patient(self) -> Patient:
        return Patient(self.cluster.nodes, self.cluster.key, self.troubles, self.new_rng())

    def links(self) -> list[str]:
        return [part.link.strip("/") for part in (self.registers, self.bank, self.lists, self.arrivals)]

    def jobs(self) -> list[tuple[Callable, AnyNode, random.Random]]:
        works: list[Callable] = [self.registers_work() for _ in range(CLIENTS["registers"])]
        works += [self.bank.work] * CLIENTS["bank"] + [self.lists.work] * CLIENTS["lists"]
        for number in range(WRITERS):
            works.append(lambda client, rng, number=number: self.arrivals.write(number, client, rng))
        for number in range(len(self.arrivals.readers)):
            works.append(lambda client, rng, number=number: self.arrivals.read(number, client, rng))
        return [(work, AnyNode(self.cluster.nodes, self.cluster.key, self.troubles, self.new_rng()), self.new_rng())
                for work in works]

    def registers_work(self) -> Callable:
        workers: list = []

        def work(client: AnyNode, rng: random.Random) -> str:
            if not workers:
                workers.append(self.registers.worker(client, rng))
            return workers[0].work()
        return work

    def play(self, script: Script, disturbances: int) -> str:
        before = self.troubles.requests
        load = Load(self)
        script.start()
        while len(script.done) < disturbances and script.is_alive() and not load.problems:
            expect(not self.cluster.problems, "; ".join(self.cluster.problems))
            time.sleep(0.1)
        script.finish()
        self.cluster.await_ready()
        load.finish()
        return f"{self.troubles.requests - before} answers"

    def settle(self) -> str:
        """What there is in the end, read through every node."""
        self.lists.history.restarted()
        for node in self.cluster.nodes:
            with Patient([node], self.cluster.key, self.troubles, self.new_rng()) as client:
                self.registers.settle(client, self.new_rng())
                self.bank.settle(client)
                self.lists.settle(client)
        return f"through {len(self.cluster.nodes)} nodes"

    def check_registers(self, path: Path) -> str:
        self.registers.save(path)
        return linearizability.check(path)

    def check_planted(self, path: Path) -> str:
        """The same history with faults put into it."""
        missed = planted.unnoticed(self.registers.requests, path, self.rng)
        expect(not missed, f"not found: {missed}")
        return f"{len(planted.FAULTS)} faults"

    def check_lists(self) -> str:
        verdict = check_isolation(self.lists.history.transactions)
        expect(not verdict.violations, f"{len(verdict.violations)} anomalies\n" +
               "\n".join(str(one) for one in verdict.violations[:PROBLEMS_SHOWN]))
        return ", ".join(f"{count} {outcome}" for outcome, count in sorted(verdict.outcomes.items()))

    def check_arrivals(self) -> str:
        with self.patient() as client:
            return self.arrivals.check(client)

    def drop(self) -> None:
        with self.patient() as client:
            for database in DATABASES:
                answer = client.request("DELETE", f"/dbs/{database}")
                # 404 if an earlier attempt was carried out, but not answered.
                expect(answer.status in (204, 404), f"drop: {answer.status} {answer.body[:300]!r}")


def play_round(cluster: Cluster, report: Report, name: str, options: argparse.Namespace, rng: random.Random) -> bool:
    troubles = Troubles()
    world = World(cluster, troubles, rng)
    with world.patient() as client:
        script = Script(Disturbances(cluster, client, world.links(), rng), options.only, rng)
        good = report.run(f"{name}: load", lambda: world.play(script, options.disturbances or len(script.kinds)))
    print("\n".join(f"    {line}" for line in script.done), flush=True)
    print(f"    {troubles.table()}; {sum(cluster.ends.values())} nodes gave up their lease so far", flush=True)
    path = cluster.directory / HISTORY
    checks = {"everything is read": world.settle,
              "single items are linearizable": lambda: world.check_registers(path),
              "faults put into that history are found": lambda: world.check_planted(path),
              "transactions are isolated": world.check_lists,
              "the change feed is complete": world.check_arrivals,
              "databases are dropped": world.drop}
    # All of them, whatever failed: they tell whether an item is lost, or was only not seen for a moment.
    return all([good, *[report.run(f"{name}: {what}", check) for what, check in checks.items()]])


def play(options: argparse.Namespace, report: Report, scratch: Path, network: Network | None) -> None:
    rng = random.Random(options.seed)
    with Cluster(options.server, scratch, NODES, *OPTIONS, network=network, lease_ms=options.lease_ms,
                 store="bluestore") as cluster:
        for number in range(1, options.rounds + 1):
            if not play_round(cluster, report, f"round {number}", options, rng):
                if options.keep:
                    cluster.keep_logs(options.keep)
                    shutil.copy(scratch / HISTORY, options.keep)
                    print(f"logs are kept in {options.keep}", flush=True)
                break  # the expected state is no longer valid
        expect(not cluster.problems, "; ".join(cluster.problems))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--disturbances", type=int, default=0, help="in a round (default: as many as there are kinds)")
    parser.add_argument("--only", type=lambda text: text.split(","), default=[], help="words in the names of kinds")
    parser.add_argument("--lease-ms", type=int, default=3000)
    parser.add_argument("--keep", type=Path, help="where to copy logs and history after a failure")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    has_network = enter_own_network()
    print(f"seed {options.seed}" + ("" if has_network else ", without network cuts: they need root"), flush=True)
    report = Report()
    linearizability.build()
    with scratch_directory("cluster") as scratch:
        if has_network:
            with Network(NODES) as network:
                report.run("the cluster", lambda: play(options, report, scratch, network))
        else:
            report.run("the cluster", lambda: play(options, report, scratch, None))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
