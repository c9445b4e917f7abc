// Writes that need not be atomic, committed a megabyte at a time: for repairs, which can be
// repeated.

#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"
#include "storage/engine.h"

namespace orrery::partition {

class GradualWrites {
public:
    explicit GradualWrites(storage::PartitionStore& store) : store_(store) {}

    Status put(std::string_view key, std::string_view value) {
        batch_.put(key, value);
        return full() ? commit() : Status();
    }
    Status remove(std::string_view key) {
        batch_.remove(key);
        return full() ? commit() : Status();
    }
    // For writes that belong together: add them to the batch, and commit() once it is full().
    storage::WriteBatch& batch() { return batch_; }
    bool full() const { return batch_.byte_size() >= kBytesMax; }

    // What is left. Call at the end.
    Status commit() {
        TRY(store_.commit(batch_));
        batch_.clear();
        return {};
    }

private:
    static constexpr std::size_t kBytesMax = std::size_t{1} << 20;

    storage::PartitionStore& store_;
    storage::WriteBatch batch_;
};

}  // namespace orrery::partition
