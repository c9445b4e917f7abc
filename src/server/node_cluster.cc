// The parts of a node that only clusters need.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/log.h"
#include "partition/keys.h"
#include "server/node.h"
#include "storage/rados/rados_cluster.h"

namespace orrery::server {

namespace {

Error not_in_clusters(const char* what) {
    return Error(ErrorCode::kNotImplemented,
                 std::string(what) + " is not supported by the nodes of a cluster.");
}

// What others have taken over must not be answered from here, so there is nothing to clean up.
[[noreturn]] void end_process() {
    log::error("lease_lost",
               {{"reason", "other nodes take over; start this one again to join as a new one"}});
    std::fflush(nullptr);
    constexpr int kTemporaryFailure = 75;  // EX_TEMPFAIL: service managers restart it
    std::_Exit(kTemporaryFailure);
}

std::string own_url(const ServeConfig& config) {
    if (!config.advertised_endpoint.empty()) return config.advertised_endpoint;
    const bool six = config.address.find(':') != std::string::npos;
    return "http://" + (six ? "[" + config.address + "]" : config.address) + ":" +
           std::to_string(config.port) + "/";
}

Result<ClusterStorage> open_pool(const ServeConfig& config,
                                 const EngineSettings& settings,
                                 const Clock& clock,
                                 Random& random) {
    storage::RadosOptions options{.conf = config.cluster_conf,
                                  .pool = config.cluster_pool,
                                  .name_space = config.cluster_namespace,
                                  .user = config.cluster_user};
    auto data = TRY(storage::connect_rados(options));
    // Leases have a session of their own: they must not wait behind data, nor as long.
    constexpr std::chrono::seconds kLeaseDeadline{2};
    options.deadline = kLeaseDeadline;
    auto leases = TRY(storage::connect_rados(options));
    ClusterStorage out;
    out.objects = storage::make_rados_objects(std::move(leases), random);
    out.make_engine = [data = std::move(data), settings, &clock](const std::string& owner) {
        storage::RadosEngineOptions engine{.owner = owner, .cache_bytes = settings.cache_bytes};
        engine.scanned_letters = partition::kScannedLetters;
        return storage::make_rados_engine(data, clock, engine);
    };
    return out;
}

}  // namespace

Status Node::join_cluster(const ServeConfig& config, const EngineSettings& settings) {
    ClusterNode::Options options;
    options.member.name = config.node_name;
    options.member.url = own_url(config);
    options.member.node_url = config.node_url.empty() ? options.member.url : config.node_url;
    options.member.lease = std::chrono::milliseconds(config.lease_ms);
    options.authority_pem = certificate_.trusted_pem;
    options.forwarding_threads = service::default_threads();
    options.on_loss = [] { end_process(); };
    cluster_ = TRY(ClusterNode::join(
        std::move(options), TRY(open_pool(config, settings, clock_, random_)), clock_, random_));
    return {};
}

Status Node::serve_cluster() {
    return cluster_->attach(*partitions_, [this] { adopt_catalog(); });
}

// Other nodes have changed the catalog: what the services of this one do after changes of their
// own.
void Node::adopt_catalog() {
    std::uint64_t newest = adopted_version_;
    for (const catalog::ContainerPtr& container : catalog_->all_containers()) {
        newest = std::max(newest, container->revision.version);
        if (container->revision.version > adopted_version_) {
            partitions_->adopt_retention(container->rid);
        }
    }
    budgets_->refresh();
    for (const catalog::OfferPtr& offer : catalog_->offers()) {
        newest = std::max(newest, offer->revision.version);
        if (offer->revision.version > adopted_version_) adapt_to(*offer);
    }
    adopted_version_ = newest;
    cluster_->give_up(catalog_->partitions_to_drop());
    repartitioning_->wake();
    background_->wake();
}

void Node::leave_cluster(std::chrono::seconds patience) {
    const Status left = cluster_->leave(patience);
    if (!left) log::warn("left_without_handing_over", {{"reason", left.error().message()}});
}

void Node::add_cluster(gateway::Backend& backend) {
    backend.forwarder = &cluster_->forwarder();
    backend.node_requests = &cluster_->node_requests();
    backend.cluster = [this] { return cluster_->description(); };
    backend.drain_node = [this](std::string_view node, bool drained) {
        return cluster_->drain(node, drained);
    };
    backend.regenerate_key = [](auth::KeySlot /*slot*/) {
        return not_in_clusters("Regenerating keys");
    };
    backend.begin_backup = [](std::string_view /*request*/) {
        return not_in_clusters("Making backups");
    };
    backend.backups = []() -> Result<std::string> { return not_in_clusters("Making backups"); };
}

}  // namespace orrery::server
