"""Prints a mismatch: how to reproduce it, the query, both results, the documents."""

import json
import re

from shrink import Finding
from values import SYSTEM

SHOWN_MAX = 3000


def shown(value) -> str:
    text = json.dumps(without_system(value))
    text = re.sub(r"((?:\\u....|[^\\]){1,2}?)\1{19,}", repeated, text)
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "…"


def repeated(match: re.Match) -> str:
    return f"({match[1]} {len(match[0]) // len(match[1])} times)"


def without_system(value):
    if isinstance(value, list):
        return [without_system(element) for element in value]
    if isinstance(value, dict):
        return {name: without_system(member) for name, member in value.items()
                if name not in SYSTEM}
    return value


def shown_outcome(outcome) -> str:
    if isinstance(outcome, Exception):
        return f"{type(outcome).__name__}: {outcome}"
    cut = f", {outcome.take} of these after skipping {outcome.skip}" if outcome.take is not None else ""
    return shown([row for group in outcome.groups for row in group]) + cut


def print_finding(title: str, found: Finding, small: Finding | None) -> None:
    print(f"\nfail {title}: policy {found.policy.name}, page size "
          f"{found.request.page_size}, key {found.request.key}: {found.problem}")
    print_query(found)
    if small is None:
        print(f"  only with all {len(found.documents)} documents, not in a fresh container")
        small = found
    else:
        print(f"smaller: {small.problem}")
        print_query(small)
        for document in small.documents:
            print(f"  document: {shown(document)}")
    print(f"  expected: {shown_outcome(small.outcome)}")
    answer = small.answer
    actual = f"actual: {answer.status} {shown(answer.rows)}" if answer else "no answer"
    print(f"  {actual}", flush=True)


def print_query(finding: Finding) -> None:
    print(f"  query: {finding.request.text}")
    if finding.request.parameters:
        print(f"  parameters: {shown(finding.request.parameters)}")
