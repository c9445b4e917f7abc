// Reads the arguments of a function whose kinds have been checked.

#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sql/value.h"

namespace orrery::sql {

// The number if it is integral and fits 64 bits.
inline std::optional<std::int64_t> whole(const Value& number) {
    const json::Number value = number.number().normalized();
    if (!value.is_integer()) return std::nullopt;
    return value.integer();
}

// An optional boolean; false when it is missing.
inline bool flag(std::span<const Value> arguments, std::size_t index) {
    return index < arguments.size() && arguments[index].boolean();
}

}  // namespace orrery::sql
