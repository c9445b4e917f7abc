#include "hybridrow/batch_codec.h"

#include <gmock/gmock.h>
#include <limits>

#include <gtest/gtest.h>

#include "hybridrow/record_io.h"
#include "hybridrow/test_support.h"

namespace orrery::hybridrow {
namespace batch_codec_test {

using model::BatchOperation;
using model::BatchResult;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

std::string stream_of(std::initializer_list<std::string_view> rows) {
    std::string out;
    append_segment(out);
    for (const std::string_view row : rows) {
        append_record(out, from_hex(row));
    }
    return out;
}

// All fields of an operation, so that two of them can be compared.
std::string shown(const BatchOperation& operation) {
    std::string out = std::to_string(static_cast<int>(operation.kind));
    for (const auto& text : {operation.partition_key,
                             operation.id,
                             operation.body,
                             operation.if_match,
                             operation.if_none_match,
                             operation.indexing_directive}) {
        out += "|" + text.value_or("-");
    }
    return out + (operation.minimal_return ? "|minimal" : "");
}

void expect_refused(const std::string& body, const std::string& why) {
    const auto operations = decode_batch(body);
    ASSERT_FALSE(operations) << why;
    EXPECT_EQ(operations.error().code(), ErrorCode::kBadRequest);
    EXPECT_THAT(operations.error().message(), StartsWith("The batch "));
    EXPECT_THAT(operations.error().message(), HasSubstr(why));
}

BatchOperation full_operation() {
    return {.kind = BatchOperation::Kind::kReplace,
            .partition_key = R"(["a"])",
            .id =
                "\xc3\xa9"
                "1",
            .body = R"({"id":"1"})",
            .if_match = R"("e1")",
            .if_none_match = "*",
            .indexing_directive = "Exclude",
            .minimal_return = true};
}

// Replace 5 of a document 2; partition key, id and body present; directive, etags, preference.
constexpr std::string_view kFullOperation =
    "81 7054e17f 57 05000000 02000000"
    "05 5b2261225d"
    "03 c3a931"
    "0a 7b226964223a2231227d"
    "14 08 07 4578636c756465"
    "14 09 04 22653122"
    "14 0a 01 2a"
    "03 0c";

TEST(BatchCodec, RecognisesItsFormatByTheFirstByte) {
    EXPECT_TRUE(is_record_io("\x81"));
    EXPECT_FALSE(is_record_io(""));
    EXPECT_FALSE(is_record_io(R"([{"operationType":"Read","id":"1"}])"));
}

TEST(BatchCodec, WritesOperations) {
    const BatchOperation create{.kind = BatchOperation::Kind::kCreate,
                                .partition_key = {},
                                .id = {},
                                .body = R"({"id":"1"})",
                                .if_match = {},
                                .if_none_match = {},
                                .indexing_directive = {}};
    EXPECT_EQ(to_hex_upper(encode_batch({{create, full_operation()}})),
              to_hex_upper(stream_of(
                  {"81 7054e17f 43 00000000 02000000 0a 7b226964223a2231227d", kFullOperation})));
}

// The bytes of a whole request, lengths and checksums included: replace, then read "x".
TEST(BatchCodec, ReadsARequest) {
    const std::string body = from_hex(
        "81f0d8ff7f 01 0a000000"
        "81f1d8ff7f 3a000000 0cee8afe 817054e17f 57 05000000 02000000 055b2261225d 03c3a931"
        "0a7b226964223a2231227d 1408074578636c756465 14090422653122 140a012a 030c"
        "81f1d8ff7f 10000000 e08ae83a 817054e17f 13 02000000 02000000 0178");
    const auto operations = decode_batch(body);
    ASSERT_TRUE(operations) << operations.error().message();
    ASSERT_THAT(*operations, SizeIs(2));
    EXPECT_EQ(shown((*operations)[0]), shown(full_operation()));
    EXPECT_EQ(shown((*operations)[1]), "2|-|x|-|-|-|-");
    EXPECT_EQ(to_hex_upper(encode_batch(*operations)), to_hex_upper(body));
}

TEST(BatchCodec, EveryOperationRoundTrips) {
    using Kind = BatchOperation::Kind;
    const std::vector<std::pair<std::string, Kind>> codes = {{"00", Kind::kCreate},
                                                             {"01", Kind::kPatch},
                                                             {"02", Kind::kRead},
                                                             {"04", Kind::kDelete},
                                                             {"05", Kind::kReplace},
                                                             {"14", Kind::kUpsert}};
    for (const auto& [code, kind] : codes) {
        const std::string body = stream_of({"81 7054e17f 03 " + code + "000000 02000000"});
        const auto operations = decode_batch(body);
        ASSERT_TRUE(operations) << code;
        ASSERT_THAT(*operations, SizeIs(1));
        EXPECT_EQ(operations->front().kind, kind);
        EXPECT_EQ(encode_batch(*operations), body);
    }
}

TEST(BatchCodec, ReadsAnEmptyBatch) { EXPECT_THAT(*decode_batch(stream_of({})), IsEmpty()); }

// effectivePartitionKey, binaryId and timeToLiveInSeconds are in the schema but unused here, and a
// path that is not in the schema may come from a newer SDK.
TEST(BatchCodec, SkipsUnusedFields) {
    const auto operations =
        decode_batch(stream_of({"81 7054e17f 3f 04000000 02000000 055b2261225d 020102 0131 01ff"
                                "07 0b ffffffff  14 10 6e6577 01 76  02 0c"}));
    ASSERT_TRUE(operations) << operations.error().message();
    ASSERT_THAT(*operations, SizeIs(1));
    EXPECT_EQ(shown(operations->front()), R"(5|["a"]|1|-|-|-|-)");
}

TEST(BatchCodec, RefusesOtherOperationsAndResources) {
    for (const std::string code : {"03000000", "ffffffff", "28000000"}) {
        expect_refused(stream_of({"81 7054e17f 03 " + code + "02000000"}),
                       "is not allowed in a batch");
    }
    expect_refused(stream_of({"81 7054e17f 03 00000000 01000000"}),
                   "the resource type 1 is not that of an item");
}

TEST(BatchCodec, RefusesOperationsWithoutTypes) {
    expect_refused(stream_of({"81 7054e17f 02 00000000 02000000"}), "'operationType' is missing");
    expect_refused(stream_of({"81 7054e17f 01 00000000 02000000"}), "'resourceType' is missing");
}

TEST(BatchCodec, ReportsWhichRecordIsBad) {
    expect_refused(stream_of({kFullOperation, "81 7054e17f 13 02000000 02000000 01 ff"}),
                   "record 1: the field 'id' is not valid UTF-8");
    expect_refused(stream_of({"81 7154e17f 03 c8000000 00000000"}),
                   "record 0: the row has the schema 2145473649 instead of 2145473648");
    std::string damaged = stream_of({kFullOperation});
    damaged.back() = '\x0b';
    expect_refused(damaged, "record 0: the checksum of a record is wrong");
    expect_refused("", "record 0: the stream has no segment");
}

TEST(BatchCodec, RefusesTooManyRecords) {
    std::vector<BatchOperation> operations(kRecordsMax);
    ASSERT_TRUE(decode_batch(encode_batch(operations)));
    operations.emplace_back();
    expect_refused(encode_batch(operations), "has more than 1024 records");
}

// 201 with an etag and a charge of 5.5, the whole response.
TEST(BatchCodec, WritesResults) {
    const BatchResult created{
        .status = 201, .charge = 5.5, .etag = R"("e1")", .body = {}, .retry_after_ms = {}};
    EXPECT_EQ(to_hex_upper(encode_results({{created}})),
              to_hex_upper(from_hex("81f0d8ff7f 01 0a000000"
                                    "81f1d8ff7f 1d000000 04a3bf68"
                                    "817154e17f 07 c9000000 00000000 0422653122"
                                    "1006 0000000000001640")));
}

TEST(BatchCodec, WritesResultsOfEveryKind) {
    const BatchResult throttled{
        .status = 429, .substatus = 3200, .etag = {}, .body = {}, .retry_after_ms = 17};
    const BatchResult found{.status = 200,
                            .charge = 1,
                            .etag = {},
                            .body = std::string(200, 'x'),
                            .retry_after_ms = {}};
    std::string with_body = "81 7154e17f 0b c8000000 00000000 c801";
    for (int i = 0; i < 200; ++i) {
        with_body += "78";
    }
    with_body += "1006 000000000000f03f";
    EXPECT_EQ(
        to_hex_upper(encode_results({{throttled, found}})),
        to_hex_upper(stream_of(
            {"81 7154e17f 03 ad010000 800c0000 0b05 11000000 1006 0000000000000000", with_body})));
}

TEST(BatchCodec, ResultsRoundTrip) {
    const std::vector<BatchResult> results = {
        {.status = 201, .charge = 5.5, .etag = "e", .body = "{}", .retry_after_ms = {}},
        {.status = 429,
         .substatus = 3200,
         .charge = 0,
         .etag = {},
         .body = {},
         .retry_after_ms = std::numeric_limits<std::uint32_t>::max()},
    };
    const std::string body = encode_results(results);
    const auto again = decode_results(body);
    ASSERT_TRUE(again);
    ASSERT_THAT(*again, SizeIs(2));
    EXPECT_EQ((*again)[0].status, 201);
    EXPECT_EQ((*again)[0].charge, 5.5);
    EXPECT_EQ((*again)[0].etag, "e");
    EXPECT_EQ((*again)[0].body, "{}");
    EXPECT_EQ((*again)[0].retry_after_ms, std::nullopt);
    EXPECT_EQ((*again)[1].substatus, 3200);
    EXPECT_EQ((*again)[1].etag, std::nullopt);
    EXPECT_EQ((*again)[1].retry_after_ms, std::numeric_limits<std::uint32_t>::max());
    EXPECT_EQ(encode_results(*again), body);
}

TEST(BatchCodec, ResultsNeedAStatus) {
    const auto plain = decode_results(stream_of({"81 7154e17f 01 c8000000 00000000"}));
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->front().status, 200);
    EXPECT_EQ(plain->front().charge, 0);
    for (const std::string present : {"00", "01"}) {
        const auto none =
            decode_results(stream_of({"81 7154e17f " + present + " 00000000 00000000"}));
        ASSERT_FALSE(none);
        EXPECT_THAT(none.error().message(), HasSubstr("'statusCode' is missing"));
    }
}

}  // namespace batch_codec_test
}  // namespace orrery::hybridrow
