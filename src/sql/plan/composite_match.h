// What composite indexes can do for a query. An ORDER BY over several paths is served by one over
// the same paths in the same sequence, with the same directions or all of them reversed; a filter
// by one whose first paths it holds equal, and on the next of which it may have a range.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "index/path_policy.h"
#include "sql/bound.h"
#include "sql/plan/condition.h"

namespace orrery::sql {

struct CompositeMatch {
    std::size_t number = 0;  // among the policy's
    bool backward = false;
};

std::optional<CompositeMatch> match_composite(const std::vector<BoundOrder>& orders,
                                              const index::PathPolicy& policy);

struct CompositeFilter {
    std::size_t equal = 0;  // paths that are held equal
    bool range = false;     // and there is a range on the next
    index::ValueBounds bounds;

    std::size_t paths() const { return equal + (range ? 1 : 0); }
};

// Of the parts of the query's condition, which must all be met.
CompositeFilter match_filter(const std::vector<Condition>& parts,
                             const index::Composite& composite);

// Each part as index metrics name it: "/a ASC".
std::vector<std::string> names_of(const index::Composite& composite);

}  // namespace orrery::sql
