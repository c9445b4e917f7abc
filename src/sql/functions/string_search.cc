#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"
#include "sql/functions/text_search.h"
#include "sql/functions/utf16.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

Value contains(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    const std::string_view wanted = arguments[1].string();
    if (!flag(arguments, 2)) return Value::boolean(find_text(text, wanted) != kNowhere);
    return Value::boolean(find_text(fold_case(text), fold_case(wanted)) != kNowhere);
}

// CONTAINS of each of the other arguments, combined as OR or AND does it: a deciding value wins,
// otherwise an argument that is not a string makes the result undefined.
template <bool IgnoreCase, bool Deciding>
Value contains_many(Arguments arguments, FunctionContext& context) {
    const std::string folded = IgnoreCase ? fold_case(arguments[0].string()) : "";
    const std::string_view text = IgnoreCase ? folded : arguments[0].string();
    bool undecided = false;
    for (const Value& wanted : arguments.subspan(1)) {
        if (!wanted.is_string()) {
            undecided = true;
            continue;
        }
        if (!context.arena.count_bytes(text.size())) return Value::undefined();
        const std::size_t found = IgnoreCase ? find_text(text, fold_case(wanted.string()))
                                             : find_text(text, wanted.string());
        if ((found != kNowhere) == Deciding) return Value::boolean(Deciding);
    }
    return undecided ? Value::undefined() : Value::boolean(!Deciding);
}

Value starts_with(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    const std::string_view start = arguments[1].string();
    return Value::boolean(flag(arguments, 2) ? starts_with_any_case(text, start)
                                             : text.starts_with(start));
}

Value ends_with(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    const std::string_view end = arguments[1].string();
    return Value::boolean(flag(arguments, 2) ? ends_with_any_case(text, end) : text.ends_with(end));
}

Value string_equals(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view a = arguments[0].string();
    const std::string_view b = arguments[1].string();
    return Value::boolean(flag(arguments, 2) ? equal_any_case(a, b) : a == b);
}

// Converts a byte offset to a position in UTF-16 units.
Value position(std::string_view text, std::size_t offset) {
    if (offset == kNowhere) return Value::number(-1);
    return Value::number(static_cast<std::int64_t>(utf16_length(text.substr(0, offset))));
}

// The service does not document a start outside the string: here a negative start means the
// beginning, and nothing is found past the end.
Value index_of(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    std::size_t from = 0;
    if (arguments.size() > 2) {
        const auto start = whole(arguments[2]);
        if (!start) return Value::undefined();
        if (*start > static_cast<std::int64_t>(text.size())) return Value::number(-1);
        if (*start > 0) from = utf16_offset(text, static_cast<std::size_t>(*start));
    }
    return position(text, find_text(text, arguments[1].string(), from));
}

// The whole match lies at or before the start position: ("abcdeabc", "abc", 6) is 0.
Value last_index_of(Arguments arguments, FunctionContext& /*context*/) {
    std::string_view text = arguments[0].string();
    if (arguments.size() > 2) {
        const auto start = whole(arguments[2]);
        if (!start) return Value::undefined();
        if (*start < 0) return Value::number(-1);
        if (*start < static_cast<std::int64_t>(text.size())) {
            const std::size_t end = utf16_offset_below(text, static_cast<std::size_t>(*start) + 1);
            text = text.substr(0, end);
        }
    }
    return position(text, find_last_text(text, arguments[1].string()));
}

// The SDKs' function table lists these without documentation; the names suggest the behaviour.
// Without a match the result is empty, as in XPath's functions of the same name.
template <std::size_t (*Find)(std::string_view, std::string_view)>
Value substring_before(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    const std::size_t at = Find(text, arguments[1].string());
    return Value::string(at == kNowhere ? "" : text.substr(0, at));
}

template <std::size_t (*Find)(std::string_view, std::string_view)>
Value substring_after(Arguments arguments, FunctionContext& /*context*/) {
    const std::string_view text = arguments[0].string();
    const std::string_view wanted = arguments[1].string();
    const std::size_t at = Find(text, wanted);
    return Value::string(at == kNowhere ? "" : text.substr(at + wanted.size()));
}

std::size_t find_first_text(std::string_view text, std::string_view wanted) {
    return find_text(text, wanted);
}

