#include <algorithm>
#include <string>

#include "base/ascii.h"
#include "sql/check_passes.h"
#include "sql/projection.h"
#include "sql/walk.h"

namespace orrery::sql {

namespace {

void check_subquery(const ast::Query& query, Diagnostics& out) {
    if (!query.order_by.empty()) {
        const bool rank = query.order_by_rank;
        out.add(rank ? "SC2228" : "SC2202",
                rank ? "The ORDER BY RANK clause is not supported in subqueries."
                     : "'ORDER BY' is not supported in subqueries.",
                query.order_by_location);
    }
    if (query.select.top) {
        out.add("SC2203", "'TOP' is not supported in subqueries.", query.select.top_location);
    }
    if (query.offset_limit) {
        out.add("SC2204",
                "'OFFSET LIMIT' clause is not supported in subqueries.",
                query.offset_limit->location);
    }
}

const ast::Call* call_of(const ast::Expression& expression, std::string_view name) {
    const auto* call = std::get_if<ast::Call>(&expression.node);
    return call != nullptr && !call->udf && same_word(call->name, name) ? call : nullptr;
}

bool is_score(const ast::Expression& expression) {
    return call_of(expression, "FULLTEXTSCORE") != nullptr ||
           call_of(expression, "VECTORDISTANCE") != nullptr;
}

bool is_number(const ast::Expression& expression) {
    if (const auto* unary = std::get_if<ast::Unary>(&expression.node)) {
        return unary->op == ast::UnaryOperator::kMinus && is_number(*unary->operand);
    }
    return std::holds_alternative<ast::Number>(expression.node);
}

// RRF(score, score, … [, [weight, weight, …]])
void check_fusion(const ast::Call& fusion, const Location& clause, Diagnostics& out) {
    std::size_t scores = fusion.arguments.size();
    const bool weighted = scores > 0 && !is_score(*fusion.arguments.back());
    if (weighted) --scores;
    const bool all_scores =
        std::all_of(fusion.arguments.begin(),
                    fusion.arguments.begin() + static_cast<std::ptrdiff_t>(scores),
                    [](const auto& argument) { return is_score(*argument); });
    if (scores < 2 || !all_scores) {
        out.add("SC2221",
                "The ORDER BY RANK clause must be followed by a VectorDistance and/or a "
                "FullTextScore function call.",
                clause);
        return;
    }
    if (!weighted) return;
    const auto* weights = std::get_if<ast::Array>(&fusion.arguments.back()->node);
    if (weights != nullptr && weights->elements.size() == scores &&
        std::all_of(weights->elements.begin(), weights->elements.end(), [](const auto& weight) {
            return is_number(*weight);
        })) {
        return;
    }
    out.add("SC2229",
            "The last parameter of the RRF function is an optional array of weights. When present, "
            "it must be a literal array of numbers, one for each of the component scores used for "
            "the RRF function. The length of this array must be the same as the number of the "
            "component scores.",
            clause);
}

void check_rank_sources(const ast::Query& query, Diagnostics& out) {
    if (query.from.size() > 1) {
        out.add("SC2224",
                "The JOIN operator is not allowed with the ORDER BY RANK clause.",
                Location{query.from.front().location.start, query.from.back().location.end});
    }
    for (const ast::Source& source : query.from) {
        if (source.iterates) {
            out.add("SC2223",
                    "The FROM clause with the IN operator is not allowed with the ORDER BY RANK "
                    "clause.",
                    source.location);
        }
        if (source.subquery) {
            out.add("SC2225",
                    "Subqueries in the FROM clause are not allowed with the ORDER BY RANK clause.",
                    source.location);
        }
    }
}

void check_rank(const ast::Query& query, Diagnostics& out) {
    check_rank_sources(query, out);
    const ast::OrderItem& item = query.order_by.front();
    if (const ast::Call* fusion = call_of(*item.expression, "RRF");
        fusion != nullptr && query.order_by.size() == 1) {
        check_fusion(*fusion, query.order_by_location, out);
    } else if (query.order_by.size() != 1 || !is_score(*item.expression)) {
        out.add("SC2221",
                "The ORDER BY RANK clause must be followed by a VectorDistance and/or a "
                "FullTextScore function call.",
                query.order_by_location);
    }
    if (item.written != ast::OrderItem::Written::kNothing) {
        out.add("",
                "Specifying a sort order (ASC or DESC) in the ORDER BY RANK clause is not allowed.",
                query.order_by_location);
    }
}

// The alias a path begins with, and whether steps follow it.
struct Path {
    const ast::Identifier* root = nullptr;
    bool steps = false;
};

// Properties and constant positions only; the root is null for anything else.
Path path_of(const ast::Expression& expression) {
    const ast::Expression* at = &expression;
    bool steps = false;
    for (;; steps = true) {
        if (const auto* identifier = std::get_if<ast::Identifier>(&at->node)) {
            return {identifier, steps};
        }
        const auto* member = std::get_if<ast::Member>(&at->node);
        const auto* subscript = std::get_if<ast::Subscript>(&at->node);
        if (member != nullptr) {
            at = member->base.get();
        } else if (subscript != nullptr &&
                   std::holds_alternative<ast::Number>(subscript->index->node)) {
            at = subscript->base.get();
        } else {
            return {};
        }
    }
}

const ast::Source* find_source(const ast::Query& query, const std::string& alias) {
    const auto found = std::find_if(query.from.begin(), query.from.end(), [&](const auto& source) {
        return ast::source_alias(source) == alias;
    });
    return found == query.from.end() ? nullptr : &*found;
}

void check_order_item(const ast::Query& query, const ast::OrderItem& item, Diagnostics& out) {
    if (call_of(*item.expression, "VECTORDISTANCE") != nullptr) {
        if (item.written != ast::OrderItem::Written::kNothing) {
            out.add("",
                    "Specifying a sorting order (ASC or DESC) with VectorDistance function is not "
                    "supported.",
                    item.expression->location);
        }
        return;
    }
    const Path path = path_of(*item.expression);
    const ast::Source* source = path.root ? find_source(query, path.root->name) : nullptr;
    const bool joined = source != nullptr && source != &query.from.front();
    if (source == nullptr || (joined && source->subquery) ||
        (!path.steps && source->path.empty() && !source->subquery && !source->iterates)) {
        out.add("2206",
                "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a "
                "document path.",
                std::nullopt);
    } else if (joined || source->iterates) {
        out.add("", "Order-by over correlated collections is not supported.", std::nullopt);
    }
}

}  // namespace

void check_clauses(const ast::Query& query, Diagnostics& out) {
    if (query.order_by_rank) check_rank(query, out);
    for_each_subquery(query, [&](const ast::Query& inner) {
        for_each_query(inner, [&](const ast::Query& any) { check_subquery(any, out); });
    });
}

void check_order_by(const ast::Query& query, Diagnostics& out) {
    // Groups are ordered by their keys, which check_grouping has checked. A query with only
    // aggregates has a single row, but the service accepts an ORDER BY.
    if (query.order_by_rank || !query.group_by.empty() || selects_aggregate(query)) return;
    for (const ast::OrderItem& item : query.order_by) {
        check_order_item(query, item, out);
        if (!out.list().empty()) return;
    }
}

}  // namespace orrery::sql
