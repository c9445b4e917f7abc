#!/usr/bin/env python3
"""Keys of bearer tokens from a URL, client certificates, and answers to many failed logins."""

import argparse
import base64
import http.client
import json
import secrets
import socket
import ssl
import sys
import threading
import time
import urllib.request
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from issuer import Authority, Issuer  # noqa: E402
from lib.client import Answer, Client  # noqa: E402
from lib.report import Report, expect, scratch_directory  # noqa: E402
from lib.server import DEFAULT_BINARY, Server  # noqa: E402
import tokens  # noqa: E402

PATIENCE_SECONDS = 30
CONTRIBUTOR = "00000000-0000-0000-0000-000000000002"


class World:
    def __init__(self, binary: Path, scratch: Path):
        self.binary, self.scratch = binary, scratch
        self.authority, self.stranger = Authority(scratch, "authority"), Authority(scratch, "stranger")
        self.issuer_certificate = self.authority.issue("localhost", "subjectAltName=DNS:localhost")
        self.signers = [tokens.Signer(f"k{number}") for number in range(3)]
        self.servers = 0

    def start(self, *options: str) -> Server:
        self.servers += 1
        server = Server(self.binary, self.scratch / f"data{self.servers}", *options)
        return server.wait_until_ready()

    def with_keys_at(self, url: str, *options: str) -> Server:
        return self.start("--token-issuer", tokens.ISSUER, "--token-audience", tokens.AUDIENCE, "--token-keys-url", url,
                          *options)

    def with_issuer(self, issuer: Issuer, host: str = "localhost") -> Server:
        server = self.with_keys_at(f"https://{host}:{issuer.port}/keys?secret=s3cret", "--token-keys-ca",
                                   str(self.authority.certificate))
        assign_role(server)
        return server


def assign_role(server: Server) -> None:
    made = Client(server.port).request("PUT", "/sqlRoleAssignments/33333333-3333-3333-3333-333333333333", {
        "properties": {"roleDefinitionId": "/sqlRoleDefinitions/" + CONTRIBUTOR, "scope": "/", "principalId": "me"}})
    expect(made.status < 300, f"{made.status} {made.body!r}")


def login(server: Server, signer: tokens.Signer) -> Answer:
    return Client(server.port).request("GET", "/", None, {
        "authorization": "type=aad&ver=1.0&sig=" + signer.token("me")})


def metric(server: Server, name: str) -> float | None:
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics") as page:
        for line in page.read().decode().splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
    return None


def until(what: str, check) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not check():
        expect(time.monotonic() < deadline, f"{what}: not within {PATIENCE_SECONDS} s")
        time.sleep(0.05)


def failures(server: Server) -> float | None:
    return metric(server, 'orrery_token_keys_fetches_total{outcome="failure"}')


def rotation(world: World) -> None:
    """A token with a new key makes the server fetch the keys, once a minute at most."""
    first, second, third = world.signers
    with Issuer(world.issuer_certificate) as issuer:
        issuer.publish(first)
        with world.with_issuer(issuer) as server:
            expect((login(server, first).status, login(server, second).status, issuer.asked >= 1) == (200, 401, True),
                   "at the start")
            until("the fetch for an unknown key", lambda: issuer.asked == 2)
            issuer.publish(second)
            refused = login(server, second)
            expect(refused.status == 401 and b"not known" in refused.body, f"{refused.status} {refused.body!r}")
            for _ in range(20):
                login(server, third)
                time.sleep(0.1)
            expect(issuer.asked == 2, f"{issuer.asked} fetches within a minute")
            server.stop()
        with world.with_issuer(issuer) as server:
            issuer.publish(first, second)
            until("the new key", lambda: login(server, first).status == 200)
            expect(login(server, second).status == 200, "the old key")
            expect(metric(server, 'orrery_token_keys_fetches_total{outcome="success"}') == 2, "fetches")
            expect((metric(server, "orrery_token_keys_age_seconds") or 99) < PATIENCE_SECONDS, "age")
            expect("s3cret" not in server.log.read_text(), "the query of the URL is in the log")
            server.stop()


def keeps_old_keys(world: World) -> str:
    """What cannot be used is refused, and the keys that were there stay."""
    first, second, _ = world.signers
    good = json.dumps({"keys": [second.jwk()]}).encode()
    bad = {"status 500": (500, good, {}), "redirect": (302, good, {"Location": "/keys"}),
           "no keys": (200, b'{"keys":[]}', {}), "no JSON": (200, b"<html>", {}), "cut off": (200, good[:-9], {}),
           "too large": (200, good + b" " * (1 << 20), {}),
           "short of its length": (200, good, {"Content-Length": str(len(good) + 10), "Connection": "close"})}
    for name, answer in bad.items():
        with Issuer(world.issuer_certificate) as issuer:
            issuer.publish(first)
            with world.with_issuer(issuer) as server:
                issuer.answer = answer
                expect(login(server, second).status == 401, name)
                until(name, lambda: failures(server) == 1)
                expect((login(server, first).status, login(server, second).status) == (200, 401), name)
                line = next(line for line in server.log.read_text().splitlines() if "token_keys_not_fetched" in line)
                expect("keeps_old_keys=true" in line, line)
                server.stop()
    return ", ".join(bad)


