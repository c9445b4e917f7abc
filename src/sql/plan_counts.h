// TOP, OFFSET and LIMIT as numbers, for query plans.

#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "sql/ast.h"
#include "sql/partition_key_filter.h"

namespace orrery::sql {

struct PlanCounts {
    std::optional<std::uint64_t> top;
    std::optional<std::uint64_t> offset;
    std::optional<std::uint64_t> limit;
};

// kBadRequest when a parameter is missing or not a count.
Result<PlanCounts> plan_counts_of(const ast::Query& query, const Fold& fold);

}  // namespace orrery::sql
