"""The harness, clients, fresh databases, and signed raw requests for what the SDK cannot send."""

import base64
import contextlib
import hashlib
import hmac
import http.client
import json
import os
import re
import ssl
import time
import traceback
import uuid
from email.utils import formatdate
from urllib.parse import quote, urlsplit

from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.documents import SSLConfiguration
from azure.cosmos.exceptions import CosmosHttpResponseError

ENDPOINT = os.environ["ORRERY_ENDPOINT"]
KEY = os.environ["ORRERY_KEY"]
READONLY_KEY = os.environ.get("ORRERY_READONLY_KEY") or ""
CERTIFICATE = os.environ["ORRERY_CERTIFICATE"]
PARTITIONS = int(os.environ.get("ORRERY_PARTITIONS") or 0)
CHURN = bool(os.environ.get("ORRERY_CHURN"))  # partitions are split and merged all the time
OTHER_KEY = base64.b64encode(bytes([7] * 64)).decode()
SYSTEM_PROPERTIES = ("_rid", "_self", "_etag", "_ts", "_attachments")

_scenarios = []
_client = None


def scenario(name):
    def register(body):
        _scenarios.append((name, body))
        return body
    return register


def run_all() -> int:
    only = os.environ.get("ORRERY_SCENARIO") or ""
    failed = False
    for name, body in _scenarios:
        if not re.search(only, name):
            continue
        try:
            body()
            print(f"pass {name}", flush=True)
        except Exception as error:  # a failing scenario must not stop the others
            failed = True
            ours = [frame for frame in traceback.extract_tb(error.__traceback__)
                    if os.path.dirname(frame.filename) == os.path.dirname(__file__)]
            at = next((frame for frame in reversed(ours) if frame.filename != __file__), ours[-1])
            text = " ".join(f"{type(error).__name__}: {error}".split())[:400]
            print(f"fail {name}: {text} ({os.path.basename(at.filename)}:{at.lineno})", flush=True)
    return 1 if failed else 0


def new_client(key=KEY, endpoint=ENDPOINT, **options) -> CosmosClient:
    # For loopback addresses the SDK verifies no certificate unless it is given an SSL configuration.
    return CosmosClient(endpoint, key, ssl_config=SSLConfiguration(), connection_verify=CERTIFICATE,
                        **options)


def client() -> CosmosClient:
    global _client
    _client = _client or new_client()
    return _client


def random_id(prefix="python") -> str:
    return f"{prefix}-{uuid.uuid4().hex[:12]}"


@contextlib.contextmanager
def database():
    """A separate database, always deleted at the end."""
    made = client().create_database(random_id())
    try:
        yield made
    finally:
        client().delete_database(made.id)


@contextlib.contextmanager
def container(path="/pk", **definition):
    with database() as parent:
        yield parent.create_container("items", PartitionKey(path), **definition)


def of_other_client(proxy, **options):
    """The same container through a new client."""
    names = proxy.container_link.split("/")
    return new_client(**options).get_database_client(names[1]).get_container_client(names[3])


@contextlib.contextmanager
def refused(status, sub_status=None, text=""):
    try:
        yield
    except CosmosHttpResponseError as error:
        assert error.status_code == status, f"wanted {status}, got {error}"
        if sub_status is not None:
            assert error.sub_status == sub_status, f"wanted {status}/{sub_status}, got {error}"
        assert text in str(error), f"wanted {text}, got {error}"
        return
    raise AssertionError(f"wanted {status}, got success")


class Statuses(list):
    """Collects the HTTP status of each answer except account reads: pass it as raw_response_hook."""

    def __bool__(self):
        return True  # azure-core ignores a falsy hook, such as an empty list

    def __call__(self, response):
        if urlsplit(response.http_request.url).path.strip("/"):
            self.append(response.http_response.status_code)


def eventually(what, probe):
    """Calls probe until it is true. The deadline is generous: only a hang should reach it."""
    deadline = time.monotonic() + 30
    while not probe():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.1)


def user_part(item):
    return {name: value for name, value in item.items() if name not in SYSTEM_PROPERTIES}


def all_ids(proxy):
    return sorted(item["id"] for item in proxy.read_all_items())


def session_token(answer):
    """The session token of an answer: "0:3#12" -> ("0", 12)."""
    token = answer.get_response_headers()["x-ms-session-token"]
    match = re.match(r"(\d+):-?\d+#(\d+)", token)
    assert match, f"session token {token}"
    return match[1], int(match[2])


def raw(method, link, body=None, headers=None):
    """A signed request without the SDK; link is the plain name path. Returns status, sub-status, text."""
    segments = link.split("/")
    is_feed = len(segments) % 2 == 1
    kind = segments[-1 if is_feed else -2]
    signed_link = "/".join(segments[:-1]) if is_feed else link
    date = formatdate(usegmt=True)
    text = f"{method.lower()}\n{kind}\n{signed_link}\n{date.lower()}\n\n"
    digest = hmac.new(base64.b64decode(KEY), text.encode(), hashlib.sha256).digest()
    token = quote(f"type=master&ver=1.0&sig={base64.b64encode(digest).decode()}", safe="")
    address = urlsplit(ENDPOINT)
    connection = http.client.HTTPSConnection(address.hostname, address.port, timeout=60,
                                             context=ssl.create_default_context(cafile=CERTIFICATE))
    try:
        connection.request(method, "/" + "/".join(quote(part, safe="") for part in segments),
                           body.encode() if body is not None else None,
                           {"authorization": token, "x-ms-date": date, "x-ms-version": "2020-07-15",
                            "content-type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, int(answer.headers.get("x-ms-substatus") or 0), answer.read().decode()
    finally:
        connection.close()


def key_header(*values):
    return {"x-ms-documentdb-partitionkey": json.dumps(values)}
