#!/usr/bin/env python3
"""`orrery doctor` finds each thing that goes wrong, and the errors of these cases point to it.

    tests/tools/doctor.py [--server build/release/orrery]
"""
import argparse
import base64
import http.server
import json
import os
import resource
import socket
import subprocess
import sys
import threading
import time
from email.utils import formatdate
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib.client import Client  # noqa: E402
from lib.report import Report, Skip, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402

PATIENCE_SECONDS = 60
KEY = base64.b64encode(bytes([5] * 64)).decode()
NOBODY = 65534
SKEW_SECONDS = 3600


class Diagnosis:
    def __init__(self, done: subprocess.CompletedProcess):
        expect(done.returncode in (0, 1) and not done.stderr, f"{done}")
        found = json.loads(done.stdout)
        self.checks = {check["check"]: check for check in found["checks"]}
        self.text = json.dumps(found, indent=1)
        expect(found["good"] == (done.returncode == 0), f"exit code {done.returncode}: {self.text}")

    def expect(self, name: str, state: str, *texts: str) -> None:
        check = self.checks[name]
        expect(check["state"] == state, f"{name} is not {state}: {self.text}")
        said = "\n".join([check["text"], *check["advice"]])
        for text in texts:
            expect(text in said, f"{name} does not say {text!r}: {self.text}")

    def expect_only(self, name: str, *texts: str) -> None:
        """One problem, and no other."""
        self.expect(name, "problem", *texts)
        problems = [each for each, check in self.checks.items() if check["state"] == "problem"]
        expect(problems == [name], f"problems: {problems}: {self.text}")


