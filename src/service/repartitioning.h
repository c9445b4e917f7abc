// Divides and joins the partitions of containers while they are in use (ADR 20).
//
// The partitions that will take over are filled from the log of those they replace, which go on
// serving. Then writes pause for a moment: the last changes are copied, and the catalog switches to
// the new ranges in one commit. Requests that come meanwhile wait and then find the new ranges.
// A crash before that commit leaves the old partitions as they were, one after it the new ones; the
// others are dropped at the next start.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "partition/transfer.h"
#include "service/partitions.h"

namespace orrery::service {

class Repartitioning {
public:
    struct Options {
        // A partition with more than this is divided.
        std::uint64_t partition_bytes_max = std::uint64_t{50} << 30;
        std::chrono::milliseconds interval{1000};  // between looking for what must grow
        bool grows_with_throughput = true;
        // For tests: all partitions are divided, and later joined, at every interval.
        bool churn = false;
        // Called with partitions that this server is about to fill, before it opens them.
        std::function<Status(const std::vector<storage::PartitionId>&)> on_reservation =
            [](const auto& /*reserved*/) { return Status(); };
        // Called after the ranges of a container have changed.
        std::function<void(model::ContainerRid)> on_change = [](model::ContainerRid) {};
    };

    // Starts one thread.
    // `editor` is the catalog, or what changes it on another node.
    Repartitioning(catalog::Catalog& catalog,
                   catalog::RangeEditor& editor,
                   Partitions& partitions,
                   Options options);
    Repartitioning(const Repartitioning&) = delete;
    Repartitioning& operator=(const Repartitioning&) = delete;
    // Gives up what is under way.
    ~Repartitioning();

    // Both only begin it; nothing happens if it is under way already. Without `at`, the place
    // follows from the data. kBadRequest for what can never be done, kGone for an unknown range.
    Status split(const catalog::Container& container,
                 std::uint32_t range_id,
                 std::optional<std::string> at);
    // With the range after it.
    Status merge(const catalog::Container& container, std::uint32_t range_id);

    // Looks for what must grow now: an offer has changed.
    void wake();

    struct Progress {
        const char* step = "waiting";
        std::uint64_t changes_copied = 0;
    };
    std::optional<Progress> progress(model::ContainerRid container, std::uint32_t range_id) const;

    struct Stats {
        std::uint64_t splits = 0;
        std::uint64_t merges = 0;
        std::uint64_t failures = 0;
        std::chrono::nanoseconds longest_pause{};
    };
    Stats stats() const;

    // Whether its container has fewer partitions than the offer needs.
    bool is_growing(const catalog::Offer& offer) const;

private:
    struct Job {
        model::ContainerRid container;
        std::vector<std::uint32_t> ranges;  // one to divide, or two neighbours to join
        std::optional<std::string> at;
        bool too_large = false;  // divided only where that makes it smaller
    };
    class Move;

    void run();
    Status add(Job job);
    bool is_queued(model::ContainerRid container, std::uint32_t range_id) const;
    void run_job(const Job& job);
    Status carry_out(const Job& job);
    void find_work();
    void find_growth(const catalog::Container& container);
    void churn(const catalog::Container& container);
    std::uint64_t bytes_of(const catalog::PartitionRange& range) const;
    void record(std::size_t parents, std::chrono::nanoseconds pause);
    void set_step(const char* step, std::uint64_t changes_copied);

    catalog::Catalog& catalog_;
    catalog::RangeEditor& editor_;
    Partitions& partitions_;
    const Options options_;
    // Partitions that cannot be divided because all their items have one key, and their size then.
    std::map<storage::PartitionId, std::uint64_t> indivisible_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> jobs_;  // the first is under way
    Progress progress_;     // of the first
    Stats stats_;
    bool awake_ = true;
    std::atomic<bool> stopping_ = false;
    std::thread thread_;
};

}  // namespace orrery::service
