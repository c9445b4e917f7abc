// The statistics of RocksDB engines. Rare events are counted as they happen (DatabaseListener,
// RocksDatabase); the rest is asked of RocksDB when the statistics are read.

#pragma once

#include <cstdint>

#include <rocksdb/statistics.h>

#include "base/metrics.h"
#include "storage/engine_stats.h"

namespace orrery::storage {

struct RocksInstance;
struct RocksResources;

// Of all databases of an engine, across reopens.
struct RocksCounters {
    metrics::Count commits;
    metrics::Count committed_batches;
    metrics::Count committed_bytes;
    metrics::Count flushes;
    metrics::Count flushed_bytes;
    metrics::Count compactions;
    metrics::Count compaction_bytes_read;
    metrics::Count compaction_bytes_written;
    metrics::Count compaction_micros;
};

// Counts the hits and misses of the caches, which RocksDB reports in no other way. Everything else
// it could count is dropped: its own Statistics would cost every read a dozen counters and two
// clock readings.
class CacheStatistics final : public rocksdb::Statistics {
public:
    CacheStatistics() { set_stats_level(rocksdb::StatsLevel::kExceptHistogramOrTimers); }

    const char* Name() const override { return "OrreryCacheStatistics"; }
    void recordTick(std::uint32_t ticker, std::uint64_t count) override;
    std::uint64_t getTickerCount(std::uint32_t ticker) const override;
    bool HistEnabledForType(std::uint32_t /*type*/) const override { return false; }
    void recordInHistogram(std::uint32_t /*type*/, std::uint64_t /*value*/) override {}
    void histogramData(std::uint32_t /*type*/, rocksdb::HistogramData* data) const override {
        *data = {};
    }
    void setTickerCount(std::uint32_t /*ticker*/, std::uint64_t /*count*/) override {}
    std::uint64_t getAndResetTickerCount(std::uint32_t ticker) override {
        return getTickerCount(ticker);
    }

private:
    struct Counts {
        metrics::Count block_hits;
        metrics::Count block_misses;
        metrics::Count value_hits;
        metrics::Count value_misses;
    };

    using Part = metrics::Count Counts::*;
    // Null for what is not counted.
    static Part part_of(std::uint32_t ticker);

    metrics::PerSlot<Counts> counts_;
};

// What all databases of an engine share.
EngineStats shared_stats(const RocksResources& resources);
// Adds what one database has.
void add_database_stats(EngineStats& stats, const RocksInstance& instance);

}  // namespace orrery::storage
