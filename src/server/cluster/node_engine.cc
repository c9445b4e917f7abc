#include "server/cluster/node_engine.h"

#include <array>

#include "base/log.h"
#include "service/placement.h"

namespace orrery::server {

// A refusal names the owner. It may be replaced once it is certain that it will never write again.
Result<bool> NodeEngine::may_replace(const Error& refusal) {
    if (refusal.code() != ErrorCode::kPreconditionFailed) return refusal.copy();
    const auto owner = cluster::parse_owner(refusal.info());
    if (!owner) {
        return Error(ErrorCode::kCorrupted, "a partition has the owner '" + refusal.info() + "'");
    }
    return member_.is_gone(*owner);
}

Result<std::shared_ptr<storage::PartitionStore>> NodeEngine::open(storage::PartitionId id) {
    std::string replaced;
    auto opened = owned_.acquire(id, replaced);
    if (!opened && TRY(may_replace(opened.error()))) {
        replaced = opened.error().info();
        opened = owned_.acquire(id, replaced);
    }
    if (!opened && opened.error().code() == ErrorCode::kPreconditionFailed) {
        const auto owner = cluster::parse_owner(opened.error().info());
        return service::elsewhere(id, owner ? owner->node : "");
    }
    if (!opened) return opened;
    member_.acquired(id);
    if (!replaced.empty()) {
        log::info("partition_taken_over", {{"partition", id}, {"from", replaced}});
    }
    return opened;
}

Status NodeEngine::drop(storage::PartitionId id) {
    Status dropped = owned_.drop(id);
    if (!dropped && TRY(may_replace(dropped.error()))) {
        TRY(owned_.acquire(id, dropped.error().info()));
        dropped = owned_.drop(id);
    }
    TRY(std::move(dropped));
    return member_.remove(std::array{id});
}

}  // namespace orrery::server
