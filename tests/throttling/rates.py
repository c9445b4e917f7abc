"""Clients get what was provisioned, no more and no less, and share it fairly."""

import time

from lib.client import Client
from lib.report import expect
from load import Load, check_limited, insist
from world import DEAR, Creates, all_ids, autoscale, container, manual, set_throughput

WINDOW_SECONDS = 30
CLIENTS = 8
TOLERANCE = 0.05
AGAIN_MAX = 0.5  # of the repeated requests


def check_rate(port: int, name: str, throughput: dict[str, str], units: int, keys: list[str]) -> str:
    with Client(port) as client:
        creates = Creates(container(client, name, throughput), keys, properties=DEAR)
        load = Load(port, creates, clients=CLIENTS, seconds=WINDOW_SECONDS + 2).finish()
        check_limited([load], units, TOLERANCE)
        expect(load.smallest_share() >= 0.5, f"a client got {load.smallest_share():.2f} of the average")
        expect(load.refusals > 0, "nothing was refused")
        expect(load.refused_again() <= AGAIN_MAX, f"{load.refused_again():.0%} were refused again")
        found = all_ids(client, creates.link, insist)
    expect(not found & creates.refused, f"{len(found & creates.refused)} refused items are there")
    expect(found == creates.created, f"{len(found)} items, but {len(creates.created)} were created")
    return (f"{load.rate():.1f} RU/s, the poorest client {load.smallest_share():.0%} of the average, "
            f"{load.refusals} refused and {load.refused_again():.0%} of them again after waiting")


def hot_fixed(port: int) -> str:
    return check_rate(port, "hot-fixed", manual(400), 400, ["hot"])


def spread_fixed(port: int) -> str:
    return check_rate(port, "spread-fixed", manual(400), 400, [f"k{i}" for i in range(50)])


def hot_autoscale(port: int) -> str:
    return check_rate(port, "hot-autoscale", autoscale(1000), 1000, ["hot"])


def spread_autoscale(port: int) -> str:
    return check_rate(port, "spread-autoscale", autoscale(1000), 1000, [f"k{i}" for i in range(50)])


def changed(port: int) -> str:
    """A new throughput applies at once. Raising it also gives the balance of a second, which is not measured."""
    with Client(port) as client:
        link = container(client, "changed", manual(400))
        load = Load(port, Creates(link, ["a"], properties=DEAR), clients=CLIENTS, seconds=29)
        marks = []
        for units in (1000, 400):
            time.sleep(max(0.0, load.begin + 10 * (len(marks) + 1) - time.monotonic()))
            set_throughput(client, link, units)
            marks.append(time.monotonic())
        load.finish()
    rates = []
    for units, begin, end in ((400, load.begin + 2, marks[0]), (1000, marks[0] + 2, marks[1]),
                              (400, marks[1] + 2, load.end)):
        check_limited([load], units, 2 * TOLERANCE, begin, end)
        rates.append(f"{load.rate(begin, end):.1f}")
    return ", ".join(rates) + " RU/s"


CHECKS = {
    "400 RU/s, one hot key": hot_fixed,
    "400 RU/s, spread keys": spread_fixed,
    "autoscale 1,000 RU/s, one hot key": hot_autoscale,
    "autoscale 1,000 RU/s, spread keys": spread_autoscale,
    "throughput changed from 400 to 1,000 and back": changed,
}