class Checks:
    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        self.directories = 0

    def directory(self) -> Path:
        self.directories += 1
        path = self.scratch / f"d{self.directories}"
        path.mkdir()
        return path

    def run(self, *arguments, **options) -> subprocess.CompletedProcess:
        return subprocess.run([self.binary, *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=PATIENCE_SECONDS, cwd=options.pop("cwd", self.scratch),
                              **options)

    def doctor(self, *arguments, **options) -> Diagnosis:
        return Diagnosis(self.run("doctor", "--json", *arguments, **options))

    def server(self, *options: str, listen: str = "127.0.0.1:0") -> Server:
        return Server(self.binary, self.directory() / "data", *options, listen=listen).wait_until_ready()

    def healthy(self) -> str:
        with self.server() as server:
            here = ("--listen", f"127.0.0.1:{server.port}", "--data", server.data)
            diagnosis = self.doctor(*here)
            for name in ("system", "data", "server", "clock", "key"):
                diagnosis.expect(name, "good")
            for name in ("memory", "files", "disk"):
                expect(diagnosis.checks[name]["state"] in ("good", "warning"), diagnosis.text)
            diagnosis.expect("port", "note", f"process {server.process.pid}")
            diagnosis.expect("certificate", "note", "curl")
            lines = [line for line in self.run("doctor", *here).stdout.splitlines() if not line.startswith(" ")]
            expect([line.split()[1] for line in lines] == list(diagnosis.checks), f"{lines}")
        return f"{len(lines)} checks"

    def no_server(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.doctor("--listen", f"127.0.0.1:{port}", "--data", self.scratch / "new").expect("server", "note", "serve")
        self.doctor("--endpoint", f"http://127.0.0.1:{port}/", "--listen", f"127.0.0.1:{port}",
                    "--data", self.scratch / "new").expect_only("server", "refused")
        done = self.export(f"http://127.0.0.1:{port}/")
        expect(done.returncode == 1 and "`orrery doctor`" in done.stderr, done.stderr)

    def export(self, endpoint: str, *arguments) -> subprocess.CompletedProcess:
        return self.run("export", "--endpoint", endpoint, "--database", "d", "--container", "c", *arguments)

    def port(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            listen = f"127.0.0.1:{other.getsockname()[1]}"
            data = self.directory() / "data"
            done = self.run("serve", "--listen", listen, "--data", data)
            expect(done.returncode == 1 and f"`orrery doctor --listen {listen} --data {data}`" in done.stderr,
                   done.stderr)
            with Silent(other):
                diagnosis = self.doctor("--listen", listen, "--data", data)
            diagnosis.expect_only("port", f"process {os.getpid()}", "orrery serve --listen 127.0.0.1:", "kill")

    def address(self) -> None:
        self.doctor("--listen", "192.0.2.1:0", "--data", self.scratch / "new").expect("port", "problem", "0.0.0.0")

    def data_in_use(self) -> None:
        with self.server() as server:
            done = self.run("serve", "--listen", "127.0.0.1:0", "--data", server.data)
            expect(done.returncode == 1 and "orrery doctor" in done.stderr, done.stderr)
            self.doctor("--listen", "127.0.0.1:0", "--data", server.data).expect(
                "data", "problem", f"process {server.process.pid}", "--data")

    def data(self) -> None:
        foreign = self.directory()
        (foreign / "photo").touch()
        self.doctor("--listen", "127.0.0.1:0", "--data", foreign).expect_only("data", "not an Orrery data directory")
        expect([path.name for path in foreign.iterdir()] == ["photo"], "it has changed something")
        readable = self.directory()
        readable.chmod(0o755)
        self.doctor("--listen", "127.0.0.1:0", "--data", readable).expect("data", "warning", "chmod 700")

    def permissions(self) -> None:
        """As another user, whom everything here is open to but the directory."""
        locked = self.directory()
        locked.chmod(0o755)
        self.scratch.chmod(0o755)
        if os.geteuid() == 0:
            with open(self.binary, "rb") as program:
                done = subprocess.run(["orrery", "doctor", "--json", "--listen", "127.0.0.1:0", "--data", locked / "new"],
                                      executable=f"/proc/self/fd/{program.fileno()}", pass_fds=[program.fileno()],
                                      user=NOBODY, group=NOBODY, extra_groups=[], capture_output=True, text=True,
                                      cwd="/", timeout=PATIENCE_SECONDS)
            diagnosis = Diagnosis(done)
        else:
            locked.chmod(0o500)
            diagnosis = self.doctor("--listen", "127.0.0.1:0", "--data", locked / "new")
        diagnosis.expect_only("data", "may not write to", str(locked))

    def disk(self) -> None:
        if os.geteuid() != 0:
            raise Skip("only root can mount a small disk")
        small = self.directory()
        script = f"mount -t tmpfs -o size=1m none {small} && exec {self.binary} doctor --json --listen 127.0.0.1:0 " \
                 f"--data {small}/data"
        done = subprocess.run(["unshare", "--mount", "sh", "-c", script], capture_output=True, text=True,
                              timeout=PATIENCE_SECONDS)
        if "mount:" in done.stderr or "unshare:" in done.stderr:
            raise Skip(f"no small disk: {done.stderr}")
        Diagnosis(done).expect_only("disk", "refuse writes")

    def limits(self) -> None:
        here = ("--listen", "127.0.0.1:0", "--data", self.scratch / "new")
        for limit, state in ((4096, "warning"), (300, "problem")):
            def limited(files: int = limit) -> None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
            self.doctor(*here, preexec_fn=limited).expect("files", state, "LimitNOFILE")
        environment = os.environ | {"ORRERY_BLOCK_CACHE_MB": "1000000"}
        self.doctor(*here, env=environment).expect("memory", "warning", "--block-cache-mb")

    def key(self) -> None:
        key_file = self.directory() / "key"
        key_file.write_text(KEY)
        with self.server("--key-file", str(key_file)) as server:
            endpoint = f"http://127.0.0.1:{server.port}/"
            here = ("--listen", f"127.0.0.1:{server.port}", "--data", server.data)
            self.doctor(*here).expect_only("key", "public key", "--key-file")
            self.doctor(*here, "--key-file", key_file).expect("key", "good")
            wrong = base64.b64encode(bytes(64)).decode()
            self.doctor(*here, "--endpoint", endpoint, "--key", wrong).expect_only("key", "does not accept")
            done = self.export(endpoint)
            expect(done.returncode == 1 and "`orrery doctor`" in done.stderr and "payload" not in done.stderr,
                   done.stderr)
            config = self.directory() / "orrery.toml"
            config.write_text(f'listen = "127.0.0.1:{server.port}"\ndata = "{server.data}"\nkey-file = "{key_file}"\n')
            self.doctor("--config", config).expect("key", "good")

    def certificate(self) -> None:
        with self.server() as server:
            endpoint = f"https://localhost:{server.port}/"
            here = ("--listen", f"127.0.0.1:{server.port}", "--data", server.data)
            self.doctor(*here, "--endpoint", endpoint).expect_only(
                "certificate", "connection_verify", "NODE_EXTRA_CA_CERTS", "keytool", "SSL_CERT_FILE", "--ca",
                "http://localhost:")
            trusted = self.doctor(*here, "--endpoint", endpoint, "--ca", server.data / "tls/certificate.pem")
            trusted.expect("certificate", "good")
            trusted.expect("key", "good")
            done = self.export(endpoint)
            expect(done.returncode == 1 and "not trusted" in done.stderr and "`orrery doctor`" in done.stderr,
                   done.stderr)
        with self.server(listen="127.0.0.2:0") as server:
            self.doctor("--endpoint", f"https://127.0.0.2:{server.port}/", "--ca", server.data / "tls/certificate.pem",
                        "--listen", f"127.0.0.2:{server.port}", "--data", server.data).expect_only(
                            "certificate", "is not for '127.0.0.2'")

    def clock(self) -> None:
        with Skewed() as port:
            self.doctor("--endpoint", f"http://127.0.0.1:{port}/", "--listen", "127.0.0.1:0",
                        "--data", self.scratch / "new").expect("clock", "problem", "ahead of", "timedatectl")
        with self.server() as server, Client(server.port) as client:
            refused = client.request("GET", "/dbs", headers=client.signed("GET", "/dbs", shift_seconds=SKEW_SECONDS))
            expect(refused.status == 403 and b"`orrery doctor`" in refused.body, f"{refused}")

    def settings(self) -> None:
        config = self.directory() / "orrery.toml"
        config.write_text("no-such-option = 1\n")
        self.doctor("--config", config, "--endpoint", "http://127.0.0.1:1/").expect("settings", "problem",
                                                                                    "no-such-option")


class Silent:
    """Takes connections and closes them, as a program that is no server of this API may."""

    def __init__(self, listening: socket.socket):
        self.listening = listening

    def __enter__(self) -> None:
        threading.Thread(target=self.close_all, daemon=True).start()

    def __exit__(self, *_) -> None:
        self.listening.shutdown(socket.SHUT_RDWR)

    def close_all(self) -> None:
        while True:
            try:
                self.listening.accept()[0].close()
            except OSError:
                return


class Skewed:
    """A server with a clock that is an hour behind."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(200 if self.path == "/ready" else 403)
            self.send_header("Date", formatdate(time.time() - SKEW_SECONDS, usegmt=True))
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_) -> None:
            pass

    def __enter__(self) -> int:
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self.Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self.server.server_address[1]

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    # Settings for other servers are settings of the doctor too.
    for name in [name for name in os.environ if name.startswith("ORRERY_")]:
        del os.environ[name]
    report = Report()
    with scratch_directory("doctor") as scratch:
        own = Checks(options.server.resolve(), scratch)
        for check in (own.healthy, own.no_server, own.port, own.address, own.data_in_use, own.data, own.permissions,
                      own.disk, own.limits, own.key, own.certificate, own.clock, own.settings):
            report.run(check.__name__, check)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
