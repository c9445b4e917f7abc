#include "sql/query_rewrite.h"

#include "sql/projection.h"

namespace orrery::sql::rewrite {

ast::ExpressionPtr call(std::string name, std::vector<ast::ExpressionPtr> arguments) {
    return ast::make(ast::Call{std::move(name), false, std::move(arguments)});
}

ast::ExpressionPtr object(
    const std::vector<std::pair<std::string, ast::ExpressionPtr>>& properties) {
    ast::Object out;
    for (const auto& [name, value] : properties) {
        out.properties.push_back({ast::Name{name, {}}, value});
    }
    return ast::make(std::move(out));
}

ast::ExpressionPtr array(std::vector<ast::ExpressionPtr> elements) {
    return ast::make(ast::Array{std::move(elements)});
}

ast::SelectItem named(ast::ExpressionPtr expression, std::string alias) {
    return {std::move(expression), ast::Name{std::move(alias), {}}};
}

namespace {

// Checked queries that get here have an alias: ORDER BY and SELECT * require it.
ast::ExpressionPtr first_source(const ast::Query& query) {
    return ast::make(ast::Identifier{ast::source_alias(query.from.front()).value_or("root")});
}

}  // namespace

ast::SelectItem rid_of(const ast::Query& query) {
    return {ast::make(ast::Member{first_source(query), "_rid", true}), std::nullopt};
}

ast::ExpressionPtr items(const std::vector<ast::ExpressionPtr>& keys) {
    std::vector<ast::ExpressionPtr> out;
    out.reserve(keys.size());
    for (const auto& key : keys) {
        out.push_back(object({{"item", key}}));
    }
    return array(std::move(out));
}

ast::ExpressionPtr partial_aggregate(const ast::ExpressionPtr& aggregate) {
    const auto& arguments = std::get<ast::Call>(aggregate->node).arguments;
    const auto extreme = [&](const char* name) {
        return object(
            {{"item", aggregate},
             {"item2", object({{name, aggregate}, {"count", call("COUNT", arguments)}})}});
    };
    switch (called_aggregate(*aggregate).value()) {
        case AggregateKind::kAverage:
            return object(
                {{"item",
                  object({{"sum", call("SUM", arguments)}, {"count", call("COUNT", arguments)}})}});
        case AggregateKind::kMin:
            return extreme("min");
        case AggregateKind::kMax:
            return extreme("max");
        default:
            return object({{"item", aggregate}});
    }
}

ast::ExpressionPtr filtered(const ast::ExpressionPtr& where, const ast::ExpressionPtr& value) {
    ast::Logical all;
    if (where) all.terms.push_back(where);
    all.terms.push_back(ast::make(ast::Verbatim{std::string(kFilterPlaceholder)}));
    if (value) all.terms.push_back(call("IS_DEFINED", {value}));
    if (all.terms.size() == 1) return all.terms.front();
    return ast::make(std::move(all));
}

ast::ExpressionPtr payload(const ast::Query& query) {
    const ast::Select& select = query.select;
    if (select.kind == ast::SelectKind::kStar) return first_source(query);
    if (select.kind == ast::SelectKind::kValue) return select.items.front().expression;
    std::vector<std::pair<std::string, ast::ExpressionPtr>> properties;
    std::vector<std::string> names = output_names(select);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const ast::ExpressionPtr& value = select.items[i].expression;
        properties.emplace_back(std::move(names[i]),
                                called_aggregate(*value) ? partial_aggregate(value) : value);
    }
    return object(properties);
}

}  // namespace orrery::sql::rewrite
