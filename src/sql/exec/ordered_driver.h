// Items in ORDER BY order, read straight from the index. Items that lack the path have no entry;
// they come first, or last when the order descends.

#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "sql/exec/driver.h"

namespace orrery::sql {

Result<std::unique_ptr<Driver>> make_ordered_driver(const DriverContext& context,
                                                    std::string_view position);

}  // namespace orrery::sql
