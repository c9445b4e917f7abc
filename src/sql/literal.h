// The values of literals in a query.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "json/number.h"

namespace orrery::sql {

// The value of ast::Number: 12, 1.50, .5, 5., 1e3, 0x1F, NaN, Infinity.
json::Number number_value(std::string_view digits);

// The characters of a string in single or double quotes; nothing when it has an invalid escape or
// an unpaired surrogate.
std::optional<std::string> string_value(std::string_view quoted);

}  // namespace orrery::sql
