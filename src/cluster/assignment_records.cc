// The records that hold a line per partition. They are binary: there may be many partitions.

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_map>

#include "base/bytes.h"
#include "cluster/records.h"

namespace orrery::cluster {

namespace {

constexpr unsigned char kBinaryFormat = 1;  // the first byte of each

bool begins_well(ByteReader& in) {
    return in.big_endian<unsigned char>() == kBinaryFormat && in.ok();
}

// The names of the nodes of a shard, each once.
class NameTable {
public:
    // 0 for no name, else 1 + its place in names().
    std::uint64_t number_of(const std::string& name) {
        if (name.empty()) return 0;
        const auto [at, is_new] = numbers_.try_emplace(name, names_.size() + 1);
        if (is_new) names_.push_back(name);
        return at->second;
    }
    const std::vector<std::string>& names() const { return names_; }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, std::uint64_t> numbers_;
};

}  // namespace

std::string ShardRecord::encode() const {
    NameTable names;
    std::string lines;
    PartitionId last = 0;
    for (const AssignmentEntry& entry : entries) {
        append_varint(lines, entry.partition / kShards - last);
        append_varint(lines, names.number_of(entry.node));
        append_varint(lines, names.number_of(entry.next));
        last = static_cast<PartitionId>(entry.partition / kShards);
    }
    std::string out(1, static_cast<char>(kBinaryFormat));
    append_varint(out, term);
    append_varint(out, sequence);
    append_varint(out, names.names().size());
    for (const std::string& name : names.names()) {
        append_varint(out, name.size());
        out += name;
    }
    append_varint(out, entries.size());
    return out + lines;
}

Result<ShardRecord> ShardRecord::decode(std::size_t shard, std::string_view bytes) {
    ByteReader in(bytes);
    ShardRecord record;
    if (!begins_well(in)) return damaged(name(shard));
    record.term = in.varint();
    record.sequence = in.varint();
    std::vector<std::string> names(1);
    for (std::uint64_t i = in.varint(); i > 0 && in.ok(); --i)
        names.emplace_back(in.take(in.varint()));
    std::uint64_t row = 0;
    for (std::uint64_t i = in.varint(); i > 0 && in.ok(); --i) {
        row += in.varint();
        const std::uint64_t node = in.varint();
        const std::uint64_t next = in.varint();
        const std::uint64_t partition = row * kShards + shard;
        if (node >= names.size() || next >= names.size() ||
            partition > std::numeric_limits<PartitionId>::max()) {
            return damaged(name(shard));
        }
        record.entries.push_back({static_cast<PartitionId>(partition), names[node], names[next]});
    }
    if (!in.ok() || !in.rest().empty()) return damaged(name(shard));
    return record;
}

AssignmentEntry* ShardRecord::find(PartitionId partition) {
    const auto at = std::lower_bound(
        entries.begin(), entries.end(), partition, [](const AssignmentEntry& entry, PartitionId p) {
            return entry.partition < p;
        });
    return at != entries.end() && at->partition == partition ? &*at : nullptr;
}

void ShardRecord::add(AssignmentEntry entry) {
    const auto at = std::lower_bound(
        entries.begin(),
        entries.end(),
        entry.partition,
        [](const AssignmentEntry& other, PartitionId p) { return other.partition < p; });
    entries.insert(at, std::move(entry));
}

void ShardRecord::remove(PartitionId partition) {
    std::erase_if(entries, [partition](const AssignmentEntry& entry) {
        return entry.partition == partition;
    });
}

std::string ChangesRecord::encode() const {
    std::string out(1, static_cast<char>(kBinaryFormat));
    append_varint(out, members);
    for (const std::uint64_t shard : shards)
        append_varint(out, shard);
    return out;
}

Result<ChangesRecord> ChangesRecord::decode(std::string_view bytes) {
    ByteReader in(bytes);
    ChangesRecord record;
    if (!begins_well(in)) return damaged(kName);
    record.members = in.varint();
    for (std::uint64_t& shard : record.shards)
        shard = in.varint();
    if (!in.ok() || !in.rest().empty()) return damaged(kName);
    return record;
}

std::string LoadRecord::encode() const {
    std::string out(1, static_cast<char>(kBinaryFormat));
    append_big_endian(out, incarnation);
    append_varint(out, partitions.size());
    PartitionId last = 0;
    for (const PartitionLoad& partition : partitions) {
        append_varint(out, partition.partition - last);
        // Hundredths are precise enough for balancing, and short.
        append_varint(out, static_cast<std::uint64_t>(std::max(0.0, partition.load) * 100));
        append_varint(out, partition.bytes);
        last = partition.partition;
    }
    return out;
}

Result<LoadRecord> LoadRecord::decode(std::string_view bytes) {
    ByteReader in(bytes);
    LoadRecord record;
    if (!begins_well(in)) return damaged("load");
    record.incarnation = in.big_endian<Incarnation>();
    std::uint64_t partition = 0;
    for (std::uint64_t i = in.varint(); i > 0 && in.ok(); --i) {
        partition += in.varint();
        const auto load = static_cast<double>(in.varint()) / 100;
        const std::uint64_t size = in.varint();
        record.partitions.push_back({static_cast<PartitionId>(partition), load, size});
    }
    if (!in.ok() || !in.rest().empty()) return damaged("load");
    return record;
}

}  // namespace orrery::cluster
