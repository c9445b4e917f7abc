#include "sql/walk.h"

namespace orrery::sql {

void for_each_below(const ast::Expression& expression, const ExpressionVisitor& visit) {
    ast::for_each_child(expression,
                        [&](const ast::Expression& child) { for_each_below(child, visit); });
    visit(expression);
}

void for_each_expression(const ast::Query& query, const ExpressionVisitor& visit) {
    for (const ast::SelectItem& item : query.select.items) {
        visit(*item.expression);
    }
    if (query.where) visit(*query.where);
    for (const auto& key : query.group_by) {
        visit(*key);
    }
    for (const ast::OrderItem& item : query.order_by) {
        visit(*item.expression);
    }
}

void for_each_subquery(const ast::Query& query, const QueryVisitor& visit) {
    for (const ast::Source& source : query.from) {
        if (source.subquery) visit(*source.subquery);
    }
    for_each_expression(query, [&](const ast::Expression& expression) {
        for_each_below(expression, [&](const ast::Expression& below) {
            if (const auto* subquery = std::get_if<ast::Subquery>(&below.node)) {
                visit(*subquery->query);
            }
        });
    });
}

void for_each_query(const ast::Query& query, const QueryVisitor& visit) {
    for_each_subquery(query, [&](const ast::Query& inner) { for_each_query(inner, visit); });
    visit(query);
}

bool calls_udf(const ast::Query& query) {
    bool calls = false;
    for_each_query(query, [&](const ast::Query& any) {
        for_each_expression(any, [&](const ast::Expression& expression) {
            calls = calls || any_below(expression, [](const ast::Expression& below) {
                        const auto* call = std::get_if<ast::Call>(&below.node);
                        return call != nullptr && call->udf;
                    });
        });
    });
    return calls;
}

bool any_below(const ast::Expression& expression,
               const std::function<bool(const ast::Expression&)>& test) {
    if (test(expression)) return true;
    bool found = false;
    ast::for_each_child(
        expression, [&](const ast::Expression& child) { found = found || any_below(child, test); });
    return found;
}

}  // namespace orrery::sql
