"""Rounds: documents, the queries asked of them, and what is done about a wrong answer."""

import random
import time
from dataclasses import replace
from pathlib import Path

import known
from compare import Answer, difference, same_rows
from documents import Pool
from fixture import (Container, Containers, Data, Refused, Request, Route, ServerFault, ask,
                     pages)
from lib.client import NO_ANSWER, Client
from lib.server import Server
from policies import Policy
from query import Outcome, Query
from report import print_finding
from shrink import Finding, Shrinker
from statements import Statements, conjunct_added, disjuncts
from style import Style
from values import QueryError, RowError, Unsure
from wire import Wire

QUERIES_MIN, QUERIES_MAX = 24, 160
WORK = 5000  # documents times queries of a round, as far as that goes
TRIES = 3  # to find a query with rows
FINDINGS_MAX = 10
SIZES = (4, 15, 15, 30, 30, 30, 60, 60, 60, 150, 150, 400)


class Case:
    """One query of a round, and what it must answer."""

    def __init__(self, seed: int, name: str, pool: Pool, data: Data, without: frozenset[str],
                 make=Statements.statement):
        self.rng = rng = random.Random(f"{seed}/{name}")
        self.title = f"--seed {seed} --only {name}"
        self.key = rng.choice((None, None, None, None, None, "p", "q"))
        self.documents = data.documents(self.key)
        pool = Pool.like(pool, rng, self.documents)
        for _ in range(TRIES):
            self.query: Query = make(Statements(rng, pool, without))
            self.outcome = expect(self.query, self.documents)
            if not isinstance(self.outcome, Outcome) or self.outcome.count() or rng.random() < 0.3:
                break
        style = Style(rng)
        self.text, self.parameters = self.query.text(style), style.parameters

    def request(self, policy: Policy) -> Request:
        few = not isinstance(self.outcome, Outcome) or self.outcome.count() <= 12
        size = self.rng.choice((1, 2, 7, 1000, -1) if few else (2, 7, 7, 1000, -1, -1, -1, -1))
        varied = size > 0 and self.rng.random() < 0.5
        route = self.rng.choice((Route.MERGED, Route.GATEWAY))
        # A subquery in FROM is evaluated per range (docs/compatibility.md).
        if not self.query.sources or self.query.sources[0].origin is not None:
            route = Route.MERGED
        if policy.partitions == 1:
            route = Route.RANGE
        return Request(self.text, self.parameters, size, self.key, route, varied)


def expect(query: Query, documents: list[dict]) -> Outcome | Exception:
    try:
        return query.run(documents)
    except (QueryError, Unsure) as error:
        return error


def judge(query: Query, outcome, policy: Policy, answer: Answer) -> str:
    """What is wrong with an answer; nothing when it is right or cannot be judged."""
    # Groups are sorted without an index.
    sorts = not query.order_by or bool(query.group_by) or policy.sorts(query.order_by)
    if sorts is False:
        return "" if answer.status == 400 else f"{answer.status} instead of 400: no index sorts"
    if sorts is None and answer.status == 400:
        return ""
    if isinstance(outcome, (Unsure, RowError)):
        return ""
    if isinstance(outcome, QueryError):
        return "" if answer.status == 400 else f"{answer.status} instead of 400: {outcome}"
    if answer.status != 200:
        return f"{answer.status} instead of 200: {answer.remark}"
    return difference(query, outcome if policy.partitions == 1 else outcome.loose(), answer)


