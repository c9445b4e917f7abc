#include "partition/split_seal.h"

#include "base/bytes.h"

namespace orrery::partition {

// The letter is listed in keys.h.
std::string seal_key() { return "Z"; }

// Each as four bytes, big endian: 5 and 6 are 00 00 00 05 00 00 00 06.
std::string encode_seal(const std::vector<storage::PartitionId>& successors) {
    std::string out;
    for (const storage::PartitionId partition : successors)
        append_big_endian(out, partition);
    return out;
}

Result<std::vector<storage::PartitionId>> decode_seal(std::string_view value) {
    ByteReader reader(value);
    std::vector<storage::PartitionId> out;
    while (!reader.rest().empty())
        out.push_back(reader.big_endian<storage::PartitionId>());
    if (!reader.ok()) return Error(ErrorCode::kCorrupted, "the seal of a partition is damaged");
    return out;
}

}  // namespace orrery::partition
