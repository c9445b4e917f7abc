#include "cluster/routing.h"

#include <algorithm>

namespace orrery::cluster {

namespace {

// A member keeps its table alive through the table's own count, which is per slot.
template <typename Table>
std::shared_ptr<const MemberInfo> member_of(std::shared_ptr<Table> table, std::size_t index) {
    if (index >= table->members.size() || !table->members[index]) return nullptr;
    const MemberInfo* const member = table->members[index].get();
    return {std::move(table), member};
}

}  // namespace

Routing::Routing()
    : table_([] {
          auto table = std::make_shared<Table>();
          table->shards.fill(std::make_shared<const Shard>());
          table->names = std::make_shared<Names>(1);
          return std::shared_ptr<const Table>(std::move(table));
      }()) {}

const Routing::Entry* Routing::Table::find(PartitionId partition) const {
    const Shard& shard = *shards[shard_of(partition)];
    const auto at = std::lower_bound(
        shard.begin(), shard.end(), partition, [](const Entry& entry, PartitionId wanted) {
            return entry.partition < wanted;
        });
    return at != shard.end() && at->partition == partition ? &*at : nullptr;
}

AssignmentEntry Routing::Table::entry(const Entry& entry) const {
    return {entry.partition, name(entry.node), name(entry.next)};
}

std::shared_ptr<const MemberInfo> Routing::owner_of(PartitionId partition) const {
    auto table = table_.load();
    const Entry* const entry = table->find(partition);
    return entry == nullptr ? nullptr : member_of(std::move(table), entry->node);
}

std::shared_ptr<const MemberInfo> Routing::node(std::string_view name) const {
    auto table = table_.load();
    const auto at = std::find(table->names->begin(), table->names->end(), name);
    const auto index = static_cast<std::size_t>(at - table->names->begin());
    return member_of(std::move(table), index);
}

std::vector<MemberInfo> Routing::nodes() const {
    const auto table = table_.load();
    std::vector<MemberInfo> out;
    for (const auto& member : table->members) {
        if (member) out.push_back(*member);
    }
    std::sort(out.begin(), out.end(), [](const MemberInfo& a, const MemberInfo& b) {
        return a.identity.node < b.identity.node;
    });
    return out;
}

std::optional<AssignmentEntry> Routing::entry_of(PartitionId partition) const {
    const auto table = table_.load();
    const Entry* const entry = table->find(partition);
    if (entry == nullptr) return std::nullopt;
    return table->entry(*entry);
}

std::vector<AssignmentEntry> Routing::entries() const {
    const auto table = table_.load();
    std::vector<AssignmentEntry> out;
    for (const auto& shard : table->shards) {
        for (const Entry& entry : *shard)
            out.push_back(table->entry(entry));
    }
    return out;
}

std::vector<AssignmentEntry> Routing::entries_of(std::string_view node) const {
    const auto table = table_.load();
    const auto at = std::find(table->names->begin(), table->names->end(), node);
    const auto index = static_cast<std::uint32_t>(at - table->names->begin());
    std::vector<AssignmentEntry> out;
    for (const auto& shard : table->shards) {
        for (const Entry& entry : *shard) {
            if (entry.node == index) out.push_back(table->entry(entry));
        }
    }
    return out;
}

std::vector<Move> Routing::moves() const {
    const auto table = table_.load();
    std::vector<Move> out;
    for (const auto& shard : table->shards) {
        for (const Entry& entry : *shard) {
            if (entry.next == 0) continue;
            out.push_back({entry.partition, table->name(entry.node), table->name(entry.next)});
        }
    }
    return out;
}

std::size_t Routing::partition_count() const {
    const auto table = table_.load();
    std::size_t count = 0;
    for (const auto& shard : table->shards)
        count += shard->size();
    return count;
}

std::unordered_map<std::string, std::size_t> Routing::partitions_per_node() const {
    const auto table = table_.load();
    std::vector<std::size_t> counts(table->names->size());
    for (const auto& shard : table->shards) {
        for (const Entry& entry : *shard)
            ++counts[entry.node];
    }
    std::unordered_map<std::string, std::size_t> out;
    for (std::uint32_t i = 1; i < counts.size(); ++i) {
        if (counts[i] > 0) out.emplace(table->name(i), counts[i]);
    }
    return out;
}

}  // namespace orrery::cluster
