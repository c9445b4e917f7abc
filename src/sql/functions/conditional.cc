#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"

namespace orrery::sql {

namespace {

Value iif(std::span<const Value> arguments, FunctionContext& /*context*/) {
    return arguments[0].is_true() ? arguments[1] : arguments[2];
}

Value choose(std::span<const Value> arguments, FunctionContext& /*context*/) {
    const auto index = whole(arguments[0]);
    if (!index || *index < 1 || *index >= static_cast<std::int64_t>(arguments.size())) {
        return Value::undefined();
    }
    return arguments[static_cast<std::size_t>(*index)];
}

// The binder replaces the call with the item's number; this row is only for arity and docs.
Value document_id(std::span<const Value> /*arguments*/, FunctionContext& /*context*/) {
    return Value::undefined();
}

constexpr Function kConditionalFunctions[] = {
    {"IIF",
     3,
     3,
     "e",
     iif,
     "IIF(condition, a, b)",
     "`a` when the condition is exactly `true`, otherwise `b`.",
     {"IIF(123, \"yes\", \"no\")", "\"no\""}},
    {"CHOOSE",
     2,
     kAnyNumber,
     "ne",
     choose,
     "CHOOSE(index, e1, …)",
     "The expression at this position, counted from 1; undefined when there is none.",
     {"CHOOSE(2, \"Mt.\", \"Hood\")", "\"Hood\""}},
    {"DOCUMENTID",
     1,
     1,
     "e",
     document_id,
     "DOCUMENTID(alias)",
     "The number of the item, unique in its partition; the argument is the alias of the container.",
     {"DOCUMENTID(1)", ""},
     {},
     false},
};

}  // namespace

std::span<const Function> conditional_functions() { return kConditionalFunctions; }

}  // namespace orrery::sql
