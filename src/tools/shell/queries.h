// Queries, page by page, and what they take.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "client/pages.h"
#include "tools/shell/session.h"

namespace orrery::tools {

struct QueryCost {
    std::uint64_t items = 0;
    std::uint64_t pages = 0;
    double charge = 0;
    std::chrono::nanoseconds elapsed{0};
    // Sums over the pages of what the server measures: "retrievedDocumentCount" ...; empty if it
    // does not say.
    std::vector<std::pair<std::string, double>> metrics = {};

    void add(const QueryCost& other);
    json::Value json() const;
    // "12 items · 3.4 RU · 8 ms"
    std::string text() const;
};

// "name=1.5;other=2" → the numbers by name, without ratios.
std::vector<std::pair<std::string, double>> parse_metrics(std::string_view header);

// Gets each result; false: no more are wanted.
using ResultSink = std::function<bool(std::string_view)>;

// Runs it over all partitions, merged by the server. `page_items`: -1, or how many to ask for at a
// time. Adds to `cost`, also before an error.
Status run_query(client::Client& client,
                 const Container& container,
                 const std::string& text,
                 int page_items,
                 const ResultSink& sink,
                 QueryCost& cost);

}  // namespace orrery::tools
