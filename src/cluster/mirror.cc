#include "cluster/mirror.h"

#include <algorithm>
#include <utility>

namespace orrery::cluster {

using storage::SharedObjects;

Status Mirror::follow() {
    const auto value = TRY(read_object(ChangesRecord::kName));
    const ChangesRecord changes =
        value ? TRY(ChangesRecord::decode(value->bytes)) : ChangesRecord{};
    std::vector<std::size_t> outdated;
    bool members_outdated = false;
    {
        const std::lock_guard lock(mutex_);
        announced_ = changes;
        members_outdated = !members_.is_read || members_.sequence < changes.members;
        for (std::size_t i = 0; i < kShards; ++i) {
            if (!shards_[i].is_read || shards_[i].sequence < changes.shards[i])
                outdated.push_back(i);
        }
    }
    // The members first: an assignment to a node that is not known would not be routed.
    if (members_outdated) TRY(read_members());
    for (const std::size_t shard : outdated)
        TRY(read(shard));
    return {};
}

Result<KnownShard> Mirror::read(std::size_t shard) {
    const auto value = TRY(read_object(ShardRecord::name(shard)));
    KnownShard known;
    if (value) known = {TRY(ShardRecord::decode(shard, value->bytes)), value->version, false};
    apply(shard, known);
    return known;
}

Status Mirror::check(std::size_t shard) {
    apply_own(shard, TRY(read(shard)));
    return {};
}

std::optional<KnownShard> Mirror::known(std::size_t shard) const {
    const std::lock_guard lock(mutex_);
    const State& state = shards_[shard];
    if (!state.is_read) return std::nullopt;
    KnownShard out{{state.term, state.sequence, {}}, state.version, false};
    const auto table = routing_.table_.load();
    for (const Routing::Entry& entry : *table->shards[shard])
        out.record.entries.push_back(table->entry(entry));
    return out;
}

void Mirror::apply_own(std::size_t shard, const KnownShard& written) {
    apply(shard, written);
    const std::lock_guard lock(mutex_);
    if (written.record.sequence > announced_.shards[shard]) to_announce_.insert(shard);
}

void Mirror::apply(std::size_t shard, const KnownShard& newest) {
    const std::lock_guard lock(mutex_);
    State& state = shards_[shard];
    if (state.is_read && newest.record.sequence <= state.sequence) return;
    state = {newest.record.term, newest.record.sequence, newest.version, true};
    publish_shard(shard, newest.record);
}

void Mirror::publish_shard(std::size_t shard, const ShardRecord& record) {
    auto table = copy_of_table();
    auto entries = std::make_shared<Routing::Shard>();
    entries->reserve(record.entries.size());
    for (const AssignmentEntry& entry : record.entries) {
        entries->push_back({entry.partition,
                            index_of(entry.node, *table),
                            entry.next.empty() ? 0 : index_of(entry.next, *table)});
    }
    table->shards[shard] = std::move(entries);
    publish(std::move(table));
}

std::uint32_t Mirror::index_of(const std::string& name, Routing::Table& table) {
    const auto next = static_cast<std::uint32_t>(table.names->size());
    const auto [at, is_new] = indexes_.try_emplace(name, next);
    if (is_new) {
        // Shared with the table that readers see, or already this table's own.
        if (table.names.use_count() > 1)
            table.names = std::make_shared<Routing::Names>(*table.names);
        table.names->push_back(name);
    }
    return at->second;
}

std::shared_ptr<Routing::Table> Mirror::copy_of_table() const {
    return std::make_shared<Routing::Table>(*routing_.table_.load());
}

void Mirror::publish(std::shared_ptr<Routing::Table> table) {
    routing_.table_.store(std::move(table));
    ++revision_;
}

std::uint64_t Mirror::revision() const {
    const std::lock_guard lock(mutex_);
    return revision_;
}

Status Mirror::read_members() {
    const auto value = TRY(read_object(MembersRecord::kName));
    if (value) {
        apply(TRY(MembersRecord::decode(value->bytes)), value->version);
    } else {
        apply(MembersRecord{}, SharedObjects::kAbsent);
    }
    return {};
}

void Mirror::apply(const MembersRecord& members, Version version) {
    const std::lock_guard lock(mutex_);
    if (members_.is_read && members.sequence <= members_.sequence) return;
    members_ = {members.term, members.sequence, version, true};
    auto table = copy_of_table();
    table->members.clear();
    for (const MemberInfo& member : members.members) {
        const std::uint32_t index = index_of(member.identity.node, *table);
        table->members.resize(std::max<std::size_t>(table->members.size(), index + 1));
        table->members[index] = std::make_shared<const MemberInfo>(member);
    }
    publish(std::move(table));
}

Status Mirror::write_members(std::uint64_t term, const std::vector<MemberInfo>& members) {
    MembersRecord written;
    const auto version = TRY(edit_object<MembersRecord>(
        objects_, MembersRecord::kName, counts_, [&](MembersRecord& record) -> Result<bool> {
            if (record.term > term) return deposed();
            written = record;
            if (record.term == term && record.members == members) return false;
            record = {term, record.sequence + 1, members};
            written = record;
            return true;
        }));
    apply(written, version);
    const std::lock_guard lock(mutex_);
    announce_members_ = announce_members_ || written.sequence > announced_.members;
    return {};
}

Status Mirror::announce() {
    ChangesRecord wanted;
    {
        const std::lock_guard lock(mutex_);
        if (to_announce_.empty() && !announce_members_) return {};
        if (announce_members_) wanted.members = members_.sequence;
        for (const std::size_t shard : to_announce_)
            wanted.shards[shard] = shards_[shard].sequence;
    }
    ChangesRecord written;
    TRY(edit_object<ChangesRecord>(
        objects_, ChangesRecord::kName, counts_, [&](ChangesRecord& record) -> Result<bool> {
            const ChangesRecord before = record;
            record.members = std::max(record.members, wanted.members);
            for (std::size_t i = 0; i < kShards; ++i)
                record.shards[i] = std::max(record.shards[i], wanted.shards[i]);
            written = record;
            return !(record == before);
        }));
    {
        const std::lock_guard lock(mutex_);
        announced_ = written;
        announce_members_ = announce_members_ && members_.sequence > written.members;
        std::erase_if(to_announce_, [&](std::size_t shard) {
            return shards_[shard].sequence <= written.shards[shard];
        });
    }
    return objects_.notify(ChangesRecord::kName);
}

std::vector<std::size_t> Mirror::shards_before(std::uint64_t term) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < kShards; ++i) {
        if (shards_[i].term < term) out.push_back(i);
    }
    return out;
}

Result<std::optional<SharedObjects::Value>> Mirror::read_object(std::string_view name) {
    auto value = objects_.read(name);
    if (!value) counts_.add(&MemberCounts::errors);
    return value;
}

}  // namespace orrery::cluster
