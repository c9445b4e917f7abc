// Where partitions are, for the services of this node.

#pragma once

#include <optional>
#include <set>
#include <string>

#include "base/thread_pool.h"
#include "catalog/catalog.h"
#include "cluster/member.h"
#include "http/peers.h"
#include "server/cluster/node_calls.h"
#include "service/placement.h"

namespace orrery::server {

class NodePlacement final : public service::Placement {
public:
    // Both must outlive this.
    NodePlacement(cluster::Member& member, NodeCalls& calls) : member_(member), calls_(calls) {}

    Status expect_here(storage::PartitionId partition) const override;
    Status cancel_split(const std::vector<storage::PartitionId>& successors) override;
    Result<std::vector<service::RangeReport>> reports(const catalog::Container& container,
                                                      std::span<const std::size_t> ranges) override;

    // How to change ranges. Must be called before partitions are opened.
    void attach(catalog::RangeEditor& ranges) { ranges_ = &ranges; }

    // For the forwarder: the node that an error kElsewhere means. If `again`, what is known about
    // the partition is brought up to date in the background.
    std::optional<http::Peer> find(const std::string& place, bool again);

private:
    Result<std::string> ask(const cluster::MemberInfo& node, const std::string& request);
    void bring_up_to_date(storage::PartitionId partition);

    cluster::Member& member_;
    NodeCalls& calls_;
    catalog::RangeEditor* ranges_ = nullptr;
    std::mutex mutex_;
    std::set<storage::PartitionId> being_updated_;  // guarded by mutex_
    ThreadPool thread_{1};
};

// The body of a request for reports, and the answer to it.
std::string encode_report_request(const catalog::Container& container,
                                  std::span<const std::size_t> ranges);
Result<std::string> answer_report_request(std::string_view request,
                                          const catalog::Catalog& catalog,
                                          const service::RangeReports& reports);

}  // namespace orrery::server
