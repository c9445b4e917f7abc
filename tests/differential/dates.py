"""Date and time functions (reference §3.5). A time is a number of 100 ns ticks since 1970."""

import calendar
import re
from datetime import date

from values import UNDEFINED, Unsure, normal

EPOCH = date(1970, 1, 1).toordinal()
SECOND = 10_000_000
DAY = 86_400 * SECOND
PARTS = {name: part for part, names in {
    "year": "year yyyy yy", "month": "month mm m", "day": "day dd d", "hour": "hour hh",
    "minute": "minute mi n", "second": "second ss s", "millisecond": "millisecond ms",
    "microsecond": "microsecond mcs", "nanosecond": "nanosecond ns"}.items()
    for name in names.split()}
TICKS = {"day": DAY, "hour": 3600 * SECOND, "minute": 60 * SECOND, "second": SECOND,
         "millisecond": 10_000, "microsecond": 10}
FORM = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:Z|[T ](\d\d):(\d\d):(\d\d)(?:\.(\d{1,7}))?Z?)?",
                  re.ASCII)


def make(year, month, day, hour=0, minute=0, second=0, fraction=0) -> int | None:
    if not (1 <= year <= 9999 and 1 <= month <= 12 and 0 <= hour < 24 and 0 <= minute < 60 and
            0 <= second < 60 and 0 <= fraction < SECOND):
        return None
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    days = date(year, month, day).toordinal() - EPOCH
    return days * DAY + (hour * 3600 + minute * 60 + second) * SECOND + fraction


def read(text) -> int | None:
    found = FORM.fullmatch(text) if type(text) is str else None
    if not found:
        return None
    numbers = [int(group or 0) for group in found.groups()[:6]]
    return make(*numbers, int((found[7] or "0").ljust(7, "0")))


def fields(ticks: int) -> tuple[int, ...]:
    days, rest = divmod(ticks, DAY)
    if not 1 <= days + EPOCH <= date.max.toordinal():
        raise Unsure("a time before the year 1 or after 9999")
    day = date.fromordinal(days + EPOCH)
    seconds, fraction = divmod(rest, SECOND)
    return (day.year, day.month, day.day, seconds // 3600, seconds // 60 % 60, seconds % 60,
            fraction)


def text_of(ticks: int) -> str:
    return "%04d-%02d-%02dT%02d:%02d:%02d.%07dZ" % fields(ticks)


def part_of(name: str, ticks: int):
    part = PARTS.get(name)
    if part is None:
        return UNDEFINED
    year, month, day, hour, minute, second, fraction = fields(ticks)
    return {"year": year, "month": month, "day": day, "hour": hour, "minute": minute,
            "second": second, "millisecond": fraction // 10_000, "microsecond": fraction // 10,
            "nanosecond": fraction * 100}[part]


def add(name, count, text):
    ticks, part = read(text), PARTS.get(name)
    if ticks is None or part is None:
        return UNDEFINED
    if abs(count) > 10**6:
        raise Unsure("a very large count")
    if part == "nanosecond":
        if count % 100:
            raise Unsure("a fraction of a tick")
        return text_of(ticks + count // 100)
    if part in TICKS:
        return text_of(ticks + count * TICKS[part])
    year, month, day, *clock = fields(ticks)
    months = year * 12 + month - 1 + count * (12 if part == "year" else 1)
    year, month = months // 12, months % 12 + 1
    if not 1 <= year <= 9999:
        raise Unsure("a time before the year 1 or after 9999")
    return text_of(make(year, month, min(day, calendar.monthrange(year, month)[1]), *clock))


def difference(name, start, end):
    a, b, part = read(start), read(end), PARTS.get(name)
    if a is None or b is None or part is None:
        return UNDEFINED
    if part == "nanosecond":
        return normal((b - a) * 100)
    if part in TICKS:
        return b // TICKS[part] - a // TICKS[part]
    (year, month, *_), (other_year, other_month, *_) = fields(a), fields(b)
    years = other_year - year
    return years if part == "year" else years * 12 + other_month - month


def of_time(operation):
    def body(text):
        ticks = read(text)
        return UNDEFINED if ticks is None else operation(ticks)
    return body


def from_parts(*numbers):
    ticks = make(*numbers)
    return UNDEFINED if ticks is None else text_of(ticks)


def define(function) -> None:
    function("DATETIMEADD", "sis")(add)
    function("DATETIMEDIFF", "s")(difference)
    function("DATETIMEPART", "s")(lambda name, text: of_time(lambda t: part_of(name, t))(text))
    for name in ("year", "month", "day"):
        function(name.upper(), "s")(of_time(lambda ticks, name=name: part_of(name, ticks)))
    function("DATETIMETOTICKS", "s")(of_time(lambda ticks: ticks))
    function("DATETIMETOTIMESTAMP", "s")(of_time(lambda ticks: ticks // 10_000))
    function("TICKSTODATETIME", "i")(text_of)
    function("TIMESTAMPTODATETIME", "i")(lambda n: text_of(n * 10_000))
    function("DATETIMEFROMPARTS", "i")(from_parts)
    function("IS_DATETIME", "?")(lambda value: read(value) is not None)
