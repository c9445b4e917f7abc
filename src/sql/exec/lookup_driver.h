// Finds items by the conditions that the index can answer, in item-number order.

#pragma once

#include <memory>
#include <span>

#include "base/result.h"
#include "sql/exec/driver.h"
#include "sql/exec/postings.h"

namespace orrery::sql {

Result<std::unique_ptr<Driver>> make_lookup_driver(const DriverContext& context, ItemNumber from);

}  // namespace orrery::sql
