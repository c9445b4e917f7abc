#include "sql/binder.h"

#include <algorithm>
#include <span>

#include "model/limits.h"
#include "sql/binding.h"
#include "sql/errors.h"
#include "sql/printer.h"
#include "sql/projection.h"
#include "sql/walk.h"

namespace orrery::sql {

namespace {

bool is_blocking(const ast::Query& query) {
    return query.select.distinct || !query.group_by.empty() || has_aggregate(query);
}

}  // namespace

Result<BoundQuery> Binding::bind_query(const ast::Query& query, bool outermost) {
    Scope scope{.outer = scope_, .names = {}, .group_keys = {}, .aggregates = nullptr};
    scope_ = &scope;
    auto bound = bind_in_scope(query, outermost);
    scope_ = scope.outer;
    return bound;
}

Result<BoundQuery> Binding::bind_in_scope(const ast::Query& query, bool outermost) {
    BoundQuery out;
    out.over_items = outermost && !query.from.empty();
    for (const ast::Source& source : query.from) {
        TRY(bind_source(source, out));
    }
    TRY(bind_filters(query, out));
    for (const ast::ExpressionPtr& key : query.group_by) {
        out.group_keys.push_back(TRY(bind(*key)));
    }
    scope_->group_keys = query.group_by;
    scope_->aggregates = &out.aggregates;
    TRY(bind_output(query.select, out));
    TRY(bind_order(query, out));
    out.grouped = !out.group_keys.empty() || !out.aggregates.empty();
    out.distinct = query.select.distinct;
    if (query.select.top) out.top = TRY(count_of(*query.select.top, CountClause::kTop));
    if (query.offset_limit) {
        out.offset = TRY(count_of(query.offset_limit->offset, CountClause::kOffset));
        out.limit = TRY(count_of(query.offset_limit->limit, CountClause::kLimit));
    }
    return out;
}

// An alias for a path of the item is shorthand for the path; it needs no variable.
Status Binding::bind_source(const ast::Source& source, BoundQuery& out) {
    const auto alias = ast::source_alias(source);
    BoundSource bound;
    if (source.subquery) {
        const bool derived =
            out.over_items && scope_->names.empty() && is_blocking(*source.subquery);
        auto query = std::make_unique<BoundQuery>(TRY(bind_query(*source.subquery, derived)));
        bound.kind = source.iterates ? BoundSource::Kind::kRowElements : BoundSource::Kind::kRows;
        if (derived) {
            out.derived = std::move(query);
            out.over_items = false;
        } else {
            bound.query = std::move(query);
        }
    } else {
        const ast::ExpressionPtr expression = expression_of(source);
        auto path = path_of(*expression);
        if (path && !source.iterates) {
            if (!path->empty()) TRY(bind_presence(*path, out));
            scope_->names.push_back({alias.value_or(""), std::move(path), 0});
            return {};
        }
        bound.kind =
            source.iterates ? BoundSource::Kind::kElements : BoundSource::Kind::kExpression;
        bound.expression = TRY(bind(*expression));
        bound.path = std::move(path);
    }
    bound.variable = variables_++;
    scope_->names.push_back({alias.value_or(""), std::nullopt, bound.variable});
    out.sources.push_back(std::move(bound));
    return {};
}

// Items without the path have no rows.
Status Binding::bind_presence(const ItemPath& path, BoundQuery& out) {
    out.filters.push_back(TRY(call("IS_DEFINED", bind_path(path))));
    return {};
}

// The container or an alias, and the steps after it, as an expression. Any name that is not an
// alias means the container.
ast::ExpressionPtr Binding::expression_of(const ast::Source& source) {
    ast::ExpressionPtr out = find_name(source.root.text) == nullptr
                                 ? ast::make(ast::Identifier{std::string(kContainer)})
                                 : ast::make(ast::Identifier{source.root.text});
    for (const ast::PathStep& step : source.path) {
        if (const auto* name = std::get_if<std::string>(&step)) {
            out = ast::make(ast::Member{out, *name});
        } else {
            out = ast::make(ast::Subscript{
                out, ast::make(ast::Number{std::to_string(std::get<std::uint64_t>(step))})});
        }
    }
    return out;
}

Status Binding::bind_filters(const ast::Query& query, BoundQuery& out) {
    const auto* all = query.where ? std::get_if<ast::Logical>(&query.where->node) : nullptr;
    std::span<const ast::ExpressionPtr> terms(&query.where, query.where ? 1 : 0);
    if (all != nullptr && all->is_and) terms = all->terms;
    for (const ast::ExpressionPtr& term : terms) {
        out.filters.push_back(TRY(bind(*term)));
    }
    // UDFs are expensive: evaluate filters without one first.
    std::stable_partition(out.filters.begin(), out.filters.end(), [](const BoundPtr& filter) {
        return !calls_udf(*filter);
    });
    for (const BoundPtr& filter : out.filters) {
        filter->level = sources_needed(*filter, out.sources);
    }
    // Filters that need fewer sources come first; otherwise as written.
    std::stable_sort(out.filters.begin(),
                     out.filters.end(),
                     [](const BoundPtr& a, const BoundPtr& b) { return a->level < b->level; });
    return {};
}

Status Binding::bind_output(const ast::Select& select, BoundQuery& out) {
    out.select_value = select.kind != ast::SelectKind::kList;
    if (select.kind == ast::SelectKind::kStar) {
        const Scope::Named& only = scope_->names.front();
        out.output = only.path ? bind_path(*only.path) : variable(only.variable);
        return {};
    }
    if (select.kind == ast::SelectKind::kValue) {
        out.output = TRY(bind(*select.items.front().expression));
        return {};
    }
    out.output = std::make_unique<BoundExpression>();
    out.output->op = Op::kObject;
    out.output->names = output_names(select);
    for (const ast::SelectItem& item : select.items) {
        out.output->operands.push_back(TRY(bind(*item.expression)));
    }
    return {};
}

Status Binding::bind_order(const ast::Query& query, BoundQuery& out) {
    const bool grouped = !out.group_keys.empty() || !out.aggregates.empty();
    for (const ast::OrderItem& item : query.order_by) {
        BoundOrder order;
        order.descending = item.descending();
        order.text = print(*item.expression);
        if (!grouped) order.path = path_of(*item.expression);
        order.expression = TRY(bind(*item.expression));
        out.order_by.push_back(std::move(order));
    }
    return {};
}

Result<std::uint64_t> Binding::count_of(const ast::Count& count, CountClause clause) {
    if (const auto* number = std::get_if<std::uint64_t>(&count.value)) return *number;
    const Value value = parameter(std::get<ast::Parameter>(count.value).name);
    constexpr auto kCountMax = static_cast<std::int64_t>(model::limits::kQueryCountMax);
    const bool fits = value.is_number() && value.number().is_integer() &&
                      value.number().integer() >= 0 && value.number().integer() <= kCountMax;
    if (fits) return static_cast<std::uint64_t>(value.number().integer());
    return count_error(clause, count.location);
}

Result<Prepared> bind(const ast::Query& query, const BindingContext& context) {
    Binding binding(context);
    BoundQuery bound = TRY(binding.bind_query(query, true));
    return std::move(binding).finish(std::move(bound));
}

std::optional<Value> ConstantFolder::fold(const ast::Expression& expression) {
    // Most expressions refer to the item; binding them would only make an error message.
    const bool names_a_source = any_below(expression, [](const ast::Expression& part) {
        return std::holds_alternative<ast::Identifier>(part.node);
    });
    if (names_a_source) return std::nullopt;
    Binding binding(context_);
    auto bound = binding.bind(expression);
    if (!bound || (*bound)->op != Op::kConstant) return std::nullopt;
    const Value value = (*bound)->constant;
    kept_.push_back(std::move(binding).finish({}));
    return value;
}

}  // namespace orrery::sql
