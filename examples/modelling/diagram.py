"""Draws where the keys of a container land: the space of hashes from left to right, cut into partitions.

Positions are the hashes of the keys, cuts are the server's partition key ranges, and counts are its answers.
"""

from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape

from azure.cosmos import ContainerProxy

from lesson import items_by_partition

HASH_END = 1 << 126  # hashes have 128 bits, of which the first two are zero
HEX_DIGITS = 32
WIDTH, MARGIN = 760, 10
TITLE, SKYLINE, LEGEND = 24, 72, 60  # heights of the parts of a row
HIGHEST, LOWEST = 46, 4  # lines; above them is place for labels
LABELLED_KEYS_MAX = 12
LABEL = 72  # the width of one
STYLE = """text { font: 13px sans-serif; fill: #767676 } .title { font-weight: bold } .key { font-size: 11px }
.keys { stroke: #2f81f7; stroke-width: 2 } .line { stroke: #767676; stroke-width: 2 } .cut { stroke: #767676 }"""


def draw(name: str, rows: list[tuple[str, ContainerProxy, Counter]], unit: str) -> None:
    """Writes `name`.svg. A row has a title, a container, and how many items each partition key has."""
    parts = []
    for number, (title, container, items) in enumerate(rows):
        parts += row(title, container, items, unit, number * (TITLE + SKYLINE + LEGEND))
    height = len(rows) * (TITLE + SKYLINE + LEGEND)
    Path(f"{name}.svg").write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(parts) + "\n</svg>\n")


def row(title: str, container: ContainerProxy, items: Counter, unit: str, top: int) -> list[str]:
    floor = top + TITLE + SKYLINE
    places = sorted((place(container.feed_range_from_partition_key(key)["Range"]["min"]), key) for key in items)
    heights = {key: max(LOWEST, count / max(items.values()) * HIGHEST) for key, count in items.items()}
    # Each key is a line: its place is the key's hash, its height the number of items.
    skyline = "".join(f"M{x:.1f} {floor}v-{heights[key]:.1f}" for x, key in places)
    parts = [f'<text class="title" x="{MARGIN}" y="{top + 18}">{escape(title)}</text>',
             f'<path class="keys" d="{skyline}"/>',
             f'<path class="line" d="M{MARGIN} {floor}H{WIDTH - MARGIN}"/>']
    if len(items) <= LABELLED_KEYS_MAX:
        # Alternately in two lines, because neighbours may be close.
        parts += [f'<text class="key" x="{min(max(x, LABEL / 2), WIDTH - LABEL / 2):.1f}" text-anchor="middle" '
                  f'y="{floor - HIGHEST - 4 - 12 * (number % 2)}">{escape(key)}</text>'
                  for number, (x, key) in enumerate(places)]
    return parts + partitions(container, unit, floor)


def partitions(container: ContainerProxy, unit: str, floor: int) -> list[str]:
    """The cuts between partitions, and what each holds."""
    parts = []
    counts = items_by_partition(container)
    for number, (feed_range, count) in enumerate(zip(container.read_feed_ranges(), counts)):
        left, right = place(feed_range["Range"]["min"]), place(feed_range["Range"]["max"])
        middle = f'x="{(left + right) / 2:.1f}" text-anchor="middle"'
        parts += [f'<path class="cut" d="M{left:.1f} {floor - 8}v16M{right:.1f} {floor - 8}v16"/>',
                  f'<text {middle} y="{floor + 17}">partition {number}</text>',
                  f'<text {middle} y="{floor + 34}">{count:,} {unit}, {count / sum(counts):.0%}</text>']
    return parts


def place(epk: str) -> float:
    share = 1 if epk == "FF" else int(epk.ljust(HEX_DIGITS, "0") or "0", 16) / HASH_END
    return MARGIN + share * (WIDTH - 2 * MARGIN)
