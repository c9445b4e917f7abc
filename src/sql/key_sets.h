// Sets of partition keys, known in part: what the conditions of a WHERE clause leave possible.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/limits.h"
#include "model/partition_key.h"

namespace orrery::sql {

// One value for some of the components, any for the others.
using PartialKey = std::array<std::optional<model::PartitionKeyValue::Component>,
                              model::limits::kPartitionKeyPathsMax>;

class KeySet {
public:
    static KeySet all() { return KeySet({PartialKey{}}); }
    static KeySet none() { return KeySet({}); }
    // Keys that have one of the values at that place.
    static KeySet of(std::size_t component,
                     const std::vector<model::PartitionKeyValue::Component>& values);

    // A key is in the set when it fits one of these.
    const std::vector<PartialKey>& keys() const { return keys_; }
    bool is_all() const;
    bool is_none() const { return keys_.empty(); }

    // May be larger than the true intersection when that would be too much work.
    KeySet intersected(const KeySet& other) const;
    // Many at once, since a union can have thousands of members.
    static KeySet united(std::vector<KeySet> sets);

private:
    explicit KeySet(std::vector<PartialKey> keys) : keys_(std::move(keys)) {}

    // They differ. The key of which nothing is known stands alone.
    std::vector<PartialKey> keys_;
};

}  // namespace orrery::sql
