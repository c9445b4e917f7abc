// Everything the handlers use. Built once by the server; outlives the gateway.

#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "auth/master_key.h"
#include "base/clock.h"
#include "base/memory_pool.h"
#include "base/random.h"
#include "service/batches.h"
#include "service/indexing.h"
#include "service/item_feed.h"
#include "service/items.h"
#include "service/lanes.h"
#include "service/queries.h"
#include "service/resources.h"
#include "service/script_executor.h"
#include "service/scripts.h"

namespace orrery::gateway {

struct Backend {
    service::Resources& resources;
    service::Scripts& scripts;
    service::ScriptExecutor& script_executor;
    service::Items& items;
    service::Batches& batches;
    service::ItemFeed& item_feed;
    service::Queries& queries;
    service::Indexing& indexing;
    service::Lanes& lanes;
    MemoryPool& query_memory;  // shared by all queries
    const auth::MasterKey& key;
    const Clock& clock;
    Random& random;
    // The certificate that clients trust, served at /_explorer/emulator.pem.
    std::string certificate_pem;
    // The endpoint in the account document, such as https://host:8081/. Empty: the one that the
    // request used.
    std::string advertised_endpoint;
    // The host to name when a request has no Host header (HTTP/1.0).
    std::string default_host;
    // Whether the data is readable now.
    std::function<bool()> healthy;
    // The server is shutting down and reports "not ready".
    const std::atomic<bool>& draining;
};

}  // namespace orrery::gateway
