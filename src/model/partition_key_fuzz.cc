// Keys that parse must round-trip through the encoding and through the printed form.

#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "model/effective_partition_key.h"
#include "model/partition_key.h"

using orrery::model::PartitionKeyValue;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {  // NOLINT
    const std::string_view input(reinterpret_cast<const char*>(data), size);

    if (const auto parsed = orrery::model::parse_partition_key_header(input)) {
        const auto decoded = PartitionKeyValue::decode(parsed->encode());
        CHECK(decoded && *decoded == *parsed);
        const auto again = orrery::model::parse_partition_key_header(parsed->to_json());
        CHECK(again && *again == *parsed);
        for (const auto kind : {orrery::model::HashKind::kHashV1,
                                orrery::model::HashKind::kHashV2,
                                orrery::model::HashKind::kMultiHash}) {
            const std::string epk = orrery::model::effective_partition_key(*parsed, kind);
            CHECK(epk.empty() == parsed->empty());
            CHECK(epk < orrery::model::kEpkEnd);
        }
    }

    if (const auto decoded = PartitionKeyValue::decode(input)) {
        CHECK(decoded->encode() == input);
    }
    return 0;
}
