#include "sql/plan/description.h"

#include <algorithm>

#include "sql/plan/estimate.h"
#include "sql/plan/potential_indexes.h"

namespace orrery::sql {

namespace {

Result<std::optional<std::size_t>> estimate_of(const Access& access,
                                               const Condition& condition,
                                               const ItemSource& source,
                                               Budget& budget) {
    std::optional<std::size_t> out;
    if (access.kind == Access::Kind::kNothing) return std::optional<std::size_t>(0);
    std::vector<std::size_t> parts = access.conditions;
    if (access.walked && !access.composite) parts.push_back(*access.walked);
    for (const std::size_t part : parts) {
        const auto one = TRY(estimate_items(
            condition.parts[part], *source.index(), out.value_or(kEstimateMax), budget));
        if (one) out = one;
    }
    if (parts.empty() && !access.composite && source.is_whole()) out = source.item_count();
    return out;
}

}  // namespace

Status describe(Access& access,
                const BoundQuery& query,
                const Condition& condition,
                const ItemSource& source,
                Budget& budget) {
    if (!access.estimate) access.estimate = TRY(estimate_of(access, condition, source, budget));
    access.potential = potential_indexes(query, condition, source.policy());
    access.filter = to_text(condition);
    return {};
}

}  // namespace orrery::sql