class Rounds:
    def __init__(self, options, data: Path):
        self.options, self.binary = options, options.server.resolve()
        self.start(data)
        self.pairs = self.unsure = self.queries = self.excused = self.failed = 0

    def run(self, seed: int) -> None:
        rng = random.Random(seed)
        pool = Pool(rng)
        size = rng.choice(SIZES)
        data = Data(rng, pool, size)
        queries = max(QUERIES_MIN, min(QUERIES_MAX, WORK // size))
        containers = Containers(self.client, data, f"r{seed}")
        half = rng.choice((self.restart, lambda: containers.change_policies(self.client),
                           lambda: None))
        for number in range(queries):
            if number == queries // 2:
                half()
            if number % (queries // 4) == 1:
                self.change(containers, data, Case(
                    seed, f"{number}+", pool, data, self.options.without, Statements.ids))
            if self.options.only in (None, number) and self.failed < FINDINGS_MAX:
                self.ask(Case(seed, str(number), pool, data, self.options.without), containers)
        containers.drop(self.client)

    def start(self, data: Path) -> None:
        self.server = Server(self.binary, data).wait_until_ready()
        self.connect()

    def connect(self) -> None:
        self.client, self.wire = Client(self.server.port), Wire(self.server.port)

    def change(self, containers: Containers, data: Data, case: "Case") -> None:
        """Changes documents between two pages of a query: whatever is not touched must be in the
        result once, and in its place."""
        under_way = []
        for container in containers.all if isinstance(case.outcome, Outcome) else []:
            if not case.query.order_by or container.policy.sorts(case.query.order_by):
                size = len(case.documents) // case.rng.randrange(3, 9) + 1
                request = replace(case.request(container.policy), page_size=size, varied=False)
                if request.route is Route.GATEWAY and case.query.order_by:
                    request = replace(request, route=Route.MERGED)
                rest = pages(self.wire, container.link, request)
                under_way.append((container, request, rest, next(rest)))
        before, done = data.documents(case.key), len(data.steps)
        data.change(len(data.current) // 8 + 1)
        containers.write(self.client)
        touched = {document["id"] for _, document in data.steps[done:]}
        expected = expect(case.query, [each for each in before if each["id"] not in touched])
        if not isinstance(expect(case.query, data.documents(case.key)), Outcome):
            return  # a document came on which the query fails
        for container, request, rest, rows in under_way:
            self.pairs += 1
            answer = Answer(200, rows)
            try:
                for page in rest:
                    answer.rows += page
                answer.rows = [row for row in answer.rows if row not in touched]
                problem = judge(case.query, expected, container.policy, answer)
            except (ServerFault, Refused) as fault:
                problem = str(fault)
            if problem:
                self.found(case, Finding(case.query, request, container.policy, before, problem,
                                         expected, answer, changed=True),
                           f"{container.name}, changed meanwhile", False)

    def restart(self) -> None:
        self.client.connection.close()
        self.wire.close()
        self.server.stop()
        self.start(self.server.data)

    def ask(self, case: Case, containers: Containers) -> None:
        self.queries += 1
        self.unsure += isinstance(case.outcome, Unsure)
        if self.options.verbose:
            print(case.title, case.text, case.parameters, flush=True)
        answers: list[Answer] = []
        for container in containers.all:
            answer = self.check(case, container)
            if answer is None:
                return
            answers.append(answer)
        if case.rng.random() < 0.4:
            self.check_relatives(case, containers.all[0], answers[0])

    def check(self, case: Case, container: Container) -> Answer | None:
        """Nothing when the answer was wrong."""
        request = case.request(container.policy)
        finding = Finding(case.query, request, container.policy, case.documents,
                          outcome=case.outcome)
        try:
            finding.answer = ask(self.wire, container.link, request)
            finding.problem = judge(case.query, case.outcome, container.policy, finding.answer)
        except ServerFault as fault:
            finding.problem = str(fault)
        except NO_ANSWER as fault:
            finding.problem = f"{type(fault).__name__} {self.revive()}"
        self.pairs += 1
        if not finding.problem:
            return finding.answer
        self.found(case, finding, f"container {container.name}")
        return None

    def check_relatives(self, case: Case, container: Container, answer: Answer) -> None:
        """Queries that must have the same rows, whatever those are."""
        query = case.query
        if answer.status != 200 or query.top is not None or query.offset_limit or \
                not query.sources or query.sources[0].origin is not None:
            return
        for relative in [conjunct_added(query)] + disjuncts(query):
            other = Answer(200, [])
            for part in relative:
                style = Style(case.rng)
                request = Request(part.text(style), style.parameters, -1, case.key)
                got = ask(self.wire, container.link, request)
                self.pairs += 1
                other.status = max(other.status, got.status)
                other.rows += got.rows
            if other.status != 200 or not same_rows(query, answer, other):
                problem = f"another result than that of {request}: {other}"
                self.found(case, Finding(query, case.request(container.policy), container.policy,
                                         case.documents, problem, case.outcome, answer),
                           "relative", False)

    def found(self, case: Case, finding: Finding, where: str, shrink: bool = True) -> None:
        if known.excused(self.options.known, finding, judge):
            self.excused += 1
            return
        self.failed += 1
        small = None
        if shrink and self.options.shrink:
            small = Shrinker(finding, self, expect, judge).run()
        print_finding(f"{case.title}, {where}", finding, small)

    def revive(self) -> str:
        """A server on the same data after one that is gone; says how that one ended."""
        deadline = time.monotonic() + 5
        while self.server.running() and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.server.running():
            self.connect()
            return "the server still runs"
        last = (f"the server is gone, exit code {self.server.process.returncode}: "
                f"{self.server.tail(1)}")
        self.start(self.server.data)
        return last
