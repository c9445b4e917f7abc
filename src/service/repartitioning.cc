#include "service/repartitioning.h"

#include <algorithm>

#include "base/guarded.h"
#include "base/log.h"
#include "base/stopwatch.h"
#include "model/limits.h"
#include "partition/split_point.h"
#include "service/errors.h"
#include "service/item_selection.h"

namespace orrery::service {

namespace {

using std::chrono::milliseconds;

Status check_divisible(const catalog::Container& container) {
    if (container.definition.partition_key.system_key) {
        return bad_request("A container without a partition key has one partition.");
    }
    return {};
}

std::uint32_t next_range_id(const catalog::Container& container) {
    std::uint32_t newest = 0;
    for (const catalog::PartitionRange& range : container.ranges)
        newest = std::max(newest, range.id);
    return newest + 1;
}

// All ranges that held the keys before a range takes over from these.
std::vector<std::uint32_t> ancestors(const std::vector<catalog::PartitionRange>& parents) {
    std::vector<std::uint32_t> out;
    for (const catalog::PartitionRange& parent : parents) {
        out.insert(out.end(), parent.parents.begin(), parent.parents.end());
        out.push_back(parent.id);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

}  // namespace

// One division or join, from the reservation of its partitions to the switch.
class Repartitioning::Move {
public:
    Move(Repartitioning& owner,
         const catalog::Container& container,
         const std::vector<std::size_t>& parents)
        : owner_(owner), container_(container) {
        for (const std::size_t index : parents) {
            parents_.push_back(container.ranges[index]);
            indexes_.push_back(index);
        }
    }
    Move(const Move&) = delete;
    Move& operator=(const Move&) = delete;
    ~Move() {
        transfers_.clear();
        if (!done_) {
            for (const auto& child : children_)
                owner_.partitions_.disown(*child);
        }
        children_.clear();
        if (!done_) owner_.editor_.abandon_partitions(reserved_);
        for (const storage::PartitionId id : held_)
            owner_.partitions_.release(id);
    }

    // The boundaries of the new ranges, from the start of the first to the end of the last.
    Status run(const std::vector<std::string>& bounds) {
        const Timer whole;
        TRY(open_children(bounds));
        TRY(open_transfers());
        TRY(copy());
        const Timer pause;
        TRY(switch_over());
        owner_.record(parents_.size(), pause.elapsed());
        log::info(
            parents_.size() == 1 ? "partition_split" : "partitions_merged",
            {{"container", container_.rid.text()},
             {"range", parents_.front().id},
             {"changes", copied()},
             {"ms", std::chrono::duration_cast<milliseconds>(whole.elapsed()).count()},
             {"pause_ms", std::chrono::duration_cast<milliseconds>(pause.elapsed()).count()}});
        return {};
    }

private:
    Status open_children(const std::vector<std::string>& bounds) {
        const auto count = static_cast<std::uint32_t>(bounds.size() - 1);
        reserved_ = TRY(owner_.editor_.reserve_partitions(count));
        TRY(owner_.options_.on_reservation(reserved_));
        const std::uint32_t first_id = next_range_id(container_);
        if (first_id + count > model::kRangeIdMax) {
            return Error(ErrorCode::kForbidden, "the container has no range ids left");
        }
        for (std::uint32_t i = 0; i < count; ++i) {
            ranges_.push_back({.id = first_id + i,
                               .epks = {bounds[i], bounds[i + 1]},
                               .partition = reserved_[i],
                               .parents = ancestors(parents_)});
            children_.push_back(TRY(owner_.partitions_.open_new(container_, ranges_.back())));
        }
        return {};
    }

    Status open_transfers() {
        std::vector<partition::Transfer::Target> targets;
        for (std::size_t i = 0; i < children_.size(); ++i)
            targets.push_back({.partition = children_[i], .epks = ranges_[i].epks});
        for (const std::size_t index : indexes_) {
            const auto parent = TRY(owner_.partitions_.open(container_, index));
            transfers_.push_back(std::make_unique<partition::Transfer>(parent, targets));
        }
        return {};
    }

    // Until little is left to copy. If writes come faster than they can be copied, the pause is
    // longer.
    Status copy() {
        constexpr int kRoundsMax = 30;
        constexpr std::uint64_t kFewChanges = 100;
        std::uint64_t changes = kFewChanges;
        for (int round = 0; round < kRoundsMax && changes >= kFewChanges; ++round) {
            changes = TRY(catch_up());
        }
        return {};
    }

    Result<std::uint64_t> catch_up() {
        std::uint64_t changes = 0;
        for (const auto& transfer : transfers_) {
            changes += TRY(transfer->catch_up([this] {
                owner_.set_step("copying", copied());
                return !owner_.stopping_.load();
            }));
        }
        return changes;
    }

    std::uint64_t copied() const {
        std::uint64_t sum = 0;
        for (const auto& transfer : transfers_)
            sum += transfer->copied();
        return sum;
    }

    Status switch_over() {
        owner_.set_step("switching", copied());
        for (const catalog::PartitionRange& parent : parents_) {
            held_.push_back(parent.partition);
            owner_.partitions_.hold(parent.partition);
        }
        TRY(catch_up());
        for (const auto& transfer : transfers_)
            TRY(transfer->seal(transfers_.size() == 1));
        std::vector<std::uint32_t> old_ids;
        for (const catalog::PartitionRange& parent : parents_)
            old_ids.push_back(parent.id);
        for (const catalog::PartitionRange& parent : parents_)
            TRY(owner_.partitions_.seal(parent.partition, reserved_));
        // Before the switch: whoever sees the new ranges must find these partitions, as another
        // one on the same data would have counters of its own.
        for (const auto& child : children_)
            owner_.partitions_.adopt(child);
        TRY(owner_.editor_.replace_ranges(container_.rid, old_ids, ranges_));
        done_ = true;
        return {};
    }

    Repartitioning& owner_;
    const catalog::Container& container_;
    std::vector<catalog::PartitionRange> parents_;
    std::vector<std::size_t> indexes_;  // of the parents, in the container
    std::vector<storage::PartitionId> reserved_;
    std::vector<catalog::PartitionRange> ranges_;
    std::vector<std::shared_ptr<partition::Partition>> children_;
    std::vector<std::unique_ptr<partition::Transfer>> transfers_;
    std::vector<storage::PartitionId> held_;
    bool done_ = false;
};

Repartitioning::Repartitioning(catalog::Catalog& catalog,
                               catalog::RangeEditor& editor,
                               Partitions& partitions,
                               Options options)
    : catalog_(catalog),
      editor_(editor),
      partitions_(partitions),
      options_(std::move(options)),
      thread_([this] { run(); }) {}

Repartitioning::~Repartitioning() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void Repartitioning::wake() {
    {
        const std::lock_guard lock(mutex_);
        awake_ = true;
    }
    changed_.notify_all();
}

Status Repartitioning::split(const catalog::Container& container,
                             std::uint32_t range_id,
                             std::optional<std::string> at) {
    TRY(check_divisible(container));
    const catalog::PartitionRange& range = container.ranges[TRY(range_index(range_id, container))];
    if (at && (*at <= range.epks.min_inclusive || *at >= range.epks.max_exclusive)) {
        return bad_request("The place to split at must lie inside the range.");
    }
    TRY(partitions_.expect_here(range.partition));
    return add({.container = container.rid, .ranges = {range_id}, .at = std::move(at)});
}

Status Repartitioning::merge(const catalog::Container& container, std::uint32_t range_id) {
    TRY(check_divisible(container));
    const std::size_t index = TRY(range_index(range_id, container));
    if (index + 1 == container.ranges.size()) {
        return bad_request("The last range has no neighbour to merge with.");
    }
    TRY(partitions_.expect_here(container.ranges[index].partition));
    if (!partitions_.expect_here(container.ranges[index + 1].partition)) {
        return Error(ErrorCode::kNotImplemented,
                     "Ranges that are served by different nodes cannot be merged.");
    }
    return add({.container = container.rid,
                .ranges = {range_id, container.ranges[index + 1].id},
                .at = std::nullopt});
}

Status Repartitioning::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        for (const std::uint32_t range : job.ranges) {
            if (is_queued(job.container, range)) return {};
        }
        constexpr std::size_t kJobsMax = 10'000;
        if (jobs_.size() >= kJobsMax) {
            return Error(ErrorCode::kThrottled, "Too many partitions are waiting to be changed.");
        }
        jobs_.push_back(std::move(job));
    }
    changed_.notify_all();
    return {};
}

// Requires the mutex.
bool Repartitioning::is_queued(model::ContainerRid container, std::uint32_t range_id) const {
    return std::any_of(jobs_.begin(), jobs_.end(), [&](const Job& job) {
        return job.container == container &&
               std::find(job.ranges.begin(), job.ranges.end(), range_id) != job.ranges.end();
    });
}

std::optional<Repartitioning::Progress> Repartitioning::progress(model::ContainerRid container,
                                                                 std::uint32_t range_id) const {
    const std::lock_guard lock(mutex_);
    if (!is_queued(container, range_id)) return std::nullopt;
    const Job& first = jobs_.front();
    const bool under_way =
        first.container == container &&
        std::find(first.ranges.begin(), first.ranges.end(), range_id) != first.ranges.end();
    return under_way ? progress_ : Progress{};
}

Repartitioning::Stats Repartitioning::stats() const {
    const std::lock_guard lock(mutex_);
    return stats_;
}

void Repartitioning::record(std::size_t parents, std::chrono::nanoseconds pause) {
    const std::lock_guard lock(mutex_);
    ++(parents == 1 ? stats_.splits : stats_.merges);
    stats_.longest_pause = std::max(stats_.longest_pause, pause);
}

void Repartitioning::set_step(const char* step, std::uint64_t changes_copied) {
    const std::lock_guard lock(mutex_);
    progress_ = {.step = step, .changes_copied = changes_copied};
}

void Repartitioning::run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
        if (jobs_.empty()) {
            changed_.wait_for(
                lock, options_.interval, [this] { return awake_ || stopping_ || !jobs_.empty(); });
            if (stopping_) return;
            awake_ = false;
            if (jobs_.empty()) {
                lock.unlock();
                find_work();
                lock.lock();
            }
            continue;
        }
        const Job job = jobs_.front();
        progress_ = {};
        lock.unlock();
        run_job(job);
        lock.lock();
        jobs_.pop_front();
    }
}

