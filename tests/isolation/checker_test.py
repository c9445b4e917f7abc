#!/usr/bin/env python3
"""Tests the checker with histories of known faults: handwritten ones, ones from simulated stores
that are broken in one way each, and valid ones with one injected fault."""

import random
import unittest

import checker
import faults
from history import ABORTED, COMMITTED, UNKNOWN, Append, Read, Transaction
from simulation import DIRTY_READS, LOSES_WRITES, NEWEST_READS, NO_CONFLICTS, PARTIAL_COMMITS, Store, simulate


def read(key: str, *values: int) -> Read:
    return Read(key, values)


def append(key: str, value: int) -> Append:
    return Append(key, value)


class HandMade(unittest.TestCase):
    def setUp(self):
        self.history: list[Transaction] = []

    def put(self, *steps, begin: int = 0, end: int = 1000, outcome: str = COMMITTED,
            at_once: bool = False) -> None:
        """All transactions are concurrent unless their times differ."""
        appends = tuple(step for step in steps if isinstance(step, Append))
        self.history.append(Transaction(f"t{len(self.history)}", at_once, appends, begin, end, outcome,
                                        [] if outcome == UNKNOWN else list(steps)))

    def expect(self, *kinds: str) -> None:
        verdict = checker.check(self.history)
        self.assertEqual(verdict.kinds(), set(kinds), verdict.violations)

    def test_empty(self):
        self.expect()

    def test_good(self):
        self.put(read("x"), append("x", 1), read("x", 1), end=10)
        self.put(read("x", 1), read("y"), append("y", 2), begin=20, end=30)
        self.put(read("y", 2), read("x", 1), begin=40, end=50, at_once=True)
        self.expect()

    def test_write_skew_is_allowed(self):
        self.put(read("x"), read("y"), append("x", 1))
        self.put(read("x"), read("y"), append("y", 2))
        self.put(read("x", 1), read("y", 2))
        self.expect()
        self.assertEqual(checker.check(self.history).write_skews, 1)

    def test_write_skew_of_batches_is_not(self):
        self.put(read("x"), read("y"), append("x", 1), at_once=True)
        self.put(read("x"), read("y"), append("y", 2), at_once=True)
        self.put(read("x", 1), read("y", 2))
        self.expect(checker.READ_SKEW)

    def test_lost_update_overwritten(self):
        self.put(read("x"), append("x", 1), end=10)
        self.put(read("x"), append("x", 2), end=10)
        self.put(read("x", 2), begin=20)
        self.expect(checker.LOST_UPDATE)

    def test_lost_update_although_both_are_there(self):
        self.put(read("x"), append("x", 1))
        self.put(read("x"), append("x", 2))
        self.put(read("x", 1, 2))
        self.expect(checker.LOST_UPDATE, checker.READ_SKEW)

    def test_lost_acknowledged_write(self):
        self.put(append("x", 1), end=10)
        self.put(append("x", 2), end=10)
        self.put(read("x", 2), begin=20)
        self.expect(checker.LOST_UPDATE)

    def test_write_that_nobody_could_have_seen(self):
        self.put(read("x"), end=10)
        self.put(append("x", 1), end=20)
        self.expect()

    def test_version_that_comes_back(self):
        self.put(append("x", 1))
        self.put(append("x", 2))
        self.put(read("x", 1))
        self.put(read("x", 2, 1))
        self.expect(checker.LOST_UPDATE)

    def test_dirty_read(self):
        self.put(append("x", 1), outcome=ABORTED)
        self.put(read("x", 1))
        self.expect(checker.ABORTED_READ)

    def test_aborted_transaction_sees_its_own_writes(self):
        self.put(read("x"), append("x", 1), read("x", 1), outcome=ABORTED)
        self.put(read("x"))
        self.expect()

    def test_aborted_transaction_has_a_snapshot_too(self):
        self.put(append("x", 1), append("y", 2))
        self.put(read("x", 1), read("y"), outcome=ABORTED)
        self.put(read("y", 2))
        self.expect(checker.READ_SKEW)

    def test_intermediate_read(self):
        self.put(append("x", 1), append("x", 2))
        self.put(read("x", 1))
        self.put(read("x", 1, 2))
        self.assertIn(checker.INTERMEDIATE_READ, checker.check(self.history).kinds())

    def test_mixed_writes(self):
        self.put(append("x", 1), append("x", 2))
        self.put(append("x", 3))
        self.put(read("x", 1, 3, 2))
        self.assertIn(checker.MIXED_WRITES, checker.check(self.history).kinds())

    def test_mixed_writes_to_two_items(self):
        self.put(append("x", 1), append("y", 2), at_once=True)
        self.put(append("x", 3), append("y", 4), at_once=True)
        self.put(read("x", 1, 3))
        self.put(read("y", 4, 2))
        self.expect(checker.CIRCULAR_FLOW)

    def test_circular_flow(self):
        self.put(append("x", 1), read("y", 2))
        self.put(append("y", 2), read("x", 1))
        self.expect(checker.CIRCULAR_FLOW)

    def test_non_repeatable_read(self):
        self.put(append("x", 1))
        self.put(read("x"), read("x", 1))
        self.expect(checker.NON_REPEATABLE_READ)

    def test_non_repeatable_read_after_own_write(self):
        self.put(append("x", 1))
        self.put(read("x"), append("x", 2), read("x", 1, 2))
        self.assertIn(checker.NON_REPEATABLE_READ, checker.check(self.history).kinds())

    def test_own_write_missing(self):
        self.put(read("x"), append("x", 1), read("x"))
        self.expect(checker.OWN_WRITE_MISSING)

    def test_fractured_snapshot(self):
        self.put(append("x", 1), append("y", 2))
        self.put(read("x", 1), read("y"))
        self.put(read("y", 2))
        self.expect(checker.READ_SKEW)

    def test_snapshot_at_no_point(self):
        """Two writers in sequence; the reader has seen only the second."""
        self.put(append("x", 1), end=10)
        self.put(read("x", 1), append("y", 2), begin=20)
        self.put(read("x"), read("y", 2))
        self.expect(checker.READ_SKEW)

    def test_readers_disagree_about_the_order(self):
        self.put(append("x", 1))
        self.put(append("y", 2))
        self.put(read("x", 1), read("y"))
        self.put(read("x"), read("y", 2))
        self.expect(checker.READ_SKEW)

    def test_stale_read(self):
        self.put(append("x", 1), end=10)
        self.put(read("x"), begin=20, end=30)
        self.put(read("x", 1), begin=40)
        self.expect(checker.STALE_READ)

    def test_reads_that_go_back(self):
        self.put(append("x", 1), end=1000)
        self.put(read("x", 1), begin=10, end=20)
        self.put(read("x"), begin=30, end=40)
        self.expect(checker.STALE_READ, checker.LOST_UPDATE)

    def test_unknown_outcomes(self):
        for seen in [(), (1,)]:
            self.history.clear()
            self.put(append("x", 1), append("y", 2), outcome=UNKNOWN, end=10)
            self.put(read("x", *seen), read("y", *(value + 1 for value in seen)), begin=20)
            self.expect()

    def test_half_of_an_unknown_one(self):
        self.put(append("x", 1), append("y", 2), outcome=UNKNOWN, end=10)
        self.put(read("x", 1), begin=20, end=30)
        self.put(read("y"), begin=40)
        self.expect(checker.HALF_TRANSACTION)

    def test_unknown_one_that_happens_after_the_restart(self):
        self.put(append("x", 1), outcome=UNKNOWN, end=10)
        self.put(read("x"), begin=20, end=30)
        self.put(read("x", 1), begin=40)
        self.expect(checker.STALE_READ)

    def test_value_that_nobody_wrote(self):
        self.put(read("x", 7))
        self.expect(checker.UNKNOWN_VALUE)

    def test_value_of_another_item(self):
        self.put(append("x", 1))
        self.put(read("y", 1))
        self.assertIn(checker.UNKNOWN_VALUE, checker.check(self.history).kinds())


