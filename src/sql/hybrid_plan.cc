#include "sql/hybrid_plan.h"

#include <algorithm>

#include "base/ascii.h"
#include "sql/literal.h"
#include "sql/plan_counts.h"
#include "sql/printer.h"
#include "sql/query_rewrite.h"

namespace orrery::sql {

namespace {

// Minimum number of rows that each score's query returns, so that a row that ranks well in one
// score is likely to be known in the others.
constexpr std::uint64_t kComponentRowsMin = 120;

const ast::Call* call_of(const ast::Expression& expression, std::string_view name) {
    const auto* call = std::get_if<ast::Call>(&expression.node);
    return call != nullptr && !call->udf && same_word(call->name, name) ? call : nullptr;
}

ast::ExpressionPtr placeholder(const std::string& name) {
    return ast::make(ast::Verbatim{"{documentdb-formattablehybridsearchquery-" + name + "}"});
}

ast::ExpressionPtr number(const std::string& digits, bool negative) {
    auto out = ast::make(ast::Number{digits});
    if (!negative) return out;
    return ast::make(ast::Unary{ast::UnaryOperator::kMinus, std::move(out)});
}

double weight_of(const ast::Expression& expression) {
    if (const auto* unary = std::get_if<ast::Unary>(&expression.node)) {
        return -weight_of(*unary->operand);
    }
    return number_value(std::get<ast::Number>(expression.node).digits).real();
}

// One score of a ranking, as partitions compute it.
struct Score {
    ast::ExpressionPtr expression = nullptr;
    bool full_text = false;
    bool reversed = false;  // a negative weight reverses the order
    ast::ExpressionPtr path = nullptr;
    std::vector<ast::ExpressionPtr> terms = {};

    // The score, or a value that ranks last.
    ast::ExpressionPtr or_last() const {
        const auto last = full_text ? number("1", true) : number("1.79769e+308", !reversed);
        return ast::make(ast::Binary{ast::BinaryOperator::kCoalesce, expression, last});
    }

    ast::OrderItem::Written direction() const {
        using Written = ast::OrderItem::Written;
        if (reversed) return Written::kAscending;
        return full_text ? Written::kDescending : Written::kNothing;
    }
};

// FullTextScore(path, "a", "b"); earlier clients send FullTextScore(path, ["a", "b"]).
Score full_text_score(const ast::Call& call, std::size_t number) {
    Score score{.full_text = true, .path = call.arguments.front()};
    score.terms.assign(call.arguments.begin() + 1, call.arguments.end());
    if (score.terms.size() == 1) {
        const auto terms = score.terms.front();
        if (const auto* list = std::get_if<ast::Array>(&terms->node)) score.terms = list->elements;
    }
    const std::string suffix = "-" + std::to_string(number);
    score.expression = rewrite::call("_FullTextScore",
                                     {score.path,
                                      rewrite::array(score.terms),
                                      placeholder("totaldocumentcount"),
                                      placeholder("totalwordcount" + suffix),
                                      placeholder("hitcountsarray" + suffix)});
    return score;
}

class HybridPlanner {
public:
    HybridPlanner(const ast::Query& query, const PlanContext& context)
        : query_(query), context_(context) {}

    Result<HybridSearchInfo> plan() {
        needed_.add(QueryFeature::kHybridSearch);
        read_scores();
        const PlanCounts counts = TRY(plan_counts_of(query_, context_.fold));
        info_.skip = counts.offset;
        info_.take = counts.limit ? counts.limit : counts.top;
        info_.global_statistics_query = statistics();
        for (const Score& score : scores_) {
            info_.components.push_back(component(score, counts));
        }
        TRY(check_features(needed_, context_.features));
        return std::move(info_);
    }

private:
    void read_scores() {
        const ast::Expression& ranked = *query_.order_by.front().expression;
        const ast::Call* fusion = call_of(ranked, "RRF");
        if (fusion == nullptr) {
            read_score(ranked);
            return;
        }
        for (const auto& argument : fusion->arguments) {
            if (const auto* weights = std::get_if<ast::Array>(&argument->node)) {
                read_weights(*weights);
            } else {
                read_score(*argument);
            }
        }
    }

    void read_score(const ast::Expression& expression) {
        if (const ast::Call* call = call_of(expression, "FULLTEXTSCORE")) {
            scores_.push_back(full_text_score(*call, full_text_scores_++));
            info_.requires_global_statistics = true;
        } else {
            const auto& arguments = std::get<ast::Call>(expression.node).arguments;
            scores_.push_back({.expression = rewrite::call("_VectorScore", arguments)});
        }
    }

