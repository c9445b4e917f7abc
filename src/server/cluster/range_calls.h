// Changes of ranges, carried out where the catalog is: here or on another node.

#pragma once

#include <string>
#include <string_view>

#include "catalog/catalog.h"
#include "cluster/member.h"
#include "server/cluster/node_calls.h"

namespace orrery::server {

class RangeCalls final : public catalog::RangeEditor {
public:
    // All must outlive this.
    RangeCalls(catalog::Catalog& catalog, cluster::Member& member, NodeCalls& calls)
        : catalog_(catalog), member_(member), calls_(calls) {}

    Result<std::vector<storage::PartitionId>> reserve_partitions(std::uint32_t count) override;
    Status replace_ranges(model::ContainerRid rid,
                          const std::vector<std::uint32_t>& old_ids,
                          const std::vector<catalog::PartitionRange>& replacements) override;
    Status cancel_reservation(const std::vector<storage::PartitionId>& reserved) override;
    void abandon_partitions(const std::vector<storage::PartitionId>& reserved) override;

    // On the other side: what a node has asked for.
    Result<std::string> carry_out(std::string_view change);

private:
    Result<std::string> ask(const std::string& change);

    catalog::Catalog& catalog_;
    cluster::Member& member_;
    NodeCalls& calls_;
};

}  // namespace orrery::server
