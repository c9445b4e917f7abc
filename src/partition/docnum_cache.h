// Remembers under which number an item was last found, to save point reads one of their two
// look-ups. It need not be kept up to date: the record found under the number says whose it is, so
// a stale entry is noticed and costs a look-up, never a wrong answer. One for all partitions of the
// server.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "partition/keys.h"

namespace orrery::partition {

class DocnumCache {
public:
    // Sixteen bytes an entry; a power of two.
    explicit DocnumCache(std::size_t entries);

    // `hash` stands for partition and id key. Any thread at any time; entries push each other out.
    std::optional<Docnum> find(std::uint64_t hash) const;
    void remember(std::uint64_t hash, Docnum docnum);

private:
    // The two halves may come from different writers; the reader checks the record anyway.
    struct Slot {
        std::atomic<std::uint64_t> hash{0};
        std::atomic<Docnum> docnum{0};
    };

    std::size_t mask_;
    std::unique_ptr<Slot[]> slots_;
};

}  // namespace orrery::partition