    void read_weights(const ast::Array& weights) {
        needed_.add(QueryFeature::kWeightedRankFusion);
        for (std::size_t i = 0; i < weights.elements.size() && i < scores_.size(); ++i) {
            const double weight = weight_of(*weights.elements[i]);
            scores_[i].reversed = weight < 0;
            info_.weights.push_back(std::abs(weight));
        }
    }

    std::string statistics() const {
        std::vector<ast::ExpressionPtr> per_score;
        for (const Score& score : scores_) {
            if (!score.full_text) continue;
            std::vector<ast::ExpressionPtr> hits;
            for (const auto& term : score.terms) {
                hits.push_back(rewrite::call(
                    "COUNTIF", {rewrite::call("FullTextContains", {score.path, term})}));
            }
            per_score.push_back(rewrite::object(
                {{"totalWordCount",
                  rewrite::call("SUM", {rewrite::call("_FullTextWordCount", {score.path})})},
                 {"hitCounts", rewrite::array(std::move(hits))}}));
        }
        ast::Query query;
        query.select.kind = ast::SelectKind::kList;
        query.select.items = {
            rewrite::named(rewrite::call("COUNT", {number("1", false)}), "documentCount"),
            rewrite::named(rewrite::array(std::move(per_score)), "fullTextStatistics")};
        query.from = query_.from;
        return print(query);
    }

    QueryInfo component(const Score& score, const PlanCounts& counts) const {
        QueryInfo info;
        info.order_by_descending = {true};
        info.order_by_expressions = {print(*score.expression)};
        info.has_non_streaming_order_by = true;
        ast::Query text = query_;
        text.explain = false;
        text.order_by_rank = false;
        text.order_by = {{score.expression, score.direction()}};
        limit(text, info, counts);
        std::vector<ast::ExpressionPtr> all;
        for (const Score& each : scores_) {
            all.push_back(each.or_last());
        }
        const auto payload = rewrite::object({{"payload", rewrite::payload(query_)},
                                              {"componentScores", rewrite::array(std::move(all))}});
        const bool is_value = query_.select.kind == ast::SelectKind::kValue;
        text.where = rewrite::filtered(query_.where,
                                       is_value ? query_.select.items.front().expression : nullptr);
        text.select.distinct = false;
        text.select.kind = ast::SelectKind::kList;
        text.select.items = {rewrite::rid_of(query_),
                             rewrite::named(rewrite::items({score.expression}), "orderByItems"),
                             rewrite::named(payload, "payload")};
        info.rewritten_query = print(text);
        return info;
    }

    // The service counts in 32 bits here; clients refuse larger numbers before this matters.
    static void limit(ast::Query& text, QueryInfo& info, const PlanCounts& counts) {
        const auto wrapped = [](std::uint64_t count) {
            return std::uint64_t{static_cast<std::uint32_t>(count)};
        };
        if (counts.limit) {
            const std::uint64_t rows =
                wrapped(std::max(kComponentRowsMin, 2 * (*counts.offset + *counts.limit)));
            info.offset = 0;
            info.limit = rows;
            text.offset_limit->offset.value = std::uint64_t{0};
            text.offset_limit->limit.value = rows;
        } else if (counts.top) {
            const std::uint64_t rows = std::max(kComponentRowsMin, 2 * *counts.top);
            info.top = wrapped(rows);
            text.select.top->value = rows;
        }
    }

    const ast::Query& query_;
    const PlanContext& context_;
    std::vector<Score> scores_;
    std::size_t full_text_scores_ = 0;
    HybridSearchInfo info_;
    QueryFeatures needed_;
};

// {"distanceFunction": "euclidean"} among the arguments.
bool is_euclidean(const ast::Call& distance) {
    for (const auto& argument : distance.arguments) {
        const auto* options = std::get_if<ast::Object>(&argument->node);
        if (options == nullptr) continue;
        for (const ast::Property& property : options->properties) {
            const auto* text = std::get_if<ast::String>(&property.value->node);
            if (same_word(property.name.text, "distanceFunction") && text != nullptr) {
                return same_word(text->value, "euclidean");
            }
        }
    }
    return false;
}

}  // namespace

Result<HybridSearchInfo> make_hybrid_plan(const ast::Query& query, const PlanContext& context) {
    return HybridPlanner(query, context).plan();
}

void plan_vector_order(const ast::Query& query, QueryInfo& info, QueryFeatures& needed) {
    for (std::size_t i = 0; i < query.order_by.size(); ++i) {
        const ast::Call* distance = call_of(*query.order_by[i].expression, "VECTORDISTANCE");
        if (distance == nullptr) continue;
        // Near items have a small distance, or a large similarity.
        info.order_by_descending[i] = !is_euclidean(*distance);
        info.has_non_streaming_order_by = true;
        needed.add(QueryFeature::kNonStreamingOrderBy);
    }
}

}  // namespace orrery::sql
