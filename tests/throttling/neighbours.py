"""Who shares request units and who does not: partitions, containers, databases, priorities."""

import random
import time

from lib.client import Answer, Client
from lib.report import expect
from load import BUCKET_EXHAUSTED, Load, check_limited, insist
from world import DEAR, UPSERT, Creates, container, keys_by_range, large_item, manual, ranges, set_throughput

SECONDS = 22
TOLERANCE = 0.05


class Rewrites:
    """Writes items of 1 MB again and again: 1,250 request units each, for little work."""

    def __init__(self, link: str, key: str):
        self.link = link
        self.key = key
        self.bodies = [large_item(f"large{i}", key, 1024) for i in range(8)]

    def __call__(self, client: Client) -> Answer:
        return client.item("POST", self.link, self.key, body=random.choice(self.bodies), headers=UPSERT)


def partitions(port: int) -> str:
    """12,000 RU/s are two partitions with 6,000 each."""
    with Client(port) as client:
        link = container(client, "two", manual(12000))
        crowded, others = keys_by_range(client, link, 5, insist)
        load = Load(port, Rewrites(link, crowded[0]), clients=8, seconds=SECONDS)
        quiet = Load(port, Creates(link, others), clients=2, seconds=SECONDS, interval=0.1)
        check_usage(client, link, load, crowded[0])
    quiet.finish()
    load.finish()
    check_limited([load], 6000, 2 * TOLERANCE)
    expect(quiet.refusals == 0, f"{quiet.refusals} requests to the other partition were refused")
    return f"{load.rate():.0f} RU/s and {load.refusals} refused beside {quiet.rate():.0f} RU/s and none"


def check_usage(client: Client, link: str, load: Load, hot_key: str) -> None:
    """The details of the ranges show which one is hot, and why. Looks until the load ends."""
    fastest = {"0": 0.0, "1": 0.0}
    while time.monotonic() < load.end:
        hot, quiet = details = ranges(client, link)
        for entry in details:
            fastest[entry["id"]] = max(fastest[entry["id"]], entry["requestUnitsPerSecond"])
        time.sleep(0.2)
    expect(fastest["0"] > 4500 and 100 < fastest["1"] < 3000, f"RU in a second: {fastest}")
    expect([entry["provisionedRequestUnitsPerSecond"] for entry in details] == [6000, 6000], f"{details}")
    expect(hot["normalizedConsumption"] > 0.75 and quiet["normalizedConsumption"] < 0.5, f"{details}")
    expect(hot["throttledRequests"] > 0 and quiet["throttledRequests"] == 0, f"{details}")
    hottest = hot["hottestPartitionKeys"][0]
    expect(hottest["partitionKey"] == [hot_key] and hottest["share"] > 0.8, f"{hottest}, not {hot_key}")


def containers(port: int) -> str:
    """Containers with their own throughput, one used up and the other to a half."""
    with Client(port) as client:
        first, second = (container(client, f"own{i}", manual(400)) for i in range(2))
    load = Load(port, Creates(first, ["a"], properties=DEAR), clients=4, seconds=SECONDS)
    quiet = Load(port, Creates(second, ["a"]), clients=2, seconds=SECONDS, interval=0.24).finish()
    check_limited([load.finish()], 400, TOLERANCE)
    expect(quiet.refusals == 0, f"{quiet.refusals} requests to the quiet one were refused")
    return f"{load.rate():.1f} RU/s beside {quiet.rate():.1f} RU/s without a refusal"


def make_sharing(client: Client, database: str, units: int) -> list[str]:
    made = client.request("POST", "/dbs", {"id": database}, manual(units))
    expect(made.status == 201, f"create database: {made.status} {made.body!r}")
    return [container(client, name, {}, database) for name in ("left", "right")]


def shared(port: int) -> str:
    with Client(port) as client:
        sharing = make_sharing(client, "shared", 400)
        own = container(client, "own", manual(400), "shared")
    loads = [Load(port, Creates(link, ["a", "b", "c"], properties=DEAR), clients=4, seconds=SECONDS)
             for link in (*sharing, own)]
    left, right, dedicated = [load.finish() for load in loads]
    check_limited([left, right], 400, TOLERANCE)
    check_limited([dedicated], 400, TOLERANCE)
    shares = [load.rate() / (left.rate() + right.rate()) for load in (left, right)]
    expect(min(shares) > 0.25, f"shares {shares}")
    return f"{left.rate():.1f} + {right.rate():.1f} RU/s, and {dedicated.rate():.1f} with its own"


