// Arrays as sets: duplicates count once, equality is structural.

#include <algorithm>
#include <vector>

#include "sql/functions/groups.h"
#include "sql/functions/room.h"
#include "sql/functions/value_set.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

struct Operands {
    std::vector<Value> a;
    std::vector<Value> b;
};

std::optional<Operands> operands(Arguments arguments, FunctionContext& context) {
    DeepParser parser(context);
    auto a = parser.elements(arguments[0]);
    if (!a) return std::nullopt;
    auto b = parser.elements(arguments[1]);
    if (!b) return std::nullopt;
    return Operands{std::move(*a), std::move(*b)};
}

ValueSet set_of(const std::vector<Value>& values, FunctionContext& context) {
    ValueSet out(values.size(), context);
    for (const Value& value : values) {
        out.insert(value);
    }
    return out;
}

Value array_of(const std::vector<Value>& values, FunctionContext& context) {
    const auto room = array_room(values.size(), context);
    if (!room) return Value::undefined();
    std::copy(values.begin(), values.end(), room->begin());
    return Value::array(*room);
}

// In the order of the second array, as in the documented sample.
Value set_intersect(Arguments arguments, FunctionContext& context) {
    const auto both = operands(arguments, context);
    if (!both) return Value::undefined();
    const ValueSet a = set_of(both->a, context);
    ValueSet seen(both->b.size(), context);
    std::vector<Value> out;
    for (const Value& value : both->b) {
        if (a.contains(value) && seen.insert(value)) out.push_back(value);
    }
    return array_of(out, context);
}

Value set_union(Arguments arguments, FunctionContext& context) {
    const auto both = operands(arguments, context);
    if (!both) return Value::undefined();
    ValueSet seen(both->a.size() + both->b.size(), context);
    std::vector<Value> out;
    for (const auto* values : {&both->a, &both->b}) {
        for (const Value& value : *values) {
            if (seen.insert(value)) out.push_back(value);
        }
    }
    return array_of(out, context);
}

Value set_difference(Arguments arguments, FunctionContext& context) {
    const auto both = operands(arguments, context);
    if (!both) return Value::undefined();
    const ValueSet b = set_of(both->b, context);
    ValueSet seen(both->a.size(), context);
    std::vector<Value> out;
    for (const Value& value : both->a) {
        if (!b.contains(value) && seen.insert(value)) out.push_back(value);
    }
    return array_of(out, context);
}

Value set_equal(Arguments arguments, FunctionContext& context) {
    const auto both = operands(arguments, context);
    if (!both) return Value::undefined();
    const ValueSet a = set_of(both->a, context);
    const ValueSet b = set_of(both->b, context);
    if (a.size() != b.size()) return Value::boolean(false);
    return Value::boolean(std::all_of(
        both->b.begin(), both->b.end(), [&](const Value& value) { return a.contains(value); }));
}

constexpr Function kSetFunctions[] = {
    {"SETDIFFERENCE",
     2,
     2,
     "a",
     set_difference,
     "SETDIFFERENCE(a, b)",
     "The elements of `a` that are not in `b`, each once.",
     {"SETDIFFERENCE([1, 2, 6, 7], [1, 2, 3])", "[6,7]"}},
    {"SETEQUAL",
     2,
     2,
     "a",
     set_equal,
     "SETEQUAL(a, b)",
     "Whether both have the same elements, regardless of order and duplicates.",
     {"SETEQUAL([1, 2, 3, 3], [3, 2, 1])", "true"}},
    {"SETINTERSECT",
     2,
     2,
     "a",
     set_intersect,
     "SETINTERSECT(a, b)",
     "The elements that are in both, each once.",
     {"SETINTERSECT([1, 2, \"A\", \"B\"], [\"A\", 1])", "[\"A\",1]"}},
    {"SETUNION",
     2,
     2,
     "a",
     set_union,
     "SETUNION(a, b)",
     "The elements that are in either, each once.",
     {"SETUNION([1, 2], [2, 3])", "[1,2,3]"}},
};

}  // namespace

std::span<const Function> set_functions() { return kSetFunctions; }

}  // namespace orrery::sql