def starts_without_keys(world: World) -> None:
    """The server starts when the issuer is down; tokens are refused until it is up."""
    with Issuer(world.issuer_certificate) as issuer:
        port = issuer.port
    with world.with_keys_at(f"https://localhost:{port}/keys", "--token-keys-ca",
                            str(world.authority.certificate)) as server:
        assign_role(server)
        expect(failures(server) == 1 and metric(server, "orrery_token_keys_age_seconds") is None, "metrics")
        with Issuer(world.issuer_certificate, port) as issuer:
            issuer.publish(world.signers[0])
            refused = login(server, world.signers[0])
            expect(refused.status == 401 and refused.headers["x-ms-substatus"] == "5200" and
                   b"could not fetch the keys" in refused.body, f"{refused.status} {refused.body!r}")
            until("the keys", lambda: login(server, world.signers[0]).status == 200)
        expect(login(server, world.signers[0]).status == 200, "the issuer is gone again")
        server.stop()


def trusts_only_the_issuer(world: World) -> None:
    """The certificate must be for the host, and of an authority that is trusted."""
    url_and_reason = []
    with Issuer(world.issuer_certificate) as issuer, \
            Issuer(world.stranger.issue("localhost", "subjectAltName=DNS:localhost")) as stranger, \
            Issuer(world.authority.issue("other", "subjectAltName=DNS:other.example")) as misnamed, \
            Issuer(world.authority.issue("late", "subjectAltName=DNS:localhost", expired=True)) as expired, \
            Issuer(None) as plain:
        for each in (issuer, stranger, misnamed, expired, plain):
            each.publish(world.signers[0])
        url_and_reason = [(f"https://127.0.0.1:{issuer.port}/keys", "IP address mismatch"),
                          (f"https://localhost:{stranger.port}/keys", "unable to get local issuer certificate"),
                          (f"https://localhost:{misnamed.port}/keys", "ostname mismatch"),
                          (f"https://localhost:{expired.port}/keys", "expired"),
                          (f"https://localhost:{plain.port}/keys", "TLS handshake")]
        for url, reason in url_and_reason:
            with world.with_keys_at(url, "--token-keys-ca", str(world.authority.certificate)) as server:
                expect(login(server, world.signers[0]).status == 401, url)
                log = server.log.read_text()
                expect("token_keys_not_fetched" in log and reason in log, f"{url}: {log[-800:]}")
                server.stop()
        # The system does not know the authority; plain HTTP is fine on this machine.
        for url, expected in ((f"https://localhost:{issuer.port}/keys", 401),
                              (f"http://127.0.0.1:{plain.port}/keys", 200)):
            with world.with_keys_at(url) as server:
                assign_role(server)
                expect(login(server, world.signers[0]).status == expected, url)
                server.stop()


