// Does what the cluster wants of this node: takes partitions when they are needed, prepares those
// that move, gives up those that others shall have.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "base/thread_pool.h"
#include "cluster/member.h"
#include "service/partitions.h"
#include "storage/owned_engine.h"

namespace orrery::server {

class CatalogKeeper;

class PartitionKeeper final : public cluster::PartitionHost {
public:
    // `on_loss` is called when the lease is lost for good; it does not return.
    explicit PartitionKeeper(std::function<void()> on_loss) : on_loss_(std::move(on_loss)) {}
    // Finishes what was begun.
    ~PartitionKeeper() override = default;

    // What is needed to carry out anything; until then it waits. Partitions can be given later:
    // until then none is open.
    void attach(cluster::Member& member,
                storage::OwnedEngine& owned,
                CatalogKeeper& catalog_keeper);
    void attach(service::Partitions& partitions);
    // Nothing is carried out any more, from when this returns.
    void detach();

    // Closes open partitions that are not part of any container any more.
    void give_up(std::vector<storage::PartitionId> partitions);

    void assigned(std::span<const cluster::PartitionId> partitions) override;
    void moving(std::span<const cluster::PartitionId> partitions) override;
    void revoked(std::span<const cluster::PartitionId> partitions) override;
    void lost() override;
    std::vector<cluster::PartitionLoad> loads() override;

private:
    struct Parts {
        cluster::Member* member = nullptr;
        storage::OwnedEngine* owned = nullptr;
        CatalogKeeper* catalog_keeper = nullptr;
        service::Partitions* partitions = nullptr;
    };
    Parts parts() const;
    void post(std::function<void()> work);
    void post_later(std::function<void()> work);
    void hand_over(cluster::PartitionId partition);
    void release(cluster::PartitionId partition);
    double load_of(const partition::Partition& partition);

    const std::function<void()> on_loss_;
    mutable std::mutex mutex_;  // guards the members below
    Parts parts_;
    bool attached_ = false;
    std::set<cluster::PartitionId> waiting_;        // assigned before anything was attached
    std::map<cluster::PartitionId, double> spent_;  // request units, at the last look
    std::chrono::steady_clock::time_point looked_{};
    std::unique_ptr<ThreadPool> threads_ = std::make_unique<ThreadPool>(2);  // null once detached
};

}  // namespace orrery::server
