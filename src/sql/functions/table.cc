#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/ascii.h"
#include "sql/functions/function.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

// The SDKs emit IS_BOOLEAN in the filters that resume an ORDER BY and _TRY_ARRAY_CONTAINS to read
// many items; the others are spellings of their name tables that differ from the documentation
// (dotnet SqlFunctionCallScalarExpression.cs).
constexpr Alias kAliases[] = {
    {"IS_BOOLEAN", "IS_BOOL"},
    {"_TRY_ARRAY_CONTAINS", "ARRAY_CONTAINS"},
    {"CONTAINSALLCI", "CONTAINS_ALL_CI"},
    {"CONTAINSALLCS", "CONTAINS_ALL_CS"},
    {"CONTAINSANYCI", "CONTAINS_ANY_CI"},
    {"CONTAINSANYCS", "CONTAINS_ANY_CS"},
    {"INTBITWISEAND", "INTBITAND"},
    {"INTBITWISEOR", "INTBITOR"},
    {"INTBITWISEXOR", "INTBITXOR"},
    {"INTBITWISENOT", "INTBITNOT"},
    {"INTBITWISELEFTSHIFT", "INTBITLEFTSHIFT"},
    {"INTBITWISERIGHTSHIFT", "INTBITRIGHTSHIFT"},
};

using FunctionsByName = std::unordered_map<std::string_view, const Function*>;

FunctionsByName functions_by_name() {
    FunctionsByName out;
    for (const FunctionGroup& group : function_groups()) {
        for (const Function& function : group.functions) {
            out.emplace(function.name, &function);
        }
    }
    for (const Alias& alias : kAliases) {
        out.emplace(alias.name, out.at(alias.function));
    }
    return out;
}

bool is_kind(const Value& value, char kind) {
    switch (kind) {
        case 'n':
            return value.is_number();
        case 's':
            return value.is_string();
        case 'b':
            return value.is_boolean();
        case 'a':
            return value.is_array();
        case 'o':
            return value.is_object();
        case 'd':
            return value.is_defined();
        case 'e':
            return true;
        default:
            CHECK(false);
            return false;
    }
}

bool count_arguments(std::span<const Value> arguments, Arena& arena) {
    std::size_t bytes = 0;
    std::size_t values = arguments.size();
    for (const Value& argument : arguments) {
        if (argument.is_string()) {
            bytes += argument.string().size();
        } else if (const auto raw = argument.raw()) {
            bytes += raw->size();
        } else if (argument.is_array()) {
            values += argument.elements(arena).size();
        } else if (argument.is_object()) {
            values += argument.members(arena).size();
        }
    }
    return arena.count(values) && arena.count_bytes(bytes);
}

}  // namespace

const Function* find_function(std::string_view name) {
    static const FunctionsByName kFunctions = functions_by_name();
    std::string in_upper_case(name);
    std::transform(in_upper_case.begin(), in_upper_case.end(), in_upper_case.begin(), upper);
    const auto found = kFunctions.find(in_upper_case);
    return found == kFunctions.end() ? nullptr : found->second;
}

std::span<const FunctionGroup> function_groups() {
    static const FunctionGroup kGroups[] = {
        {"Mathematical", math_functions()},
        {"Integer", integer_functions()},
        {"String", string_functions()},
        {"Building strings", string_build_functions()},
        {"Searching strings", string_search_functions()},
        {"Parsing strings", string_parse_functions()},
        {"Regular expressions", regex_functions()},
        {"Type checking", type_check_functions()},
        {"Array and object", array_functions()},
        {"Set", set_functions()},
        {"Date and time", date_functions()},
        {"Current time", date_clock_functions()},
        {"Conditional", conditional_functions()},
    };
    return kGroups;
}

std::span<const Alias> function_aliases() { return kAliases; }

Value call_function(const Function& function,
                    std::span<const Value> arguments,
                    FunctionContext& context) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const char kind = function.kinds[std::min(i, function.kinds.size() - 1)];
        if (!is_kind(arguments[i], kind)) return Value::undefined();
    }
    // Nearly all functions read their arguments once. The others count the rest themselves.
    if (!count_arguments(arguments, context.arena)) return Value::undefined();
    return function.evaluate(arguments, context);
}

}  // namespace orrery::sql