def stops_while_fetching(world: World) -> None:
    """An issuer that accepts and says nothing delays the start by a time-out at most, and the stop not at all."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        began = time.monotonic()
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/keys"
        with world.with_keys_at(url) as server:
            expect(8 < time.monotonic() - began < PATIENCE_SECONDS, f"{time.monotonic() - began:.1f} s to start")
            login(server, world.signers[0])  # fetches again
            time.sleep(0.5)
            began = time.monotonic()
            server.stop()
            expect(time.monotonic() - began < 8, f"{time.monotonic() - began:.1f} s to stop")


def tls(certificate: tuple[Path, Path] | None = None, **settings) -> ssl.SSLContext:
    context = ssl._create_unverified_context()
    if certificate:
        context.load_cert_chain(*certificate)
    for name, value in settings.items():
        setattr(context, name, value)
    return context


def ask_securely(server: Server, context: ssl.SSLContext, path: str = "/") -> int | None:
    """The status; nothing if TLS fails."""
    client = Client(server.port)
    client.connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=context, timeout=30)
    try:
        return client.request("GET", path).status
    except (ssl.SSLError, ConnectionError, http.client.HTTPException):
        return None


def client_certificates(world: World) -> None:
    """Who gets what where client certificates are required."""
    usage = "extendedKeyUsage=clientAuth"
    right = world.authority.issue("client", usage)
    refused = {"none": None, "of another authority": world.stranger.issue("client", usage),
               "expired": world.authority.issue("expired", usage, expired=True),
               "for servers": world.authority.issue("server", "extendedKeyUsage=serverAuth")}
    with world.start("--tls-client-ca", str(world.authority.certificate)) as server:
        for version in (ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3):
            limits = {"maximum_version": version}
            expect(ask_securely(server, tls(right, **limits)) == 200, f"{version}: the right one")
            for name, certificate in refused.items():
                expect(ask_securely(server, tls(certificate, **limits)) is None, f"{version}: {name}")
                expect(ask_securely(server, tls(certificate, **limits), "/alive") is None, f"{version}: {name}")
        # The client may know first.
        until("16 failures counted", lambda: metric(server, "orrery_tls_handshake_failures_total") == 16)
        answer = Client(server.port).request("GET", "/")
        expect(answer.status == 403 and b"requires HTTPS with a client certificate" in answer.body, f"{answer.status}")
        for probe in ("/alive", "/ready", "/metrics"):
            expect(Client(server.port).request("GET", probe).status == 200, f"{probe} on this machine")
        forged = Client(server.port, base64.b64encode(secrets.token_bytes(64)).decode())
        forged.connection = http.client.HTTPSConnection("127.0.0.1", server.port, context=tls(right), timeout=30)
        expect(forged.request("GET", "/").status == 401, "a certificate replaces no key")
        expect("client certificates required" in server.log.read_text(), "what the server says at the start")
        server.stop()
    empty = world.scratch / "empty.pem"
    empty.write_text("")
    for file in (empty, world.authority.key):
        with Server(world.binary, world.scratch / "unused", "--tls-client-ca", str(file)) as server:
            expect(server.wait_for_exit() == 1, f"started with {file.name}")


def versions_and_ciphers(world: World) -> None:
    """TLS 1.1, and TLS 1.2 with weak ciphers, are refused."""
    with world.start() as server:
        def served(minimum: ssl.TLSVersion, maximum: ssl.TLSVersion, ciphers: str) -> bool:
            context = tls()
            context.set_ciphers(ciphers + ":@SECLEVEL=0")
            with warnings.catch_warnings():  # about old versions
                warnings.simplefilter("ignore")
                context.minimum_version, context.maximum_version = minimum, maximum
            return ask_securely(server, context) == 200

        version = ssl.TLSVersion
        expect(served(version.TLSv1_3, version.TLSv1_3, "DEFAULT"), "TLS 1.3")
        expect(served(version.TLSv1_2, version.TLSv1_2, "DEFAULT"), "TLS 1.2")
        expect(not served(version.TLSv1_1, version.TLSv1_1, "ALL"), "TLS 1.1")
        for weak in ("ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES256-SHA384", "AES128-GCM-SHA256", "AES128-SHA"):
            expect(not served(version.TLSv1_2, version.TLSv1_2, weak), weak)
        server.stop()


def back_off(world: World) -> str:
    """Many invalid credentials are answered late, valid ones from the same address at once."""
    with world.start() as server:
        forged = Client(server.port, base64.b64encode(secrets.token_bytes(64)).decode())
        began = time.monotonic()
        for _ in range(900):
            expect(forged.request("GET", "/").status == 401, "forged")
        free = time.monotonic() - began
        expect(metric(server, "orrery_failed_logins_delayed_total") == 0, "900 are free")

        def flood() -> None:
            with Client(server.port, base64.b64encode(secrets.token_bytes(64)).decode()) as client:
                while metric_now["delayed"] < 150:
                    client.request("GET", "/")

        metric_now = {"delayed": 0.0}
        threads = [threading.Thread(target=flood, daemon=True) for _ in range(8)]
        for thread in threads:
            thread.start()
        slowest, asked = 0.0, 0
        with Client(server.port) as valid:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while metric_now["delayed"] < 150 and time.monotonic() < deadline:
                began = time.monotonic()
                expect(valid.request("GET", "/").status == 200, "a valid key")
                slowest, asked = max(slowest, time.monotonic() - began), asked + 1
                metric_now["delayed"] = metric(server, "orrery_failed_logins_delayed_total") or 0
            metric_now["delayed"] = 1e9
        for thread in threads:
            thread.join(PATIENCE_SECONDS)
        began = time.monotonic()
        answer = forged.request("GET", "/")
        late = time.monotonic() - began
        expect(answer.status == 401 and b"to sign" in answer.body, f"{answer.status}: still says why")
        expect(late > 0.3, f"an answer after {late:.3f} s")
        expect(slowest < 1.5, f"a valid request took {slowest:.3f} s")
        expect((metric(server, 'orrery_failed_logins_total{reason="signature"}') or 0) > 1000, "counted")
        lines = [line for line in server.log.read_text().splitlines() if "login_failed" in line]
        expect(lines and "client=127.0.0.1" in lines[0] and "reason=signature" in lines[0], f"{lines[:1]}")
        expect(any("left_out=" in line for line in lines) and len(lines) < 400, f"{len(lines)} lines")
        server.stop()
    return (f"900 answers in {free:.1f} s, then one in {late:.1f} s; {asked} valid requests, the slowest in "
            f"{slowest * 1000:.0f} ms; {len(lines)} lines in the log")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", type=Path, default=DEFAULT_BINARY)
    options = parser.parse_args()
    report = Report()
    with scratch_directory("logins") as scratch:
        world = World(options.server.resolve(), scratch)
        for check in (rotation, keeps_old_keys, starts_without_keys, trusts_only_the_issuer, stops_while_fetching,
                      client_certificates, versions_and_ciphers, back_off):
            report.run(check.__name__, lambda: check(world))
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
