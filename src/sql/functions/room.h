// Allocates results in the arena, within the limits on what one function may produce and the budget
// of the query. Allocate before computing, so that an oversized result is never built.

#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "sql/functions/function.h"

namespace orrery::sql {

// Uninitialised. Nothing when it would exceed a limit; context.error is then set, or the budget is
// used up.
std::optional<std::span<char>> string_room(std::size_t bytes, FunctionContext& context);
std::optional<std::span<Value>> array_room(std::size_t count, FunctionContext& context);
std::optional<std::span<Member>> object_room(std::size_t count, FunctionContext& context);

// Copies a string that was built elsewhere into a value.
Value string_result(std::string_view text, FunctionContext& context);

// False, with context.error set, when a limit is exceeded.
bool fits_string(std::size_t bytes, FunctionContext& context);
bool fits_array(std::size_t count, FunctionContext& context);

// Ends the query because the arguments of a function contain too many values to compare.
void refuse_nodes(FunctionContext& context);

}  // namespace orrery::sql
