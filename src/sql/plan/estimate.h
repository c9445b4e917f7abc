// How many items a condition leads to, counted in the index.

#pragma once

#include <cstddef>
#include <optional>

#include "base/result.h"
#include "sql/plan/condition.h"
#include "sql/source.h"

namespace orrery::sql {

// At most `limit`; nothing when the index does not know.
Result<std::optional<std::size_t>> estimate_items(const Condition& condition,
                                                  const IndexSource& index,
                                                  std::size_t limit);

}  // namespace orrery::sql
