// Copies the items of a partition into others that will take its place, while it goes on serving.
// A copy follows the change log: first everything, then again and again what has changed in the
// meantime. Once the partition takes no more writes, one last time makes the copy complete.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "model/effective_partition_key.h"
#include "partition/partition.h"

namespace orrery::partition {

class Transfer {
public:
    // One of the partitions that take over, and the part of the hash space it takes. It must not be
    // written to otherwise.
    struct Target {
        std::shared_ptr<Partition> partition;
        model::EpkRange epks;
    };

    // Until its destruction the source keeps the log of removals.
    Transfer(std::shared_ptr<Partition> source, std::vector<Target> targets);
    Transfer(const Transfer&) = delete;
    Transfer& operator=(const Transfer&) = delete;
    ~Transfer();

    // Copies what was committed since the last call; returns how many changes that were. Asks
    // `may_go_on` between steps; if not, the result is kUnavailable.
    Result<std::uint64_t> catch_up(const std::function<bool()>& may_go_on);

    // The targets continue where the source has ended. Call after the last catch_up(). If other
    // partitions are copied to the same targets, the log up to there is not in the order of
    // timestamps.
    Status seal(bool is_only_source = true);

    std::uint64_t copied() const { return copied_; }

private:
    class Round;

    const std::shared_ptr<Partition> source_;
    const std::vector<Target> targets_;
    Lsn until_ = 0;  // what is copied
    std::int64_t timestamp_ = 0;
    std::uint64_t copied_ = 0;
};

}  // namespace orrery::partition
