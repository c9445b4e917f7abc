#include <string>

#include "server/metrics/page.h"

namespace orrery::server::metrics_page {

void write_requests(metrics::Writer& writer, const Sources& sources) {
    const auto all = sources.requests.stats();
    auto requests =
        writer.counter("orrery_requests_total", "Requests answered, by operation and HTTP status.");
    for (const auto& one : all) {
        for (const auto& [status, count] : one.statuses) {
            const std::string code = status == 0 ? "other" : std::to_string(status);
            requests.add({{"operation", one.operation}, {"status", code}}, count);
        }
    }
    auto times = writer.histogram(
        "orrery_request_duration_seconds",
        "Time from the end of a request's head until its response is ready, by operation.");
    for (const auto& one : all) {
        if (one.times.count() > 0) times.add({{"operation", one.operation}}, one.times);
    }
    auto charges =
        writer.counter("orrery_request_units_total", "Request units charged, by operation.");
    for (const auto& one : all) {
        charges.add({{"operation", one.operation}}, one.request_units);
    }
}

}  // namespace orrery::server::metrics_page
