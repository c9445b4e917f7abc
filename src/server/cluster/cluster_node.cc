#include "server/cluster/cluster_node.h"

#include <utility>

#include "base/log.h"
#include "json/value.h"

namespace orrery::server {

using json::Value;

Result<std::unique_ptr<ClusterNode>> ClusterNode::join(Options options,
                                                       ClusterStorage storage,
                                                       const Clock& clock,
                                                       Random& random) {
    auto node =
        std::make_unique<ClusterNode>(std::move(options), std::move(storage), clock, random);
    TRY(node->start());
    return node;
}

ClusterNode::ClusterNode(Options options,
                         ClusterStorage storage,
                         const Clock& clock,
                         Random& random)
    : options_(std::move(options)),
      clock_(clock),
      storage_(std::move(storage)),
      partition_keeper_(std::make_unique<PartitionKeeper>(options_.on_loss)),
      member_(std::make_unique<cluster::Member>(options_.member,
                                                *storage_.objects,
                                                monotonic_clock_,
                                                clock,
                                                random,
                                                *partition_keeper_)) {}

ClusterNode::~ClusterNode() { stop(); }

Status ClusterNode::start() {
    TRY(member_->start());
    const std::string& name = options_.member.name;
    owned_ = storage_.make_engine(member_->lease()->owner());
    engine_ = std::make_unique<NodeEngine>(*owned_, *member_);
    peers_ =
        std::make_unique<http::Peers>(http::Peers::Options{.threads = options_.forwarding_threads});
    proof_ = std::make_unique<gateway::NodeProof>(member_->cluster().secret);
    calls_ = std::make_unique<NodeCalls>(name, *peers_, *proof_, *storage_.objects, clock_);
    if (!options_.authority_pem.empty()) TRY(calls_->publish_authority(options_.authority_pem));
    replica_ = std::make_shared<CatalogReplica>();
    placement_ = std::make_unique<NodePlacement>(*member_, *calls_);
    forwarder_ = std::make_unique<gateway::Forwarder>(
        gateway::Forwarder::Options{
            .node = name,
            .find = [this](const std::string& place,
                           bool again) { return placement_->find(place, again); }},
        *peers_,
        *proof_,
        clock_);
    requests_ = std::make_unique<NodeRequests>(*proof_, *replica_, clock_);
    catalog_keeper_ =
        std::make_unique<CatalogKeeper>(CatalogKeeper::Dependencies{.replica = *replica_,
                                                                    .member = *member_,
                                                                    .owned = *owned_,
                                                                    .engine = *engine_,
                                                                    .calls = *calls_});
    partition_keeper_->attach(*member_, *owned_, *catalog_keeper_);
    watch_nodes();
    return catalog_keeper_->wait_until_ready(options_.patience);
}

// A node that hangs keeps its connections open.
void ClusterNode::watch_nodes() {
    constexpr std::chrono::milliseconds kInterval{100};
    std::map<std::string, cluster::MemberInfo> present;
    for (cluster::MemberInfo& node : member_->routing().nodes())
        present.emplace(node.identity.node, std::move(node));
    for (const auto& [name, node] : watched_) {
        const auto found = present.find(name);
        if (found != present.end() && found->second.identity == node.identity) continue;
        if (const auto peer = calls_->known_peer_of(node)) peers_->abandon(*peer);
    }
    watched_ = std::move(present);
    peers_->after(kInterval, [this] { watch_nodes(); });
}

std::function<bool()> ClusterNode::may_answer() const {
    return [lease = member_->lease()] { return lease->held(); };
}

catalog::RangeEditor& ClusterNode::attach(catalog::Catalog& catalog) {
    catalog_ = &catalog;
    ranges_ = std::make_unique<RangeCalls>(catalog, *member_, *calls_);
    placement_->attach(*ranges_);
    return *ranges_;
}

Status ClusterNode::attach(service::Partitions& partitions,
                           std::function<void()> on_catalog_change) {
    partition_keeper_->attach(partitions);
    requests_->attach(
        {.catalog = *catalog_, .ranges = *ranges_, .reports = service::RangeReports(partitions)});
    TRY(catalog_keeper_->attach(*catalog_, std::move(on_catalog_change)));
    replica_->begin_serving();
    return {};
}

Status ClusterNode::claim(const std::vector<storage::PartitionId>& partitions) {
    return member_->place(partitions, options_.member.name);
}

Status ClusterNode::leave(std::chrono::milliseconds patience) { return member_->leave(patience); }

void ClusterNode::stop() {
    member_->stop();
    // Those that use the others end first.
    partition_keeper_->detach();
    catalog_keeper_.reset();
    if (replica_) replica_->follow();
    if (requests_) requests_->detach();
    if (peers_) peers_->stop();
}

Result<std::string> ClusterNode::description() {
    const cluster::ClusterDescription described = TRY(member_->describe());
    Value out(Value::Object{});
    out.set("id", described.id);
    out.set("leaseMilliseconds", static_cast<std::int64_t>(described.lease.count()));
    Value coordinator(Value::Object{});
    coordinator.set("node", described.coordinator.holder.node);
    coordinator.set("term", static_cast<std::int64_t>(described.coordinator.term));
    out.set("coordinator", std::move(coordinator));
    Value::Array nodes;
    for (const cluster::NodeDescription& node : described.nodes) {
        Value one(Value::Object{});
        one.set("name", node.record.identity.node);
        one.set("state", cluster::name_of(node.record.state));
        one.set("url", node.record.url);
        one.set("partitionsAssigned", static_cast<std::int64_t>(node.assigned));
        one.set("partitionsOpen", static_cast<std::int64_t>(node.record.partitions));
        one.set("requestUnitsPerSecond", static_cast<std::int64_t>(node.record.load));
        one.set("startedAt", node.record.started_at);
        if (node.lease_age) {
            one.set("leaseAgeMilliseconds", static_cast<std::int64_t>(node.lease_age->count()));
        }
        nodes.push_back(std::move(one));
    }
    out.set("nodes", std::move(nodes));
    out.set("partitions", static_cast<std::int64_t>(described.partitions));
    Value::Array moves;
    for (const cluster::Move& move : described.moves) {
        Value one(Value::Object{});
        one.set("partition", std::int64_t{move.partition});
        one.set("from", move.from);
        one.set("to", move.to);
        moves.push_back(std::move(one));
    }
    out.set("moves", std::move(moves));
    return out.text();
}

Status ClusterNode::drain(std::string_view node, bool drained) {
    return member_->drain(node, drained);
}

}  // namespace orrery::server
