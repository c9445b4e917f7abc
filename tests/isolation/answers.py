"""How a request ended that did not succeed."""

from lib.client import Answer

NOT_DONE = (404, 409, 412, 449)  # somebody else was faster
OUT_OF_TIME = (403, 408)  # of a script: on a busy machine any may be
UNCERTAIN = 503


def was_not_done(answer: Answer) -> bool:
    """Nothing of it has happened, for a reason that is no fault of the server's."""
    # Our scripts throw this when an operation is refused because their time is nearly over.
    gave_up = answer.status == 400 and b"not accepted" in answer.body
    return gave_up or answer.status in NOT_DONE + OUT_OF_TIME
