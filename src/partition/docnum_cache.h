// Caches the number under which an item was last found, to save point reads one of their two
// lookups. Entries may be stale: the record found under the number identifies its item, so a stale
// entry costs a lookup, never a wrong answer. Shared by all partitions of the server.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "partition/keys.h"

namespace orrery::partition {

class DocnumCache {
public:
    // `entries` must be a power of two; each takes sixteen bytes.
    explicit DocnumCache(std::size_t entries);

    // `hash` identifies partition and id key. Thread-safe; entries evict each other.
    std::optional<Docnum> find(std::uint64_t hash) const;
    void remember(std::uint64_t hash, Docnum docnum);

private:
    // The two halves may come from different writers; readers check the record anyway.
    struct Slot {
        std::atomic<std::uint64_t> hash{0};
        std::atomic<Docnum> docnum{0};
    };

    std::size_t mask_;
    std::unique_ptr<Slot[]> slots_;
};

}  // namespace orrery::partition
