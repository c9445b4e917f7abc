"""An issuer's web server, as far as the keys of its tokens go, and certificates made with openssl."""

import json
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Authority:
    """Signs certificates of servers and clients; files in one directory."""

    def __init__(self, directory: Path, name: str):
        self.directory, self.name = directory, name
        self.certificate, self.key = directory / f"{name}.pem", directory / f"{name}.key"
        run("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
            f"/CN={name}", "-keyout", self.key, "-out", self.certificate)

    def issue(self, name: str, *extensions: str, expired: bool = False) -> tuple[Path, Path]:
        """A certificate and its key."""
        base = self.directory / f"{self.name}-{name}"
        certificate, key, request = (base.with_suffix(suffix) for suffix in (".pem", ".key", ".csr"))
        run("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
            "-keyout", key, "-out", request)
        settings = base.with_suffix(".ext")
        settings.write_text("\n".join(("basicConstraints=CA:FALSE", *extensions)) + "\n")
        period = ("-days", "-1") if expired else ("-days", "2")
        run("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self.key, "-CAcreateserial", *period,
            "-extfile", settings, "-out", certificate)
        return certificate, key


def run(*arguments) -> None:
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"openssl {arguments[0]}: {done.stderr}")


class Issuer:
    """Serves a key set at /keys: whatever `answer` says at that moment."""

    def __init__(self, certificate: tuple[Path, Path] | None, port: int = 0):
        self.answer = (200, b"", {})
        self.asked = 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                issuer.asked += 1
                status, body, headers = issuer.answer
                self.send_response(status)
                for name, value in ({"Content-Length": str(len(body))} | headers).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            # With the handshake in the handler's thread, a client that refuses does not end the server.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True,
                                                     do_handshake_on_connect=False)
        self.server.handle_error = lambda *_: None
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def __enter__(self) -> "Issuer":
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()

    def publish(self, *signers) -> None:
        self.answer = (200, json.dumps({"keys": [signer.jwk() for signer in signers]}).encode(), {})
