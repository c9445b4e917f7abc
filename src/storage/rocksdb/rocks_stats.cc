#include "storage/rocksdb/rocks_stats.h"

#include <charconv>
#include <map>
#include <string>

#include <rocksdb/cache.h>
#include <rocksdb/db.h>

#include "storage/rocksdb/rocks_database.h"
#include "storage/rocksdb/rocks_options.h"

namespace orrery::storage {

namespace {

std::uint64_t property(rocksdb::DB& db, const std::string& name) {
    std::uint64_t value = 0;
    return db.GetIntProperty(name, &value) ? value : 0;
}

std::uint64_t files_of(rocksdb::DB& db) {
    std::uint64_t files = 0;
    for (int level = 0; level < db.NumberLevels(); ++level) {
        std::string text;
        const std::string name = rocksdb::DB::Properties::kNumFilesAtLevelPrefix;
        if (!db.GetProperty(name + std::to_string(level), &text)) continue;
        std::uint64_t at_level = 0;
        std::from_chars(text.data(), text.data() + text.size(), at_level);
        files += at_level;
    }
    return files;
}

std::chrono::nanoseconds stalls_of(rocksdb::DB& db) {
    std::map<std::string, std::string> values;
    if (!db.GetMapProperty(rocksdb::DB::Properties::kDBStats, &values)) return {};
    const std::string& text = values["db.user_write_stall_micros"];
    std::int64_t micros = 0;
    std::from_chars(text.data(), text.data() + text.size(), micros);
    return std::chrono::microseconds(micros);
}

void add_usage(CacheStats& stats, const rocksdb::Cache& cache) {
    stats.used_bytes = cache.GetUsage();
    stats.max_bytes = cache.GetCapacity();
}

}  // namespace

CacheStatistics::Part CacheStatistics::part_of(std::uint32_t ticker) {
    switch (ticker) {
        case rocksdb::BLOCK_CACHE_HIT:
            return &Counts::block_hits;
        case rocksdb::BLOCK_CACHE_MISS:
            return &Counts::block_misses;
        case rocksdb::ROW_CACHE_HIT:
            return &Counts::value_hits;
        case rocksdb::ROW_CACHE_MISS:
            return &Counts::value_misses;
        default:
            return nullptr;
    }
}

void CacheStatistics::recordTick(std::uint32_t ticker, std::uint64_t count) {
    if (const Part part = part_of(ticker)) (counts_.mine().*part).add(count);
}

std::uint64_t CacheStatistics::getTickerCount(std::uint32_t ticker) const {
    const Part part = part_of(ticker);
    if (part == nullptr) return 0;
    return counts_.sum(
        [part](const Counts& counts) -> const metrics::Count& { return counts.*part; });
}

EngineStats shared_stats(const RocksResources& resources) {
    const RocksCounters& counters = *resources.counters;
    const CacheStatistics& caches = *resources.cache_statistics;
    EngineStats stats;
    stats.commits = counters.commits.value();
    stats.committed_batches = counters.committed_batches.value();
    stats.committed_bytes = counters.committed_bytes.value();
    stats.syncs = resources.medium->log_syncs();
    stats.flushes = counters.flushes.value();
    stats.flushed_bytes = counters.flushed_bytes.value();
    stats.compactions = counters.compactions.value();
    stats.compaction_bytes_read = counters.compaction_bytes_read.value();
    stats.compaction_bytes_written = counters.compaction_bytes_written.value();
    stats.compaction_time = std::chrono::microseconds(counters.compaction_micros.value());
    stats.blocks.hits = caches.getTickerCount(rocksdb::BLOCK_CACHE_HIT);
    stats.blocks.misses = caches.getTickerCount(rocksdb::BLOCK_CACHE_MISS);
    stats.values.hits = caches.getTickerCount(rocksdb::ROW_CACHE_HIT);
    stats.values.misses = caches.getTickerCount(rocksdb::ROW_CACHE_MISS);
    add_usage(stats.blocks, *resources.block_cache);
    add_usage(stats.values, *resources.row_cache);
    return stats;
}

void add_database_stats(EngineStats& stats, const RocksInstance& instance) {
    using Properties = rocksdb::DB::Properties;
    rocksdb::DB& db = *instance.db;
    stats.compactions_running += property(db, Properties::kNumRunningCompactions);
    stats.compaction_bytes_pending += property(db, Properties::kEstimatePendingCompactionBytes);
    stats.stalls += stalls_of(db);
    stats.memtable_bytes += property(db, Properties::kSizeAllMemTables);
    stats.live_bytes += property(db, Properties::kEstimateLiveDataSize);
    stats.files += files_of(db);
}

}  // namespace orrery::storage
