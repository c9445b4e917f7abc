// Decides a filter on one path by what the index holds of it, before the item is loaded.

#pragma once

#include <string_view>
#include <vector>

#include "sql/evaluator.h"
#include "sql/exec/driver.h"
#include "sql/plan/condition.h"

namespace orrery::sql {

class Predicate {
public:
    // Both must outlive it; without a condition everything may hold.
    Predicate(const Condition* condition, const DriverContext& context);

    // False only when the filter does not hold. True when it holds, when there is none, and when
    // the index has not the whole value.
    bool may_hold(std::string_view encoded);

private:
    const Condition* condition_;
    Evaluator evaluator_;
    std::vector<Value> values_;
};

}  // namespace orrery::sql
