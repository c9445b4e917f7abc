#include "cluster/assigner.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <utility>

#include "base/log.h"

namespace orrery::cluster {

namespace {

// Per step, so that what matters more is not held up.
constexpr std::size_t kClaimsMax = 16;
constexpr std::size_t kChecksMax = 8;

bool is_move(const Assignments::Change& change) { return !change.after.next.empty(); }

}  // namespace

// The live nodes as placement sees them.
struct Assigner::Numbering {
    std::vector<std::string> names;
    std::vector<PlacementNode> nodes;
    std::unordered_map<std::string, std::uint32_t> numbers;

    explicit Numbering(const NodeList& list) {
        for (const auto& [name, record] : list.nodes()) {
            if (!is_live(record.state)) continue;
            numbers.emplace(name, static_cast<std::uint32_t>(names.size()));
            names.push_back(name);
            nodes.push_back({.weight = std::max(record.weight, 0.01),
                             .accepts = record.state == NodeState::kAlive});
        }
    }
    std::uint32_t number_of(const std::string& name) const {
        const auto found = numbers.find(name);
        return found == numbers.end() ? kGone : found->second;
    }
    std::string name_of(std::uint32_t number) const {
        return number == kNowhere ? std::string() : names[number];
    }
};

Status Assigner::step(std::uint64_t term, const std::string& own_node) {
    const Routing& routing = parts_.mirror.routing();
    if (!routing.entry_of(kCatalogPartition)) {
        const std::array catalog = {AssignmentEntry{kCatalogPartition, own_node, {}}};
        TRY(parts_.assignments.add(catalog));
    }
    Inputs inputs{parts_.mirror.revision(), loads_revision_, parts_.nodes.live()};
    Changes changes = overdue_moves(routing.moves());
    if (changes.empty() && settled_ == inputs) return {};
    if (changes.empty()) changes = plan(routing.entries(), own_node);
    if (changes.empty()) {
        settled_ = std::move(inputs);
        return {};
    }
    Status changed = parts_.assignments.change(term, changes);
    count_made(changes, inputs.live);
    return changed;
}

Assigner::Changes Assigner::plan(const Entries& entries, const std::string& own_node) const {
    const Numbering nodes(parts_.nodes);
    const auto partitions = to_plan(entries, nodes, own_node);
    Changes changes;
    for (const PlacementChange& planned : plan_placement(nodes.nodes, partitions, {})) {
        const AssignmentEntry& before = entries[planned.index];
        changes.push_back(
            {before, {before.partition, nodes.name_of(planned.node), nodes.name_of(planned.next)}});
    }
    return changes;
}

std::vector<PlacedPartition> Assigner::to_plan(const Entries& entries,
                                               const Numbering& nodes,
                                               const std::string& own_node) const {
    std::vector<PlacedPartition> out;
    out.reserve(entries.size());
    for (const AssignmentEntry& entry : entries) {
        const auto load = loads_.find(entry.partition);
        PlacedPartition& partition = out.emplace_back();
        partition.partition = entry.partition;
        if (load != loads_.end()) {
            partition.load = load->second.load;
            partition.bytes = load->second.bytes;
        }
        partition.node = nodes.number_of(entry.node);
        partition.next = entry.next.empty() ? kNowhere : nodes.number_of(entry.next);
        if (entry.partition == kCatalogPartition) partition.pinned_to = nodes.number_of(own_node);
    }
    return out;
}

// Counts the time of a move from when this coordinator saw it first.
Assigner::Changes Assigner::overdue_moves(const std::vector<Move>& moves) {
    const std::chrono::nanoseconds now = parts_.clock.now();
    std::unordered_map<PartitionId, std::chrono::nanoseconds> since;
    Changes changes;
    for (const Move& move : moves) {
        const auto known = moves_since_.find(move.partition);
        const auto begun = known == moves_since_.end() ? now : known->second;
        since.emplace(move.partition, begun);
        if (now - begun < kMoveTime) continue;
        changes.push_back({{move.partition, move.from, move.to}, {move.partition, move.from, {}}});
    }
    moves_since_ = std::move(since);
    return changes;
}

void Assigner::count_made(const Changes& changes, const std::vector<MemberInfo>& live) {
    std::set<std::string> live_nodes;
    for (const MemberInfo& member : live)
        live_nodes.insert(member.identity.node);
    std::map<std::string, std::uint64_t> taken_over;  // by node that is gone
    for (const Assignments::Change& change : changes) {
        const auto now = parts_.mirror.routing().entry_of(change.before.partition);
        if (now != change.after) continue;
        if (is_move(change)) {
            parts_.counts.add(&MemberCounts::moves_started);
            log::info("move_started",
                      {{"partition", change.after.partition},
                       {"from", change.after.node},
                       {"to", change.after.next}});
        } else if (live_nodes.contains(change.before.node)) {
            parts_.counts.add(&MemberCounts::moves_cancelled);
            log::warn("move_cancelled",
                      {{"partition", change.before.partition},
                       {"from", change.before.node},
                       {"to", change.before.next}});
        } else {
            ++taken_over[change.before.node];
        }
    }
    for (const auto& [node, partitions] : taken_over) {
        parts_.counts.add(&MemberCounts::takeovers, partitions);
        log::warn("partitions_reassigned", {{"from", node}, {"partitions", partitions}});
    }
}

void Assigner::read_loads() {
    std::vector<const NodeRecord*> nodes;
    for (const auto& [name, record] : parts_.nodes.nodes()) {
        if (is_live(record.state)) nodes.push_back(&record);
    }
    std::mutex mutex;
    std::unordered_map<PartitionId, PartitionLoad> loads;
    parts_.parallel.run(nodes.size(), [&](std::size_t i) {
        const auto value = parts_.objects.read(LoadRecord::name(nodes[i]->identity.node));
        if (!value || !*value) return;
        const auto record = LoadRecord::decode((*value)->bytes);
        if (!record || record->incarnation != nodes[i]->identity.incarnation) return;
        const std::lock_guard lock(mutex);
        for (const PartitionLoad& load : record->partitions)
            loads.insert_or_assign(load.partition, load);
    });
    if (loads == loads_) return;
    loads_ = std::move(loads);
    ++loads_revision_;
}

Status Assigner::tend_shards(std::uint64_t term) {
    auto old = parts_.mirror.shards_before(term);
    old.resize(std::min(old.size(), kClaimsMax));
    TRY(parts_.assignments.claim(term, old));
    for (std::size_t i = 0; i < kChecksMax; ++i) {
        TRY(parts_.mirror.check(next_checked_));
        next_checked_ = (next_checked_ + 1) % kShards;
    }
    return {};
}

}  // namespace orrery::cluster
