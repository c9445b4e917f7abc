#include "service/computed.h"

#include <mutex>

#include "base/check.h"
#include "service/errors.h"
#include "sql/checks.h"
#include "sql/item_paths.h"
#include "sql/parser.h"
#include "sql/projection.h"
#include "sql/walk.h"

namespace orrery::service {

namespace {

Error refused(const model::ComputedProperty& property, const std::string& why) {
    return bad_request("The query of the computed property '" + property.name +
                       "' is invalid: " + why);
}

bool has_subquery_or_udf(const sql::ast::Expression& expression) {
    return sql::any_below(expression, [](const sql::ast::Expression& part) {
        if (std::holds_alternative<sql::ast::Subquery>(part.node)) return true;
        const auto* call = std::get_if<sql::ast::Call>(&part.node);
        if (call == nullptr) return false;
        const sql::Function* function = sql::find_function(call->name);
        return call->udf || function == nullptr || !function->deterministic;
    });
}

// The value may depend on nothing but the item, and each item has exactly one.
Status check_shape(const model::ComputedProperty& property, const sql::ast::Query& query) {
    if (query.select.kind != sql::ast::SelectKind::kValue) {
        return refused(property, "it must be SELECT VALUE.");
    }
    const bool root_only = query.from.size() == 1 && !query.from.front().subquery &&
                           query.from.front().path.empty() && !query.from.front().iterates;
    if (!root_only) return refused(property, "FROM must name the container and nothing else.");
    const bool plain = !query.where && query.group_by.empty() && query.order_by.empty() &&
                       !query.offset_limit && !query.select.top && !query.select.distinct &&
                       !query.explain;
    if (!plain) return refused(property, "it must have only SELECT VALUE and FROM.");
    const sql::ast::Expression& value = *query.select.items.front().expression;
    if (sql::has_aggregate(value) || has_subquery_or_udf(value)) {
        return refused(property,
                       "subqueries, aggregates, user-defined and non-deterministic functions "
                       "are not allowed.");
    }
    return {};
}

class Evaluated : public index::ComputedProperties {
public:
    explicit Evaluated(const std::vector<sql::ComputedProperty>& properties) {
        for (const sql::ComputedProperty& property : properties) {
            // Each is evaluated on the stored item, without the other computed properties.
            auto bound = sql::bind(*property.query, {});
            CHECK(bound);
            queries_.emplace_back(std::move(bound).take());
        }
    }

    std::optional<std::string> value_json(std::string_view item_json,
                                          std::size_t number) const override {
        const std::lock_guard lock(mutex_);
        const Query& query = queries_[number];
        sql::Arena arena;
        std::vector<sql::Value> values(query.paths.size());
        query.paths.fetch({.number = 0, .json = item_json}, values, arena);
        sql::Evaluator evaluator(0, {});
        evaluator.paths = values;
        const sql::Value value = evaluator.evaluate(*query.prepared.query.output);
        std::string out;
        if (value.is_undefined() || evaluator.error()) return std::nullopt;
        if (!sql::append_json(out, value, evaluator.arena())) return std::nullopt;
        return out;
    }

private:
    struct Query {
        explicit Query(sql::Prepared given) : prepared(std::move(given)), paths(prepared.paths) {}

        sql::Prepared prepared;
        sql::ItemPaths paths;
    };

    mutable std::mutex mutex_;  // functions keep compiled patterns in the bound query
    std::vector<Query> queries_;
};

}  // namespace

Result<std::vector<sql::ComputedProperty>> parse_computed(
    const std::vector<model::ComputedProperty>& properties) {
    std::vector<sql::ComputedProperty> out;
    for (const model::ComputedProperty& property : properties) {
        const auto query = sql::parse(property.query);
        if (!query) return refused(property, query.error().message());
        TRY(check_shape(property, **query));
        const Status checked = sql::check_query(
            **query, {.find_function = sql::find_function, .allow_unsupported = false});
        if (!checked) return refused(property, checked.error().message());
        out.push_back({property.name, *query});
    }
    return out;
}

std::shared_ptr<const index::ComputedProperties> make_computed(const index::PathPolicy& policy) {
    auto properties = parse_computed(policy.computed());
    CHECK(properties);
    return std::make_shared<Evaluated>(*properties);
}

}  // namespace orrery::service
