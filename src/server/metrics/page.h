// GET /metrics: the numbers of all components as text for Prometheus. This folder is the only place
// that knows metric names; components report plain numbers (`stats()`).
//
// To add a family: write it in one of the collectors, or in a new one that page.cc calls. A family
// is always begun, even if it has no samples, because dashboards and alerts refer to it.

#pragma once

#include <cstdint>
#include <string>

#include "auth/failed_logins.h"
#include "base/memory_pool.h"
#include "base/metrics_writer.h"
#include "catalog/catalog.h"
#include "gateway/change_streams.h"
#include "gateway/request_monitor.h"
#include "http/server.h"
#include "script/pool.h"
#include "server/key_fetcher.h"
#include "service/change_feed.h"
#include "service/lanes.h"
#include "service/offers.h"
#include "service/partitions.h"
#include "service/repartitioning.h"
#include "storage/engine.h"

namespace orrery::server::metrics_page {

// The components, which outlive every page.
struct Sources {
    const gateway::RequestMonitor& requests;
    const http::Server* http;  // null while the server starts
    const service::Lanes& lanes;
    const ThreadPool& writers;
    const ThreadPool& readers;
    const script::ScriptPool& scripts;
    const storage::Engine& engine;
    const catalog::Catalog& catalog;
    const service::Offers& offers;
    const service::Partitions& partitions;
    const service::Repartitioning& repartitioning;
    const MemoryPool& query_memory;
    const service::ChangeFeed& change_feed;
    const gateway::ChangeStreams& change_streams;
    const auth::FailedLogins& failed_logins;
    const KeyFetcher* token_keys;  // null if they are not fetched
    std::string data_directory;    // empty: everything is in memory
    double started_seconds;        // since the Unix epoch
};

std::string make_page(const Sources& sources);

// The collectors, by file.
void write_requests(metrics::Writer& writer, const Sources& sources);
void write_logins(metrics::Writer& writer, const Sources& sources);
void write_connections(metrics::Writer& writer, const Sources& sources);
void write_lanes(metrics::Writer& writer, const Sources& sources);
void write_scripts(metrics::Writer& writer, const Sources& sources);
void write_changes(metrics::Writer& writer, const Sources& sources);
void write_storage(metrics::Writer& writer, const Sources& sources);
void write_throughput(metrics::Writer& writer, const Sources& sources);
void write_process(metrics::Writer& writer, const Sources& sources);

}  // namespace orrery::server::metrics_page
