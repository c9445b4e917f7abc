#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

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
}

}  // namespace orrery::server::metrics_page
