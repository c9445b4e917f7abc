"""Known limitations. `--known NAME,NAME` passes over exactly the documented case of each, so that
everything else still fails."""

import json
from collections import Counter

from compare import Answer
from nodes import CONTAINER
from query import Scope
from shrink import Finding

# A continuation token holds at least this much of a sort key (sql/plan/positions.h).
KEY_BYTES = 500


def excused(known: frozenset[str], finding: Finding, judge) -> bool:
    """Whether a problem is nothing but a known limitation."""
    return "D7" in known and finding.changed and repeats_long_keys(finding, judge)


def repeats_long_keys(finding: Finding, judge) -> bool:
    """D7 (docs/compatibility.md): a continuation token cannot tell sort keys apart that share their
    first KEY_BYTES bytes. When the items at the end of a page have changed before the next page is
    read, rows with such keys may come again. None is missing and none is out of order."""
    if not finding.query.order_by or finding.answer is None:
        return False
    rows = finding.answer.rows
    repeated = {row for row, count in Counter(rows).items() if count > 1}
    once = Answer(finding.answer.status, list(dict.fromkeys(rows)))
    starts = {document["id"]: key_start(finding.query, document) for document in finding.documents}
    shared = Counter(starts.values())
    return (bool(repeated) and all(len(starts[row]) >= KEY_BYTES and shared[starts[row]] > 1
                                   for row in repeated)
            and not judge(finding.query, finding.outcome, finding.policy, once))


def key_start(query, document: dict) -> bytes:
    """The first bytes of a document's sort key; documents with equal keys have equal starts."""
    scope = Scope().with_alias(CONTAINER, document, True)
    values = [order.path.value(scope) for order in query.order_by]
    text = "\0".join(json.dumps(value, ensure_ascii=False, default=str) for value in values)
    return text.encode("utf-8", "surrogatepass")[:KEY_BYTES]
