// A built-in scalar function is one row of a table: the binder, the evaluator, the generated
// documentation and a test per example all read the same row.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "index/value_encoding.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

// What a function can use from the running query.
struct FunctionContext {
    Arena& arena;
    // 100 ns ticks since 1970: of this call, and of the start of the query.
    std::int64_t now_ticks = 0;
    std::int64_t query_ticks = 0;
    double random = 0;  // for RAND, in [0, 1)
    // State of this call in the query text, for what is computed once from constant arguments (a
    // compiled pattern). Null when the call cannot keep state.
    std::shared_ptr<void>* state = nullptr;
    // Set to end the query when a result exceeds a limit.
    std::optional<Error> error = std::nullopt;
};

using Evaluate = Value (*)(std::span<const Value> arguments, FunctionContext& context);

inline constexpr std::uint8_t kAnyNumber = 255;

struct FunctionExample {
    std::string_view expression;  // LEFT("abc", 2)
    std::string_view result;      // "ab" as JSON; empty for undefined
};

// The values at a path for which a call is true, as far as an index or the partition key can find
// them. The planner and the partition key filter read it; a call of kind kNone is evaluated on
// every item.
struct Search {
    enum class Kind : std::uint8_t {
        kNone,
        kKinds,         // f(path): the kinds from `first` to `last`
        kEqual,         // f(path, string)
        kPrefix,        // f(path, string)
        kElement,       // f(path, value): an element of the array. f(array, path): one of the array
        kAnyElement,    // f(path, value, …)
        kEveryElement,  // f(path, value, …)
    };
    Kind kind = Kind::kNone;
    index::Tag first = index::Tag::kUndefined;
    index::Tag last = index::Tag::kUndefined;

    bool operator==(const Search&) const = default;
};

inline constexpr Search kAnyDefined{Search::Kind::kKinds, index::Tag::kNull, index::Tag::kObject};

struct Function {
    std::string_view name;  // as the documentation spells it, upper case
    std::uint8_t arguments_min = 0;
    std::uint8_t arguments_max = 0;  // or kAnyNumber
    // What each argument must be, else the result is undefined: n number, s string, b boolean, a
    // array, o object, d anything defined, e anything at all. The last one applies to all that
    // follow. Missing optional arguments are not checked.
    std::string_view kinds;
    Evaluate evaluate = nullptr;
    std::string_view signature;  // LEFT(s, n)
    std::string_view doc;        // one sentence
    FunctionExample example;
    Search search = {};
    // False: the result differs from call to call (RAND, GETCURRENTDATETIME); never folded or
    // indexed.
    bool deterministic = true;
};

// Case-insensitive; null when there is no such function. Other spellings (IS_BOOLEAN) lead to the
// same row.
const Function* find_function(std::string_view name);

// All rows, by group, for the documentation.
struct FunctionGroup {
    std::string_view title;
    std::span<const Function> functions;
};
std::span<const FunctionGroup> function_groups();

// Checks the kinds, then evaluates.
Value call_function(const Function& function,
                    std::span<const Value> arguments,
                    FunctionContext& context);

}  // namespace orrery::sql
