"""What must never go back: the LSN and the time of every partition key range, and etags and rids."""

import threading
from dataclasses import dataclass, field

from lib.client import Answer
from lib.report import expect


@dataclass
class RangeRecord:
    newest_lsn: int = 0
    newest_ts: int = 0
    # As they were when the server was last started: whatever is written since comes after them.
    floor_lsn: int = 0
    floor_ts: int = 0
    used_lsns: set[int] = field(default_factory=set)


class Ledger:
    """Written by all workers, hence the lock."""

    def __init__(self):
        self.lock = threading.Lock()
        self.ranges: dict[tuple[str, str], RangeRecord] = {}
        self.etags: set[tuple[str, str]] = set()
        self.rids: set[str] = set()

    def saw(self, container: str, answer: Answer) -> None:
        """Any answer: how far the range says it is. That is on disk, so it stays so."""
        with self.lock:
            record, lsn = self.record_of(container, answer)
            record.newest_lsn = max(record.newest_lsn, lsn)
            expect(lsn >= record.floor_lsn, f"{container}: LSN {lsn}, before the last start it was "
                                            f"{record.floor_lsn}")

    def restarted(self, container: str, answer: Answer) -> None:
        """The first answer of a range after a start."""
        with self.lock:
            record, lsn = self.record_of(container, answer)
            expect(lsn >= record.newest_lsn, f"{container}: LSN {lsn} after the start, clients have "
                                             f"seen {record.newest_lsn}")
            record.newest_lsn = record.floor_lsn = lsn
            record.floor_ts = record.newest_ts

    def wrote(self, container: str, answer: Answer, item: dict, created: bool) -> None:
        """An acknowledged write."""
        with self.lock:
            record, _ = self.record_of(container, answer)
            lsn, ts = int(answer.headers["x-ms-item-lsn"]), item["_ts"]
            expect(lsn > record.floor_lsn, f"{container}: write at LSN {lsn}, before the last start "
                                           f"it was {record.floor_lsn}")
            expect(lsn not in record.used_lsns, f"{container}: LSN {lsn} given out twice")
            expect(ts >= record.floor_ts, f"{container}: _ts {ts} after {record.floor_ts}")
            expect(item["_etag"] == answer.headers["etag"], "the etags of header and body differ")
            expect((container, item["_etag"]) not in self.etags, f"etag {item['_etag']} used twice")
            expect(not created or item["_rid"] not in self.rids, f"rid {item['_rid']} used twice")
            record.used_lsns.add(lsn)
            record.newest_ts = max(record.newest_ts, ts)
            self.etags.add((container, item["_etag"]))
            self.rids.add(item["_rid"])

    def record_of(self, container: str, answer: Answer) -> tuple[RangeRecord, int]:
        name, _, lsn = answer.headers["x-ms-session-token"].partition(":-1#")
        return self.ranges.setdefault((container, name), RangeRecord()), int(lsn)
