#include <cstdint>
#include <string_view>

#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

void write_lanes(metrics::Writer& writer, const Sources& sources) {
    const PacedPool::Stats queries = sources.lanes.queries.stats();
    const struct {
        std::string_view name;
        PoolStats stats;
    } lanes[] = {{"control", sources.lanes.control.stats()},
                 {"items", sources.lanes.items.stats()},
                 {"queries", queries.fast},
                 {"long_queries", queries.slow},
                 {"scripts", sources.scripts.stats().threads},
                 {"writers", sources.writers.stats()},
                 {"readers", sources.readers.stats()},
                 {"monitoring", sources.lanes.monitoring.stats()}};
    const auto add = [&](metrics::Family family, auto number) {
        for (const auto& lane : lanes) {
            family.add({{"lane", lane.name}}, lane.stats.*number);
        }
    };
    add(writer.gauge("orrery_lane_threads", "Threads that run work, by lane."),
        &PoolStats::threads);
    add(writer.gauge("orrery_lane_queued", "Work that waits for a thread, by lane."),
        &PoolStats::queued);
    add(writer.gauge("orrery_lane_running", "Work that runs now, by lane."), &PoolStats::running);
    add(writer.counter("orrery_lane_started_total", "Work that was begun, by lane."),
        &PoolStats::started);
    add(writer.counter("orrery_lane_refused_total",
                       "Work that was refused because the queue was full, by lane."),
        &PoolStats::refused);
    auto limits = writer.gauge("orrery_lane_queue_limit",
                               "How much work may wait, by lane; unlimited lanes have none.");
    for (const auto& lane : lanes) {
        if (lane.stats.queue_max != SIZE_MAX) {
            limits.add({{"lane", lane.name}}, lane.stats.queue_max);
        }
    }
}

}  // namespace orrery::server::metrics_page
