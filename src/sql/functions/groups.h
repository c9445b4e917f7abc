// The functions that each file adds to the table.

#pragma once

#include <span>
#include <string_view>

#include "sql/functions/function.h"

namespace orrery::sql {

std::span<const Function> math_functions();
std::span<const Function> integer_functions();
std::span<const Function> string_functions();
std::span<const Function> string_build_functions();
std::span<const Function> string_search_functions();
std::span<const Function> string_parse_functions();
std::span<const Function> regex_functions();
std::span<const Function> type_check_functions();
std::span<const Function> array_functions();
std::span<const Function> set_functions();
std::span<const Function> date_functions();
std::span<const Function> date_clock_functions();
std::span<const Function> conditional_functions();

// Another name by which find_function() finds a function.
struct Alias {
    std::string_view name;
    std::string_view function;
};
std::span<const Alias> function_aliases();

}  // namespace orrery::sql
