"""Against a server that refuses what is beyond the throughput of a container."""

import contextlib
import os
import time
from concurrent.futures import ThreadPoolExecutor

from azure.cosmos import PartitionKey
from azure.cosmos.exceptions import CosmosHttpResponseError

from support import new_client, random_id, refused, scenario

ENDPOINT = os.environ.get("ORRERY_THROTTLED_ENDPOINT")
# Costs what is earned in about three seconds.
LARGE = {"id": "large", "pk": "a", "text": "x" * 1_950_000}
# About 100 request units each.
ITEMS = [{"id": f"item{number}", "pk": "a"} | {f"p{index}": index for index in range(500)} for number in range(16)]


@contextlib.contextmanager
def container():
    """The same container through a client with the default retries and one without retries."""
    client = new_client(endpoint=ENDPOINT)
    impatient = new_client(endpoint=ENDPOINT, retry_throttle_total=-1)  # 0 would mean the default
    database = client.create_database(random_id())
    try:
        patient = database.create_container("items", PartitionKey("/pk"), offer_throughput=400)
        yield patient, impatient.get_database_client(database.id).get_container_client("items")
    finally:
        client.delete_database(database.id)


def throttling(name):
    """A scenario if there is a server for it."""
    return scenario(name) if ENDPOINT else lambda body: body


@throttling("throttling.retried")
def retried():
    with container() as (patient, _):
        started = time.monotonic()
        large = patient.create_item(LARGE)
        with ThreadPoolExecutor(len(ITEMS)) as pool:
            list(pool.map(patient.create_item, ITEMS))
        seconds = time.monotonic() - started
        charge = float(large.get_response_headers()["x-ms-request-charge"])
        assert charge > 1000, charge
        # 400 request units are there at once; before the rest is earned, nothing else is admitted.
        assert seconds > (charge - 400) / 400, (charge, seconds)
        found = patient.query_items("SELECT VALUE c.id FROM c", partition_key="a")
        assert sorted(found) == sorted(item["id"] for item in [LARGE, *ITEMS])


@throttling("throttling.surfaced")
def surfaced():
    with container() as (patient, impatient):
        impatient.create_item(LARGE)
        try:
            impatient.create_item({"id": "refused", "pk": "a"})
        except CosmosHttpResponseError as error:
            assert (error.status_code, error.sub_status) == (429, 3200), error
            assert "Request rate is large" in str(error), error
            assert 0 < int(error.headers["x-ms-retry-after-ms"]) <= 5000, error.headers
            assert float(error.headers["x-ms-request-charge"]) == 0.38, error.headers
        else:
            raise AssertionError("wanted 429, got success")
        with refused(404):
            patient.read_item("refused", "a")  # waits
