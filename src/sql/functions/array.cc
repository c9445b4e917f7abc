#include <algorithm>
#include <cmath>
#include <compare>
#include <unordered_map>
#include <vector>

#include "json/walk.h"
#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"
#include "sql/functions/room.h"
#include "sql/functions/value_set.h"

namespace orrery::sql {

namespace {

using json::Number;
using Arguments = std::span<const Value>;

// Whether the test holds for an element. Parses an item's array only as far as needed.
template <typename Test>
bool any_element(const Value& array, Arena& arena, const Test& test) {
    if (const auto raw = array.raw()) {
        json::Walk walk(*raw);
        while (const auto piece = walk.next()) {
            if (test(Value::from_json(piece->value, arena, array.numbers()))) return true;
        }
        return false;
    }
    const auto elements = array.elements(arena);
    return std::any_of(elements.begin(), elements.end(), test);
}

Value array_length(Arguments arguments, FunctionContext& context) {
    std::int64_t count = 0;
    if (const auto raw = arguments[0].raw()) {
        for (json::Walk walk(*raw); walk.next();) {
            ++count;
        }
    } else {
        count = static_cast<std::int64_t>(arguments[0].elements(context.arena).size());
    }
    return Value::number(count);
}

Value array_concat(Arguments arguments, FunctionContext& context) {
    std::vector<std::span<const Value>> arrays;
    std::size_t count = 0;
    for (const Value& argument : arguments) {
        arrays.push_back(argument.elements(context.arena));
        count += arrays.back().size();
        if (!fits_array(count, context)) return Value::undefined();
    }
    const auto room = array_room(count, context);
    if (!room) return Value::undefined();
    auto at = room->begin();
    for (const auto& elements : arrays) {
        at = std::copy(elements.begin(), elements.end(), at);
    }
    return Value::array(*room);
}

Value array_slice(Arguments arguments, FunctionContext& context) {
    const auto start = whole(arguments[1]);
    const auto count = arguments.size() > 2 ? whole(arguments[2]) : INT64_MAX;
    if (!start || !count) return Value::undefined();
    const auto elements = arguments[0].elements(context.arena);
    const auto size = static_cast<std::int64_t>(elements.size());
    const std::int64_t from = *start < 0 ? std::max<std::int64_t>(size + *start, 0) : *start;
    if (from >= size || *count <= 0) return Value::array({});
    return Value::array(elements.subspan(static_cast<std::size_t>(from),
                                         static_cast<std::size_t>(std::min(*count, size - from))));
}

// Finds members by name; uses a table when there are many.
class MembersByName {
public:
    explicit MembersByName(std::span<const Member> members) : members_(members) {
        constexpr std::size_t kSearchMax = 16;
        if (members.size() <= kSearchMax) return;
        for (const Member& member : members) {
            table_.emplace(member.name, &member.value);
        }
    }

