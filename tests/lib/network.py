"""Networks that can be cut: every server has a network namespace of its own, with one link to its clients and peers
and one to its storage, and everything is in a namespace that the test made for itself. Needs root."""

import os
import subprocess
import sys

ENTERED = "ORRERY_TEST_OWN_NETWORK"
FRONT, BACK = "10.77.0", "10.77.1"  # towards clients and peers, and towards the storage
STORAGE_ADDRESS = f"{BACK}.1"
FIRST = 11


def enter_own_network() -> bool:
    """Restarts the program in a network namespace of its own. False if that is not possible here."""
    if os.environ.get(ENTERED):
        return True
    if os.geteuid() != 0 or subprocess.run(["unshare", "--net", "ip", "link", "add", "probe", "type", "veth"],
                                           capture_output=True).returncode != 0:
        return False
    sys.stdout.flush()
    os.execvpe("unshare", ["unshare", "--net", sys.executable, *sys.argv], os.environ | {ENTERED: "1"})


def ip(*words: object) -> None:
    subprocess.run(["ip", *map(str, words)], check=True, capture_output=True, text=True)


def isolate(port: str, isolated: bool) -> None:
    """Packets between two isolated ports of a bridge are dropped silently, as by a broken switch."""
    subprocess.run(["bridge", "link", "set", "dev", port, "isolated", "on" if isolated else "off"],
                   check=True, capture_output=True, text=True)


class Network:
    """For as many servers as there are names; as a context manager it is removed on exit."""

    def __init__(self, names: list[str]):
        self.names = names
        self.namespaces = {name: f"orrery-{os.getpid()}-{name}" for name in names}

    def __enter__(self) -> "Network":
        try:
            self.make()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.remove()

    def make(self) -> None:
        ip("link", "set", "lo", "up")
        for bridge in ("front", "back"):
            ip("link", "add", bridge, "type", "bridge")
            ip("link", "set", bridge, "up")
        ip("address", "add", f"{FRONT}.1/24", "dev", "front")
        # The storage is a port of its bridge too, always isolated: it loses the servers that are isolated as well.
        ip("link", "add", "storage", "type", "veth", "peer", "name", "storage-port")
        ip("address", "add", f"{STORAGE_ADDRESS}/24", "dev", "storage")
        ip("link", "set", "storage-port", "master", "back")
        isolate("storage-port", True)
        for link in ("storage", "storage-port"):
            ip("link", "set", link, "up")
        for number, name in enumerate(self.names):
            self.add_server(number, name)

    def add_server(self, number: int, name: str) -> None:
        namespace = self.namespaces[name]
        ip("netns", "add", namespace)
        ip("-n", namespace, "link", "set", "lo", "up")
        for bridge, prefix in (("front", FRONT), ("back", BACK)):
            port = self.port(bridge, name)
            ip("link", "add", port, "type", "veth", "peer", "name", bridge, "netns", namespace)
            ip("link", "set", port, "master", bridge, "up")
            ip("-n", namespace, "address", "add", f"{prefix}.{FIRST + number}/24", "dev", bridge)
            ip("-n", namespace, "link", "set", bridge, "up")

    def remove(self) -> None:
        # Links and bridges go with the namespaces they are in.
        for namespace in self.namespaces.values():
            subprocess.run(["ip", "netns", "delete", namespace], capture_output=True)

    def port(self, bridge: str, name: str) -> str:
        return f"{bridge}{self.names.index(name)}"

    def address(self, name: str) -> str:
        return f"{FRONT}.{FIRST + self.names.index(name)}"

    def prefix(self, name: str) -> list[str]:
        """Of a command, to run it there."""
        return ["nsenter", f"--net=/run/netns/{self.namespaces[name]}"]

    def cut_between(self, servers: list[str]) -> None:
        """These servers do not reach each other; clients reach them all."""
        for name in servers:
            isolate(self.port("front", name), True)

    def cut_storage(self, name: str) -> None:
        isolate(self.port("back", name), True)

    def heal(self) -> None:
        for name in self.names:
            for bridge in ("front", "back"):
                isolate(self.port(bridge, name), False)
