// Background work: removes expired items, items of deleted partition keys, versions that are no
// longer kept and data of removed containers, builds indexes, and closes partitions that nobody
// uses.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "partition/expiry.h"
#include "partition/key_delete_tasks.h"
#include "service/indexing.h"
#include "service/partitions.h"

namespace orrery::service {

class Background {
public:
    struct Options {
        std::chrono::milliseconds interval{1000};  // between rounds
        std::chrono::seconds close_after{600};     // of partitions that nobody uses
    };

    // Starts one thread, which runs rounds until destruction.
    Background(catalog::Catalog& catalog,
               Partitions& partitions,
               Indexing& indexing,
               const Clock& clock,
               const Options& options);
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background();

    // Starts the next round now instead of at the next interval.
    void wake();

    // Runs one round. Called by the thread and by tests; not thread-safe.
    void run_once();

private:
    void run();
    void close_unused();
    void sweep_expired();
    void sweep_deleted_keys();
    // Versions and removals that change feeds no longer need.
    void trim_versions();
    Status trim_versions(const catalog::Container& container, std::size_t range);
    // Returns whether there is more to do.
    bool sweep_deleted_key(partition::Partition& partition);
    Status sweep(const catalog::Container& container,
                 std::size_t range,
                 partition::SweepPosition& position);

    catalog::Catalog& catalog_;
    Partitions& partitions_;
    Indexing& indexing_;
    const Clock& clock_;
    const Options options_;
    std::int64_t closed_at_ = 0;  // seconds
    std::unordered_map<storage::PartitionId, partition::SweepPosition> positions_;
    // Per partition: the position in the deleted key being swept. Keys are swept one at a time.
    std::unordered_map<storage::PartitionId, partition::KeySweepPosition> key_positions_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool awake_ = true;  // the first round cleans up after the previous run of the server
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::service
