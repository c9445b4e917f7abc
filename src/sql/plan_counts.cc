#include "sql/plan_counts.h"

#include "model/limits.h"
#include "sql/errors.h"

namespace orrery::sql {

namespace {

std::optional<std::uint64_t> count(const ast::Count& count, const Fold& fold) {
    if (const auto* number = std::get_if<std::uint64_t>(&count.value)) return *number;
    const auto expression = ast::make(std::get<ast::Parameter>(count.value), count.location);
    const auto value = fold(*expression);
    if (!value || !value->is_number() || !value->number().is_integer()) return std::nullopt;
    const std::int64_t integer = value->number().integer();
    const bool fits =
        integer >= 0 && static_cast<std::uint64_t>(integer) <= model::limits::kQueryCountMax;
    return fits ? std::optional(static_cast<std::uint64_t>(integer)) : std::nullopt;
}

}  // namespace

Result<PlanCounts> plan_counts_of(const ast::Query& query, const Fold& fold) {
    PlanCounts out;
    if (query.select.top) {
        out.top = count(*query.select.top, fold);
        if (!out.top) return count_error(CountClause::kTop, query.select.top->location);
    }
    if (query.offset_limit) {
        out.offset = count(query.offset_limit->offset, fold);
        if (!out.offset) {
            return count_error(CountClause::kOffset, query.offset_limit->offset.location);
        }
        out.limit = count(query.offset_limit->limit, fold);
        if (!out.limit) {
            return count_error(CountClause::kLimit, query.offset_limit->limit.location);
        }
    }
    return out;
}

}  // namespace orrery::sql
