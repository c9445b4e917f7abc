"""Bugs that are known and not yet fixed: `--known NAME,NAME` looks away from them, so that others
show."""

from query import Query
from shrink import Finding


def not_asked(known: frozenset[str], query: Query) -> bool:
    """Whether a query would only meet a known bug."""
    return False


def excused(known: frozenset[str], finding: Finding) -> bool:
    """Whether the problem is a known one."""
    query = finding.query
    # Rows of one document under DISTINCT.
    if "D5" in known and query.distinct and query.order_by and len(query.sources) > 1:
        return "rows" in finding.problem
    # Escapes of the stored text.
    return "D6" in known and "TOSTRING(" in finding.request.text.upper()
