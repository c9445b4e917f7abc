// Sorts items by ORDER BY, for plans that find them in another order. Keeps only as many at once as
// a page can take.

#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "sql/exec/driver.h"

namespace orrery::sql {

Result<std::unique_ptr<Driver>> make_sort_driver(const DriverContext& context,
                                                 std::string_view position);

// The start key. If it was too long for the token, it is recomputed from the item.
Result<std::string> first_key(const DriverContext& context, std::string_view position);

}  // namespace orrery::sql
