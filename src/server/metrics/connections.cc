#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

void write_connections(metrics::Writer& writer, const Sources& sources) {
    const http::ServerStats stats =
        sources.http != nullptr ? sources.http->stats() : http::ServerStats();
    writer.gauge("orrery_connections", "Connections open now.").add(stats.connections);
    writer.counter("orrery_connections_accepted_total", "Connections accepted.")
        .add(stats.accepted);
    writer
        .counter("orrery_connections_refused_total",
                 "Connections refused because too many were open.")
        .add(stats.refused);
    writer.counter("orrery_tls_handshake_failures_total", "TLS handshakes that failed.")
        .add(stats.handshake_failures);
    writer.gauge("orrery_delayed_responses", "Responses held back now, to invalid credentials.")
        .add(stats.delayed);
    writer
        .counter("orrery_received_bytes_total",
                 "Bytes of requests received, heads and bodies, before encryption.")
        .add(stats.bytes_received);
    writer
        .counter("orrery_sent_bytes_total",
                 "Bytes of responses sent, heads and bodies, before encryption.")
        .add(stats.bytes_sent);
    writer
        .counter("orrery_exceptions_total",
                 "Requests that ended in an exception; each is a bug of the server.")
        .add(stats.handler_exceptions);

    const MemoryPool& queries = sources.query_memory;
    const struct {
        std::string_view name;
        http::MemoryStats stats;
    } pools[] = {{"request_heads", stats.heads},
                 {"request_bodies", stats.bodies},
                 {"responses", stats.responses},
                 {"queries",
                  {.used = queries.used(), .max = queries.max(), .refusals = queries.refusals()}}};
    auto used = writer.gauge("orrery_memory_used_bytes", "Memory in use, by pool.");
    for (const auto& pool : pools) {
        used.add({{"pool", pool.name}}, pool.stats.used);
    }
    auto max = writer.gauge("orrery_memory_limit_bytes", "Limit of the memory, by pool.");
    for (const auto& pool : pools) {
        max.add({{"pool", pool.name}}, pool.stats.max);
    }
    auto refusals = writer.counter("orrery_memory_refusals_total",
                                   "How often a pool had less memory than was asked for.");
    for (const auto& pool : pools) {
        refusals.add({{"pool", pool.name}}, pool.stats.refusals);
    }
}

}  // namespace orrery::server::metrics_page
