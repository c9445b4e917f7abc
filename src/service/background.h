// The work nobody waits for: removing expired items, those of deleted partition keys and the data
// of removed containers, building indexes.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "base/result.h"
#include "catalog/catalog.h"
#include "partition/expiry.h"
#include "partition/key_delete_tasks.h"
#include "service/indexing.h"
#include "service/partitions.h"

namespace orrery::service {

class Background {
public:
    // One thread, until destruction; sweeps every `interval`.
    Background(catalog::Catalog& catalog,
               Partitions& partitions,
               Indexing& indexing,
               std::chrono::milliseconds interval);
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background();

    // Runs soon rather than at the next interval.
    void wake();

    // One round, for tests and for the thread itself; not from two threads at once.
    void run_once();

private:
    void run();
    void sweep_expired();
    void sweep_deleted_keys();
    // Returns whether there is more to do.
    bool sweep_deleted_key(partition::Partition& partition);
    Status sweep(const catalog::Container& container,
                 std::size_t range,
                 partition::SweepPosition& position);

    catalog::Catalog& catalog_;
    Partitions& partitions_;
    Indexing& indexing_;
    const std::chrono::milliseconds interval_;
    std::unordered_map<storage::PartitionId, partition::SweepPosition> positions_;
    // Of the key of each partition that is being swept; one after the other.
    std::unordered_map<storage::PartitionId, partition::KeySweepPosition> key_positions_;

    std::mutex mutex_;
    std::condition_variable changed_;
    bool awake_ = true;  // the first round clears up after the last run of the server
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::service
