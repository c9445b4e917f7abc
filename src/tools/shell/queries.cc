#include "tools/shell/queries.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/stopwatch.h"
#include "cli/progress.h"

namespace orrery::tools {

namespace {

constexpr const char* kMetricsWanted = "x-ms-documentdb-populatequerymetrics";
constexpr const char* kMetrics = "x-ms-documentdb-query-metrics";
// A query that the client has to plan itself, as SDKs do.
constexpr std::uint32_t kNeedsPlan = 1004;

void add_metrics(std::vector<std::pair<std::string, double>>& sums,
                 const std::vector<std::pair<std::string, double>>& more) {
    for (const auto& [name, value] : more) {
        const auto found =
            std::find_if(sums.begin(), sums.end(), [&, key = &name](const auto& sum) {
                return sum.first == *key;
            });
        if (found == sums.end()) {
            sums.emplace_back(name, value);
        } else {
            found->second += value;
        }
    }
}

// With the digits that mean something.
json::Value number(double value) {
    auto parsed = json::Value::parse(fmt::format("{:.10g}", value));
    return parsed ? std::move(parsed).take() : json::Value();
}

Error with_hint(const Error& error) {
    if (error.sub_status() != kNeedsPlan) return error.copy();
    return Error(error.code(),
                 "this server does not merge what partitions find; name one partition key in the "
                 "filter, or leave out ORDER BY, TOP, DISTINCT, GROUP BY and aggregates",
                 error.sub_status());
}

}  // namespace

void QueryCost::add(const QueryCost& other) {
    items += other.items;
    pages += other.pages;
    charge += other.charge;
    elapsed += other.elapsed;
    add_metrics(metrics, other.metrics);
}

std::string QueryCost::text() const {
    const auto ms = std::chrono::duration<double, std::milli>(elapsed).count();
    const std::string time = ms < 10       ? fmt::format("{:.1f} ms", ms)
                             : ms < 10'000 ? fmt::format("{:.0f} ms", ms)
                                           : cli::printed_duration(elapsed);
    return fmt::format(
        "{} {} · {:.2f} RU · {}", cli::grouped(items), items == 1 ? "item" : "items", charge, time);
}

json::Value QueryCost::json() const {
    json::Value out{json::Value::Object()};
    out.set("items", static_cast<std::int64_t>(items));
    out.set("pages", static_cast<std::int64_t>(pages));
    out.set("requestUnits", number(charge));
    out.set("milliseconds",
            number(static_cast<double>(elapsed / std::chrono::microseconds(1)) / 1000));
    if (metrics.empty()) return out;
    json::Value server{json::Value::Object()};
    for (const auto& [name, value] : metrics) {
        server.set(name, number(value));
    }
    out.set("server", std::move(server));
    return out;
}

std::vector<std::pair<std::string, double>> parse_metrics(std::string_view header) {
    std::vector<std::pair<std::string, double>> out;
    while (!header.empty()) {
        const std::size_t end = std::min(header.find(';'), header.size());
        const std::string_view part = header.substr(0, end);
        header.remove_prefix(std::min(end + 1, header.size()));
        const std::size_t equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        double value = 0;
        const char* const last = part.data() + part.size();
        const auto parsed = std::from_chars(part.data() + equals + 1, last, value);
        const std::string_view name = part.substr(0, equals);
        // Ratios of pages do not add up.
        if (parsed.ec == std::errc() && !name.ends_with("Ratio")) out.emplace_back(name, value);
    }
    return out;
}

Status run_query(client::Client& client,
                 const Container& container,
                 const std::string& text,
                 int page_items,
                 const ResultSink& sink,
                 QueryCost& cost) {
    // One answer for the whole container, whatever the query does across partitions.
    client::Pages pages(
        client,
        container.items(),
        {.text = text},
        {.page_items = page_items,
         .headers = {{"x-orrery-merge-partitions", "True"}, {kMetricsWanted, "True"}}});
    while (true) {
        const Timer timer;
        const auto page = pages.next();
        cost.elapsed += timer.elapsed();
        if (!page) return with_hint(page.error());
        if (!*page) return {};
        ++cost.pages;
        cost.charge += (*page)->response.charge;
        add_metrics(cost.metrics, parse_metrics((*page)->response.header(kMetrics)));
        const auto elements = (*page)->elements();
        if (!elements) return with_hint(elements.error());
        for (const std::string_view element : *elements) {
            ++cost.items;
            if (!sink(element)) return {};
        }
    }
}

}  // namespace orrery::tools
