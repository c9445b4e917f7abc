"""What the examples share: a connection, a database of their own, and a meter.

The meter reads the server's answers: what a request cost (x-ms-request-charge), which physical partition answered it
(x-ms-session-token) and how many documents a query had to read (x-ms-documentdb-query-metrics). It ignores what the
SDK asks once and then remembers, such as the container's partition key.
"""

import os
import re
from collections import Counter, defaultdict
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator
from urllib.parse import urlsplit

from azure.cosmos import ContainerProxy, CosmosClient, PartitionKey
from azure.cosmos.exceptions import CosmosResourceNotFoundError

ENDPOINT = os.environ.get("ORRERY_ENDPOINT", "https://localhost:8081/")
# The emulators' public key, which a server on loopback has.
KEY = os.environ.get(
    "ORRERY_KEY", "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==")
# Above 10,000 RU/s a new container has a partition for every 6,000: this one has four.
FOUR_PARTITIONS = 24_000
BATCH_OPERATIONS_MAX = 100
BAR_COLUMNS = 40


@dataclass
class Step:
    """What a `with lesson.step(...)` block sent, and what it cost."""
    text: str
    requests: int = 0
    documents: int | None = None  # none: there was nothing that reads
    charges: Counter = field(default_factory=Counter)  # container and partition -> request units
    other_charges: float = 0  # refusals and query plans name no partition

    @property
    def charge(self) -> float:
        return round(sum(self.charges.values()) + self.other_charges, 2)

    @property
    def partitions(self) -> int:
        return len(self.charges)

    def add(self, request, answer) -> None:
        self.requests += 1
        charge = float(answer.headers["x-ms-request-charge"])
        # "2:1#12" was answered by partition 2.
        partition, _, _ = answer.headers.get("x-ms-session-token", "").partition(":")
        if partition:
            self.charges[urlsplit(request.url).path.split("/")[4], partition] += charge
        else:
            self.other_charges += charge
        retrieved = re.search(r"retrievedDocumentCount=(\d+)", answer.headers.get("x-ms-documentdb-query-metrics", ""))
        if retrieved:
            self.documents = (self.documents or 0) + int(retrieved[1])
        elif request.method == "GET":
            self.documents = (self.documents or 0) + (answer.status_code == 200)


class Lesson:
    """As a context manager it prints the table of its steps at the end, and removes the database."""

    def __init__(self, name: str):
        self.steps: list[Step] = []
        self.current: Step | None = None
        self.client = CosmosClient(ENDPOINT, KEY, raw_request_hook=self.ask_for_metrics,
                                   raw_response_hook=self.observe)
        self.name = f"modelling-{name}"
        self.remove_database()
        self.database = self.client.create_database(self.name)

    def __enter__(self) -> "Lesson":
        return self

    def __exit__(self, failure, *_) -> None:
        if not failure:
            self.print_steps()
        self.remove_database()

    def remove_database(self) -> None:
        try:
            self.client.delete_database(self.name)
        except CosmosResourceNotFoundError:
            pass

    def container(self, name: str, key: str, throughput: int = 400) -> ContainerProxy:
        # -1: documents live for ever unless they have a ttl of their own.
        return self.database.create_container(name, PartitionKey(key), offer_throughput=throughput, default_ttl=-1)

    @contextmanager
    def step(self, text: str) -> Iterator[Step]:
        """Measures the requests of the block; they are one row of the table."""
        self.current = Step(text)
        self.steps.append(self.current)
        try:
            yield self.current
        finally:
            self.current = None

    def cheapest_step(self, text: str, actions: Iterable[Callable[[], object]]) -> Step:
        """Runs equal actions, and has one row for the cheapest.

        Scripts are also charged for every 100 ms they run, so the same one costs more on a busy machine.
        """
        steps = []
        for action in actions:
            with self.step(text):
                action()
            steps.append(self.steps.pop())
        self.steps.append(min(steps, key=lambda step: step.charge))
        return self.steps[-1]

    def ask_for_metrics(self, request) -> None:
        request.http_request.headers["x-ms-documentdb-populatequerymetrics"] = "True"

    def observe(self, response) -> None:
        request, answer = response.http_request, response.http_response
        is_look_up = request.method == "GET" and "/docs" not in urlsplit(request.url).path
        if self.current and not is_look_up:
            self.current.add(request, answer)

    def print_steps(self) -> None:
        if self.steps:
            print_table(["operation", "requests", "partitions", "documents read", "RU"],
                        [[step.text, step.requests, step.partitions or None, step.documents, step.charge]
                         for step in self.steps])
        self.steps = []


def print_table(header: list[str], rows: list[list]) -> None:
    """A Markdown table, aligned so that it is also readable on a terminal."""
    cells = [header] + [[shown(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    for row in (cells[0], rule, *cells[1:]):
        padded = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:]))]
        print(f"| {' | '.join(padded)} |")
    print()


def shown(cell) -> str:
    if cell is None:
        return "–"
    return f"{cell:,.2f}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell


def load(container: ContainerProxy, documents: Iterable[dict], key: str) -> None:
    """Stores documents quickly: in batches, each of which has one partition key."""
    creates = defaultdict(list)
    for document in documents:
        creates[document[key]].append(("create", (document,), {}))
    for value, operations in creates.items():
        for first in range(0, len(operations), BATCH_OPERATIONS_MAX):
            container.execute_item_batch(operations[first:first + BATCH_OPERATIONS_MAX], value)


def items_by_partition(container: ContainerProxy) -> list[int]:
    """How many items each physical partition has, in the order of their hash ranges."""
    return [next(iter(container.query_items("SELECT VALUE COUNT(1) FROM c", feed_range=feed_range)))
            for feed_range in container.read_feed_ranges()]


def print_bars(title: str, values: list[float], unit: str) -> None:
    """One bar per physical partition."""
    print(f"```text\n{title}")
    for number, value in enumerate(values):
        bar = "█" * round(value / max(values) * BAR_COLUMNS)
        share = f"{value / sum(values):.0%}"
        print(f"  partition {number}  {bar:<{BAR_COLUMNS}}  {value:8,.0f} {unit} {share:>5}")
    print("```\n")
