// A condition on one item, in the words of a query from FROM on: what a patch may depend on.

#pragma once

#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "catalog/resources.h"
#include "sql/bound.h"
#include "sql/evaluator.h"

namespace orrery::service {

// Asked by one thread at a time.
class ItemCondition {
public:
    // From `from c where c.n > 1`. kBadRequest when that is no end of a query.
    static Result<ItemCondition> parse(std::string_view text,
                                       const catalog::Container& container,
                                       const Clock& clock);

    // Whether the query has the item with this JSON. kBadRequest when it cannot be decided.
    Result<bool> holds_for(std::string_view json) const;

private:
    ItemCondition(sql::Prepared prepared, const sql::Surroundings& surroundings)
        : prepared_(std::move(prepared)), surroundings_(surroundings) {}

    sql::Prepared prepared_;
    sql::Surroundings surroundings_;
};

}  // namespace orrery::service
