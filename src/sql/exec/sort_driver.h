// Items sorted by ORDER BY, for plans that find them in another order. Only as many as a page can
// take are kept at once.

#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "sql/exec/driver.h"

namespace orrery::sql {

Result<std::unique_ptr<Driver>> make_sort_driver(const DriverContext& context,
                                                 std::string_view position);

// The key to begin with. Of a key that was too long for a token, the item itself is asked again.
Result<std::string> first_key(const DriverContext& context, std::string_view position);

}  // namespace orrery::sql
