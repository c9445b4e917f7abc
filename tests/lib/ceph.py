#!/usr/bin/env python3
"""A Ceph cluster for tests: one monitor and three OSDs on free loopback ports, in a directory of their own.

    tests/lib/ceph.py run -- COMMAND ...   starts a cluster, runs the command, stops the cluster
    tests/lib/ceph.py up DIRECTORY         starts one and leaves it running
    tests/lib/ceph.py down DIRECTORY       stops it

COMMAND finds the cluster in ORRERY_TEST_CEPH_CONF and its pool in ORRERY_TEST_CEPH_POOL. The cluster stores
in memory, unless --store bluestore: that is fastest, but an OSD that ends loses everything it had.
"""
import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

OSDS = 3
POOL = "orrery"
PATIENCE_SECONDS = 90

# One monitor and no manager, so what a manager decides is switched off. Heartbeats are quick, so that tests
# with frozen OSDs do not take minutes; the two settings named "osd" let OSDs of one host count as several.
CONFIGURATION = """
[global]
fsid = {fsid}
mon_host = [v2:{address}:{port}]
public_addr = {address}
cluster_addr = {address}
auth_cluster_required = {auth}
auth_service_required = {auth}
auth_client_required = {auth}
auth_allow_insecure_global_id_reclaim = false
keyring = {directory}/keyring
run_dir = {directory}/run
admin_socket = {directory}/run/$name.asok
pid_file = {directory}/run/$name.pid
log_file = {directory}/log/$name.log
osd_crush_chooseleaf_type = 0
mon_osd_reporter_subtree_level = osd
osd_pool_default_size = 3
osd_pool_default_min_size = 2
osd_pool_default_pg_autoscale_mode = off
osd_heartbeat_interval = 1
osd_heartbeat_grace = 5
mon_osd_adjust_heartbeat_grace = false
mon_allow_pool_delete = true
mon_data_avail_warn = 2
mon_data_avail_crit = 1
[client]
log_file = /dev/null
admin_socket =
objecter_tick_interval = 1
objecter_timeout = 2
[mon]
mon_data = {directory}/mon
[osd]
osd_data = {directory}/osd.$id
keyring = {directory}/osd.$id/keyring
osd_objectstore = {store}
osd_memory_target = 1073741824
osd_recovery_sleep_hdd = 0
memstore_device_bytes = 4294967296
bluestore_block_size = 10737418240
bluestore_block_create = true
bluestore_debug_enforce_settings = ssd
bluestore_rocksdb_options = compression=kNoCompression,max_write_buffer_number=4,write_buffer_size=33554432
"""


class CephError(Exception):
    pass


def free_port(address: str = "127.0.0.1") -> int:
    with socket.socket() as probe:
        probe.bind((address, 0))
        return probe.getsockname()[1]


