"""Three nodes of a cluster in place of one server: every request goes to the next node."""

import itertools
import threading
from pathlib import Path

from lib.ceph import POOL, free_port
from lib.client import Answer, Client
from lib.server import Server

NODES = 3

# Tests run at the same time: a port that was free a moment ago may be another's now.
_ports_given: set[int] = set()
_giving = threading.Lock()


def own_port() -> int:
    with _giving:
        while (port := free_port()) in _ports_given:
            pass
        _ports_given.add(port)
        return port


class Nodes:
    """Has what the golden tests use of a Server."""

    def __init__(self, binary: Path, data: Path, conf: Path, *options: str):
        self.servers = []
        for number in range(1, NODES + 1):
            place = f"127.0.0.1:{own_port()}"
            # Tests advertise URLs that do not exist.
            self.servers.append(Server(
                binary, data.with_name(f"{data.name}-{number}"), "--cluster", str(conf), "--pool", POOL,
                "--pool-namespace", data.name, "--node", f"n{number}", "--node-url", f"http://{place}/",
                *options, listen=place))

    def wait_until_ready(self) -> "Nodes":
        for server in self.servers:
            server.wait_until_ready()
        return self

    @property
    def port(self) -> int:
        return self.servers[0].port

    def client(self) -> "Clients":
        return Clients([Client(server.port) for server in self.servers])

    def stop(self) -> None:
        for server in self.servers:
            server.stop()

    def kill(self) -> None:
        for server in self.servers:
            server.kill()

    def tail(self) -> str:
        return "\n".join(server.tail() for server in self.servers)


class Clients:
    """Has what the golden tests use of a Client."""

    def __init__(self, clients: list[Client]):
        self.clients = clients
        self.turns = itertools.cycle(clients)
        self.connection = self

    def request(self, *arguments, **options) -> Answer:
        return next(self.turns).request(*arguments, **options)

    def close(self) -> None:
        for client in self.clients:
            client.connection.close()
