#include "server/cluster/partition_keeper.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"
#include "base/stopwatch.h"
#include "server/cluster/catalog_keeper.h"

namespace orrery::server {

using cluster::PartitionId;

void PartitionKeeper::attach(cluster::Member& member,
                             storage::OwnedEngine& owned,
                             CatalogKeeper& catalog_keeper) {
    const std::lock_guard lock(mutex_);
    parts_.member = &member;
    parts_.owned = &owned;
    parts_.catalog_keeper = &catalog_keeper;
    attached_ = true;
    if (waiting_.contains(storage::kCatalogPartition)) catalog_keeper.set_assigned(true);
}

void PartitionKeeper::attach(service::Partitions& partitions) {
    const std::lock_guard lock(mutex_);
    parts_.partitions = &partitions;
}

void PartitionKeeper::detach() {
    std::unique_ptr<ThreadPool> ending;
    {
        const std::lock_guard lock(mutex_);
        parts_ = {};
        attached_ = false;
        ending = std::move(threads_);
    }
}

void PartitionKeeper::post_later(std::function<void()> work) {
    constexpr std::chrono::milliseconds kPause{200};
    const std::lock_guard lock(mutex_);
    if (threads_) threads_->post_at(monotonic_now() + kPause, std::move(work));
}

void PartitionKeeper::post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    if (threads_) threads_->post(std::move(work));
}

PartitionKeeper::Parts PartitionKeeper::parts() const {
    const std::lock_guard lock(mutex_);
    return parts_;
}

// Others are opened when a request needs them.
void PartitionKeeper::assigned(std::span<const PartitionId> partitions) {
    const bool catalog =
        std::find(partitions.begin(), partitions.end(), storage::kCatalogPartition) !=
        partitions.end();
    if (!catalog) return;
    const std::lock_guard lock(mutex_);
    if (attached_) return parts_.catalog_keeper->set_assigned(true);
    waiting_.insert(storage::kCatalogPartition);
}

void PartitionKeeper::moving(std::span<const PartitionId> partitions) {
    for (const PartitionId partition : partitions)
        post([this, partition] { hand_over(partition); });
}

void PartitionKeeper::hand_over(PartitionId partition) {
    const Parts now = parts();
    if (now.member == nullptr) return;
    now.owned->prepare_release(partition);
    if (const Status done = now.member->hand_over(std::array{partition}); !done) {
        // The member asks again.
        log::warn("hand_over_failed",
                  {{"partition", partition}, {"reason", done.error().message()}});
    }
}

void PartitionKeeper::revoked(std::span<const PartitionId> partitions) {
    for (const PartitionId partition : partitions)
        post([this, partition] { release(partition); });
}

void PartitionKeeper::release(PartitionId partition) {
    const Parts now = parts();
    if (now.member == nullptr) return;
    if (partition == storage::kCatalogPartition) now.catalog_keeper->give_up();
    if (now.partitions != nullptr) now.partitions->surrender(partition);
    if (const Status done = now.owned->release(partition); !done) {
        // The next owner waits for it, so it must not be forgotten.
        log::warn("release_failed", {{"partition", partition}, {"reason", done.error().message()}});
        post_later([this, partition] { release(partition); });
        return;
    }
    now.member->released(partition);
}

void PartitionKeeper::give_up(std::vector<storage::PartitionId> partitions) {
    post([this, partitions = std::move(partitions)] {
        const Parts now = parts();
        if (now.partitions == nullptr) return;
        for (const storage::PartitionId partition : partitions) {
            if (now.partitions->find(partition)) release(partition);
        }
    });
}

void PartitionKeeper::lost() { on_loss_(); }

double PartitionKeeper::load_of(const partition::Partition& partition) {
    const auto& budget = partition.ledger().budget();
    return budget ? budget->usage(monotonic_now()).spent.units : 0;
}

std::vector<cluster::PartitionLoad> PartitionKeeper::loads() {
    const Parts now = parts();
    if (now.partitions == nullptr) return {};
    const auto time = monotonic_now();
    std::vector<cluster::PartitionLoad> out;
    std::map<PartitionId, double> spent;
    const std::lock_guard lock(mutex_);
    const double seconds = std::max(
        std::chrono::duration_cast<std::chrono::duration<double>>(time - looked_).count(), 0.001);
    for (const PartitionId id : now.partitions->open_ids()) {
        const auto partition = now.partitions->find(id);
        if (!partition) continue;
        const double units = load_of(*partition);
        const auto before = spent_.find(id);
        const double since = before == spent_.end() ? 0 : units - before->second;
        out.push_back({.partition = id,
                       .load = std::max(since, 0.0) / seconds,
                       .bytes = partition->stored_bytes()});
        spent[id] = units;
    }
    spent_ = std::move(spent);
    looked_ = time;
    return out;
}

}  // namespace orrery::server
