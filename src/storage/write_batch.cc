#include "storage/write_batch.h"

#include "base/check.h"

namespace orrery::storage {

void WriteBatch::put(std::string_view key, std::string_view value) { add(Kind::kPut, key, value); }

void WriteBatch::remove(std::string_view key) { add(Kind::kRemove, key, {}); }

void WriteBatch::put_unread(std::string_view key, std::string_view value) {
    append(Kind::kPut, key, value, kUnread);
}

void WriteBatch::remove_unread(std::string_view key) { append(Kind::kRemove, key, {}, kUnread); }

void WriteBatch::add(Kind kind, std::string_view key, std::string_view value) {
    auto [last, inserted] = last_.try_emplace(std::string(key), entries_.size());
    append(kind, key, value, inserted ? kNone : last->second);
    last->second = entries_.size() - 1;
}

void WriteBatch::append(Kind kind,
                        std::string_view key,
                        std::string_view value,
                        std::size_t previous) {
    entries_.push_back({.key_at = bytes_.size(),
                        .key_size = key.size(),
                        .value_size = value.size(),
                        .previous = previous,
                        .kind = kind});
    bytes_.append(key);
    bytes_.append(value);
}

std::optional<WriteBatch::Operation> WriteBatch::last_operation_on(std::string_view key) const {
    const auto found = last_.find(std::string(key));
    if (found == last_.end()) return std::nullopt;
    return operation(found->second);
}

void WriteBatch::rollback_to(Savepoint savepoint) {
    CHECK(savepoint <= entries_.size());
    while (entries_.size() > savepoint) {
        const Entry& entry = entries_.back();
        const std::string key = bytes_.substr(entry.key_at, entry.key_size);
        if (entry.previous == kNone) {
            last_.erase(key);
        } else if (entry.previous != kUnread) {
            last_[key] = entry.previous;
        }
        bytes_.resize(entry.key_at);
        entries_.pop_back();
    }
}

void WriteBatch::clear() {
    bytes_.clear();
    entries_.clear();
    last_.clear();
}

WriteBatch::Operation WriteBatch::operation(std::size_t index) const {
    const Entry& entry = entries_[index];
    const std::string_view bytes(bytes_);
    return {.kind = entry.kind,
            .key = bytes.substr(entry.key_at, entry.key_size),
            .value = bytes.substr(entry.key_at + entry.key_size, entry.value_size)};
}

}  // namespace orrery::storage
