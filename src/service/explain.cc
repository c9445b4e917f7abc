#include "service/explain.h"

#include "json/value.h"
#include "sql/printer.h"

namespace orrery::service {

namespace {

json::Value texts(const std::vector<std::string>& list) {
    json::Value::Array out;
    for (const std::string& text : list) {
        out.emplace_back(text);
    }
    return out;
}

json::Value indexes(const sql::Access::Indexes& indexes) {
    json::Value::Array composites;
    for (const std::vector<std::string>& composite : indexes.composites) {
        composites.push_back(texts(composite));
    }
    json::Value out{json::Value::Object()};
    out.set("paths", texts(indexes.paths));
    out.set("composites", std::move(composites));
    return out;
}

json::Value number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

std::string explanation(const sql::ast::Query& query,
                        const QueryAnswer& answer,
                        const Metrics& metrics) {
    const sql::Access& access = answer.access;
    json::Value estimated{json::Value::Object()};
    if (access.estimate) estimated.set("items", number(*access.estimate));
    json::Value actual{json::Value::Object()};
    actual.set("rows", number(metrics.counters.rows));
    actual.set("itemsRead", number(metrics.counters.items_read));
    actual.set("itemBytesRead", number(metrics.counters.item_bytes_read));
    actual.set("indexEntriesRead", number(metrics.counters.index_entries_read));
    json::Value out{json::Value::Object()};
    out.set("query", sql::print(query));
    out.set("access", name_of(access.kind));
    out.set("filter", access.filter);
    out.set("coveredByIndex", access.covered);
    out.set("indexes", indexes(access.used));
    out.set("potentialIndexes", indexes(access.potential));
    out.set("partitions", number(metrics.partitions));
    out.set("estimated", std::move(estimated));
    out.set("actual", std::move(actual));
    return out.text();
}

}  // namespace orrery::service
