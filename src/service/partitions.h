// The one way to a partition. A partition is opened on first use and closed when it has not been
// used for a while, or when it is gone: because its container was removed, because another range
// has taken over its keys, or because another node owns it.
//
// A request holds the container, and with it the map of ranges, that it found at its start. If the
// map has changed since, the answer is 410/1002, and the request is run once more from the start
// (gateway/router): one that names a key then finds the new owner, and one that names a range
// learns that the range is gone.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>

#include "base/read_mostly.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "partition/partition.h"
#include "service/budgets.h"
#include "service/context.h"
#include "service/placement.h"
#include "storage/engine.h"

namespace orrery::service {

class Partitions {
public:
    Partitions(storage::Engine& engine,
               catalog::Catalog& catalog,
               Budgets& budgets,
               const partition::Partition::Environment& environment,
               Placement* placement = nullptr)
        : engine_(engine),
          catalog_(catalog),
          budgets_(budgets),
          environment_(environment),
          placement_(placement) {}
    Partitions(const Partitions&) = delete;
    Partitions& operator=(const Partitions&) = delete;
    // Waits for the writes in progress.
    ~Partitions();

    // 404/1003 if the container has been removed, 410/1002 if it has another map of ranges now,
    // 429/3200 if the partition's request units are used up, kElsewhere if another node serves it.
    // If it may not block, kWouldBlock for a partition that is not open.
    Result<std::shared_ptr<partition::Partition>> open(const catalog::Container& container,
                                                       std::size_t range_index,
                                                       const Allowance& allowance = {});

    // Success unless another node serves it (kElsewhere).
    Status expect_here(storage::PartitionId id) const {
        return placement_ != nullptr ? placement_->expect_here(id) : Status();
    }

    // A partition that is not part of the container yet: it is being filled. Nobody else finds it
    // before adopt().
    Result<std::shared_ptr<partition::Partition>> open_new(const catalog::Container& container,
                                                           const catalog::PartitionRange& range);
    void adopt(const std::shared_ptr<partition::Partition>& partition);
    // It did not become part of the container after all. Adopted or not.
    void disown(const partition::Partition& partition);

    // In a cluster, before others take over from a partition that is held: a node that takes it
    // over meanwhile finds the seal, and sees to it that only one of both happens. Fails if one
    // has.
    Status seal(storage::PartitionId id, const std::vector<storage::PartitionId>& successors);

    // Applies a changed policy of the container, on what versions are kept, to open partitions.
    void adopt_retention(model::ContainerRid rid);

    // Ends the writes to a partition that others are about to replace, and makes those who want to
    // open it wait until release().
    void hold(storage::PartitionId id);
    void release(storage::PartitionId id);

    // Closes a partition that another node is about to serve. Returns when their writes
    // have ended; readers that are still at work find out before they answer.
    void surrender(storage::PartitionId id);

    // The partition if it is open, else null. Does not count as use.
    std::shared_ptr<partition::Partition> find(storage::PartitionId id) const;

    // Closes the partitions that were not used since the last call.
    void close_unused();
    std::size_t open_count() const;
    std::vector<storage::PartitionId> open_ids() const;

    // Whether it was ever written to.
    Result<bool> is_written(storage::PartitionId id) const;

    // Drops the data of partitions in the catalog's drop list, and their entries in it. Call after
    // a removal and at startup; safe to repeat, not thread-safe. Partitions that are still in use
    // stay for the next call; returns whether there are any.
    Result<bool> drop_removed();

private:
    // One thread at a time opens, closes or drops a partition.
    class Turn;

    Status wait_until_released(storage::PartitionId id, const Allowance& allowance);
    bool is_held(storage::PartitionId id);
    Result<std::shared_ptr<partition::Partition>> open_closed(const catalog::Container& container,
                                                              std::size_t range_index,
                                                              const Allowance& allowance);
    void forget(storage::PartitionId id);
    Status break_seal(storage::PartitionStore& store);
    Result<std::shared_ptr<partition::Partition>> open_store(const catalog::Container& container,
                                                             const catalog::PartitionRange& range);

    storage::Engine& engine_;
    catalog::Catalog& catalog_;
    Budgets& budgets_;
    const partition::Partition::Environment environment_;
    Placement* const placement_;
    mutable ReadMostlyMutex mutex_;
    std::unordered_map<storage::PartitionId, std::shared_ptr<partition::Partition>> open_;

    std::mutex holding_;  // guards the members below
    std::condition_variable released_;
    std::set<storage::PartitionId> held_;
    std::condition_variable turn_ended_;
    std::set<storage::PartitionId> turns_;
};

}  // namespace orrery::service