void Repartitioning::run_job(const Job& job) {
    const Status done = run_guarded("repartitioning", [&] { return carry_out(job); });
    if (done) {
        options_.on_change(job.container);
    } else if (!stopping_) {
        {
            const std::lock_guard lock(mutex_);
            ++stats_.failures;
        }
        log::warn("repartitioning_failed",
                  {{"container", job.container.text()}, {"reason", done.error().message()}});
    }
}

Status Repartitioning::carry_out(const Job& job) {
    const catalog::ContainerPtr container = catalog_.find_container(job.container);
    if (!container) return not_found();
    std::vector<std::size_t> indexes;
    for (const std::uint32_t id : job.ranges)
        indexes.push_back(TRY(range_index(id, *container)));
    const model::EpkRange& first = container->ranges[indexes.front()].epks;
    const model::EpkRange& last = container->ranges[indexes.back()].epks;
    std::vector<std::string> bounds = {first.min_inclusive, last.max_exclusive};
    if (job.ranges.size() == 1) {
        std::optional<std::string> middle = job.at;
        if (!middle) {
            const auto partition = TRY(partitions_.open(*container, indexes.front()));
            middle = TRY(partition::split_point(*partition));
            if (!middle && partition->item_count() > 0) {
                indivisible_[partition->identity().storage_id] = partition->stored_bytes();
                if (job.too_large) return {};
            }
        }
        if (!middle) middle = model::middle_of(first, container->definition.partition_key.kind);
        if (!middle) return bad_request("The range cannot be divided any further.");
        bounds.insert(bounds.begin() + 1, *middle);
    } else if (indexes[0] + 1 != indexes[1]) {
        return bad_request("The ranges are no longer neighbours.");
    }
    return Move(*this, *container, indexes).run(bounds);
}

