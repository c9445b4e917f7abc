// The partitions of the pool, as this node of a cluster uses them: opening one makes this node its
// owner, unless a node that may still be alive has it.

#pragma once

#include <memory>

#include "cluster/member.h"
#include "storage/owned_engine.h"

namespace orrery::server {

class NodeEngine final : public storage::Engine {
public:
    // Both must outlive this.
    NodeEngine(storage::OwnedEngine& owned, cluster::Member& member)
        : owned_(owned), member_(member) {}

    // kElsewhere, with that node as the info, if another node has not released it yet.
    Result<std::shared_ptr<storage::PartitionStore>> open(storage::PartitionId id) override;
    // kPreconditionFailed in that case.
    Status drop(storage::PartitionId id) override;
    std::uint64_t size_on_disk() const override { return owned_.size_on_disk(); }
    storage::EngineStats stats() const override { return owned_.stats(); }

private:
    Result<bool> may_replace(const Error& refusal);

    storage::OwnedEngine& owned_;
    cluster::Member& member_;
};

}  // namespace orrery::server
