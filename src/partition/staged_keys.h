// Index keys to put and remove, collected over many items and emitted in byte order: RocksDB
// inserts sorted keys faster than scattered ones.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "storage/write_batch.h"

namespace orrery::partition {

class StagedKeys {
public:
    void put(std::string_view key) { add(key, storage::WriteBatch::Kind::kPut); }
    void remove(std::string_view key) { add(key, storage::WriteBatch::Kind::kRemove); }

    bool empty() const { return operations_.empty(); }
    void clear();

    struct Savepoint {
        std::size_t operations;
        std::size_t bytes;
    };
    Savepoint savepoint() const { return {operations_.size(), bytes_.size()}; }
    void rollback_to(const Savepoint& savepoint);

    // Emits the last operation on each key. Invalidates all savepoints.
    void move_to(storage::WriteBatch& batch);

private:
    struct Operation {
        std::uint64_t head;  // the first bytes of the key, big endian: decides most comparisons
        std::uint64_t at;
        std::uint32_t size;
        storage::WriteBatch::Kind kind;
    };

    void add(std::string_view key, storage::WriteBatch::Kind kind);
    std::string_view key_of(const Operation& operation) const {
        return std::string_view(bytes_).substr(operation.at, operation.size);
    }

    std::string bytes_;
    std::vector<Operation> operations_;
};

}  // namespace orrery::partition