def shared_lowered(port: int) -> str:
    """Containers whose partitions used two budgets, as 12,000 RU/s have, must not get twice 400."""
    with Client(port) as client:
        links = make_sharing(client, "lowered", 12000)
        keys = [key for link in links for both in keys_by_range(client, link, 5, insist) for key in both]
        set_throughput(client, "dbs/lowered", 400)
    loads = [Load(port, Creates(link, keys, properties=DEAR), clients=4, seconds=SECONDS) for link in links]
    rate = sum(load.finish().rate() for load in loads)
    check_limited(loads, 400, TOLERANCE)
    return f"{rate:.1f} RU/s"


def shared_raised(port: int) -> str:
    """What was one budget becomes two; the containers can use both."""
    with Client(port) as client:
        links = make_sharing(client, "raised", 400)
        for link in links:
            insist(lambda: client.item("POST", link, "a", body={"id": "small", "pk": "a"}), 201)
        set_throughput(client, "dbs/raised", 12000)
    loads = [Load(port, Rewrites(link, "a"), clients=6, seconds=12) for link in links]
    rate = sum(load.finish().rate() for load in loads)
    expect(2000 <= rate <= 12600, f"{rate:.1f} RU/s of 12000")
    return f"{rate:.1f} of 12,000 RU/s"


def priorities(port: int) -> str:
    """High priority wants 60 % of 400 RU/s, low priority wants everything."""
    with Client(port) as client:
        link = container(client, "priorities", manual(400))
    low = Load(port, Creates(link, ["low"], {"x-ms-cosmos-priority-level": "Low"}), clients=6, seconds=SECONDS)
    high = Load(port, Creates(link, ["high"], {"x-ms-cosmos-priority-level": "High"}), clients=4,
                seconds=SECONDS, interval=0.4).finish()
    low.finish()
    expect(high.refusals == 0, f"{high.refusals} requests of high priority were refused")
    expect(high.rate() > 100, f"high priority asked for {high.rate():.1f} RU/s only")
    # Low priority is refused as soon as half of the balance is used up.
    check_limited([high, low], 400, TOLERANCE, refused_at=0.5)
    return (f"high {high.rate():.1f} RU/s without a refusal, low {low.rate():.1f} RU/s with {low.refusals}, "
            f"{low.refused_again():.0%} of them again after waiting")


def buckets(port: int) -> str:
    """A bucket of 20 % is limited to that, also if nobody else wants anything."""
    with Client(port) as client:
        link = container(client, "buckets", manual(400))
        set_throughput(client, link, 400, throughputBuckets=[{"id": 1, "maxThroughputPercentage": 20}])
    in_bucket = Load(port, Creates(link, ["a"], {"x-ms-cosmos-throughput-bucket": "1"}), clients=4,
                     seconds=SECONDS, sub_status=BUCKET_EXHAUSTED)
    others = Load(port, Creates(link, ["b"]), clients=2, seconds=SECONDS, interval=0.24).finish()
    check_limited([in_bucket.finish()], 80, 0.1)
    expect(others.refusals == 0, f"{others.refusals} requests without a bucket were refused")
    return f"{in_bucket.rate():.1f} RU/s in the bucket, {others.rate():.1f} beside it without a refusal"


def refused_values(port: int) -> str:
    with Client(port) as client:
        link = container(client, "values", manual(400))
        values = [("x-ms-cosmos-priority-level", value) for value in ("Medium", "", "1")]
        values += [("x-ms-cosmos-throughput-bucket", value) for value in ("0", "6", "x", "")]
        for header, value in values:
            answer = client.item("GET", link, "a", "none", headers={header: value})
            expect(answer.status == 400, f"{header}: {value!r}: {answer.status}, not 400")
        for header, value in (("x-ms-cosmos-priority-level", "low"), ("x-ms-cosmos-throughput-bucket", "5")):
            answer = client.item("GET", link, "a", "none", headers={header: value})
            expect(answer.status == 404, f"{header}: {value!r}: {answer.status}, not 404")
    return f"{len(values)} values"


CHECKS = {
    "a hot key exhausts its own partition only": partitions,
    "containers with their own throughput": containers,
    "containers that share a database's throughput, and one that does not": shared,
    "shared throughput lowered from 12,000 to 400": shared_lowered,
    "shared throughput raised from 400 to 12,000": shared_raised,
    "low priority gets what high priority leaves": priorities,
    "a bucket of 20 % is limited to it": buckets,
    "priorities and buckets that do not exist": refused_values,
}
