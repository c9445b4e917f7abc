// How composite indexes serve a query. An ORDER BY over several paths needs one over the same paths
// in the same sequence, with the same directions or all of them reversed. A filter can use one
// whose first paths it compares for equality, with an optional range on the next.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "index/path_policy.h"
#include "sql/bound.h"
#include "sql/plan/condition.h"

namespace orrery::sql {

struct CompositeMatch {
    std::size_t number = 0;  // index into the policy's composites
    bool backward = false;
};

std::optional<CompositeMatch> match_composite(const std::vector<BoundOrder>& orders,
                                              const index::PathPolicy& policy);

struct CompositeFilter {
    std::size_t equal = 0;  // leading paths with an equality
    bool range = false;     // the next path has a range
    index::ValueBounds bounds;

    std::size_t paths() const { return equal + (range ? 1 : 0); }
};

// `parts` are those of the query's condition, which must all be met.
CompositeFilter match_filter(const std::vector<Condition>& parts,
                             const index::Composite& composite);

// Each part as index metrics name it: "/a ASC".
std::vector<std::string> names_of(const index::Composite& composite);

}  // namespace orrery::sql
