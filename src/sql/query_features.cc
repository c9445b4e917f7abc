#include "sql/query_features.h"

#include <array>

#include "base/ascii.h"

namespace orrery::sql {

namespace {

struct Named {
    QueryFeature feature;
    std::string_view name;
};

// Sorted by name, as the service lists them.
constexpr std::array kNames = {
    Named{QueryFeature::kAggregate, "Aggregate"},
    Named{QueryFeature::kCompositeAggregate, "CompositeAggregate"},
    Named{QueryFeature::kCountIf, "CountIf"},
    Named{QueryFeature::kDCount, "DCount"},
    Named{QueryFeature::kDistinct, "Distinct"},
    Named{QueryFeature::kGroupBy, "GroupBy"},
    Named{QueryFeature::kHybridSearch, "HybridSearch"},
    Named{QueryFeature::kHybridSearchSkipOrderByRewrite, "HybridSearchSkipOrderByRewrite"},
    Named{QueryFeature::kListAndSetAggregate, "ListAndSetAggregate"},
    Named{QueryFeature::kMultipleAggregates, "MultipleAggregates"},
    Named{QueryFeature::kMultipleOrderBy, "MultipleOrderBy"},
    Named{QueryFeature::kNonStreamingOrderBy, "NonStreamingOrderBy"},
    Named{QueryFeature::kNonValueAggregate, "NonValueAggregate"},
    Named{QueryFeature::kOffsetAndLimit, "OffsetAndLimit"},
    Named{QueryFeature::kOrderBy, "OrderBy"},
    Named{QueryFeature::kTop, "Top"},
    Named{QueryFeature::kWeightedRankFusion, "WeightedRankFusion"},
};

}  // namespace

QueryFeatures QueryFeatures::parse(std::string_view list) {
    QueryFeatures out;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view name = trimmed(list.substr(0, comma));
        for (const Named& known : kNames) {
            if (same_word(known.name, name)) out.add(known.feature);
        }
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    }
    return out;
}

Status check_features(const QueryFeatures& needed, const QueryFeatures& declared) {
    std::string missing;
    for (const Named& known : kNames) {
        if (!needed.has(known.feature) || declared.has(known.feature)) continue;
        missing += "\r\nQuery contained " + std::string(known.name) +
                   ", which the calling client does not support.";
    }
    if (missing.empty()) return {};
    return Error(ErrorCode::kBadRequest,
                 "Query contains 1 or more unsupported features. Upgrade your SDK to a version "
                 "that does support the requested features:" +
                     missing);
}

}  // namespace orrery::sql
