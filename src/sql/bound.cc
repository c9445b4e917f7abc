#include "sql/bound.h"

#include <algorithm>

namespace orrery::sql {

namespace {

void visit(const BoundQuery& query, const std::function<void(const BoundExpression&)>& see) {
    const auto visit_all = [&](const std::vector<BoundPtr>& expressions) {
        for (const BoundPtr& expression : expressions) {
            visit(*expression, see);
        }
    };
    if (query.derived) visit(*query.derived, see);
    for (const BoundSource& source : query.sources) {
        if (source.expression) visit(*source.expression, see);
        if (source.query) visit(*source.query, see);
    }
    visit_all(query.filters);
    visit_all(query.group_keys);
    for (const BoundAggregate& aggregate : query.aggregates) {
        visit(*aggregate.argument, see);
    }
    if (query.output) visit(*query.output, see);
}

}  // namespace

void visit(const BoundExpression& expression,
           const std::function<void(const BoundExpression&)>& see) {
    see(expression);
    for (const BoundPtr& operand : expression.operands) {
        visit(*operand, see);
    }
    if (expression.query) visit(*expression.query, see);
}

bool calls_udf(const BoundExpression& expression) {
    bool calls = false;
    visit(expression, [&](const BoundExpression& part) { calls = calls || part.op == Op::kUdf; });
    return calls;
}

bool is_deterministic(const BoundExpression& expression) {
    bool deterministic = true;
    visit(expression, [&](const BoundExpression& part) {
        if (part.op == Op::kUdf || (part.op == Op::kCall && !part.function->deterministic)) {
            deterministic = false;
        }
    });
    return deterministic;
}

std::size_t sources_needed(const BoundExpression& expression,
                           const std::vector<BoundSource>& sources) {
    std::size_t needed = 0;
    visit(expression, [&](const BoundExpression& part) {
        if (part.op != Op::kVariable) return;
        for (std::size_t i = needed; i < sources.size(); ++i) {
            if (sources[i].variable == part.number) needed = i + 1;
        }
    });
    return needed;
}

}  // namespace orrery::sql
