#include "tools/shell/explain.h"

#include <algorithm>
#include <cctype>

#include "base/ascii.h"
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

// coveredByIndex → covered by index, VMExecutionTime → vm execution time
std::string as_words(std::string_view name) {
    const auto is_upper = [&](std::size_t at) {
        return at < name.size() && std::isupper(static_cast<unsigned char>(name[at])) != 0;
    };
    std::string out;
    for (std::size_t i = 0; i < name.size(); ++i) {
        const bool ends_capitals = i + 1 < name.size() && !is_upper(i + 1);
        if (i > 0 && is_upper(i) && (!is_upper(i - 1) || ends_capitals)) out += ' ';
        out += lower(name[i]);
    }
    return out;
}

std::string as_text(const Value& value) {
    if (value.is_string()) {
        std::string out = value.string();
        std::replace(out.begin(), out.end(), '\n', ' ');
        return out;
    }
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
Result<Value> measure(client::Client& client,
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
    Value out{Value::Object()};
    out.set("note", "this server has no EXPLAIN; it ran the query, and measured one page of it");
    const Value measured = cost.json();
    if (const Value* const server = measured.find("server")) out.set("measured", *server);
    auto parsed = Value::parse(indexes.value_or(""));
    if (parsed && parsed->is_object()) out.set("indexes", std::move(parsed).take());
    return out;
}

}  // namespace

NamedValues flattened(const Value& value) {
    NamedValues out;
    flatten(value, "", out);
    return out;
}

Result<Value> explain(client::Client& client,
                      const Container& container,
                      const std::string& text,
                      QueryCost& cost) {
    std::string row;
    const Status done = run_query(
        client,
        container,
        text,
        -1,
        [&](std::string_view found) {
            row = found;
            return false;
        },
        cost);
    cost.items = 0;
    if (done) return Value::parse(row);
    if (done.error().code() != ErrorCode::kBadRequest || !is_valid(text)) {
        return done.error().copy();
    }
    const Timer timer;
    auto measured = measure(client, container, std::string(split_first_word(text).rest), cost);
    cost.elapsed += timer.elapsed();
    return measured;
}

}  // namespace orrery::tools
