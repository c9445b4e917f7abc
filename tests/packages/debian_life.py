#!/usr/bin/env python3
"""Installs a Debian package on a copy of this system that is thrown away, and removes it again.

The copy is an overlay: everything that dpkg and the maintainer scripts write goes into the directory given. Run it in
a mount and a process namespace of its own, as debian.py does.
"""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from debian import CONFIG, PATIENCE_SECONDS, called  # noqa: E402
from lib.report import expect  # noqa: E402
from roundtrip import find, store  # noqa: E402

KEY = "etc/orrery/account.key"
WANTED = "etc/systemd/system/multi-user.target.wants/orrery.service"
DEVICES = ("null", "urandom")


class System:
    """A copy of this system, changes to which are lost."""

    def __init__(self, scratch: Path):
        self.root = scratch / "root"
        for name in ("root", "changes", "work"):
            (scratch / name).mkdir()
        self.mount("-t", "overlay", "overlay", "-o",
                   f"lowerdir=/,upperdir={scratch / 'changes'},workdir={scratch / 'work'}", target=self.root)
        # No systemd runs here, whatever runs outside.
        self.mount("-t", "tmpfs", "tmpfs", target=self.root / "run")
        self.mount("-t", "proc", "proc", target=self.root / "proc")
        self.mount("-t", "tmpfs", "tmpfs", target=self.root / "dev")
        for name in DEVICES:
            device = self.root / "dev" / name
            device.touch()
            self.mount("--bind", f"/dev/{name}", target=device)
        # Saves the time that it takes to index all manual pages again.
        (self.root / "var/lib/man-db/auto-update").unlink(missing_ok=True)

    def mount(self, *arguments: str, target: Path) -> None:
        called("mount", *arguments, target)

    def run(self, *command) -> str:
        return called("chroot", self.root, "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8",
                      "DEBIAN_FRONTEND=noninteractive", *command)

    def dpkg(self, *arguments: str) -> str:
        return self.run("dpkg", "--force-unsafe-io", *arguments)

    def path(self, name: str) -> Path:
        return self.root / name

    def serve(self, use: Callable[[int], None]) -> None:
        """Runs the server as the unit does, but on a free port."""
        port_file = self.path("var/lib/orrery/port")
        log = self.root.with_name("server.log")
        command = ["chroot", self.root, "env", "-i", "setpriv", "--reuid", "orrery", "--regid", "orrery",
                   "--init-groups", "/usr/bin/orrery", "serve", "--config", "/etc/orrery/orrery.toml", "--listen",
                   "127.0.0.1:0", "--port-file", "/var/lib/orrery/port"]
        with open(log, "wb") as output:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        while not port_file.exists():
            try:
                process.wait(0.01)
                raise AssertionError(f"exit code {process.returncode}: {log.read_text()}")
            except subprocess.TimeoutExpired:
                pass
        use(int(port_file.read_text()))
        process.terminate()
        expect(process.wait(PATIENCE_SECONDS) == 0, log.read_text())


def install(system: System) -> None:
    system.dpkg("--install", "/orrery.deb")
    owner = system.run("stat", "-c", "%U:%G %a", f"/{KEY}").strip()
    expect(owner == "root:orrery 640", f"{KEY}: {owner}")
    owner = system.run("stat", "-c", "%U:%G %a", "/var/lib/orrery").strip()
    expect(owner == "orrery:orrery 700", f"/var/lib/orrery: {owner}")
    account = system.run("getent", "passwd", "orrery").strip()
    expect(account.endswith(":/usr/sbin/nologin"), account)
    expect(system.path(WANTED).is_symlink(), "the service is not enabled")
    expect(system.run("dpkg", "--verify", "orrery") == "", "checksums")
    expect("serve" in system.run("orrery", "--help"), "orrery --help")
    page = system.run("man", "orrery-serve")
    expect("--stop-with-stdin" in page, page[:300])


def upgrade(system: System) -> None:
    key = system.path(KEY).read_text()
    config = system.path(CONFIG)
    config.write_text(config.read_text() + "queue-max = 2000\n")
    system.dpkg("--install", "/orrery.deb")
    expect("queue-max" in config.read_text(), "settings are lost with an upgrade")
    expect(system.path(KEY).read_text() == key, "the key is lost with an upgrade")


def remove(system: System) -> None:
    system.dpkg("--remove", "orrery")
    expect(not system.path("usr/bin/orrery").exists(), "the program is left")
    expect(system.path(CONFIG).exists() and system.path(KEY).exists(), "settings went without purge")
    said = system.dpkg("--purge", "orrery")
    expect(not system.path("etc/orrery").exists(), "settings are left")
    expect(system.path("var/lib/orrery/ORRERY").exists() and "are kept" in said, "the data is lost")
    expect(not system.path(WANTED).is_symlink(), "the service is still enabled")


def main() -> None:
    package, scratch = map(Path, sys.argv[1:])
    system = System(scratch)
    shutil.copy(package, system.path("orrery.deb"))
    install(system)
    key = system.path(KEY).read_text()
    system.serve(lambda port: store(port, key))
    upgrade(system)
    system.serve(lambda port: find(port, key))
    remove(system)
    print("installed, used, upgraded, removed and purged")


if __name__ == "__main__":
    main()
