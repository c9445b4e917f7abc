"""A cluster for one test: Ceph, and nodes that are restarted when they end, as an operator's system does."""

import base64
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path

from lib.ceph import POOL, Cluster as Ceph, free_port
from lib.client import EMULATOR_KEY
from lib.network import STORAGE_ADDRESS, Network
from lib.report import expect
from lib.server import PATIENCE_SECONDS, Server, ServerError

LOST_ITS_LEASE = 75  # the exit code of a node that wants to be restarted
LEASE_MS = 3000
RESTART_SECONDS = 0.2
CLOCK = Path(__file__).parent / "clock.c"
# How long after the end of a disturbance its effects may show.
AFTERMATH_SECONDS = 20


class Node:
    """A name, an address and at most one process. Only its cluster starts it."""

    def __init__(self, name: str, address: str, command_prefix: list[str]):
        self.name, self.address, self.command_prefix = name, address, command_prefix
        self.port = 0
        self.server: Server | None = None
        self.incarnation = 0  # counts the processes
        self.wanted = True  # restarted if it ends
        self.killed = False  # by the test
        self.frozen = False
        self.disturbances = 0  # under way
        self.calm_since = float("-inf")

    def running(self) -> bool:
        return self.server is not None and self.server.running()

    def ready(self) -> bool:
        return self.running() and self.server.ready()

    def disturb(self) -> None:
        self.disturbances += 1

    def calm(self) -> None:
        self.disturbances -= 1
        self.calm_since = time.monotonic()

    def was_disturbed(self, incarnation: int) -> bool:
        """Whether a client may have got no answer from the process it was connected to."""
        return self.disturbances > 0 or self.incarnation != incarnation or not self.running() or \
            not self.server.ready() or time.monotonic() < self.calm_since + AFTERMATH_SECONDS


class Cluster:
    """As a context manager it is stopped on exit. Where there is a network, it can be cut."""

    def __init__(self, binary: Path, directory: Path, names: list[str], *options: str,
                 network: Network | None = None, lease_ms: int = LEASE_MS, store: str = "memstore"):
        self.binary, self.directory, self.options, self.network = binary, directory, options, network
        self.lease_ms = lease_ms
        # The emulators' key is only for loopback, and needs no file there.
        self.key = base64.b64encode(bytes(range(64))).decode() if network else EMULATOR_KEY
        address = STORAGE_ADDRESS if network else "127.0.0.1"
        self.ceph = Ceph(directory / "ceph", store, address=address)
        self.nodes = [self.make_node(name) for name in names]
        self.ends: Counter[tuple[str, int]] = Counter()  # that the test did not cause
        self.problems: list[str] = []
        self.stopping = threading.Event()
        self.lock = threading.Lock()  # guards starts and ends of processes
        self.supervisor = threading.Thread(target=self.supervise, daemon=True)

    def make_node(self, name: str) -> Node:
        if self.network:
            return Node(name, self.network.address(name), self.network.prefix(name))
        return Node(name, "127.0.0.1", [])

    def __enter__(self) -> "Cluster":
        try:
            self.ceph.start()
            self.make_clock()
            (self.directory / "key").write_text(self.key)
            for node in self.nodes:
                self.start(node)
            self.supervisor.start()
            self.await_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.stopping.set()
        if self.supervisor.is_alive():
            self.supervisor.join()
        for node in self.nodes:
            if node.server:
                node.server.kill()
        self.ceph.stop()

    def node(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    # Processes.

    def start(self, node: Node) -> None:
        """Does not wait until it is ready."""
        data = self.directory / node.name
        keep_log(data)
        port = node.port or free_port_of(node)
        node.port, node.killed, node.frozen = port, False, False
        node.incarnation += 1
        options = ["--cluster", str(self.ceph.conf), "--pool", POOL, "--node", node.name, "--lease-ms",
                   str(self.lease_ms), *self.options]
        if self.network:
            options += ["--advertise", self.url(node), "--key-file", str(self.directory / "key")]
        node.server = Server(self.binary, data, *options, listen=f"{node.address}:{port}",
                             prefix=[*node.command_prefix, *self.clock_prefix(node)])

    def make_clock(self) -> None:
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.directory / "clock.so", CLOCK], check=True)

    def clock_prefix(self, node: Node) -> list[str]:
        """Lets the test set the node's time of day, but not the clocks that measure time."""
        self.shift_clock(node, 0)
        return ["env", f"LD_PRELOAD={self.directory / 'clock.so'}", f"ORRERY_TEST_CLOCK={self.clock_file(node)}"]

    def clock_file(self, node: Node) -> Path:
        return self.directory / f"{node.name}.clock"

    def shift_clock(self, node: Node, seconds: int) -> None:
        # In place: the server has mapped the file.
        with open(self.clock_file(node), "r+b" if self.clock_file(node).exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def url(self, node: Node) -> str:
        return f"https://{node.address}:{node.port}"

    def add(self, name: str) -> Node:
        node = self.make_node(name)
        with self.lock:
            self.start(node)
            self.nodes.append(node)
        self.await_ready()
        return node

    def supervise(self) -> None:
        while not self.stopping.wait(RESTART_SECONDS):
            with self.lock:
                for node in self.nodes:
                    if node.server and not node.server.running() and node.wanted:
                        self.note_end(node)
                        self.start(node)

    def note_end(self, node: Node) -> None:
        code = node.server.process.returncode
        if node.killed:
            return
        self.ends[node.name, code] += 1
        if code != LOST_ITS_LEASE:
            self.problems.append(f"{node.name} ended with exit code {code}\n{node.server.tail()}")

    def await_ready(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not all(node.ready() for node in self.nodes if node.wanted):
            expect(not self.problems, "; ".join(self.problems))
            if time.monotonic() > deadline:
                late = next(node for node in self.nodes if node.wanted and not node.ready())
                raise ServerError(f"{late.name} is not ready after {PATIENCE_SECONDS} s\n"
                                  f"{late.server.tail() if late.server else ''}")
            time.sleep(0.01)

    # What a test does to nodes. A node that has ended is started again, unless it is held down.

    def kill(self, node: Node) -> None:
        with self.lock:
            node.killed = True
            node.server.kill()

    def freeze(self, node: Node) -> None:
        self.signal(node, signal.SIGSTOP)
        node.frozen = True

    def thaw(self, node: Node) -> None:
        self.signal(node, signal.SIGCONT)
        node.frozen = False

    def stop(self, node: Node) -> None:
        """A planned stop; the node stays down until resume()."""
        with self.lock:
            node.wanted = False
            server = node.server
        server.stop()

    def resume(self, node: Node) -> None:
        with self.lock:
            node.wanted = True
            if not node.running():
                self.start(node)

    def signal(self, node: Node, number: signal.Signals) -> None:
        if node.running():
            node.server.process.send_signal(number)

    def keep_logs(self, target: Path) -> None:
        target.mkdir(parents=True, exist_ok=True)
        for log in [*self.directory.glob("*.log"), *self.directory.glob("*.log.before"),
                    *(self.directory / "ceph/log").glob("*")]:
            shutil.copy(log, target)


def keep_log(data: Path) -> None:
    """What a node logged in earlier processes is kept, too."""
    log = data.with_name(data.name + ".log")
    if log.exists():
        with open(log.with_name(log.name + ".before"), "ab") as before:
            before.write(log.read_bytes())


def free_port_of(node: Node) -> int:
    """Nodes have fixed ports, so that they keep their address when they are restarted."""
    return 8081 if node.command_prefix else free_port()  # in its own network every port is free
