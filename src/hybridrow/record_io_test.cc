#include "hybridrow/record_io.h"

#include <gmock/gmock.h>
#include <vector>

#include <gtest/gtest.h>

#include "hybridrow/test_support.h"

namespace orrery::hybridrow {
namespace record_io_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kSegment = "81 f0d8ff7f 01 0a000000 ";
// "123456789", whose CRC-32 is the published check value cbf43926.
constexpr std::string_view kRecord = "81 f1d8ff7f 09000000 2639f4cb 313233343536373839 ";

std::string hex(std::initializer_list<std::string_view> parts) {
    std::string out;
    for (const std::string_view part : parts) {
        out += from_hex(part);
    }
    return out;
}

Result<std::vector<std::string>> rows(const std::string& stream) {
    RecordReader reader(stream);
    std::vector<std::string> out;
    while (true) {
        const auto row = TRY(reader.next());
        if (!row) return out;
        out.emplace_back(*row);
    }
}

void expect_refused(const std::string& stream, const std::string& why) {
    const auto found = rows(stream);
    ASSERT_FALSE(found) << why;
    EXPECT_EQ(found.error().code(), ErrorCode::kBadRequest);
    EXPECT_THAT(found.error().message(), HasSubstr(why));
}

TEST(RecordIo, WritesSegmentAndRecord) {
    std::string out;
    append_segment(out);
    append_record(out, "123456789");
    EXPECT_EQ(out, hex({kSegment, kRecord}));
}

TEST(RecordIo, ReadsAnyNumberOfRecords) {
    EXPECT_THAT(*rows(hex({kSegment})), IsEmpty());
    EXPECT_THAT(*rows(hex({kSegment, kRecord, kRecord})), ElementsAre("123456789", "123456789"));
}

TEST(RecordIo, ReadsSegmentsOfAnyLength) {
    // The second one has a comment: a sparse utf8 field.
    const std::string_view commented = "81 f0d8ff7f 01 0f000000 14 02 02 6869";
    EXPECT_THAT(*rows(hex({kSegment, kRecord, commented, kRecord, kSegment, kSegment})),
                ElementsAre("123456789", "123456789"));
}

TEST(RecordIo, RefusesStreamsWithoutSegment) {
    expect_refused("", "the stream has no segment");
    expect_refused(hex({kRecord}), "a row of schema 2147473649 is where");
}

TEST(RecordIo, RefusesOtherVersionsAndSchemas) {
    expect_refused(hex({"7b 7d"}), "shorter than its header");
    expect_refused(hex({"80 f0d8ff7f 01 0a000000"}), "version 128 instead of 129");
    expect_refused(hex({kSegment, "81 7054e17f 00"}), "a row of schema 2145473648 is where");
    expect_refused(hex({kSegment, kRecord, "00"}), "shorter than its header");
}

TEST(RecordIo, RefusesSegmentsWithoutAValidLength) {
    expect_refused(hex({"81 f0d8ff7f 00 00000000"}), "has no valid length");
    expect_refused(hex({"81 f0d8ff7f 03 0a000000"}), "has no valid length");
    expect_refused(hex({"81 f0d8ff7f 01 09000000"}), "has no valid length");
    expect_refused(hex({"81 f0d8ff7f 01 0b000000"}), "a segment is longer than the stream");
    expect_refused(hex({"81 f0d8ff7f 01 ffffffff"}), "a segment is longer than the stream");
}

TEST(RecordIo, RefusesWrongLengthsAndChecksums) {
    const std::string_view body = "2639f4cb 313233343536373839";
    expect_refused(hex({kSegment, "81 f1d8ff7f 0a000000", body}), "longer than the stream");
    expect_refused(hex({kSegment, "81 f1d8ff7f ffffffff", body}), "longer than the stream");
    expect_refused(hex({kSegment, "81 f1d8ff7f 08000000", body}), "checksum");
    expect_refused(hex({kSegment, "81 f1d8ff7f 09000000 2639f4cc 313233343536373839"}), "checksum");
}

TEST(RecordIo, RefusesStreamsThatEndInsideARow) {
    const std::string stream = hex({kSegment, kRecord});
    for (std::size_t length = 0; length <= stream.size(); ++length) {
        const bool is_whole = length == 10 || length == stream.size();
        EXPECT_EQ(static_cast<bool>(rows(stream.substr(0, length))), is_whole) << length;
    }
}

}  // namespace record_io_test
}  // namespace orrery::hybridrow
