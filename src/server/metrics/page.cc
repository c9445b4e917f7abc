#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

std::string make_page(const Sources& sources) {
    metrics::Writer writer;
    for (const auto collect : {write_requests,
                               write_logins,
                               write_connections,
                               write_lanes,
                               write_changes,
                               write_scripts,
                               write_storage,
                               write_throughput,
                               write_process}) {
        collect(writer, sources);
    }
    return std::move(writer).take();
}

}  // namespace orrery::server::metrics_page
