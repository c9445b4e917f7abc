#include "tools/shell/explain.h"

#include <cctype>

#include <fmt/format.h>

#include "base/base64.h"
#include "base/stopwatch.h"
#include "json/value.h"
#include "sql/checks.h"
#include "sql/functions/function.h"
#include "sql/parser.h"
#include "tools/shell/statements.h"

namespace orrery::tools {

namespace {

using json::Value;

// coveredByIndex → covered by index
std::string as_words(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isupper(byte) != 0 && !out.empty() && out.back() != ' ') out += ' ';
        out += static_cast<char>(std::tolower(byte));
    }
    return out;
}

std::string as_text(const Value& value) {
    if (value.is_string()) return value.string();
    if (value.is_bool()) return value.boolean() ? "yes" : "no";
    if (!value.is_array()) return value.text();
    std::string out;
    for (const Value& element : value.array()) {
        out += out.empty() ? "" : ", ";
        out += element.is_array() ? "(" + as_text(element) + ")" : as_text(element);
    }
    return out;
}

void flatten(const Value& value, const std::string& name, NamedValues& out) {
    if (value.is_object()) {
        for (const Value::Member& member : value.object()) {
            flatten(member.value, name + (name.empty() ? "" : " ") + as_words(member.name), out);
        }
        return;
    }
    const std::string text = as_text(value);
    if (!text.empty()) out.emplace_back(name, text);
}

// Whether a server that has EXPLAIN could have answered.
bool is_valid(const std::string& text) {
    const auto parsed = sql::parse(text);
    return parsed && sql::check_query(**parsed, {.find_function = sql::find_function});
}

// What servers report about a query that they run.
Result<Explanation> measure(client::Client& client,
                            const Container& container,
                            const std::string& query,
                            QueryCost& cost) {
    client::Pages pages(client,
                        container.items(),
                        {.text = query},
                        {.headers = {{"x-ms-documentdb-populatequerymetrics", "True"},
                                     {"x-ms-cosmos-populateindexmetrics", "True"}}});
    const auto page = TRY(pages.next());
    cost.pages = 1;
    cost.charge += page->response.charge;
    cost.metrics = parse_metrics(page->response.header("x-ms-documentdb-query-metrics"));
    const auto indexes = base64_decode(page->response.header("x-ms-cosmos-index-utilization"));
    if (cost.metrics.empty() && (!indexes || indexes->empty())) {
        return Error(ErrorCode::kNotImplemented,
                     "this server has no EXPLAIN, and reports no metrics of queries");
    }
    Value::Object object;
    object.push_back(
        {"note", "this server has no EXPLAIN; it ran the query, and measured one page of it"});
    for (const auto& [name, value] : cost.metrics) {
        object.push_back({name, TRY(Value::parse(fmt::format("{}", value)))});
    }
    if (auto parsed = Value::parse(indexes.value_or("")); parsed && parsed->is_object()) {
        object.push_back({"indexes", *std::move(parsed)});
    }
    const Value all(std::move(object));
    return Explanation{.lines = flattened(all), .json = all.text()};
}

}  // namespace

NamedValues flattened(const Value& value) {
    NamedValues out;
    flatten(value, "", out);
    return out;
}

Result<Explanation> explain(client::Client& client,
                            const Container& container,
                            const std::string& text,
                            QueryCost& cost) {
    Explanation out;
    const Status done = run_query(
        client,
        container,
        text,
        -1,
        [&](std::string_view row) {
            out.json = row;
            return false;
        },
        cost);
    cost.items = 0;
    if (done) {
        out.lines = flattened(TRY(Value::parse(out.json)));
        return out;
    }
    if (done.error().code() != ErrorCode::kBadRequest || !is_valid(text)) {
        return done.error().copy();
    }
    const Timer timer;
    auto measured = measure(client, container, std::string(split_first_word(text).rest), cost);
    cost.elapsed += timer.elapsed();
    return measured;
}

}  // namespace orrery::tools
