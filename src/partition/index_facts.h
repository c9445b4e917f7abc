// Facts about one index generation that queries may cache, because they stay true for the
// generation's lifetime. Thread-safe.

#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "index/path_tree.h"

namespace orrery::partition {

class IndexFacts {
public:
    // The id of a path that some snapshot has listed. An older snapshot has no entries under it,
    // which is equivalent to not listing it.
    std::optional<index::PathId> listed(const std::string& encoded_path) const {
        const std::shared_lock lock(mutex_);
        const auto found = ids_.find(encoded_path);
        return found == ids_.end() ? std::nullopt : std::optional(found->second);
    }
    void remember(std::string encoded_path, index::PathId id) {
        const std::unique_lock lock(mutex_);
        ids_.emplace(std::move(encoded_path), id);
    }

    // Whether some item may be missing from the index; set before the first such item is committed.
    bool may_lack_items() const { return may_lack_items_.load(std::memory_order_acquire); }
    void note_lacking_item() { may_lack_items_.store(true, std::memory_order_release); }

private:
    mutable std::shared_mutex mutex_;
    // At most index::kPathsMax entries, the limit of paths per generation.
    std::unordered_map<std::string, index::PathId> ids_;
    std::atomic<bool> may_lack_items_ = false;
};

}  // namespace orrery::partition
