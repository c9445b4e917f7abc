#!/usr/bin/env python3
"""Golden bytes of binary batches, the same as in src/hybridrow/batch_codec_test.cc."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from lib import hybridrow  # noqa: E402
from lib.hybridrow import OPERATION, RESULT  # noqa: E402

REPLACE = {"operationType": hybridrow.REPLACE, "resourceType": hybridrow.DOCUMENT,
           "partitionKey": '["a"]', "id": "é1", "resourceBody": b'{"id":"1"}',
           "indexingDirective": "Exclude", "ifMatch": '"e1"', "ifNoneMatch": "*",
           "minimalReturnPreference": True}
READ = {"operationType": hybridrow.READ, "resourceType": hybridrow.DOCUMENT, "id": "x"}
REQUEST = bytes.fromhex(
    "81f0d8ff7f 01 0a000000"
    "81f1d8ff7f 3a000000 0cee8afe 817054e17f 57 05000000 02000000 055b2261225d 03c3a931"
    "0a7b226964223a2231227d 1408074578636c756465 14090422653122 140a012a 030c"
    "81f1d8ff7f 10000000 e08ae83a 817054e17f 13 02000000 02000000 0178")

CREATED = {"statusCode": 201, "subStatusCode": 0, "eTag": '"e1"', "requestCharge": 5.5}
ANSWER = bytes.fromhex(
    "81f0d8ff7f 01 0a000000"
    "81f1d8ff7f 1d000000 04a3bf68 817154e17f 07 c9000000 00000000 0422653122"
    "1006 0000000000001640")


class HybridRow(unittest.TestCase):
    def test_request(self):
        self.assertEqual(hybridrow.encode(OPERATION, [REPLACE, READ]), REQUEST)
        self.assertEqual(hybridrow.decode(OPERATION, REQUEST), [REPLACE, READ])

    def test_answer(self):
        self.assertEqual(hybridrow.encode(RESULT, [CREATED]), ANSWER)
        self.assertEqual(hybridrow.decode(RESULT, ANSWER), [CREATED])

    def test_create_row(self):
        row = hybridrow.encode_row(OPERATION, {"operationType": hybridrow.CREATE,
                                               "resourceType": hybridrow.DOCUMENT,
                                               "resourceBody": b'{"id":"1"}'})
        self.assertEqual(row, bytes.fromhex("817054e17f 43 00000000 02000000"
                                            "0a 7b226964223a2231227d"))

    def test_throttled_row(self):
        fields = {"statusCode": 429, "subStatusCode": 3200, "retryAfterMilliseconds": 17,
                  "requestCharge": 0.0}
        row = bytes.fromhex("817154e17f 03 ad010000 800c0000 0b05 11000000 1006 0000000000000000")
        self.assertEqual(hybridrow.encode_row(RESULT, fields), row)
        self.assertEqual(hybridrow.decode_row(RESULT, row), fields)

    def test_lengths_from_128_on_take_two_bytes(self):
        fields = {"statusCode": 200, "resourceBody": b"x" * 300}
        row = hybridrow.encode_row(RESULT, fields)
        self.assertIn(b"\xac\x02x", row)
        self.assertEqual(hybridrow.decode_row(RESULT, row), fields)

    def test_paths_of_no_schema(self):
        more = hybridrow.unknown_field(OPERATION, "new", hybridrow.UTF8, hybridrow.sized("v"))
        self.assertEqual(more.hex(), "14106e65770176")
        row = hybridrow.encode_row(OPERATION, READ, more)
        self.assertEqual(hybridrow.decode_row(OPERATION, row), READ | {"new": "v"})

    def test_damage_is_seen(self):
        for length in range(len(ANSWER)):
            if length != 10:  # A stream may end after its segment.
                with self.assertRaises(hybridrow.Malformed):
                    hybridrow.decode(RESULT, ANSWER[:length])
        with self.assertRaises(hybridrow.Malformed):
            hybridrow.decode(RESULT, ANSWER[:-1] + b"\x41")
        with self.assertRaises(hybridrow.Malformed):
            hybridrow.decode(OPERATION, ANSWER)


if __name__ == "__main__":
    unittest.main()