constexpr Function kStringSearchFunctions[] = {
    {"CONTAINS",
     2,
     3,
     "ssb",
     contains,
     "CONTAINS(s, text [, ignoreCase])",
     "Whether the text is somewhere in the string.",
     {"CONTAINS(\"AdventureWorks\", \"works\", true)", "true"}},
    {"CONTAINS_ALL_CI",
     2,
     kAnyNumber,
     "se",
     contains_many<true, false>,
     "CONTAINS_ALL_CI(s, text, …)",
     "Whether all of the texts are in the string, ignoring case.",
     {"CONTAINS_ALL_CI(\"Have a nice day!\", \"HAVE\", \"NICE\")", "true"}},
    {"CONTAINS_ALL_CS",
     2,
     kAnyNumber,
     "se",
     contains_many<false, false>,
     "CONTAINS_ALL_CS(s, text, …)",
     "Whether all of the texts are in the string.",
     {"CONTAINS_ALL_CS(\"Have a nice day!\", \"Have\", \"NICE\")", "false"}},
    {"CONTAINS_ANY_CI",
     2,
     kAnyNumber,
     "se",
     contains_many<true, true>,
     "CONTAINS_ANY_CI(s, text, …)",
     "Whether one of the texts is in the string, ignoring case.",
     {"CONTAINS_ANY_CI(\"Have a nice day!\", \"had\", \"NICE\")", "true"}},
    {"CONTAINS_ANY_CS",
     2,
     kAnyNumber,
     "se",
     contains_many<false, true>,
     "CONTAINS_ANY_CS(s, text, …)",
     "Whether one of the texts is in the string.",
     {"CONTAINS_ANY_CS(\"Have a nice day!\", \"had\", \"NICE\")", "false"}},
    {"ENDSWITH",
     2,
     3,
     "ssb",
     ends_with,
     "ENDSWITH(s, text [, ignoreCase])",
     "Whether the string ends with the text.",
     {"ENDSWITH(\"AdventureWorks\", \"Works\")", "true"}},
    {"INDEX_OF",
     2,
     3,
     "ssn",
     index_of,
     "INDEX_OF(s, text [, start])",
     "The position of the first occurrence of the text, counted from 0; -1 without one.",
     {"INDEX_OF(\"AdventureWorks\", \"Works\", 5)", "9"}},
    {"LASTINDEXOF",
     2,
     3,
     "ssn",
     last_index_of,
     "LASTINDEXOF(s, text [, start])",
     "The position of the last occurrence that ends at or before the start; -1 without one.",
     {"LASTINDEXOF(\"abcdeabc\", \"abc\", 6)", "0"}},
    {"LASTSUBSTRINGAFTER",
     2,
     2,
     "s",
     substring_after<find_last_text>,
     "LASTSUBSTRINGAFTER(s, text)",
     "What follows the last occurrence of the text; empty without one.",
     {"LASTSUBSTRINGAFTER(\"a/b/c\", \"/\")", "\"c\""}},
    {"LASTSUBSTRINGBEFORE",
     2,
     2,
     "s",
     substring_before<find_last_text>,
     "LASTSUBSTRINGBEFORE(s, text)",
     "What precedes the last occurrence of the text; empty without one.",
     {"LASTSUBSTRINGBEFORE(\"a/b/c\", \"/\")", "\"a/b\""}},
    {"STARTSWITH",
     2,
     3,
     "ssb",
     starts_with,
     "STARTSWITH(s, text [, ignoreCase])",
     "Whether the string starts with the text.",
     {"STARTSWITH(\"AdventureWorks\", \"adventure\", true)", "true"},
     {.kind = Search::Kind::kPrefix}},
    {"STRINGEQUALS",
     2,
     3,
     "ssb",
     string_equals,
     "STRINGEQUALS(s, text [, ignoreCase])",
     "Whether both strings are equal.",
     {"STRINGEQUALS(\"AdventureWorks\", \"adventureworks\", true)", "true"},
     {.kind = Search::Kind::kEqual}},
    {"SUBSTRINGAFTER",
     2,
     2,
     "s",
     substring_after<find_first_text>,
     "SUBSTRINGAFTER(s, text)",
     "What follows the first occurrence of the text; empty without one.",
     {"SUBSTRINGAFTER(\"a/b/c\", \"/\")", "\"b/c\""}},
    {"SUBSTRINGBEFORE",
     2,
     2,
     "s",
     substring_before<find_first_text>,
     "SUBSTRINGBEFORE(s, text)",
     "What precedes the first occurrence of the text; empty without one.",
     {"SUBSTRINGBEFORE(\"a/b/c\", \"/\")", "\"a\""}},
};

}  // namespace

std::span<const Function> string_search_functions() { return kStringSearchFunctions; }

}  // namespace orrery::sql