bool Repartitioning::is_growing(const catalog::Offer& offer) const {
    const auto rid = model::ContainerRid::parse(offer.resource_rid);
    const catalog::ContainerPtr container = rid ? catalog_.find_container(*rid) : nullptr;
    if (!container || container->definition.partition_key.system_key) return false;
    const auto capacity = static_cast<std::int64_t>(container->ranges.size()) *
                          model::limits::kPartitionThroughputMax;
    return options_.grows_with_throughput && offer.throughput.request_units > capacity;
}

void Repartitioning::find_work() {
    for (const catalog::ContainerPtr& container : catalog_.all_containers()) {
        if (container->definition.partition_key.system_key) continue;
        if (options_.churn) {
            churn(*container);
        } else {
            find_growth(*container);
        }
    }
}

std::uint64_t Repartitioning::bytes_of(const catalog::PartitionRange& range) const {
    const auto partition = partitions_.find(range.partition);
    return partition ? partition->stored_bytes() : 0;
}

void Repartitioning::find_growth(const catalog::Container& container) {
    const catalog::OfferPtr offer = catalog_.find_offer_of(container.rid.text());
    if (offer && is_growing(*offer)) {
        // The one divided least often: all nodes of a cluster choose the same, and the one that
        // serves it divides it.
        const auto next = std::max_element(
            container.ranges.begin(), container.ranges.end(), [&](const auto& a, const auto& b) {
                if (a.parents.size() != b.parents.size())
                    return a.parents.size() > b.parents.size();
                return bytes_of(a) < bytes_of(b);
            });
        if (split(container, next->id, std::nullopt)) wake();  // it may need more
        return;
    }
    for (const catalog::PartitionRange& range : container.ranges) {
        const std::uint64_t bytes = bytes_of(range);
        if (bytes <= options_.partition_bytes_max) continue;
        const auto known = indivisible_.find(range.partition);
        constexpr std::uint64_t kMuchMore = 10;  // a tenth
        if (known != indivisible_.end() && bytes < known->second + known->second / kMuchMore) {
            continue;
        }
        static_cast<void>(add({.container = container.rid,
                               .ranges = {range.id},
                               .at = std::nullopt,
                               .too_large = true}));
    }
}

// Between one and a few partitions, so that both directions happen.
void Repartitioning::churn(const catalog::Container& container) {
    constexpr std::size_t kManyRanges = 4;
    const auto& ranges = container.ranges;
    if (ranges.size() < kManyRanges) {
        for (const catalog::PartitionRange& range : ranges)
            static_cast<void>(split(container, range.id, std::nullopt));
        return;
    }
    for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
        static_cast<void>(merge(container, ranges[i].id));
}

}  // namespace orrery::service
