// RecordIO: a stream of HybridRows. It is a sequence of segments, each a header and any number of
// records; a record is a header with length and CRC-32, followed by its row:
//   81 f0d8ff7f 01 0a000000             segment: version, schema, presence bits, length of itself
//   81 f1d8ff7f 1d000000 04a3bf68 …     record: version, schema, length and CRC-32 of the row
// The published grammar allows a segment at most one record; the published reader and writer, like
// the SDK, allow any number.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace orrery::hybridrow {

class RecordReader {
public:
    explicit RecordReader(std::string_view stream) : in_(stream) {}

    // The row of the next record, its checksum verified; nothing at the end. kBadRequest when the
    // stream is damaged; do not call it again after that.
    Result<std::optional<std::string_view>> next();

private:
    Status skip_segment();
    Result<std::string_view> take_record();

    ByteReader in_;
    bool has_segment_ = false;
};

// A stream is one segment and its records. Only one, because the published reader assumes that the
// header of a later segment is as long as the first one's.
void append_segment(std::string& out);
void append_record(std::string& out, std::string_view row);

}  // namespace orrery::hybridrow
