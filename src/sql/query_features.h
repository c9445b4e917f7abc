// The operations on partial query results that a client declares it supports (request header
// x-ms-cosmos-supported-query-features).

#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::sql {

enum class QueryFeature : std::uint8_t {
    kAggregate,
    kCompositeAggregate,
    kCountIf,
    kDCount,
    kDistinct,
    kGroupBy,
    kHybridSearch,
    kHybridSearchSkipOrderByRewrite,
    kListAndSetAggregate,
    kMultipleAggregates,
    kMultipleOrderBy,
    kNonStreamingOrderBy,
    kNonValueAggregate,
    kOffsetAndLimit,
    kOrderBy,
    kTop,
    kWeightedRankFusion,
};

class QueryFeatures {
public:
    constexpr QueryFeatures() = default;
    constexpr QueryFeatures(std::initializer_list<QueryFeature> features) {
        for (const QueryFeature feature : features) {
            add(feature);
        }
    }
    static constexpr QueryFeatures all() {
        QueryFeatures out;
        out.bits_ = ~0U;
        return out;
    }
    // A comma-separated list; unknown names are ignored.
    static QueryFeatures parse(std::string_view list);

    constexpr void add(QueryFeature feature) { bits_ |= 1U << static_cast<unsigned>(feature); }
    constexpr bool has(QueryFeature feature) const {
        return (bits_ >> static_cast<unsigned>(feature) & 1U) != 0;
    }

private:
    std::uint32_t bits_ = 0;
};

// kBadRequest naming the features that are needed and not declared.
Status check_features(const QueryFeatures& needed, const QueryFeatures& declared);

}  // namespace orrery::sql
