#include "partition/staged_keys.h"

#include <algorithm>

#include "base/check.h"

namespace orrery::partition {

namespace {

std::uint64_t head_of(std::string_view key) {
    std::uint64_t head = 0;
    for (std::size_t i = 0; i < sizeof(head); ++i) {
        head = head << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
    }
    return head;
}

}  // namespace

void StagedKeys::add(std::string_view key, storage::WriteBatch::Kind kind) {
    operations_.push_back({.head = head_of(key),
                           .at = bytes_.size(),
                           .size = static_cast<std::uint32_t>(key.size()),
                           .kind = kind});
    bytes_.append(key);
}

void StagedKeys::clear() {
    bytes_.clear();
    operations_.clear();
}

void StagedKeys::rollback_to(const Savepoint& savepoint) {
    CHECK(savepoint.operations <= operations_.size() && savepoint.bytes <= bytes_.size());
    operations_.resize(savepoint.operations);
    bytes_.resize(savepoint.bytes);
}

void StagedKeys::move_to(storage::WriteBatch& batch) {
    std::sort(operations_.begin(), operations_.end(), [this](const auto& a, const auto& b) {
        if (a.head != b.head) return a.head < b.head;
        const int order = key_of(a).compare(key_of(b));
        return order != 0 ? order < 0 : a.at < b.at;
    });
    for (std::size_t i = 0; i < operations_.size(); ++i) {
        const std::string_view key = key_of(operations_[i]);
        if (i + 1 < operations_.size() && key_of(operations_[i + 1]) == key) continue;
        if (operations_[i].kind == storage::WriteBatch::Kind::kPut) {
            batch.put_unread(key, {});
        } else {
            batch.remove_unread(key);
        }
    }
    clear();
}

}  // namespace orrery::partition
