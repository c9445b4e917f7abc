// Numbers of JSON reports.

#pragma once

#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "json/value.h"

namespace orrery::tools {

inline json::Value json_number(std::uint64_t value) {
    return json::Value(static_cast<std::int64_t>(value));
}

// Null if it is not finite.
inline json::Value json_number(double value, int decimals = 2) {
    if (!std::isfinite(value)) return {};
    return json::Value::parse(fmt::format("{:.{}f}", value, decimals)).take();
}

}  // namespace orrery::tools
