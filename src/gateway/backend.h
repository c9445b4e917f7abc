// Everything the handlers use. Built once by the server; outlives the gateway.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "auth/account_keys.h"
#include "auth/authenticator.h"
#include "auth/failed_logins.h"
#include "base/clock.h"
#include "base/ip_network.h"
#include "base/memory_pool.h"
#include "base/random.h"
#include "gateway/change_streams.h"
#include "gateway/cross_origin.h"
#include "gateway/forwarder.h"
#include "gateway/request_monitor.h"
#include "model/consistency.h"
#include "service/access.h"
#include "service/attachments.h"
#include "service/batches.h"
#include "service/budgets.h"
#include "service/change_feed.h"
#include "service/client_keys.h"
#include "service/indexing.h"
#include "service/item_feed.h"
#include "service/items.h"
#include "service/lanes.h"
#include "service/offers.h"
#include "service/queries.h"
#include "service/repartitioning.h"
#include "service/resources.h"
#include "service/roles.h"
#include "service/script_executor.h"
#include "service/scripts.h"
#include "service/users.h"

namespace orrery::gateway {

struct Backend {
    service::Resources& resources;
    service::Offers& offers;
    service::Scripts& scripts;
    service::Users& users;
    service::ClientKeys& client_keys;
    service::Roles& roles;
    service::Access& access;
    service::ScriptExecutor& script_executor;
    service::Items& items;
    service::Attachments& attachments;
    service::Batches& batches;
    service::ItemFeed& item_feed;
    service::ChangeFeed& change_feed;
    ChangeStreams& change_streams;
    service::Queries& queries;
    service::Indexing& indexing;
    service::Budgets& budgets;
    service::Repartitioning& repartitioning;
    service::Lanes& lanes;
    MemoryPool& query_memory;  // shared by all queries
    RequestMonitor& monitor;
    const auth::Authenticator& authenticator;
    auth::FailedLogins& failed_logins;
    const auth::AccountKeys& keys;
    // Replaces a key of the account. Blocks.
    std::function<Status(auth::KeySlot)> regenerate_key;
    // Begins a backup as the JSON of a request says, and describes those there are. Both block.
    std::function<Status(std::string_view request)> begin_backup;
    std::function<Result<std::string>()> backups;
    // In a cluster: passes requests on to other nodes, and answers those that they send for
    // themselves, below /_node/. Null for a server that is alone.
    const Forwarder* forwarder = nullptr;
    http::Handler* node_requests = nullptr;
    // Describes the cluster as JSON; drains a node or ends that. Both block. Null likewise.
    std::function<Result<std::string>()> cluster = nullptr;
    std::function<Status(std::string_view node, bool drained)> drain_node = nullptr;
    const Clock& clock;
    Random& random;
    // The certificate that clients trust, served at /_explorer/emulator.pem.
    std::string certificate_pem;
    // The endpoint in the account document, such as https://host:8081/. Empty: the one that the
    // request used.
    std::string advertised_endpoint;
    // Of reads that do not ask for another.
    model::ConsistencyLevel consistency = model::ConsistencyLevel::kSession;
    // The host to name when a request has no Host header (HTTP/1.0).
    std::string default_host;
    // Query pages that take at least this long are logged; nothing: none.
    std::optional<std::chrono::milliseconds> slow_query;
    // The text of /metrics. Blocks.
    std::function<std::string()> metrics_page;
    // The clients that may send requests, beside those on this machine; empty: all.
    std::vector<IpNetwork> allowed_networks;
    AllowedOrigins allowed_origins;
    // Client certificates are required: without TLS, only what needs no credential is answered, and
    // only to clients on this machine.
    bool requires_tls = false;
    // What clients on other machines must present to read it; empty: they may not.
    std::string metrics_token;
    // Whether the data is readable now.
    std::function<bool()> healthy;
    // The server is shutting down and reports "not ready".
    const std::atomic<bool>& draining;
};

}  // namespace orrery::gateway