class Cluster:
    """As a context manager it is killed on exit, even after an exception."""

    def __init__(self, directory: Path, store: str = "memstore", auth: str = "none", pgs: int = 8,
                 address: str = "127.0.0.1"):
        self.directory, self.address = directory, address
        self.conf = directory / "ceph.conf"
        self.store, self.auth, self.pgs = store, auth, pgs
        self.daemons: dict[str, subprocess.Popen] = {}

    def __enter__(self) -> "Cluster":
        try:
            return self.start()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_) -> None:
        self.stop()

    @property
    def environment(self) -> dict[str, str]:
        """What the tests of a program need to find the cluster."""
        return {**os.environ, "ORRERY_TEST_CEPH_CONF": str(self.conf), "ORRERY_TEST_CEPH_POOL": POOL}

    def start(self) -> "Cluster":
        for name in ("run", "log", "mon"):
            (self.directory / name).mkdir(parents=True)
        fsid, port = str(uuid.uuid4()), free_port(self.address)
        self.conf.write_text(CONFIGURATION.format(fsid=fsid, port=port, auth=self.auth, store=self.store,
                                                  address=self.address, directory=self.directory))
        self.make_monitor(fsid, port)
        self.start_daemon("mon", "a")
        self.await_monitor()
        for osd in range(OSDS):
            self.make_osd(osd)
        for osd in range(OSDS):
            self.start_daemon("osd", str(osd))
        self.create_pool(POOL)
        return self

    def make_monitor(self, fsid: str, port: int) -> None:
        keyring, monmap = self.directory / "keyring", self.directory / "monmap"
        self.run("ceph-authtool", "-C", keyring, "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
        self.run("ceph-authtool", keyring, "--gen-key", "-n", "client.admin", "--cap", "mon", "allow *",
                 "--cap", "osd", "allow *", "--cap", "mgr", "allow *")
        self.run("monmaptool", "--create", "--clobber", "--fsid", fsid, "--addv", "a",
                 f"[v2:{self.address}:{port}]", "--enable-all-features", monmap)
        self.run("ceph-mon", "-i", "a", "--mkfs", "--monmap", monmap, "--keyring", keyring)

    def await_monitor(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "quorum" not in self.run("ceph", "daemon", self.directory / "run/mon.a.asok", "mon_status",
                                       check=False) and time.monotonic() < deadline:
            time.sleep(0.05)

    def make_osd(self, osd: int) -> None:
        home, identity = self.directory / f"osd.{osd}", str(uuid.uuid4())
        home.mkdir()
        secret = self.run("ceph-authtool", "--gen-print-key").strip()
        self.ceph("osd", "new", identity, "-i", "-", stdin=f'{{"cephx_secret":"{secret}"}}')
        self.run("ceph-authtool", "-C", home / "keyring", "-n", f"osd.{osd}", "--add-key", secret)
        self.run("ceph-osd", "-i", osd, "--mkfs", "--osd-uuid", identity)

    def create_pool(self, name: str) -> None:
        """Returns when the pool can be written to."""
        self.ceph("osd", "pool", "create", name, self.pgs, self.pgs, "replicated")
        self.ceph("osd", "pool", "application", "enable", name, "orrery")
        self.run("rados", "-p", name, "put", "probe", "/dev/null")
        self.run("rados", "-p", name, "rm", "probe")

    def start_daemon(self, kind: str, name: str) -> None:
        log = open(self.directory / f"log/start.{kind}.{name}", "ab")
        # In a session of its own: Ctrl-C is for the test, which then stops its cluster.
        self.daemons[f"{kind}.{name}"] = subprocess.Popen(
            [f"ceph-{kind}", "-f", "-i", name, "-c", str(self.conf)], stdin=subprocess.DEVNULL, stdout=log,
            stderr=log, start_new_session=True)
        log.close()

    def start_osd(self, osd: int) -> None:
        self.start_daemon("osd", str(osd))

    def signal_osd(self, osd: int, number: signal.Signals) -> None:
        """SIGKILL ends it; SIGSTOP freezes it until SIGCONT."""
        daemon = self.daemons[f"osd.{osd}"]
        daemon.send_signal(number)
        if number == signal.SIGKILL:
            daemon.wait()

    def set_full(self, full: bool) -> None:
        """Makes OSDs believe that they are full, so that writes wait. Returns when they do, or no longer do."""
        for ratio, usual in (("nearfull", 0.85), ("backfillfull", 0.9), ("full", 0.95)):
            self.ceph("osd", f"set-{ratio}-ratio", usual / 1e6 if full else usual)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while ("full osd" in self.ceph("health")) != full:
            if time.monotonic() > deadline:
                raise CephError(f"OSDs are {'not ' if full else ''}full after {PATIENCE_SECONDS} s")
            time.sleep(0.2)

    def is_healthy(self) -> bool:
        """Whether every OSD that should run is known to do so."""
        up = json.loads(self.ceph("osd", "stat", "--format", "json"))
        return up["num_up_osds"] == len([name for name in self.daemons if name.startswith("osd.")])

    def ceph(self, *arguments: object, stdin: str = "") -> str:
        return self.run("ceph", *arguments, stdin=stdin)

    def run(self, *command: object, stdin: str = "", check: bool = True) -> str:
        done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS, env={**os.environ, "CEPH_CONF": str(self.conf)})
        if check and done.returncode != 0:
            raise CephError(f"{' '.join(map(str, command))}: {done.stderr or done.stdout}")
        return done.stdout

    def stop(self) -> None:
        # Nothing in the directory is used again, so there is nothing to shut down cleanly.
        for daemon in self.daemons.values():
            daemon.kill()
        for daemon in self.daemons.values():
            daemon.wait()
        self.daemons.clear()


def stop_cluster_in(directory: Path) -> None:
    """Stops a cluster that another process has started there."""
    for file in (directory / "run").glob("*.pid"):
        try:
            pid = int(file.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode().split("\0")
        except (OSError, ValueError):
            continue
        if command[0].startswith("ceph-") and str(directory / "ceph.conf") in command:
            os.kill(pid, signal.SIGKILL)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--store", choices=["memstore", "bluestore"], default="memstore")
    parser.add_argument("--auth", choices=["none", "cephx"], default="none")
    parser.add_argument("action", choices=["run", "up", "down"])
    parser.add_argument("words", nargs=argparse.REMAINDER, help="-- COMMAND ..., or DIRECTORY")
    options = parser.parse_args()
    words = options.words[1:] if options.words[:1] == ["--"] else options.words
    if not words:
        parser.error(f"{options.action} needs an argument")
    if options.action == "down":
        stop_cluster_in(Path(words[0]).resolve())
        return 0
    if options.action == "up":
        cluster = Cluster(Path(words[0]).resolve(), options.store, options.auth).start()
        print(f"ORRERY_TEST_CEPH_CONF={cluster.conf} ORRERY_TEST_CEPH_POOL={POOL}")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    directory = Path(tempfile.mkdtemp(prefix="orrery-ceph-"))
    try:
        with Cluster(directory, options.store, options.auth) as cluster:
            return subprocess.run(words, env=cluster.environment).returncode
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
