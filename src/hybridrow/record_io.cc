#include "hybridrow/record_io.h"

#include "base/crc32.h"
#include "hybridrow/row_reader.h"
#include "hybridrow/schema.h"

namespace orrery::hybridrow {
namespace {

constexpr std::uint32_t kSegmentSchema = 2147473648;
constexpr std::uint32_t kRecordSchema = 2147473649;
constexpr std::uint8_t kLengthIsPresent = 1;
constexpr std::uint32_t kSegmentBytesMin = 10;

void append_header(std::string& out, std::uint32_t schema) {
    out += static_cast<char>(kVersion);
    append_little_endian(out, schema);
}

}  // namespace

Result<std::optional<std::string_view>> RecordReader::next() {
    while (!in_.rest().empty()) {
        const std::uint32_t schema = TRY(read_header(in_));
        if (schema == kSegmentSchema) {
            TRY(skip_segment());
            has_segment_ = true;
        } else if (schema == kRecordSchema && has_segment_) {
            return std::optional(TRY(take_record()));
        } else {
            return invalid("a row of schema " + std::to_string(schema) +
                           " is where a segment or a record should begin");
        }
    }
    if (!has_segment_) return invalid("the stream has no segment");
    return std::optional<std::string_view>();
}

// A segment may describe its records in sparse fields (comment, schema). Our schemas are fixed, so
// only its end matters.
Status RecordReader::skip_segment() {
    const auto present = in_.little_endian<std::uint8_t>();
    const auto length = in_.little_endian<std::uint32_t>();
    if (!in_.ok()) return invalid("a segment ends inside its header");
    if (present != kLengthIsPresent || length < kSegmentBytesMin) {
        return invalid("a segment has no valid length");
    }
    in_.take(length - kSegmentBytesMin);
    if (!in_.ok()) return invalid("a segment is longer than the stream");
    return {};
}

Result<std::string_view> RecordReader::take_record() {
    const auto length = in_.little_endian<std::uint32_t>();
    const auto crc = in_.little_endian<std::uint32_t>();
    if (!in_.ok()) return invalid("a record ends inside its header");
    const std::string_view row = in_.take(length);
    if (!in_.ok()) return invalid("a record is longer than the stream");
    if (crc32(row) != crc) return invalid("the checksum of a record is wrong");
    return row;
}

void append_segment(std::string& out) {
    append_header(out, kSegmentSchema);
    out += static_cast<char>(kLengthIsPresent);
    append_little_endian(out, kSegmentBytesMin);
}

void append_record(std::string& out, std::string_view row) {
    append_header(out, kRecordSchema);
    append_little_endian(out, static_cast<std::uint32_t>(row.size()));
    append_little_endian(out, crc32(row));
    out += row;
}

}  // namespace orrery::hybridrow
