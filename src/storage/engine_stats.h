// What an engine is doing and has done since it was opened. An engine leaves at zero what it does
// not have.

#pragma once

#include <chrono>
#include <cstdint>

#include "base/metrics.h"

namespace orrery::storage {

struct CacheStats {
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t used_bytes = 0;
    std::uint64_t max_bytes = 0;
};

struct EngineStats {
    // A commit writes the batches of several partitions with one sync.
    std::uint64_t commits = 0;
    std::uint64_t committed_batches = 0;
    std::uint64_t committed_bytes = 0;
    metrics::Times syncs;

    // Files written from memory, and files merged into others.
    std::uint64_t flushes = 0;
    std::uint64_t flushed_bytes = 0;
    std::uint64_t compactions = 0;
    std::uint64_t compaction_bytes_read = 0;
    std::uint64_t compaction_bytes_written = 0;
    std::chrono::nanoseconds compaction_time{};
    std::uint64_t compactions_running = 0;
    std::uint64_t compaction_bytes_pending = 0;
    // How long commits have been held up because flushes or compactions were behind.
    std::chrono::nanoseconds stalls{};

    CacheStats blocks;
    CacheStats values;
    std::uint64_t memtable_bytes = 0;
    std::uint64_t live_bytes = 0;  // of the newest version of all data
    std::uint64_t files = 0;       // that hold data
};

}  // namespace orrery::storage
