// Evaluates a filter on one path against its index entry, before the item is loaded.

#pragma once

#include <string_view>
#include <vector>

#include "sql/evaluator.h"
#include "sql/exec/driver.h"
#include "sql/plan/condition.h"

namespace orrery::sql {

class Predicate {
public:
    // Both must outlive it; without a condition every value may pass.
    Predicate(const Condition* condition, const DriverContext& context);

    // False only when the filter does not hold, or the budget is used up. True when it holds, when
    // there is none, and when the index does not hold the whole value.
    bool may_hold(std::string_view encoded);

private:
    const Condition* condition_;
    Evaluator evaluator_;
    std::vector<Value> values_;
};

}  // namespace orrery::sql
