"""A key for logs and other time series: the day, the host, or a container for each month."""

from collections import Counter

from diagram import draw
from lesson import FOUR_PARTITIONS, Lesson, load, print_bars

HOSTS = [f"host-{number:02}" for number in range(1, 41)]
DAYS = [f"2017-03-{day:02}" for day in range(1, 8)]
TODAY = "2017-03-08"
LAST_HOUR = f"SELECT * FROM e WHERE e.day = '{TODAY}' AND e.time >= '23:00' ORDER BY e.time"
HISTORY = "SELECT * FROM e WHERE e.host = 'host-07' ORDER BY e.day"


def events(days: list[str]) -> list[dict]:
    return [{"id": f"{host} {day} {time}", "host": host, "day": day, "time": time, "message": "Connection accepted"}
            for day in days for time in ("08:00", "23:30") for host in HOSTS]


def write_today(container) -> None:
    for event in events([TODAY]):
        container.create_item(event)


with Lesson("time-series") as lesson:
    by_day = lesson.container("by-day", "/day", throughput=FOUR_PARTITIONS)
    by_host = lesson.container("by-host", "/host", throughput=FOUR_PARTITIONS)
    load(by_day, events(DAYS), "day")
    load(by_host, events(DAYS), "host")

    with lesson.step("key /day: write today's events") as write_by_day:
        write_today(by_day)
    with lesson.step("key /day: last hour of all hosts") as hour_by_day:
        assert len(list(by_day.query_items(LAST_HOUR))) == len(HOSTS)
    with lesson.step("key /day: history of a host") as history_by_day:
        history = list(by_day.query_items(HISTORY, enable_cross_partition_query=True))

    with lesson.step("key /host: write today's events") as write_by_host:
        write_today(by_host)
    with lesson.step("key /host: last hour of all hosts") as hour_by_host:
        assert len(list(by_host.query_items(LAST_HOUR, enable_cross_partition_query=True))) == len(HOSTS)
    with lesson.step("key /host: history of a host") as history_by_host:
        assert len(list(by_host.query_items(HISTORY))) == len(history)

    everything = events([*DAYS, TODAY])
    draw("time-series", [("key /day: 8 days", by_day, Counter(event["day"] for event in everything)),
                         ("key /host: 40 hosts", by_host, Counter(event["host"] for event in everything))], "events")

    # A container for each month: the old one has little throughput, and is removed as a whole.
    february = lesson.container("events-2017-02", "/host", throughput=400)
    lesson.container("events-2017-03", "/host", throughput=FOUR_PARTITIONS)
    load(february, events(["2017-02-28"]), "host")
    with lesson.step("one container: delete a day, event by event") as delete_events:
        for event in by_host.query_items(f"SELECT e.id, e.host FROM e WHERE e.day = '{DAYS[0]}'",
                                         enable_cross_partition_query=True):
            by_host.delete_item(event["id"], event["host"])
    with lesson.step("container per month: remove a month") as delete_month:
        lesson.database.delete_container(february)

    assert len(history) == 2 * (len(DAYS) + 1)
    assert write_by_day.partitions == hour_by_day.partitions == history_by_host.partitions == 1
    assert write_by_host.partitions == hour_by_host.partitions == history_by_day.partitions == 4
    assert max(write_by_host.charges.values()) < 0.5 * write_by_host.charge
    assert delete_month.requests == 1 and delete_month.charge * 50 < delete_events.charge

    lesson.print_steps()
    usable = [round(FOUR_PARTITIONS / 4 * step.charge / max(step.charges.values()), -2)
              for step in (write_by_day, write_by_host)]
    assert usable[0] == FOUR_PARTITIONS / 4 < usable[1] / 2
    for title, container, step in (("key /day: today's writes", by_day, write_by_day),
                                   ("key /host: today's writes", by_host, write_by_host)):
        print_bars(title, [step.charges[container.id, str(number)] for number in range(4)], "RU")
    print(f"Each partition has a quarter of the {FOUR_PARTITIONS:,} RU/s. When the busiest one has used up its part, "
          f"writes with\nthe key /day have used {usable[0]:,.0f} RU/s in all, and writes with the key /host "
          f"{usable[1]:,.0f}.\n")
