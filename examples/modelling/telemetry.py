"""A key for telemetry: the device's id."""

from collections import Counter

from diagram import draw
from lesson import FOUR_PARTITIONS, Lesson, items_by_partition, load

DEVICES = [f"XMS-{number:04}" for number in range(1, 101)]
METRICS = {"Temperature": "Fahrenheit", "Pressure": "hPa"}
READINGS = 5
OF_DEVICE = "SELECT * FROM r WHERE r.metricType = 'Temperature' AND r.deviceId = 'XMS-0001'"
HOT = "SELECT * FROM r WHERE r.metricType = 'Temperature' AND r.metricValue > 100"


def reading(device: str, metric: str, minute: int) -> dict:
    return {"id": f"{device}-{metric}-{minute}", "deviceId": device, "metricType": metric, "unit": METRICS[metric],
            "metricValue": 70.0 + (int(device[-4:]) + minute) % 40, "readingTime": f"2017-03-01T08:{minute:02}:00Z"}


with Lesson("telemetry") as lesson:
    by_device = lesson.container("by-device", "/deviceId", throughput=FOUR_PARTITIONS)
    by_metric = lesson.container("by-metric", "/metricType", throughput=FOUR_PARTITIONS)
    readings = [reading(device, metric, minute) for device in DEVICES for metric in METRICS
                for minute in range(READINGS)]
    load(by_device, readings, "deviceId")
    load(by_metric, readings, "metricType")

    with lesson.step("key /deviceId: readings of a device") as of_device:
        one = list(by_device.query_items(OF_DEVICE))
    with lesson.step("key /deviceId: readings above 100, all devices") as hot:
        above = list(by_device.query_items(HOT, enable_cross_partition_query=True))
    with lesson.step("key /deviceId: the same, ORDER BY metricValue") as ordered:
        in_order = list(by_device.query_items(HOT + " ORDER BY r.metricValue", enable_cross_partition_query=True))
    spread, skewed = items_by_partition(by_device), items_by_partition(by_metric)
    draw("telemetry", [("key /deviceId: 100 devices", by_device, Counter(each["deviceId"] for each in readings)),
                       ("key /metricType: 2 metrics", by_metric, Counter(each["metricType"] for each in readings))],
         "readings")

    assert len(one) == READINGS and of_device.partitions == 1 and of_device.documents == READINGS
    assert hot.partitions == ordered.partitions == 4
    values = [each["metricValue"] for each in in_order]
    assert values == sorted(each["metricValue"] for each in above) and min(values) > 100
    assert all(spread) and max(spread) < 1.5 * sum(spread) / 4
    assert skewed.count(0) >= 2, "two values cannot fill four partitions"
