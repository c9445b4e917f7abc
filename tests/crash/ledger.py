"""Checks that LSNs and timestamps of a range never go back, and that no etag or rid is reused."""

import re
import threading
from dataclasses import dataclass, field

from lib.client import Answer
from lib.report import expect


@dataclass
class RangeRecord:
    newest_lsn: int = 0
    newest_ts: int = 0
    # The values at the last server start: every later write must exceed them.
    floor_lsn: int = 0
    floor_ts: int = 0
    used_lsns: set[int] = field(default_factory=set)


class Ledger:
    """Shared by all workers, hence the lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ranges: dict[tuple[str, str], RangeRecord] = {}
        self.etags: set[tuple[str, str]] = set()
        self.rids: set[str] = set()

    def saw(self, container: str, answer: Answer) -> None:
        """Records the LSN of an answer. It is on disk, so no restart may lower it."""
        with self.lock:
            record, lsn = self.record_of(container, answer)
            record.newest_lsn = max(record.newest_lsn, lsn)
            expect(lsn >= record.floor_lsn, f"{container}: LSN {lsn}, but the last start had "
                                            f"{record.floor_lsn}")

    def restarted(self, container: str, answer: Answer) -> None:
        """Records the first answer of a range after a start."""
        with self.lock:
            record, lsn = self.record_of(container, answer)
            expect(lsn >= record.newest_lsn, f"{container}: LSN {lsn} after the start, but clients "
                                             f"have seen {record.newest_lsn}")
            record.newest_lsn = record.floor_lsn = lsn
            record.floor_ts = record.newest_ts

    def wrote(self, container: str, answer: Answer, item: dict, created: bool) -> None:
        """Records an acknowledged write."""
        with self.lock:
            record, _ = self.record_of(container, answer)
            lsn, ts = int(answer.headers["x-ms-item-lsn"]), item["_ts"]
            expect(lsn > record.floor_lsn, f"{container}: write at LSN {lsn}, but the last start "
                                           f"had {record.floor_lsn}")
            expect(lsn not in record.used_lsns, f"{container}: LSN {lsn} used twice")
            expect(ts >= record.floor_ts, f"{container}: _ts {ts} after {record.floor_ts}")
            expect(item["_etag"] == answer.headers["etag"], "the etags of header and body differ")
            expect((container, item["_etag"]) not in self.etags, f"etag {item['_etag']} used twice")
            expect(not created or item["_rid"] not in self.rids, f"rid {item['_rid']} used twice")
            record.used_lsns.add(lsn)
            record.newest_ts = max(record.newest_ts, ts)
            self.etags.add((container, item["_etag"]))
            self.rids.add(item["_rid"])

    def record_of(self, container: str, answer: Answer) -> tuple[RangeRecord, int]:
        name, _, lsn = re.split("[:#]", answer.headers["x-ms-session-token"])
        return self.ranges.setdefault((container, name), RangeRecord()), int(lsn)
