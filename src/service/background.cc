#include "service/background.h"

#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "base/wait_for.h"
#include "partition/version_tasks.h"

namespace orrery::service {

namespace {

// Small, so that client writes are not delayed.
constexpr std::size_t kExpiredPerCommit = 100;
// Consecutive sweeps of one partition before other partitions and background work get their turn.
constexpr int kKeySweepsInARow = 16;

}  // namespace

Background::Background(catalog::Catalog& catalog,
                       Partitions& partitions,
                       Indexing& indexing,
                       const Clock& clock,
                       const Options& options)
    : catalog_(catalog),
      partitions_(partitions),
      indexing_(indexing),
      clock_(clock),
      options_(options),
      closed_at_(clock.now_seconds()),
      thread_([this] { run(); }) {}

Background::~Background() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Background::wake() {
    {
        const std::lock_guard lock(mutex_);
        awake_ = true;
    }
    changed_.notify_all();
}

void Background::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        changed_.wait_for(lock, options_.interval, [this] { return awake_ || stopping_; });
        if (stopping_) return;
        awake_ = false;
        lock.unlock();
        static_cast<void>(run_guarded("background work", [this]() -> Status {
            run_once();
            return {};
        }));
        lock.lock();
    }
}

void Background::run_once() {
    const auto dropped = partitions_.drop_removed();
    // In a cluster, the node that has the catalog drops partitions.
    if (!dropped && dropped.error().code() != ErrorCode::kElsewhere) {
        log::warn("drop_failed", {{"reason", dropped.error().message()}});
    }
    sweep_expired();
    sweep_deleted_keys();
    trim_versions();
    if (indexing_.advance()) wake();
    close_unused();
}

void Background::close_unused() {
    const std::int64_t now = clock_.now_seconds();
    if (now - closed_at_ < options_.close_after.count()) return;
    closed_at_ = now;
    partitions_.close_unused();
}

void Background::sweep_expired() {
    std::unordered_map<storage::PartitionId, partition::SweepPosition> kept;
    for (const catalog::ContainerPtr& container : catalog_.all_containers()) {
        if (!container->definition.default_ttl) continue;
        for (std::size_t i = 0; i < container->ranges.size(); ++i) {
            const storage::PartitionId id = container->ranges[i].partition;
            partition::SweepPosition position = std::move(positions_[id]);
            const Status swept = sweep(*container, i, position);
            if (!swept) log::warn("expiry_failed", {{"reason", swept.error().message()}});
            kept[id] = std::move(position);
        }
    }
    positions_ = std::move(kept);
}

void Background::sweep_deleted_keys() {
    for (const catalog::ContainerPtr& container : catalog_.all_containers()) {
        for (const catalog::PartitionRange& range : container->ranges) {
            // After a restart, indexing opens every partition that has been written to.
            const auto partition = partitions_.find(range.partition);
            if (partition && sweep_deleted_key(*partition)) wake();
        }
    }
}

bool Background::sweep_deleted_key(partition::Partition& partition) {
    const storage::PartitionId id = partition.identity().storage_id;
    for (int step = 0; step < kKeySweepsInARow; ++step) {
        const partition::KeyDeletesPtr deletes = partition.deletes();
        if (!deletes) {
            key_positions_.erase(id);
            return false;
        }
        const bool swept = wait_for<bool>([&](auto done) {
            partition.submit(partition::make_key_sweep_task(
                deletes->all().begin()->first, key_positions_[id], std::move(done)));
        });
        // If the store rejects writes, retry at the next interval.
        if (!swept) return false;
    }
    return true;
}

void Background::trim_versions() {
    for (const catalog::ContainerPtr& container : catalog_.all_containers()) {
        for (std::size_t i = 0; i < container->ranges.size(); ++i) {
            const Status trimmed = trim_versions(*container, i);
            if (!trimmed) log::warn("trim_failed", {{"reason", trimmed.error().message()}});
        }
    }
}

Status Background::trim_versions(const catalog::Container& container, std::size_t range) {
    constexpr std::int64_t kSecondsPerMinute = 60;
    const std::int64_t minutes = container.definition.version_retention_minutes;
    std::optional<std::int64_t> before;
    if (minutes > 0) before = clock_.now_seconds() - minutes * kSecondsPerMinute;
    // Without a policy there are some only if there was one before.
    const auto partition = partitions_.find(container.ranges[range].partition);
    if (!partition || (!before && !partition->has_versions())) return {};
    if (!TRY(partition::has_old_versions(*partition, before))) {
        if (!before) partition->forget_versions();
        return {};
    }
    const bool more = wait_for<bool>(
        [&](auto done) { partition->submit(partition::make_trim_task(before, std::move(done))); });
    if (more) wake();
    return {};
}

Status Background::sweep(const catalog::Container& container,
                         std::size_t range,
                         partition::SweepPosition& position) {
    const std::int32_t default_ttl = *container.definition.default_ttl;
    if (!partitions_.expect_here(container.ranges[range].partition)) return {};
    const auto partition = TRY(partitions_.open(container, range));
    std::vector<partition::Docnum> expired =
        TRY(partition::find_expired(*partition, default_ttl, kExpiredPerCommit, position));
    if (expired.empty()) return {};
    const bool more = expired.size() >= kExpiredPerCommit;
    const bool removed = wait_for<bool>([&](auto done) {
        partition->submit(
            partition::make_expire_task(std::move(expired), default_ttl, std::move(done)));
    });
    // More may be waiting: continue after this round instead of sleeping. If the store rejects
    // writes, retry at the next interval.
    if (removed && more) wake();
    return {};
}

}  // namespace orrery::service
