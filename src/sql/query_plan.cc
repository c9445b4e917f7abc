#include "sql/query_plan.h"

#include <algorithm>

#include "model/limits.h"
#include "sql/errors.h"
#include "sql/hybrid_plan.h"
#include "sql/plan_counts.h"
#include "sql/printer.h"
#include "sql/projection.h"
#include "sql/query_rewrite.h"
#include "sql/structure.h"

namespace orrery::sql {

namespace {

namespace limits = model::limits;

class Planner {
public:
    Planner(const ast::Query& query, const PlanContext& context, bool single_key)
        : query_(query), context_(context), single_key_(single_key), text_(query) {}

    Result<QueryInfo> plan() {
        info_.has_select_value = query_.select.kind == ast::SelectKind::kValue;
        text_.explain = false;
        // One row that needs no items: the one partition that is queried does everything.
        if (query_.from.empty()) return info_;
        TRY(plan_counts());
        if (distinct_count()) {
            plan_distinct_count();
        } else if (!query_.group_by.empty() || selects_aggregate(query_)) {
            TRY(plan_groups());
        } else if (!query_.order_by.empty()) {
            plan_order();
        } else {
            plan_plain();
        }
        if (rewritten_) info_.rewritten_query = print(text_);
        TRY(check_features(needed_, context_.features));
        return info_;
    }

private:
    Status plan_counts() {
        const PlanCounts counts = TRY(plan_counts_of(query_, context_.fold));
        info_.top = counts.top;
        info_.offset = counts.offset;
        info_.limit = counts.limit;
        if (info_.top) needed_.add(QueryFeature::kTop);
        if (info_.offset) needed_.add(QueryFeature::kOffsetAndLimit);
        return {};
    }

    void plan_plain() {
        if (query_.select.distinct) {
            plan_distinct(DistinctKind::kUnordered);
            if (info_.top || info_.offset) strip_counts();
        } else if (info_.offset && single_key_) {
            // All rows are in one partition, which can skip them itself.
            info_.offset.reset();
            info_.limit.reset();
        } else if (info_.offset) {
            skip_nothing();
        }
    }

    void plan_distinct(DistinctKind kind) {
        info_.distinct = kind;
        needed_.add(QueryFeature::kDistinct);
    }

    // The client drops rows only after merging those of all partitions.
    void strip_counts() {
        text_.select.top.reset();
        text_.offset_limit.reset();
        rewritten_ = true;
    }

    // Each partition returns as many rows as the whole query needs.
    void skip_nothing() {
        text_.offset_limit->offset.value = std::uint64_t{0};
        text_.offset_limit->limit.value =
            std::min(*info_.offset + *info_.limit, limits::kQueryCountMax);
        rewritten_ = true;
    }

    void plan_order() {
        std::vector<ast::ExpressionPtr> keys;
        for (const ast::OrderItem& item : query_.order_by) {
            keys.push_back(item.expression);
            info_.order_by_expressions.push_back(print(*item.expression));
            info_.order_by_descending.push_back(item.descending());
        }
        needed_.add(keys.size() > 1 ? QueryFeature::kMultipleOrderBy : QueryFeature::kOrderBy);
        plan_vector_order(query_, info_, needed_);
        const ast::Select& select = query_.select;
        const bool is_value = select.kind == ast::SelectKind::kValue;
        const auto value = is_value ? select.items.front().expression : nullptr;
        if (select.distinct) {
            // When the selected value is the sort key, equal values are adjacent.
            const bool ordered = is_value && keys.size() == 1 && same_structure(*value, *keys[0]);
            plan_distinct(ordered ? DistinctKind::kOrdered : DistinctKind::kUnordered);
            strip_counts();
        } else if (info_.offset) {
            skip_nothing();
        }
        select_list({rewrite::rid_of(query_),
                     rewrite::named(rewrite::items(keys), "orderByItems"),
                     rewrite::named(rewrite::payload(query_), "payload")});
        text_.where = rewrite::filtered(query_.where, value);
    }

    Status plan_groups() {
        TRY(check_aggregates());
        for (const auto& key : query_.group_by) {
            info_.group_by_expressions.push_back(print(*key));
        }
        if (!query_.group_by.empty()) needed_.add(QueryFeature::kGroupBy);
        if (query_.select.distinct) plan_distinct(DistinctKind::kUnordered);
        strip_counts();
        if (query_.select.kind == ast::SelectKind::kValue) {
            plan_value_groups();
        } else {
            plan_list_groups();
        }
        return {};
    }

    void plan_value_groups() {
        const ast::ExpressionPtr& value = query_.select.items.front().expression;
        const auto kind = called_aggregate(*value);
        if (kind) {
            info_.aggregates.push_back(*kind);
            need_aggregate(*kind);
            needed_.add(QueryFeature::kAggregate);
        }
        const auto out = kind ? rewrite::array({rewrite::partial_aggregate(value)}) : value;
        if (!query_.group_by.empty()) {
            select_group(out);
            return;
        }
        text_.select.distinct = false;
        text_.select.items = {{out, std::nullopt}};
    }

