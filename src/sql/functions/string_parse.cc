// Functions that read a string as strict JSON of one kind; white space around it is allowed.

#include "json/text.h"
#include "json/value.h"
#include "sql/functions/groups.h"
#include "sql/functions/room.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kWhitespace = " \t\n\r";
    const std::size_t from = text.find_first_not_of(kWhitespace);
    if (from == std::string_view::npos) return {};
    return text.substr(from, text.find_last_not_of(kWhitespace) - from + 1);
}

template <char Bracket>
Value string_to_container(Arguments arguments, FunctionContext& context) {
    const std::string_view text = trimmed(arguments[0].string());
    if (!text.starts_with(Bracket)) return Value::undefined();
    const auto normalized = json::normalize(text);
    if (!normalized) return Value::undefined();
    const Value copied = string_result(*normalized, context);
    if (copied.is_undefined()) return copied;
    return Value::from_json(copied.string(), context.arena);
}

Value string_to_boolean(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = trimmed(arguments[0].string());
    if (text == "true") return Value::boolean(true);
    return text == "false" ? Value::boolean(false) : Value::undefined();
}

Value string_to_null(Arguments arguments, FunctionContext& /*context*/) {
    return trimmed(arguments[0].string()) == "null" ? Value::null() : Value::undefined();
}

Value string_to_number(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = trimmed(arguments[0].string());
    if (text.empty() || json::number_length(text) != text.size()) return Value::undefined();
    const json::Number number = json::Number::parse(text);
    return number.is_finite() ? Value::number(number) : Value::undefined();
}

constexpr Function kStringParseFunctions[] = {
    {"STRINGTOARRAY",
     1,
     1,
     "s",
     string_to_container<'['>,
     "STRINGTOARRAY(s)",
     "Parses the string as a JSON array.",
     {"STRINGTOARRAY(\"[ 1, null ]\")", "[1,null]"}},
    {"STRINGTOBOOLEAN",
     1,
     1,
     "s",
     string_to_boolean,
     "STRINGTOBOOLEAN(s)",
     "Parses the string as a JSON boolean.",
     {"STRINGTOBOOLEAN(\"  false\")", "false"}},
    {"STRINGTONULL",
     1,
     1,
     "s",
     string_to_null,
     "STRINGTONULL(s)",
     "Parses the string as a JSON null.",
     {"STRINGTONULL(\"null\")", "null"}},
    {"STRINGTONUMBER",
     1,
     1,
     "s",
     string_to_number,
     "STRINGTONUMBER(s)",
     "Parses the string as a JSON number.",
     {"STRINGTONUMBER(\"   60   \")", "60"}},
    {"STRINGTOOBJECT",
     1,
     1,
     "s",
     string_to_container<'{'>,
     "STRINGTOOBJECT(s)",
     "Parses the string as a JSON object.",
     {"STRINGTOOBJECT(\"{}\")", "{}"}},
};

}  // namespace

std::span<const Function> string_parse_functions() { return kStringParseFunctions; }

}  // namespace orrery::sql
