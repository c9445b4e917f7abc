#include "storage/rocksdb/rocks_options.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <vector>

#include <rocksdb/convenience.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/table.h>

#include "base/log.h"
#include "storage/rocksdb/tree_memtable.h"
#include "storage/rocksdb/wal_guard_file_system.h"

namespace orrery::storage {

namespace {

constexpr int kRemoteFlushes = 4;
constexpr int kRemoteCompactions = 4;

// RocksDB's warnings and errors go to our log; it writes no LOG files of its own.
class ForwardingLogger final : public rocksdb::Logger {
public:
    ForwardingLogger() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}

    // A dump of all options at each open.
    void LogHeader(const char* /*format*/, va_list /*arguments*/) override {}

    void Logv(const char* format, va_list arguments) override {
        Logv(rocksdb::InfoLogLevel::INFO_LEVEL, format, arguments);
    }

    void Logv(const rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
        if (level < GetInfoLogLevel()) return;
        std::array<char, 512> text{};
        std::vsnprintf(text.data(), text.size(), format, arguments);
        std::string_view line(text.data());
        while (line.ends_with('\n')) {
            line.remove_suffix(1);
        }
        // Backups nest what keeps files from being removed, which is not worth a warning.
        if (line.find("File Deletions ") != std::string_view::npos) return;
        if (level == rocksdb::InfoLogLevel::WARN_LEVEL) {
            log::warn("rocksdb", {{"text", line}});
        } else {
            log::error("rocksdb", {{"text", line}});
        }
    }
};

// None if this build of RocksDB lacks it.
rocksdb::CompressionType supported(rocksdb::CompressionType wanted) {
    const std::vector<rocksdb::CompressionType> all = rocksdb::GetSupportedCompressions();
    return std::find(all.begin(), all.end(), wanted) != all.end() ? wanted
                                                                  : rocksdb::kNoCompression;
}

// Selects the keys in the filters: all except those that are only scanned. Most keys are index
// entries, which are only scanned and would make the filters ten times as large.
class GotKeys : public rocksdb::SliceTransform {
public:
    explicit GotKeys(std::string scanned_letters)
        : scanned_letters_(std::move(scanned_letters)), name_("orrery.got:" + scanned_letters_) {}

    const char* Name() const override { return name_.c_str(); }
    bool InDomain(const rocksdb::Slice& key) const override {
        return key.size() > kPrefixSize &&
               scanned_letters_.find(key[kPrefixSize]) == std::string::npos;
    }
    rocksdb::Slice Transform(const rocksdb::Slice& key) const override { return key; }

private:
    const std::string scanned_letters_;
    const std::string name_;
};

// A block larger than its cache shard is never cached and is read again for every get; the filters
// of a table take up to two megabytes.
int cache_shard_bits(std::size_t cache_bytes) {
    constexpr std::size_t kShardBytesMin = std::size_t{16} << 20;
    int bits = 0;
    while (bits < 6 && cache_bytes >> (bits + 1) >= kShardBytesMin) {
        ++bits;
    }
    return bits;
}

void choose_durability(rocksdb::Options& options) {
    options.paranoid_checks = true;
    // The only mode that opens a log whose last record was cut by a crash and refuses one with a
    // hole (rocks_damage_test.cc); rocks_files.cc checks the case it gets wrong.
    options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
    // Would detect lost or truncated logs, as wal_list.h and wal_continuity.h do. It makes commits
    // write to the manifest, and in 7.8 a commit that fails there is reported as failed although it
    // is in the database.
    options.track_and_verify_wals_in_manifest = false;
    // The guard expects logs to be created and deleted, not recycled.
    options.recycle_log_file_num = 0;
    // Committed data is in the log, so a start after a crash need not flush it.
    options.avoid_flush_during_recovery = true;
    // Recovery from errors is ours (rocks_database.h).
    options.max_bgerror_resume_count = 0;
}

void choose_memory(rocksdb::Options& options, const RocksOptions& wanted) {
    options.write_buffer_size = wanted.write_buffer_bytes;
    options.max_write_buffer_number = 4;
    // Avoids searching the memtable for keys it does not have.
    options.memtable_prefix_bloom_size_ratio = 0.02;
    options.memtable_whole_key_filtering = false;
    options.memtable_factory = make_tree_memtables();
    options.allow_concurrent_memtable_write = false;
}

void choose_background_work(rocksdb::Options& options) {
    options.max_background_jobs = 2;
    options.level_compaction_dynamic_level_bytes = true;
    // Every cursor reads all files that have not been compacted yet: keep them few, or queries
    // become slower during writes.
    options.level0_file_num_compaction_trigger = 4;
    options.bytes_per_sync = std::uint64_t{1} << 20;
    // Avoid threads that wake up an idle server.
    options.stats_dump_period_sec = 0;
    options.stats_persist_period_sec = 0;
    // Files are opened when they are read, so opening a large database is as fast as a small one.
    options.max_open_files = 512;
    options.skip_stats_update_on_db_open = true;
    options.avoid_unnecessary_blocking_io = true;
}

void choose_tables(rocksdb::Options& options,
                   const RocksOptions& wanted,
                   const RocksResources& resources) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = resources.block_cache;
    table.format_version = 5;
    table.block_size = std::size_t{8} << 10;
    table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
    // The "prefix" is the whole key, for keys that are not only scanned.
    table.whole_key_filtering = false;
    options.prefix_extractor = std::make_shared<GotKeys>(wanted.scanned_letters);
    // Index and filter blocks count towards the cache, so that memory has one limit; those of the
    // newest level, which every get reads, stay pinned.
    table.cache_index_and_filter_blocks = true;
    table.pin_l0_filter_and_index_blocks_in_cache = true;
    options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    // The newest level is soon compacted again and not compressed. With dynamic level sizes the
    // second entry is the first level below it; to compress that one too writes less in total.
    options.compression_per_level = {rocksdb::kNoCompression,
                                     supported(rocksdb::kLZ4Compression),
                                     supported(rocksdb::kLZ4Compression)};
    // Nine tenths of the data are in the last level. LZ4 finds nothing to shorten in text of random
    // letters and digits, as ids and tokens are.
    options.bottommost_compression = supported(rocksdb::kZSTD);
    options.bottommost_compression_opts.enabled = true;
    options.bottommost_compression_opts.level = 1;
}

