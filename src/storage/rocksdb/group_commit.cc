#include "storage/rocksdb/group_commit.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace orrery::storage {

namespace {

// Bounds the memory of a merged batch, and how long the first commit of a group waits for it.
constexpr std::size_t kGroupBytesMax = std::size_t{4} << 20;

// RocksDB's batches begin with a sequence number, which it sets itself, and the number of changes,
// both little endian.
constexpr std::size_t kCountAt = 8;
constexpr std::size_t kHeaderBytes = 12;

// For the mark that every commit gets (commit_marks.h).
constexpr std::size_t kMarkRoom = 16;

}  // namespace

std::optional<GroupCommit::Group> GroupCommit::lead_with(Commit commit) {
    Group group;
    const std::lock_guard lock(mutex_);
    (led_ ? waiting_ : group).push_back(std::move(commit));
    if (led_) return std::nullopt;
    led_ = true;
    return group;
}

bool GroupCommit::lead_on() {
    const std::lock_guard lock(mutex_);
    led_ = !waiting_.empty();
    return led_;
}

GroupCommit::Group GroupCommit::next_group() {
    const std::lock_guard lock(mutex_);
    auto end = waiting_.begin();
    for (std::size_t bytes = 0; end != waiting_.end() && bytes < kGroupBytesMax; ++end) {
        bytes += end->batch.GetDataSize();
    }
    Group group(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    return group;
}

rocksdb::WriteBatch merge(GroupCommit::Group& group) {
    if (group.size() == 1) return std::move(group.front().batch);
    std::size_t size = kHeaderBytes;
    std::uint32_t count = 0;
    for (const GroupCommit::Commit& commit : group) {
        size += commit.batch.GetDataSize() - kHeaderBytes;
        count += commit.batch.Count();
    }
    std::string bytes(kHeaderBytes, '\0');
    bytes.reserve(size + kMarkRoom);
    for (std::size_t i = 0; i < sizeof(count); ++i) {
        bytes[kCountAt + i] = static_cast<char>(count >> (8 * i));
    }
    for (GroupCommit::Commit& commit : group) {
        bytes.append(commit.batch.Data(), kHeaderBytes, std::string::npos);
        commit.batch = rocksdb::WriteBatch();
    }
    return rocksdb::WriteBatch(std::move(bytes));
}

}  // namespace orrery::storage
