// Estimates how many items a condition leads to by counting index entries.

#pragma once

#include <cstddef>
#include <optional>

#include "base/result.h"
#include "sql/budget.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

// At most `limit`; nothing when the index cannot tell.
Result<std::optional<std::size_t>> estimate_items(const Condition& condition,
                                                  const IndexSource& index,
                                                  std::size_t limit,
                                                  Budget& budget);

}  // namespace orrery::sql