    const Value* find(std::string_view name) const {
        if (!table_.empty()) {
            const auto found = table_.find(name);
            return found == table_.end() ? nullptr : found->second;
        }
        for (const Member& member : members_) {
            if (member.name == name) return &member.value;
        }
        return nullptr;
    }

private:
    std::span<const Member> members_;
    std::unordered_map<std::string_view, const Value*> table_;
};

// Whether every member of `part` is in `whole` with an equal value. Nested values must be entirely
// equal, as in the .NET oracle; how deep the service compares is not documented.
bool is_part(const Value& part, const Value& whole, Arena& arena) {
    if (!whole.is_object()) return false;
    const auto wanted = part.members(arena);
    const MembersByName members(whole.members(arena));
    return std::all_of(wanted.begin(), wanted.end(), [&](const Member& member) {
        const Value* found = members.find(member.name);
        return found != nullptr && equal(member.value, *found, arena);
    });
}

Value array_contains(Arguments arguments, FunctionContext& context) {
    const auto wanted = DeepParser(context)(arguments[1]);
    if (!wanted) return Value::undefined();
    const bool partly = flag(arguments, 2) && wanted->is_object();
    return Value::boolean(any_element(arguments[0], context.arena, [&](const Value& element) {
        return partly ? is_part(*wanted, element, context.arena)
                      : equal(*wanted, element, context.arena);
    }));
}

// ARRAY_CONTAINS of each of the other arguments, combined as OR or AND does it: a deciding value
// wins, otherwise an undefined argument makes the result undefined.
template <bool Deciding>
Value array_contains_many(Arguments arguments, FunctionContext& context) {
    DeepParser parser(context);
    const auto elements = parser.elements(arguments[0]);
    if (!elements) return Value::undefined();
    ValueSet set(elements->size(), context);
    for (const Value& element : *elements) {
        set.insert(element);
    }
    bool undecided = false;
    for (const Value& argument : arguments.subspan(1)) {
        const auto wanted = parser(argument);
        if (!wanted) return Value::undefined();
        if (wanted->is_undefined()) {
            undecided = true;
        } else if (set.contains(*wanted) == Deciding) {
            return Value::boolean(Deciding);
        }
    }
    return undecided ? Value::undefined() : Value::boolean(!Deciding);
}

// The numbers of an array; nothing when it has an element of another kind.
std::optional<std::vector<Number>> numbers(const Value& array, Arena& arena) {
    std::vector<Number> out;
    for (const Value& element : array.elements(arena)) {
        if (element.is_undefined()) continue;
        if (!element.is_number()) return std::nullopt;
        out.push_back(element.number());
    }
    return out;
}

// Exact while all are integers and the sum fits 64 bits.
Number sum(std::span<const Number> numbers) {
    Number out = 0;
    for (const Number& number : numbers) {
        std::int64_t exact = 0;
        if (out.is_integer() && number.is_integer() &&
            !__builtin_add_overflow(out.integer(), number.integer(), &exact)) {
            out = exact;
        } else {
            out = out.real() + number.real();
        }
    }
    return out;
}

Value array_sum(Arguments arguments, FunctionContext& context) {
    const auto all = numbers(arguments[0], context.arena);
    return all ? Value::number(sum(*all)) : Value::undefined();
}

Value array_average(Arguments arguments, FunctionContext& context) {
    const auto all = numbers(arguments[0], context.arena);
    if (!all || all->empty()) return Value::undefined();
    return Value::number(sum(*all).real() / static_cast<double>(all->size()));
}

Value array_median(Arguments arguments, FunctionContext& context) {
    auto all = numbers(arguments[0], context.arena);
    if (!all || all->empty()) return Value::undefined();
    for (const Number& number : *all) {
        if (std::isnan(number.real())) return Value::number(number);  // NaN has no order
    }
    const auto middle = all->begin() + static_cast<std::ptrdiff_t>(all->size() / 2);
    std::nth_element(all->begin(), middle, all->end());
    if (all->size() % 2 == 1) return Value::number(*middle);
    const Number pair[] = {*std::max_element(all->begin(), middle), *middle};
    return Value::number(sum(pair).real() / 2);
}

// In the order null, booleans, numbers, strings. NaN is neither before nor after any number.
bool is_before(const Value& a, const Value& b) {
    if (a.kind() != b.kind()) return a.kind() < b.kind();
    switch (a.kind()) {
        case Kind::kBoolean:
            return !a.boolean() && b.boolean();
        case Kind::kNumber:
            return a.number() < b.number();
        case Kind::kString:
            return std::is_lt(compare_utf16(a.string(), b.string()));
        default:
            return false;
    }
}

template <bool Largest>
Value array_extreme(Arguments arguments, FunctionContext& context) {
    Value out;
    for (const Value& element : arguments[0].elements(context.arena)) {
        if (element.is_array() || element.is_object()) return Value::undefined();
        if (element.is_undefined()) continue;
        const bool better = Largest ? is_before(out, element) : is_before(element, out);
        if (out.is_undefined() || better) out = element;
    }
    return out;
}

Value object_to_array(Arguments arguments, FunctionContext& context) {
    const std::string_view name = arguments.size() > 1 ? arguments[1].string() : "k";
    const std::string_view value = arguments.size() > 2 ? arguments[2].string() : "v";
    if (name == value) return Value::undefined();  // an object cannot have both
    const auto members = arguments[0].members(context.arena);
    const auto room = array_room(members.size(), context);
    if (!room) return Value::undefined();
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto pair = context.arena.array<Member>(2);
        pair[0] = {name, Value::string(members[i].name)};
        pair[1] = {value, members[i].value};
        (*room)[i] = Value::object(pair);
    }
    return Value::array(*room);
}

constexpr Function kArrayFunctions[] = {
    {"ARRAY_AVG",
     1,
     1,
     "a",
     array_average,
     "ARRAY_AVG(a)",
     "The average of numbers; undefined when an element is not a number.",
     {"ARRAY_AVG([1, 2, 3, 4])", "2.5"}},
    {"ARRAY_CONCAT",
     2,
     kAnyNumber,
     "a",
     array_concat,
     "ARRAY_CONCAT(a, a, …)",
     "The concatenation of the arrays.",
     {"ARRAY_CONCAT([\"backpacks\"], [\"hippacks\"])", "[\"backpacks\",\"hippacks\"]"}},
    {"ARRAY_CONTAINS",
     2,
     3,
     "adb",
     array_contains,
     "ARRAY_CONTAINS(a, e [, partial])",
     "Whether an element equals the value, or with `partial` has all of its members.",
     {"ARRAY_CONTAINS([{\"category\": \"shirts\", \"color\": \"blue\"}], {\"color\": \"blue\"}, "
      "true)",
      "true"},
     {.kind = Search::Kind::kElement}},
    {"ARRAY_CONTAINS_ALL",
     2,
     kAnyNumber,
     "ae",
     array_contains_many<false>,
     "ARRAY_CONTAINS_ALL(a, e, …)",
     "Whether all of the values are elements.",
     {"ARRAY_CONTAINS_ALL([1, 2, 3, 4], 2, 3, 4, 5)", "false"},
     {.kind = Search::Kind::kEveryElement}},
    {"ARRAY_CONTAINS_ANY",
     2,
     kAnyNumber,
     "ae",
     array_contains_many<true>,
     "ARRAY_CONTAINS_ANY(a, e, …)",
     "Whether one of the values is an element.",
     {"ARRAY_CONTAINS_ANY([1, 2, 3, 4], 2, 3, 4, 5)", "true"},
     {.kind = Search::Kind::kAnyElement}},
    {"ARRAY_LENGTH",
     1,
     1,
     "a",
     array_length,
     "ARRAY_LENGTH(a)",
     "The number of elements.",
     {"ARRAY_LENGTH([70, 86, 92])", "3"}},
    {"ARRAY_MAX",
     1,
     1,
     "a",
     array_extreme<true>,
     "ARRAY_MAX(a)",
     "The largest element, in the order null, booleans, numbers, strings.",
     {"ARRAY_MAX([1, 2, 3, 4])", "4"}},
    {"ARRAY_MEDIAN",
     1,
     1,
     "a",
     array_median,
     "ARRAY_MEDIAN(a)",
     "The middle number, or the average of the middle two.",
     {"ARRAY_MEDIAN([1, 2, 3, 4])", "2.5"}},
    {"ARRAY_MIN",
     1,
     1,
     "a",
     array_extreme<false>,
     "ARRAY_MIN(a)",
     "The smallest element, in the order null, booleans, numbers, strings.",
     {"ARRAY_MIN([1, 2, 3, 4])", "1"}},
    {"ARRAY_SLICE",
     2,
     3,
     "an",
     array_slice,
     "ARRAY_SLICE(a, start [, length])",
     "The elements starting at a position, counted from 0, or from the end when negative.",
     {"ARRAY_SLICE([\"Alpha\", \"Bravo\", \"Charlie\"], -2, 1)", "[\"Bravo\"]"}},
    {"ARRAY_SUM",
     1,
     1,
     "a",
     array_sum,
     "ARRAY_SUM(a)",
     "The sum of numbers; undefined when an element is not a number.",
     {"ARRAY_SUM([1, 2, 3, 4])", "10"}},
    {"OBJECTTOARRAY",
     1,
     3,
     "oss",
     object_to_array,
     "OBJECTTOARRAY(o [, nameMember [, valueMember]])",
     "An object for each member, with its name as `k` and its value as `v`.",
     {"OBJECTTOARRAY({\"a\": \"12345\"})", "[{\"k\":\"a\",\"v\":\"12345\"}]"}},
};

}  // namespace

std::span<const Function> array_functions() { return kArrayFunctions; }

}  // namespace orrery::sql
