// Effective partition keys (EPKs): the bytes that place an item in the hash space of its container.
// They are compared byte by byte, and must equal bit for bit what the SDKs compute, because SDKs
// route by them. As text they are upper-case hex: print with to_hex_upper (base/bytes.h).

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/partition_key.h"

namespace orrery::model {

enum class HashKind : std::uint8_t {
    kHashV1,     // partition key definition without version, or version 1
    kHashV2,     // version 2: the default
    kMultiHash,  // hierarchical: hash V2 of each component, concatenated
};

// The end of the hash space: above every EPK. Its start is the empty string.
inline constexpr std::string_view kEpkEnd = "\xFF";

struct EpkRange {
    std::string min_inclusive;
    std::string max_exclusive;

    bool empty() const { return min_inclusive >= max_exclusive; }
    bool contains(std::string_view epk) const {
        return epk >= min_inclusive && epk < max_exclusive;
    }
    bool contains(const EpkRange& other) const {
        return other.min_inclusive >= min_inclusive && other.max_exclusive <= max_exclusive;
    }
    bool operator==(const EpkRange&) const = default;
};

// The EPKs in both; empty if there are none.
EpkRange overlap(const EpkRange& a, const EpkRange& b);

// Empty for the key without components. V2 and MultiHash: 16 bytes, MultiHash 16 per component.
std::string effective_partition_key(const PartitionKeyValue& key, HashKind kind);
void append_effective_partition_key(std::string& out, const PartitionKeyValue& key, HashKind kind);

// Whether no other key has the same EPK. V1 keeps only the beginning of long strings. V2 and
// MultiHash are 128-bit hashes; two keys with the same hash are not expected.
bool has_unique_epk(const PartitionKeyValue& key, HashKind kind);

// All EPKs of a MultiHash container whose keys begin with the components of `prefix`.
EpkRange prefix_range(const PartitionKeyValue& prefix);

// The boundaries between the first `count` physical partitions of a container: count - 1 of them,
// ascending. The partitions are ["", b0), [b0, b1), … [bn, "FF").
std::vector<std::string> initial_boundaries(HashKind kind, unsigned count);

// A boundary in the middle of a range; nothing if there is no room between its ends.
std::optional<std::string> middle_of(const EpkRange& range, HashKind kind);

// Reads hex of either case; nothing when it is not pairs of hex digits.
std::optional<std::string> parse_epk(std::string_view text);

}  // namespace orrery::model
