#include "script/block_list.h"

namespace orrery::script {

Status BlockList::check(const std::string& key, std::string_view id) const {
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found == by_key_.end() || found->second->strikes < rule_.strikes_max) return {};
    return Error(ErrorCode::kForbidden,
                 "The script with id '" + std::string(id) +
                     "' is blocked for execution because it has violated its allowed " +
                     std::string(rule_.limit_name) + " limit several times.");
}

void BlockList::record(const std::string& key, std::chrono::milliseconds took) {
    if (took <= rule_.charge_max) return;
    const std::lock_guard lock(mutex_);
    const auto found = by_key_.find(key);
    if (found != by_key_.end()) {
        ++found->second->strikes;
        entries_.splice(entries_.begin(), entries_, found->second);
        return;
    }
    entries_.push_front({key, 1});
    by_key_.emplace(entries_.front().key, entries_.begin());
    if (entries_.size() > kScriptsMax) {
        by_key_.erase(entries_.back().key);
        entries_.pop_back();
    }
}

}  // namespace orrery::script