// What a database of a partition in a cluster needs beyond, or instead of, the above.
void choose_for_remote_medium(rocksdb::Options& options, const RocksResources& resources) {
    // Bounds the memory of all databases together; each bounds its own by the size of a memtable.
    options.write_buffer_manager = resources.write_buffers;
    options.max_write_buffer_number = 3;
    // Most partitions of a node hold little that is not flushed: none of them takes much for being
    // open. A filter of this size has ten bits for each key that is looked up.
    options.arena_block_size = std::size_t{64} << 10;
    options.memtable_prefix_bloom_size_ratio = 0.002;
    // A read takes as long for four megabytes as for one.
    options.compaction_readahead_size = std::size_t{4} << 20;
    // An open asks for no file it does not need: the directory knows the sizes.
    options.skip_checking_sst_file_sizes_on_db_open = true;
    // A manifest is one object.
    options.max_manifest_file_size = std::uint64_t{16} << 20;
}

std::shared_ptr<RocksResources> make_resources(
    const RocksOptions& options,
    ThreadPool& committers,
    const std::shared_ptr<rocksdb::FileSystem>& file_system,
    DatabaseMedium& medium) {
    auto resources = std::make_shared<RocksResources>();
    resources->committers = &committers;
    resources->file_system = file_system;
    resources->medium = &medium;
    resources->env = rocksdb::NewCompositeEnv(file_system);
    // Getting a cached value takes less than half of the instructions of finding it in a cached
    // block.
    const std::size_t row_bytes = options.cache_bytes / 4;
    const std::size_t block_bytes = options.cache_bytes - row_bytes;
    resources->row_cache = rocksdb::NewLRUCache(row_bytes);
    resources->block_cache = rocksdb::NewLRUCache(block_bytes, cache_shard_bits(block_bytes));
    resources->logger = std::make_shared<ForwardingLogger>();
    resources->cache_statistics = std::make_shared<CacheStatistics>();
    resources->counters = std::make_shared<RocksCounters>();
    return resources;
}

}  // namespace

std::shared_ptr<const RocksResources> make_rocks_resources(const RocksOptions& options,
                                                           ThreadPool& committers) {
    const auto guard = std::make_shared<WalGuardFileSystem>(
        options.file_system ? options.file_system : rocksdb::FileSystem::Default());
    return make_resources(options, committers, guard, *guard);
}

std::shared_ptr<const RocksResources> make_remote_resources(const RocksOptions& options,
                                                            ThreadPool& committers,
                                                            DatabaseMedium& medium,
                                                            std::size_t write_buffers_bytes_max) {
    const auto resources = make_resources(options, committers, options.file_system, medium);
    resources->is_remote = true;
    resources->write_buffers =
        std::make_shared<rocksdb::WriteBufferManager>(write_buffers_bytes_max);
    // Flushes and compactions wait for the network more than they compute. The threads are shared
    // by all databases.
    resources->env->SetBackgroundThreads(kRemoteFlushes, rocksdb::Env::HIGH);
    resources->env->SetBackgroundThreads(kRemoteCompactions, rocksdb::Env::LOW);
    return resources;
}

rocksdb::Options make_database_options(const RocksOptions& options,
                                       const RocksResources& resources) {
    rocksdb::Options made;
    made.env = resources.env.get();
    made.info_log = resources.logger;
    made.row_cache = resources.row_cache;
    made.statistics = resources.cache_statistics;
    choose_durability(made);
    choose_memory(made, options);
    choose_background_work(made);
    choose_tables(made, options, resources);
    if (resources.is_remote) choose_for_remote_medium(made, resources);
    return made;
}

std::shared_ptr<rocksdb::FileSystem> make_memory_file_system() {
    const std::unique_ptr<rocksdb::Env> env(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    return env->GetFileSystem();
}

}  // namespace orrery::storage
