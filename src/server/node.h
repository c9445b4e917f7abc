// The running server: builds the object graph bottom-up and destroys it in reverse order.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/memory_pool.h"
#include "base/random.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "catalog/catalog.h"
#include "gateway/gateway.h"
#include "http/server.h"
#include "partition/docnum_cache.h"
#include "server/config.h"
#include "server/identity.h"
#include "service/background.h"
#include "service/batches.h"
#include "service/continuation.h"
#include "service/item_feed.h"
#include "service/items.h"
#include "service/lanes.h"
#include "service/partitions.h"
#include "service/queries.h"
#include "service/resource_feed.h"
#include "service/resources.h"
#include "service/script_executor.h"
#include "service/scripts.h"
#include "storage/data_directory.h"
#include "storage/engine.h"

namespace orrery::server {

class Node {
    struct Started {};  // restricts construction to start()

public:
    Node(Started /*started*/, AccountKey key, auth::MasterKey master_key)
        : key_(std::move(key)), master_key_(std::move(master_key)) {}
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
    Status open_storage(const ServeConfig& config);
    void build_services(const ServeConfig& config);
    Status open_gateway(const ServeConfig& config);

    // In dependency order: destruction runs from last to first.
    SystemClock clock_;
    SecureRandom random_;
    AccountKey key_;
    auth::MasterKey master_key_;
    std::optional<storage::DataDirectory> directory_;
    std::unique_ptr<storage::Engine> engine_;
    std::shared_ptr<storage::PartitionStore> catalog_store_;
    std::unique_ptr<catalog::Catalog> catalog_;
    // Started last and stopped first, but kept until nothing can answer a request anymore.
    std::unique_ptr<http::Server> http_;
    std::unique_ptr<ThreadPool> executors_;
    std::unique_ptr<partition::DocnumCache> docnums_;
    std::unique_ptr<service::Partitions> partitions_;
    std::unique_ptr<service::Indexing> indexing_;
    std::unique_ptr<service::Background> background_;
    std::unique_ptr<service::ContinuationSigner> signer_;
    std::unique_ptr<MemoryPool> query_memory_;
    std::unique_ptr<service::ResourceFeed> resource_feed_;
    std::unique_ptr<service::Resources> resources_;
    std::unique_ptr<service::Scripts> scripts_;
    std::unique_ptr<service::Items> items_;
    std::unique_ptr<service::Batches> batches_;
    std::unique_ptr<service::ItemFeed> item_feed_;
    std::unique_ptr<ThreadPool> readers_;
    std::unique_ptr<service::Queries> queries_;
    std::unique_ptr<script::Watchdog> watchdog_;
    std::unique_ptr<script::ScriptPool> script_pool_;
    script::BlockList blocked_procedures_{script::kProcedureRule};
    script::BlockList blocked_udfs_{script::kUdfRule};
    std::unique_ptr<service::ScriptExecutor> script_executor_;
    std::atomic<bool> draining_ = false;
    std::unique_ptr<gateway::Gateway> gateway_;
    std::unique_ptr<service::Lanes> lanes_;
};

// The storage of a data directory, for the server and for `orrery inspect`.
// How much memory the engine may use.
struct EngineMemory {
    std::size_t cache_bytes = 0;
    std::size_t memtable_bytes = 0;
};
Result<std::unique_ptr<storage::Engine>> open_engine(storage::DataDirectory& directory,
                                                     const EngineMemory& memory);

}  // namespace orrery::server
