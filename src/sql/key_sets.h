// Sets of partially known partition keys: those that the conditions of a WHERE clause admit.

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "model/limits.h"
#include "model/partition_key.h"

namespace orrery::sql {

// A value for some of the components, any value for the others.
using PartialKey = std::array<std::optional<model::PartitionKeyValue::Component>,
                              model::limits::kPartitionKeyPathsMax>;

class KeySet {
public:
    static KeySet all() { return KeySet({PartialKey{}}); }
    static KeySet none() { return KeySet({}); }
    // Keys that have one of the values at this component.
    static KeySet of(std::size_t component,
                     const std::vector<model::PartitionKeyValue::Component>& values);

    // A key is in the set when it matches one of these.
    const std::vector<PartialKey>& keys() const { return keys_; }
    bool is_all() const;
    bool is_none() const { return keys_.empty(); }

    // May be larger than the true intersection when computing that would be too much work.
    KeySet intersected(const KeySet& other) const;
    // Takes many sets at once, since a union can have thousands of members.
    static KeySet united(std::vector<KeySet> sets);

private:
    explicit KeySet(std::vector<PartialKey> keys) : keys_(std::move(keys)) {}

    // Distinct. A key without any known component is the only one.
    std::vector<PartialKey> keys_;
};

}  // namespace orrery::sql
