#include "cluster/coordinator.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace orrery::cluster {

using storage::SharedObjects;

void Coordinator::step() {
    if (!parts_.registration.lease()->held()) {
        set_term(0);
        parts_.nodes.clear();
        return;
    }
    Status done = look_at_coordinator();
    if (done && is_coordinator()) {
        done = coordinate();
    } else if (done && is_deputy()) {
        done = parts_.nodes.sweep();
    } else {
        parts_.nodes.clear();
    }
    const bool is_deposed = !done && done.error().code() == ErrorCode::kFenced;
    if (is_deposed) set_term(0);
    trouble_.note(is_deposed ? Status() : std::move(done));
}

Status Coordinator::look_at_coordinator() {
    const auto value = TRY(parts_.objects.read(CoordinatorRecord::kName));
    seen_ = value ? TRY(CoordinatorRecord::decode(value->bytes)) : CoordinatorRecord{};
    seen_version_ = value ? value->version : SharedObjects::kAbsent;
    const Identity own = parts_.registration.lease()->identity();
    if (value && seen_.holder == own) {
        vacant_since_.reset();
        set_term(seen_.term);
        return {};
    }
    set_term(0);
    if (value) {
        // Watching it is what notices its death.
        const bool is_own_past = seen_.holder.node == own.node;
        const auto holder =
            is_own_past ? std::nullopt : TRY(parts_.observer.look_at(seen_.holder.node));
        if (holder && holder->identity == seen_.holder && is_live(holder->state)) {
            vacant_since_.reset();
            return {};
        }
    }
    const std::chrono::nanoseconds now = parts_.clock.now();
    if (!vacant_since_) vacant_since_ = now;
    if (value && now - *vacant_since_ < patience()) return {};
    return take_role(seen_, seen_version_);
}

// Deputies know the other nodes already, and a node that is draining is about to stop.
std::chrono::nanoseconds Coordinator::patience() {
    const std::chrono::nanoseconds lease = parts_.registration.cluster().lease;
    if (parts_.registration.record().state == NodeState::kDraining) return lease / 2;
    return is_deputy() ? std::chrono::nanoseconds(0) : lease / 10;
}

Status Coordinator::take_role(const CoordinatorRecord& before, SharedObjects::Version expected) {
    const CoordinatorRecord record{parts_.registration.lease()->identity(), before.term + 1};
    const auto written = parts_.objects.write(CoordinatorRecord::kName, record.encode(), expected);
    if (!written) {
        // Another node was faster. If it is not known, the next step finds out.
        if (written.error().code() == ErrorCode::kPreconditionFailed) return {};
        return written.error().copy();
    }
    seen_ = record;
    seen_version_ = *written;
    vacant_since_.reset();
    set_term(record.term);
    return {};
}

void Coordinator::set_term(std::uint64_t term) {
    const std::uint64_t before = term_.exchange(term);
    if (before == term) return;
    const std::string& owner = parts_.registration.lease()->owner();
    if (before != 0) log::info("coordinator_ended", {{"owner", owner}, {"term", before}});
    if (term == 0) return;
    parts_.counts.add(&MemberCounts::terms);
    log::info("coordinator_begun", {{"owner", owner}, {"term", term}});
}

// The first live nodes by name, after the coordinator. Asked in each step, but hardly ever another
// answer.
bool Coordinator::is_deputy() {
    const std::uint64_t revision = parts_.mirror.revision();
    if (deputy_ && deputy_->revision == revision && deputy_->coordinator == seen_.holder.node)
        return deputy_->is_deputy;
    deputy_ = Deputy{revision, seen_.holder.node, false};
    const std::string own = parts_.registration.lease()->identity().node;
    std::size_t before = 0;
    for (const MemberInfo& member : parts_.mirror.routing().nodes()) {
        if (member.identity.node == own) deputy_->is_deputy = before < kDeputies;
        if (member.identity.node == own || before == kDeputies) break;
        if (member.identity.node != seen_.holder.node) ++before;
    }
    return deputy_->is_deputy;
}

Status Coordinator::coordinate() {
    const std::uint64_t term = term_;
    const std::chrono::nanoseconds lease = parts_.registration.cluster().lease;
    TRY(parts_.nodes.sweep());
    TRY(parts_.mirror.follow());
    TRY(parts_.mirror.write_members(term, parts_.nodes.live()));
    const std::chrono::nanoseconds now = parts_.clock.now();
    if (!loads_read_at_ || now - *loads_read_at_ >= lease) {
        parts_.assigner.read_loads();
        loads_read_at_ = now;
    }
    TRY(parts_.assigner.step(term, parts_.registration.lease()->identity().node));
    TRY(parts_.mirror.announce());
    TRY(parts_.assigner.tend_shards(term));
    parts_.nodes.forget_old();
    return pass_role_on();
}

// A node that is draining lets another one coordinate.
Status Coordinator::pass_role_on() {
    if (parts_.registration.record().state != NodeState::kDraining) return {};
    const auto nodes = parts_.nodes.live();
    const auto next = std::find_if(nodes.begin(), nodes.end(), [](const MemberInfo& member) {
        return member.state == NodeState::kAlive;
    });
    if (next == nodes.end()) return {};
    const CoordinatorRecord record{next->identity, term_ + 1};
    const auto written =
        parts_.objects.write(CoordinatorRecord::kName, record.encode(), seen_version_);
    set_term(0);
    if (!written) return written.error().copy();
    log::info("coordinator_passed_on", {{"to", owner_text(next->identity)}});
    return parts_.objects.notify(CoordinatorRecord::kName);
}

}  // namespace orrery::cluster
