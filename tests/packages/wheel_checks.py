"""What the Python package promises; run by pytest in an environment in which it is installed."""

import http.client
import os
import signal
import ssl
import subprocess
import sys
import time

import orrery
import pytest
from lib.client import NO_ANSWER, Client
from roundtrip import find, store

KEY = "b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZXJ5b3JyZQ=="
PATIENCE_SECONDS = 60
ORPHAN = """
import orrery, sys
server = orrery.server()
print(server.port, flush=True)
sys.stdin.read()
"""


def answers(port: int) -> bool:
    try:
        with Client(port) as client:
            return client.request("GET", "/ready").status == 200
    except NO_ANSWER:
        return False


def test_shared_server_keeps_what_one_test_stores(orrery_server):
    store(orrery_server.port, orrery_server.key)


def test_shared_server_is_the_same_for_the_next(orrery_server):
    find(orrery_server.port, orrery_server.key)


@pytest.mark.parametrize("round", [1, 2])
def test_own_server_is_empty(empty_orrery_server, round):
    with Client(empty_orrery_server.port) as client:
        assert client.request("GET", "/dbs").json()["Databases"] == []
    store(empty_orrery_server.port)


def test_many_servers_at_the_same_time():
    servers = [orrery.server() for _ in range(4)]
    assert len({server.port for server in servers}) == len(servers)
    for server in servers:
        store(server.port)
        server.close()
        server.close()
        assert not answers(server.port)


def test_data_and_key(tmp_path):
    with orrery.server(data=tmp_path / "data", key=KEY) as server:
        store(server.port, KEY)
        assert server.connection_string == f"AccountEndpoint={server.endpoint};AccountKey={KEY};"
    with orrery.server(data=tmp_path / "data", key=KEY) as server:
        find(server.port, KEY)
        with Client(server.port) as client:
            assert client.request("GET", "/dbs").status == 401


def test_settings_of_other_servers_do_not_matter(monkeypatch, tmp_path):
    monkeypatch.setenv("ORRERY_LISTEN", "nonsense")
    monkeypatch.setenv("ORRERY_CONFIG", str(tmp_path / "none"))
    with orrery.server() as server:
        assert answers(server.port)


@pytest.mark.parametrize("throttle", [False, True])
def test_throttle(throttle):
    with orrery.server(throttle=throttle) as server:
        with Client(server.port) as client:
            assert client.request("GET", "/status").json()["throttling"] == ("on" if throttle else "off")


def test_https():
    with orrery.server() as server:
        context = ssl.create_default_context(cafile=server.certificate_file)
        connection = http.client.HTTPSConnection("localhost", server.port, context=context)
        connection.request("GET", "/ready")
        assert connection.getresponse().status == 200
        connection.close()
        assert "started" in server.log
        directory = server.certificate_file.parent
    assert not directory.exists()


def test_refusals(tmp_path):
    (tmp_path / "foreign").write_text("")
    with pytest.raises(orrery.ServerError, match="not an Orrery data directory"):
        orrery.server(data=tmp_path)
    with pytest.raises(orrery.ServerError, match="--no-such-option"):
        orrery.server(options=["--no-such-option"])
    for option in ("--listen=127.0.0.1:1", "--key-file"):
        with pytest.raises(ValueError, match="instead of --"):
            orrery.server(options=[option])


def test_settings():
    with orrery.server(options=["--partitions", "3"]) as server:
        store(server.port)
        with Client(server.port) as client:
            ranges = client.request("GET", "/dbs/packages/colls/items/pkranges").json()["PartitionKeyRanges"]
            assert len(ranges) == 3


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGKILL])
def test_server_ends_with_its_process(signal_number):
    process = subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               text=True, env=os.environ)
    port = int(process.stdout.readline())
    assert answers(port)
    process.send_signal(signal_number)
    process.wait()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while answers(port):
        assert time.monotonic() < deadline
        time.sleep(0.01)