    void plan_list_groups() {
        std::vector<std::string> names = output_names(query_.select);
        std::size_t aggregates = 0;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto kind = called_aggregate(*query_.select.items[i].expression);
            if (kind) {
                ++aggregates;
                need_aggregate(*kind);
            }
            info_.alias_aggregates.emplace_back(names[i], kind);
        }
        info_.group_by_aliases = std::move(names);
        if (aggregates > 0) needed_.add(QueryFeature::kNonValueAggregate);
        if (aggregates > 1) needed_.add(QueryFeature::kMultipleAggregates);
        const auto out = rewrite::payload(query_);
        if (!query_.group_by.empty()) {
            select_group(out);
        } else {
            select_list({rewrite::named(out, "payload")});
        }
    }

    void select_group(const ast::ExpressionPtr& payload) {
        select_list({rewrite::named(rewrite::items(query_.group_by), "groupByItems"),
                     rewrite::named(payload, "payload")});
    }

    void select_list(std::vector<ast::SelectItem> items) {
        text_.select.distinct = false;
        text_.select.kind = ast::SelectKind::kList;
        text_.select.items = std::move(items);
        rewritten_ = true;
    }

    void need_aggregate(AggregateKind kind) {
        if (kind == AggregateKind::kCountIf) needed_.add(QueryFeature::kCountIf);
        if (kind == AggregateKind::kMakeList || kind == AggregateKind::kMakeSet) {
            needed_.add(QueryFeature::kListAndSetAggregate);
        }
    }

    // A client can add up sums, but cannot merge expressions made from them.
    Status check_aggregates() const {
        std::size_t aggregates = 0;
        for (const ast::SelectItem& item : query_.select.items) {
            if (called_aggregate(*item.expression)) {
                ++aggregates;
            } else if (has_aggregate(*item.expression)) {
                return plain_query_error(
                    "Compositions of aggregates and other expressions are not allowed.");
            }
        }
        if (!query_.group_by.empty() && aggregates > limits::kQueryAggregatesMax) {
            return plain_query_error("Cross partition query with GROUP BY has more than " +
                                     std::to_string(limits::kQueryAggregatesMax) + " aggregates.");
        }
        if (query_.group_by.empty() && !info_.has_select_value &&
            !context_.features.has(QueryFeature::kNonValueAggregate)) {
            return plain_query_error(
                "Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.");
        }
        return {};
    }

    // SELECT COUNT(1) FROM (SELECT DISTINCT …): the inner query, if there is nothing else.
    const ast::Query* distinct_count() const {
        const bool bare = query_.from.size() == 1 && query_.from[0].subquery &&
                          !query_.from[0].iterates && !query_.where && query_.group_by.empty() &&
                          query_.order_by.empty() && !query_.select.distinct &&
                          query_.select.items.size() == 1;
        if (!bare || !query_.from[0].subquery->select.distinct) return nullptr;
        const ast::Expression& selected = *query_.select.items[0].expression;
        if (called_aggregate(selected) != AggregateKind::kCount) return nullptr;
        const ast::Expression& counted = *std::get<ast::Call>(selected.node).arguments[0];
        const auto* alias = std::get_if<ast::Identifier>(&counted.node);
        const auto constant = context_.fold(counted);
        const bool rows = (constant && constant->is_defined()) ||
                          (alias && alias->name == ast::source_alias(query_.from[0]));
        return rows ? query_.from[0].subquery.get() : nullptr;
    }

    void plan_distinct_count() {
        const bool is_value = query_.select.kind == ast::SelectKind::kValue;
        info_.dcount_alias = is_value ? std::string() : output_names(query_.select).front();
        plan_distinct(DistinctKind::kUnordered);
        needed_.add(QueryFeature::kDCount);
        text_ = *query_.from[0].subquery;
        rewritten_ = true;
    }

    const ast::Query& query_;
    const PlanContext& context_;
    bool single_key_;
    QueryInfo info_;
    QueryFeatures needed_;
    ast::Query text_;  // the query as sent to partitions
    bool rewritten_ = false;
};

}  // namespace

Result<QueryPlan> make_query_plan(const ast::Query& query, const PlanContext& context) {
    QueryPlan plan;
    plan.filter = partition_key_filter(query, context.partition_key, context.fold);
    plan.ranges = query_ranges(plan.filter, context.partition_key);
    if (query.order_by_rank) {
        plan.hybrid_search = TRY(make_hybrid_plan(query, context));
        return plan;
    }
    const bool single_key = is_single_key(plan.filter, context.partition_key);
    plan.info = TRY(Planner(query, context, single_key).plan());
    return plan;
}

}  // namespace orrery::sql