class Simulated(unittest.TestCase):
    SEEDS = range(12)

    def kinds(self, *broken: str) -> set[str]:
        return {kind for seed in self.SEEDS
                for kind in checker.check(simulate(Store(broken), seed)).kinds()}

    def test_good_store(self):
        for seed in self.SEEDS:
            self.assertEqual(checker.check(simulate(Store(), seed)).violations, [])

    def test_good_store_has_write_skew(self):
        self.assertTrue(any(checker.check(simulate(Store(), seed)).write_skews for seed in self.SEEDS))

    def test_broken_stores(self):
        for broken, kind in [(NO_CONFLICTS, checker.LOST_UPDATE),
                             (DIRTY_READS, checker.ABORTED_READ),
                             (DIRTY_READS, checker.INTERMEDIATE_READ),
                             (NEWEST_READS, checker.NON_REPEATABLE_READ),
                             (NEWEST_READS, checker.READ_SKEW),
                             (PARTIAL_COMMITS, checker.READ_SKEW),
                             (LOSES_WRITES, checker.LOST_UPDATE),
                             (LOSES_WRITES, checker.HALF_TRANSACTION)]:
            with self.subTest(broken=broken, kind=kind):
                self.assertIn(kind, self.kinds(broken))

    def test_faults_in_a_good_history(self):
        for seed in self.SEEDS:
            history = simulate(Store(), seed)
            with self.subTest(seed=seed):
                self.assertEqual(faults.unnoticed(history, random.Random(seed)), ([], len(faults.FAULTS)))


if __name__ == "__main__":
    unittest.main()
