#include "sql/plan/estimate.h"

namespace orrery::sql {

namespace {

using PathState = IndexSource::PathState;

Result<std::optional<std::size_t>> estimate_entries(const Condition& condition,
                                                    const IndexSource& index,
                                                    std::size_t limit,
                                                    Budget& budget) {
    const IndexSource::Path path = TRY(index.find(condition.path));
    if (path.state == PathState::kUnusable) return std::optional<std::size_t>();
    if (path.state == PathState::kAbsent) return std::optional<std::size_t>(0);
    std::size_t sum = 0;
    for (const index::ValueBounds& bounds : condition.bounds) {
        if (sum == limit) break;
        const std::size_t entries = TRY(index.count(path.id, bounds, limit - sum));
        sum += entries;
        // A search in the index, and the entries it leads to.
        constexpr std::uint64_t kSeekUnits = 16;
        if (!budget.count(kSeekUnits + entries)) return budget.status().take_error();
    }
    return std::optional(sum);
}

}  // namespace

Result<std::optional<std::size_t>> estimate_items(const Condition& condition,
                                                  const IndexSource& index,
                                                  std::size_t limit,
                                                  Budget& budget) {
    std::optional<std::size_t> out;
    std::size_t sum = 0;
    switch (condition.kind) {
        case Condition::Kind::kAll:
            return out;
        case Condition::Kind::kNone:
            return std::optional<std::size_t>(0);
        case Condition::Kind::kPath:
            return estimate_entries(condition, index, limit, budget);
        case Condition::Kind::kLacks: {
            const IndexSource::Path path = TRY(index.find(condition.path));
            if (path.state != PathState::kUnusable) out = limit;
            return out;
        }
        case Condition::Kind::kAnd:
            for (const Condition& part : condition.parts) {
                const auto one = TRY(estimate_items(part, index, out.value_or(limit), budget));
                if (one) out = *one;
            }
            return out;
        case Condition::Kind::kOr:
            for (const Condition& part : condition.parts) {
                const auto one = TRY(estimate_items(part, index, limit - sum, budget));
                if (!one) return out;
                sum += *one;
            }
            return std::optional(sum);
    }
    return out;
}

}  // namespace orrery::sql
