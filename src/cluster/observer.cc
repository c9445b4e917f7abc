#include "cluster/observer.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace orrery::cluster {

Result<std::optional<NodeRecord>> Observer::look_at(const std::string& node) {
    const auto value = objects_.read(NodeRecord::name(node));
    if (!value) {
        counts_.add(&MemberCounts::errors);
        return value.error().copy();
    }
    if (!*value) {
        forget(node);
        return std::optional<NodeRecord>();
    }
    NodeRecord record = TRY(NodeRecord::decode((*value)->bytes));
    // The time is taken after the read: what it showed was written before.
    const std::chrono::nanoseconds silent = note(record);
    if (!is_live(record.state) || silent < lease_) return std::optional(std::move(record));
    return std::optional(TRY(declare_dead(std::move(record), (*value)->version)));
}

// How long the node has shown the same renewal.
std::chrono::nanoseconds Observer::note(const NodeRecord& record) {
    const std::chrono::nanoseconds now = clock_.now();
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_[record.identity.node];
    if (seen.identity != record.identity || seen.renewals != record.renewals)
        seen = {record.identity, record.renewals, now};
    return now - seen.since;
}

Result<NodeRecord> Observer::declare_dead(NodeRecord record,
                                          storage::SharedObjects::Version version) {
    NodeRecord dead = record;
    dead.state = NodeState::kDead;
    // On the version that was seen: a renewal on its way makes this fail, or fails itself.
    const auto written =
        objects_.write(NodeRecord::name(record.identity.node), dead.encode(), version);
    if (!written) {
        counts_.add(written.error().code() == ErrorCode::kPreconditionFailed
                        ? &MemberCounts::conflicts
                        : &MemberCounts::errors);
        return record;  // as far as is known
    }
    counts_.add(&MemberCounts::deaths_declared);
    log::warn(
        "node_dead",
        {{"owner", owner_text(record.identity)},
         {"lease_ms", std::chrono::duration_cast<std::chrono::milliseconds>(lease_).count()}});
    return dead;
}

std::optional<std::chrono::nanoseconds> Observer::age_of(const std::string& node) const {
    const std::lock_guard lock(mutex_);
    const auto found = seen_.find(node);
    if (found == seen_.end()) return std::nullopt;
    return clock_.now() - found->second.since;
}

void Observer::forget(const std::string& node) {
    const std::lock_guard lock(mutex_);
    seen_.erase(node);
}

Result<bool> Observer::is_gone(const Identity& owner) {
    const auto value = TRY(objects_.read(NodeRecord::name(owner.node)));
    if (!value) return true;
    const NodeRecord record = TRY(NodeRecord::decode(value->bytes));
    return record.identity != owner || !is_live(record.state);
}

}  // namespace orrery::cluster
