"""Outcomes of requests that did not succeed."""

from lib.client import Answer

NOT_DONE = (404, 409, 412, 449)  # a concurrent request was first
OUT_OF_TIME = (403, 408)  # a script ran out of time, as any can on a busy machine
UNCERTAIN = 503


def had_no_effect(answer: Answer) -> bool:
    """Whether the request had no effect, for a legitimate reason."""
    # Our scripts throw this when an operation is not accepted because their time is nearly over.
    gave_up = answer.status == 400 and b"not accepted" in answer.body
    return gave_up or answer.status in NOT_DONE + OUT_OF_TIME
