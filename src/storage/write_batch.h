// A list of changes to one partition, applied entirely or not at all. While it is being built it
// can be read and rolled back to a savepoint, so that many requests can share one commit and a
// failed one has no effect on it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace orrery::storage {

class WriteBatch {
public:
    enum class Kind : std::uint8_t { kPut, kRemove };

    // Views into the batch; valid until the batch changes.
    struct Operation {
        Kind kind;
        std::string_view key;
        std::string_view value;
    };

    using Savepoint = std::size_t;

    void put(std::string_view key, std::string_view value);
    void remove(std::string_view key);

    // The same for keys that are never looked up in the batch: last_operation_on() does not find
    // them. Cheaper, for the many small keys of an index.
    void put_unread(std::string_view key, std::string_view value);
    void remove_unread(std::string_view key);

    // The last operation on a key, or nullopt.
    std::optional<Operation> last_operation_on(std::string_view key) const;

    // rollback_to() restores the batch to its content at savepoint().
    Savepoint savepoint() const { return entries_.size(); }
    void rollback_to(Savepoint savepoint);

    bool empty() const { return entries_.empty(); }
    std::size_t size() const { return entries_.size(); }
    std::size_t byte_size() const { return bytes_.size(); }
    void clear();

    // In the order they were added; later operations on a key win.
    Operation operation(std::size_t index) const;

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    static constexpr std::size_t kUnread = static_cast<std::size_t>(-2);

    struct Entry {
        std::size_t key_at;
        std::size_t key_size;
        std::size_t value_size;  // the value follows the key
        std::size_t previous;    // previous operation on the same key, or kNone or kUnread
        Kind kind;
    };

    void add(Kind kind, std::string_view key, std::string_view value);
    void append(Kind kind, std::string_view key, std::string_view value, std::size_t previous);

    std::string bytes_;
    std::vector<Entry> entries_;
    std::unordered_map<std::string, std::size_t> last_;
};

}  // namespace orrery::storage
