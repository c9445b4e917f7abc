// Items found by walking the entries of one path or composite index, in value order.

#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "sql/exec/driver.h"

namespace orrery::sql {

Result<std::unique_ptr<Driver>> make_walk_driver(const DriverContext& context,
                                                 std::string_view position);

}  // namespace orrery::sql
