// A condition on one item, written as a query from FROM on. Patches may carry one.

#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::service {

// Use from one thread at a time.
class ItemCondition {
public:
    // Parses `from c where c.n > 1`. kBadRequest if that does not complete a query.
    static Result<ItemCondition> parse(std::string_view text,
                                       const catalog::Container& container,
                                       const Clock& clock);

    // Whether the query returns the item with this JSON. kBadRequest if it cannot be evaluated or
    // takes too much work.
    Result<bool> holds_for(std::string_view json) const;

private:
    ItemCondition(sql::Prepared prepared, const sql::Surroundings& surroundings)
        : prepared_(std::move(prepared)), surroundings_(surroundings) {}

    sql::Prepared prepared_;
    sql::Surroundings surroundings_;
};

}  // namespace orrery::service
