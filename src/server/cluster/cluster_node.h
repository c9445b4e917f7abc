// What a server is and has as a node of a cluster, beside what every server has: its place among
// the nodes, its partitions in the pool, its copy of the catalog, and the ways to other nodes
// (docs/adr/0043-cluster-nodes.md).

#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/monotonic_clock.h"
#include "base/random.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "cluster/member.h"
#include "gateway/forwarder.h"
#include "http/peers.h"
#include "server/cluster/catalog_keeper.h"
#include "server/cluster/catalog_replica.h"
#include "server/cluster/node_calls.h"
#include "server/cluster/node_engine.h"
#include "server/cluster/node_placement.h"
#include "server/cluster/node_requests.h"
#include "server/cluster/partition_keeper.h"
#include "server/cluster/range_calls.h"
#include "service/partitions.h"
#include "storage/owned_engine.h"
#include "storage/shared_objects.h"

namespace orrery::server {

// The storage that all nodes share.
struct ClusterStorage {
    std::unique_ptr<storage::SharedObjects> objects;
    // The engine of an owner, "node/incarnation".
    std::function<std::unique_ptr<storage::OwnedEngine>(const std::string& owner)> make_engine;
};

class ClusterNode {
public:
    struct Options {
        cluster::MemberOptions member;
        // Of the certificate of this node, if others reach it by https.
        std::string authority_pem;
        std::size_t forwarding_threads = 1;
        // How long to wait for the leader of the catalog at the start.
        std::chrono::seconds patience{60};
        // The lease is lost for good: others take the partitions. Must not return.
        std::function<void()> on_loss;
    };

    // Joins the cluster, or creates it. Blocks until the catalog can be read. Clock and random must
    // outlive it.
    static Result<std::unique_ptr<ClusterNode>> join(Options options,
                                                     ClusterStorage storage,
                                                     const Clock& clock,
                                                     Random& random);
    ClusterNode(Options options, ClusterStorage storage, const Clock& clock, Random& random);
    ClusterNode(const ClusterNode&) = delete;
    ClusterNode& operator=(const ClusterNode&) = delete;
    ~ClusterNode();

    std::shared_ptr<storage::PartitionStore> catalog_store() { return replica_; }
    storage::Engine& engine() { return *engine_; }
    service::Placement& placement() { return *placement_; }
    gateway::Forwarder& forwarder() { return *forwarder_; }
    http::Handler& node_requests() { return *requests_; }
    cluster::Member& member() { return *member_; }
    // Whether what was read may be answered.
    std::function<bool()> may_answer() const;

    // The catalog that is open over catalog_store(); kept up to date from now on.
    catalog::RangeEditor& attach(catalog::Catalog& catalog);
    // Partitions that the cluster wants from this node are served, and given up, from now on.
    // `on_catalog_change` is called after changes of the catalog that other nodes made.
    Status attach(service::Partitions& partitions, std::function<void()> on_catalog_change);

    // Closes what is open of these partitions, which the catalog does not have any more.
    void give_up(std::vector<storage::PartitionId> partitions) {
        partition_keeper_->give_up(std::move(partitions));
    }
    // Assigns partitions that this node is about to fill to it.
    Status claim(const std::vector<storage::PartitionId>& partitions);

    // Hands everything over to other nodes, while this one goes on serving.
    Status leave(std::chrono::milliseconds patience);
    // Ends its threads; what was attached is not used any more. The lease runs out.
    void stop();

    // JSON for GET /_admin/cluster.
    Result<std::string> description();
    Status drain(std::string_view node, bool drained);

private:
    Status start();
    // Ends calls to nodes that are not in the cluster any more, again and again.
    void watch_nodes();

    const Options options_;
    const Clock& clock_;
    const BootClock monotonic_clock_;
    ClusterStorage storage_;
    std::unique_ptr<PartitionKeeper> partition_keeper_;
    std::unique_ptr<cluster::Member> member_;
    std::unique_ptr<storage::OwnedEngine> owned_;
    std::unique_ptr<NodeEngine> engine_;
    std::unique_ptr<http::Peers> peers_;
    std::unique_ptr<gateway::NodeProof> proof_;
    std::unique_ptr<NodeCalls> calls_;
    std::shared_ptr<CatalogReplica> replica_;
    std::unique_ptr<CatalogKeeper> catalog_keeper_;
    std::unique_ptr<NodePlacement> placement_;
    std::unique_ptr<gateway::Forwarder> forwarder_;
    std::unique_ptr<NodeRequests> requests_;
    std::map<std::string, cluster::MemberInfo> watched_;  // by name; for one thread
    catalog::Catalog* catalog_ = nullptr;
    std::unique_ptr<RangeCalls> ranges_;
};

}  // namespace orrery::server
