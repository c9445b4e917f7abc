#include "sql/projection.h"

#include <algorithm>

#include "sql/aggregates.h"

namespace orrery::sql {

namespace {

std::optional<std::string> own_name(const ast::SelectItem& item) {
    if (item.alias) return item.alias->text;
    if (const auto* member = std::get_if<ast::Member>(&item.expression->node)) return member->name;
    if (const auto* name = std::get_if<ast::Identifier>(&item.expression->node)) return name->name;
    return std::nullopt;
}

}  // namespace

std::vector<std::string> output_names(const ast::Select& select) {
    std::vector<std::string> names;
    std::size_t unnamed = 0;
    for (const ast::SelectItem& item : select.items) {
        auto name = own_name(item);
        names.push_back(name ? *std::move(name) : "$" + std::to_string(++unnamed));
    }
    return names;
}

std::optional<AggregateKind> called_aggregate(const ast::Expression& expression) {
    const auto* call = std::get_if<ast::Call>(&expression.node);
    if (call == nullptr || call->udf) return std::nullopt;
    return find_aggregate(call->name);
}

bool has_aggregate(const ast::Expression& expression) {
    if (called_aggregate(expression)) return true;
    bool found = false;
    ast::for_each_child(
        expression, [&](const ast::Expression& child) { found = found || has_aggregate(child); });
    return found;
}

bool has_aggregate(const ast::Query& query) {
    const auto in_order = [](const ast::OrderItem& item) {
        return has_aggregate(*item.expression);
    };
    return selects_aggregate(query) ||
           std::any_of(query.order_by.begin(), query.order_by.end(), in_order);
}

bool selects_aggregate(const ast::Query& query) {
    const auto in_item = [](const ast::SelectItem& item) {
        return has_aggregate(*item.expression);
    };
    return std::any_of(query.select.items.begin(), query.select.items.end(), in_item);
}

}  // namespace orrery::sql
