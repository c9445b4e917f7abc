"""The device telemetry program of the partitioning article, with azure-cosmos."""

import os
import re
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

from azure.cosmos import CosmosClient, PartitionKey
from azure.cosmos.documents import SSLConfiguration
from azure.cosmos.exceptions import CosmosResourceNotFoundError


def main():
    client = CosmosClient(os.environ["ORRERY_ENDPOINT"], os.environ["ORRERY_KEY"],
                          ssl_config=SSLConfiguration(), connection_verify=os.environ["ORRERY_CERTIFICATE"])
    database = client.create_database(f"db-{uuid.uuid4().hex[:12]}")
    try:
        telemetry(database)
    finally:
        client.delete_database(database)


def telemetry(database):
    container = database.create_container("coll", PartitionKey("/deviceId"), offer_throughput=20000)

    container.create_item({
        "id": "XMS-001-FE24C",
        "deviceId": "XMS-0001",
        "metricType": "Temperature",
        "metricValue": 105.0,
        "unit": "Fahrenheit",
        "readingTime": now(),
    })

    reading = container.read_item("XMS-001-FE24C", partition_key="XMS-0001")
    assert reading["metricValue"] == 105.0

    reading["metricValue"] = 104
    reading["readingTime"] = now()
    container.replace_item(reading["id"], reading)
    updated = container.read_item("XMS-001-FE24C", partition_key="XMS-0001")
    assert (updated["metricValue"], updated["readingTime"]) == (104, reading["readingTime"])

    set_latest_state(container)
    queries(container)

    container.delete_item("XMS-001-FE24C", partition_key="XMS-0001")
    try:
        container.read_item("XMS-001-FE24C", partition_key="XMS-0001")
    except CosmosResourceNotFoundError:
        return
    raise AssertionError("still exists after delete")


def set_latest_state(container):
    """The procedure works on the readings of one device, in one transaction."""
    body = Path(os.environ["ORRERY_SCRIPTS"], "set_latest_state_across_readings.js").read_text(encoding="utf-8")
    container.scripts.create_stored_procedure({"id": "SetLatestStateAcrossReadings", "body": body})
    done = container.scripts.execute_stored_procedure(
        "SetLatestStateAcrossReadings", partition_key="XMS-0001", params=["XMS-001-FE24C"])
    assert done["latest"], done
    state = container.read_item("latestState", partition_key="XMS-0001")
    assert state["metrics"] == done["metrics"] and state["metrics"]["Temperature"]["value"] == 104, state


def queries(container):
    """A query for one device reads one partition, a query for all devices reads all."""
    for n in range(20):
        container.create_item({"id": f"reading-{n}", "deviceId": f"XMS-{n % 7}", "metricValue": 95 + n,
                               "metricType": "Temperature" if n % 4 else "Pressure"})
    one = container.query_items(
        'SELECT VALUE r.metricValue FROM r WHERE r.metricType = "Temperature" AND r.deviceId = "XMS-0001"')
    assert list(one) == [104]
    hot = 'SELECT VALUE r.metricValue FROM r WHERE r.metricType = "Temperature" AND r.metricValue > 100'
    wanted = [101, 102, 104, 104, 105, 106, 108, 109, 110, 112, 113, 114]
    for query, rows in ((hot, sorted), (hot + " ORDER BY r.metricValue", list)):
        found = rows(container.query_items(query, enable_cross_partition_query=True))
        assert found == wanted, found


def now():
    return datetime.now(timezone.utc).isoformat()


if re.search(os.environ.get("ORRERY_SCENARIO") or "", "telemetry"):
    try:
        main()
        print("pass telemetry")
    except Exception as error:
        print(f"fail telemetry: {type(error).__name__}: {' '.join(str(error).split())}")
        sys.exit(1)
