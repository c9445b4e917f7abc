// Which composite index serves an ORDER BY over several paths: the same paths in the same sequence,
// with the same directions or all of them reversed.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "index/path_policy.h"
#include "sql/bound.h"

namespace orrery::sql {

struct CompositeMatch {
    std::size_t number = 0;  // among the policy's
    bool backward = false;
};

std::optional<CompositeMatch> match_composite(const std::vector<BoundOrder>& orders,
                                              const index::PathPolicy& policy);

// Each part as index metrics name it: "/a ASC".
std::vector<std::string> names_of(const index::Composite& composite);

}  // namespace orrery::sql
