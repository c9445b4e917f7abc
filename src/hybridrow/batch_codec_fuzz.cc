// No body may crash the decoders, and what they decode must survive being encoded and decoded
// again. The input is used as a whole stream and as the row of one record, since a fuzzer seldom
// guesses a checksum.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "hybridrow/batch_codec.h"
#include "hybridrow/record_io.h"

namespace {

using orrery::hybridrow::decode_batch;
using orrery::hybridrow::decode_results;
using orrery::hybridrow::encode_batch;
using orrery::hybridrow::encode_results;

void decode_both_ways(std::string_view body) {
    if (const auto operations = decode_batch(body)) {
        const std::string written = encode_batch(*operations);
        const auto again = decode_batch(written);
        CHECK(static_cast<bool>(again));
        CHECK(encode_batch(*again) == written);
    }
    if (const auto results = decode_results(body)) {
        const std::string written = encode_results(*results);
        const auto again = decode_results(written);
        CHECK(static_cast<bool>(again));
        CHECK(encode_results(*again) == written);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    decode_both_ways(input);
    std::string stream;
    orrery::hybridrow::append_segment(stream);
    orrery::hybridrow::append_record(stream, input);
    decode_both_ways(stream);
    return 0;
}
