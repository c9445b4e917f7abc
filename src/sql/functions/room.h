// Room for results in the arena, within the limits on what one function may make. Ask before
// making, so that a result which is too large is never built.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "sql/functions/function.h"

namespace orrery::sql {

// Uninitialised. Nothing when it would be too much; context.error says so then.
std::optional<std::span<char>> string_room(std::size_t bytes, FunctionContext& context);
std::optional<std::span<Value>> array_room(std::size_t count, FunctionContext& context);
std::optional<std::span<Member>> object_room(std::size_t count, FunctionContext& context);

// A string that was built elsewhere, as a value.
Value string_result(std::string_view text, FunctionContext& context);

// False, with context.error set, when that many are too many.
bool fits_string(std::size_t bytes, FunctionContext& context);
bool fits_array(std::size_t count, FunctionContext& context);

// Ends the query because the arguments of a function hold too many values to compare.
void refuse_nodes(FunctionContext& context);

}  // namespace orrery::sql
