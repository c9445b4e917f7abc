#include "base/bytes.h"
#include "base/stopwatch.h"
#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

namespace {

void write_readers(metrics::Writer& writer, const Sources& sources) {
    auto lags = writer.gauge("orrery_change_feed_reader_lag",
                             "Changes (LSNs) that a client that polls has still to read.");
    for (const auto& reader : sources.change_feed.readers().readers(monotonic_now())) {
        const auto container = sources.catalog.find_container(reader.container);
        if (!container) continue;
        const auto database =
            sources.catalog.find_database(model::DatabaseRid{container->rid.database});
        if (!database) continue;
        lags.add({{"database", database->name},
                  {"container", container->definition.id},
                  {"min", to_hex_upper(reader.epks.min_inclusive)},
                  {"max", to_hex_upper(reader.epks.max_exclusive)},
                  {"client", reader.client},
                  {"reader", std::to_string(reader.number)}},
                 service::lag_of(reader, *container, sources.partitions));
    }
}

}  // namespace

void write_changes(metrics::Writer& writer, const Sources& sources) {
    const service::ChangeFeed::Stats feed = sources.change_feed.stats();
    auto pages = writer.counter("orrery_change_feed_reads_total",
                                "Reads of change feeds, also for streams, by what they found.");
    pages.add({{"found", "changes"}}, feed.pages);
    pages.add({{"found", "nothing"}}, feed.idle_polls);
    const gateway::ChangeStreams::Stats streams = sources.change_streams.stats();
    writer.gauge("orrery_change_streams", "Clients that stream changes now.").add(streams.streams);
    writer.gauge("orrery_change_streams_limit", "Clients that may stream changes.")
        .add(streams.streams_max);
    writer
        .counter("orrery_change_streams_refused_total",
                 "Streams of changes that were refused because there were too many.")
        .add(streams.refused);
    writer
        .gauge("orrery_change_stream_lag",
               "Changes (LSNs) that the stream furthest behind had still to read at its last page.")
        .add(streams.behind_max);
    write_readers(writer, sources);
}

}  // namespace orrery::server::metrics_page
