// The running server: builds the object graph bottom-up and destroys it in reverse order.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "auth/account_keys.h"
#include "auth/authenticator.h"
#include "auth/bearer_token.h"
#include "auth/failed_logins.h"
#include "base/clock.h"
#include "base/memory_pool.h"
#include "base/random.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "catalog/catalog.h"
#include "gateway/gateway.h"
#include "http/server.h"
#include "partition/docnum_cache.h"
#include "server/backups.h"
#include "server/cluster/cluster_node.h"
#include "server/config.h"
#include "server/engine.h"
#include "server/file_watch.h"
#include "server/identity.h"
#include "server/key_fetcher.h"
#include "server/key_files.h"
#include "service/access.h"
#include "service/attachments.h"
#include "service/background.h"
#include "service/batches.h"
#include "service/budgets.h"
#include "service/change_feed.h"
#include "service/client_keys.h"
#include "service/continuation.h"
#include "service/item_feed.h"
#include "service/items.h"
#include "service/lanes.h"
#include "service/offers.h"
#include "service/partitions.h"
#include "service/queries.h"
#include "service/repartitioning.h"
#include "service/resource_feed.h"
#include "service/resources.h"
#include "service/roles.h"
#include "service/script_executor.h"
#include "service/scripts.h"
#include "service/users.h"
#include "storage/data_directory.h"
#include "storage/durable_engine.h"

namespace orrery::server {

class Node {
    struct Started {};  // restricts construction to start()

public:
    explicit Node(Started /*started*/) {}
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;
    ~Node();

    // Serving starts before this returns.
    static Result<std::unique_ptr<Node>> start(const ServeConfig& config);

    std::uint16_t port() const { return http_->port(); }
    const AccountKey& key() const { return key_; }

    // Waits up to `patience` for open requests to finish. Returns false if some were cut off.
    bool stop(std::chrono::seconds patience);

private:
    Status load_keys(const ServeConfig& config);
    Status load_token_keys(const std::string& path);
    Status fetch_token_keys(const ServeConfig& config);
    Status open_storage(const ServeConfig& config);
    void build_services(const ServeConfig& config);
    void build_partitions(const ServeConfig& config);
    void build_offers();
    void build_access();
    // After an offer has changed.
    void adapt_to(const catalog::Offer& offer);
    void start_repartitioning(const ServeConfig& config);
    Status open_gateway(const ServeConfig& config);
    // The storage of all items.
    storage::Engine& engine() { return cluster_ ? cluster_->engine() : *engine_; }
    service::Placement* placement() { return cluster_ ? &cluster_->placement() : nullptr; }
    // In node_cluster.cc.
    Status join_cluster(const ServeConfig& config, const EngineSettings& settings);
    Status serve_cluster();
    void adopt_catalog();
    void leave_cluster(std::chrono::seconds patience);
    void add_cluster(gateway::Backend& backend);
    std::string metrics_page() const;

    // In dependency order: destruction runs from last to first.
    SystemClock clock_;
    const std::chrono::milliseconds started_ = clock_.now();
    SecureRandom random_;
    AccountKey key_;
    auth::AccountKeys account_keys_;
    std::unique_ptr<KeyFiles> key_files_;
    std::unique_ptr<auth::BearerTokens> bearer_tokens_;
    std::unique_ptr<KeyFetcher> key_fetcher_;  // null if the keys are not at a URL
    FileWatch file_watch_;
    ServerCertificate certificate_;
    std::optional<storage::DataDirectory> directory_;
    std::unique_ptr<storage::DurableEngine> engine_;  // null in a cluster
    std::unique_ptr<ClusterNode> cluster_;            // null without one
    std::shared_ptr<storage::PartitionStore> catalog_store_;
    std::unique_ptr<catalog::Catalog> catalog_;
    // Started last and stopped first, but kept until nothing can answer a request anymore.
    std::unique_ptr<http::Server> http_;
    std::atomic<const http::Server*> serving_ = nullptr;  // set once http_ is
    // How far changes of other nodes have been taken over; for one thread.
    std::uint64_t adopted_version_ = 0;
    const std::unique_ptr<gateway::RequestMonitor> monitor_ =
        std::make_unique<gateway::RequestMonitor>();
    std::unique_ptr<ThreadPool> executors_;
    std::unique_ptr<partition::DocnumCache> docnums_;
    std::unique_ptr<service::Budgets> budgets_;
    std::unique_ptr<service::Partitions> partitions_;
    std::unique_ptr<service::Indexing> indexing_;
    std::unique_ptr<service::Background> background_;
    std::unique_ptr<service::Repartitioning> repartitioning_;
    std::unique_ptr<service::ContinuationSigner> signer_;
    std::unique_ptr<MemoryPool> query_memory_;
    std::unique_ptr<service::ResourceFeed> resource_feed_;
    std::unique_ptr<service::Resources> resources_;
    std::unique_ptr<service::Scripts> scripts_;
    std::unique_ptr<auth::ResourceTokens> resource_tokens_;
    std::unique_ptr<service::Users> users_;
    std::unique_ptr<service::ClientKeys> client_keys_;
    std::unique_ptr<auth::Authenticator> authenticator_;
    auth::FailedLogins failed_logins_;
    std::unique_ptr<service::Roles> roles_;
    std::unique_ptr<service::Access> access_;
    std::unique_ptr<service::Items> items_;
    std::unique_ptr<service::Attachments> attachments_;
    std::unique_ptr<service::Offers> offers_;
    std::unique_ptr<service::Batches> batches_;
    std::unique_ptr<service::ItemFeed> item_feed_;
    std::unique_ptr<service::ChangeFeed> change_feed_;
    std::unique_ptr<ThreadPool> readers_;
    std::unique_ptr<service::Queries> queries_;
    std::unique_ptr<script::Watchdog> watchdog_;
    std::unique_ptr<script::ScriptPool> script_pool_;
    script::BlockList blocked_procedures_{script::kProcedureRule};
    script::BlockList blocked_udfs_{script::kUdfRule};
    std::unique_ptr<service::ScriptExecutor> script_executor_;
    std::atomic<bool> draining_ = false;
    std::unique_ptr<gateway::Gateway> gateway_;
    // Stopped before the lanes end, in which it has pages read; they may still ask for its numbers.
    std::unique_ptr<gateway::ChangeStreams> change_streams_;
    std::unique_ptr<Backups> backups_;
    std::unique_ptr<service::Lanes> lanes_;
};

}  // namespace orrery::server
