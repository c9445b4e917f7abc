#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

namespace {

void write_commits(metrics::Writer& writer, const storage::EngineStats& stats) {
    writer.counter("orrery_commits_total", "Commits, each written to the log with one sync.")
        .add(stats.commits);
    writer
        .counter("orrery_commit_batches_total",
                 "Batches of writes in these commits, each of one partition.")
        .add(stats.committed_batches);
    writer.counter("orrery_commit_bytes_total", "Bytes written by commits.")
        .add(stats.committed_bytes);
    writer.histogram("orrery_log_sync_duration_seconds", "Time that syncs of the log took.")
        .add({}, stats.syncs);
}

void write_compactions(metrics::Writer& writer, const storage::EngineStats& stats) {
    writer.counter("orrery_storage_flushes_total", "Memtables written to files.")
        .add(stats.flushes);
    writer.counter("orrery_storage_flush_written_bytes_total", "Bytes written by flushes.")
        .add(stats.flushed_bytes);
    writer.counter("orrery_storage_compactions_total", "Compactions that have ended.")
        .add(stats.compactions);
    writer.gauge("orrery_storage_compactions_running", "Compactions that run now.")
        .add(stats.compactions_running);
    writer.counter("orrery_storage_compaction_read_bytes_total", "Bytes read by compactions.")
        .add(stats.compaction_bytes_read);
    writer.counter("orrery_storage_compaction_written_bytes_total", "Bytes written by compactions.")
        .add(stats.compaction_bytes_written);
    writer.counter("orrery_storage_compaction_seconds_total", "Time spent in compactions.")
        .add(metrics::in_seconds(stats.compaction_time));
    writer.gauge("orrery_storage_compaction_pending_bytes", "Bytes that compactions are behind.")
        .add(stats.compaction_bytes_pending);
    writer
        .counter("orrery_storage_stall_seconds_total",
                 "Time that commits were held up because flushes or compactions were behind.")
        .add(metrics::in_seconds(stats.stalls));
}

void write_caches(metrics::Writer& writer, const storage::EngineStats& stats) {
    const struct {
        std::string_view name;
        const storage::CacheStats& stats;
    } caches[] = {{"blocks", stats.blocks}, {"values", stats.values}};
    const auto add = [&](metrics::Family family, std::uint64_t storage::CacheStats::*number) {
        for (const auto& cache : caches) {
            family.add({{"cache", cache.name}}, cache.stats.*number);
        }
    };
    using storage::CacheStats;
    add(writer.counter("orrery_cache_hits_total", "Look-ups answered by a cache, by cache."),
        &CacheStats::hits);
    add(writer.counter("orrery_cache_misses_total", "Look-ups that a cache could not answer."),
        &CacheStats::misses);
    add(writer.gauge("orrery_cache_used_bytes", "Size of a cache's content."),
        &CacheStats::used_bytes);
    add(writer.gauge("orrery_cache_limit_bytes", "Size that a cache may have."),
        &CacheStats::max_bytes);
}

// Free and total space of the file system that holds the data directory.
void write_disk(metrics::Writer& writer, const std::string& directory) {
    std::error_code failed;
    const auto space = std::filesystem::space(directory, failed);  // fails for an empty path
    const bool known = !failed;
    auto free =
        writer.gauge("orrery_disk_free_bytes", "Free space on the disk with the data directory.");
    if (known) free.add(space.available);
    auto size = writer.gauge("orrery_disk_size_bytes", "Size of the disk with the data directory.");
    if (known) size.add(space.capacity);
}

}  // namespace

void write_storage(metrics::Writer& writer, const Sources& sources) {
    const storage::EngineStats stats = sources.engine.stats();
    write_commits(writer, stats);
    write_compactions(writer, stats);
    write_caches(writer, stats);
    writer.gauge("orrery_storage_memtable_bytes", "Memory of memtables, which buffer writes.")
        .add(stats.memtable_bytes);
    writer.gauge("orrery_storage_live_bytes", "Estimated size of the newest version of all data.")
        .add(stats.live_bytes);
    writer.gauge("orrery_storage_used_bytes", "Size of the database, including its logs.")
        .add(sources.engine.size_on_disk());
    writer.gauge("orrery_storage_files", "Files that hold data.").add(stats.files);
    write_disk(writer, sources.data_directory);
    writer.gauge("orrery_open_partitions", "Physical partitions that are open.")
        .add(sources.partitions.open_count());
}

}  // namespace orrery::server::metrics_page
