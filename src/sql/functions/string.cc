// Functions of one string. They count UTF-16 code units, see utf16.h. Case conversion is per
// character and language-independent (ß stays ß), as in .NET's invariant culture.

#include <algorithm>
#include <bitset>
#include <unicode/uchar.h>
#include <vector>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sql/functions/arguments.h"
#include "sql/functions/groups.h"
#include "sql/functions/room.h"
#include "sql/functions/utf16.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

Value length(Arguments arguments, FunctionContext& /*context*/) {
    return Value::number(static_cast<std::int64_t>(utf16_length(arguments[0].string())));
}

constexpr char lower_ascii(char c) { return lower(c); }

template <char (*Ascii)(char), UChar32 (*Other)(UChar32)>
Value mapped(Arguments arguments, FunctionContext& context) {
    std::string_view rest = arguments[0].string();
    if (is_ascii(rest)) {
        const auto room = string_room(rest.size(), context);
        if (!room) return Value::undefined();
        std::transform(rest.begin(), rest.end(), room->begin(), Ascii);
        return Value::string({room->data(), room->size()});
    }
    std::string out;
    out.reserve(rest.size());
    while (!rest.empty()) {
        const char32_t c = take_code_point(rest).value_or(kReplacementCharacter);
        append_utf8(out, static_cast<char32_t>(Other(static_cast<UChar32>(c))));
    }
    return string_result(out, context);
}

Value substring(Arguments arguments, FunctionContext& context) {
    const auto from = whole(arguments[1]);
    const auto count = whole(arguments[2]);
    if (!from || !count) return Value::undefined();
    if (*from < 0 || *count <= 0) return Value::string("");
    const Utf16Range range{.from = static_cast<std::size_t>(*from),
                           .count = static_cast<std::size_t>(*count)};
    return Value::string(utf16_substring(arguments[0].string(), range, context.arena));
}

Value left(Arguments arguments, FunctionContext& context) {
    const auto count = whole(arguments[1]);
    if (!count) return Value::undefined();
    if (*count <= 0) return Value::string("");
    const Utf16Range range{.from = 0, .count = static_cast<std::size_t>(*count)};
    return Value::string(utf16_substring(arguments[0].string(), range, context.arena));
}

Value right(Arguments arguments, FunctionContext& context) {
    const auto count = whole(arguments[1]);
    if (!count) return Value::undefined();
    if (*count <= 0) return Value::string("");
    const std::string_view text = arguments[0].string();
    const std::size_t units = utf16_length(text);
    const std::size_t wanted = std::min(static_cast<std::size_t>(*count), units);
    const Utf16Range range{.from = units - wanted, .count = wanted};
    return Value::string(utf16_substring(text, range, context.arena));
}

// Surrogate pairs stay whole: reversed, they would not be valid text.
Value reverse(Arguments arguments, FunctionContext& context) {
    const std::string_view text = arguments[0].string();
    const auto room = string_room(text.size(), context);
    if (!room) return Value::undefined();
    std::string_view rest = text;
    std::size_t at = text.size();
    while (!rest.empty()) {
        const std::string_view before = rest;
        take_code_point(rest);
        const std::size_t bytes = before.size() - rest.size();
        at -= bytes;
        std::copy_n(before.begin(), bytes, room->begin() + static_cast<std::ptrdiff_t>(at));
    }
    return Value::string({room->data(), room->size()});
}

// The characters to trim: white space, or those of a string.
class Trimmed {
public:
    explicit Trimmed(Arguments arguments) {
        if (arguments.size() < 2) {
            white_space_ = true;
            return;
        }
        std::string_view rest = arguments[1].string();
        while (!rest.empty()) {
            const char32_t c = take_code_point(rest).value_or(kReplacementCharacter);
            if (c < ascii_.size()) {
                ascii_.set(c);
            } else {
                others_.push_back(c);
            }
        }
        std::sort(others_.begin(), others_.end());
    }

    bool has(char32_t c) const {
        if (white_space_) return u_isUWhiteSpace(static_cast<UChar32>(c)) != 0;
        if (c < ascii_.size()) return ascii_.test(c);
        return std::binary_search(others_.begin(), others_.end(), c);
    }

private:
    bool white_space_ = false;
    std::bitset<128> ascii_;
    std::vector<char32_t> others_;  // sorted
};

std::string_view without_start(std::string_view text, const Trimmed& trimmed) {
    while (!text.empty()) {
        std::string_view rest = text;
        if (!trimmed.has(take_code_point(rest).value_or(kReplacementCharacter))) break;
        text = rest;
    }
    return text;
}

std::string_view without_end(std::string_view text, const Trimmed& trimmed) {
    while (!text.empty()) {
        std::size_t start = text.size() - 1;
        while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80) {
            --start;
        }
        std::string_view last = text.substr(start);
        if (!trimmed.has(take_code_point(last).value_or(kReplacementCharacter))) break;
        text = text.substr(0, start);
    }
    return text;
}

Value trim(Arguments arguments, FunctionContext& /*context*/) {
    const Trimmed trimmed(arguments);
    return Value::string(without_end(without_start(arguments[0].string(), trimmed), trimmed));
}

Value trim_start(Arguments arguments, FunctionContext& /*context*/) {
    return Value::string(without_start(arguments[0].string(), Trimmed(arguments)));
}

Value trim_end(Arguments arguments, FunctionContext& /*context*/) {
    return Value::string(without_end(arguments[0].string(), Trimmed(arguments)));
}

constexpr Function kStringFunctions[] = {
    {"LEFT",
     2,
     2,
     "sn",
     left,
     "LEFT(s, n)",
     "The first `n` characters; all of them when there are fewer.",
     {"LEFT(\"AdventureWorks\", 5)", "\"Adven\""}},
    {"LENGTH",
     1,
     1,
     "s",
     length,
     "LENGTH(s)",
     "The number of characters, in UTF-16 code units.",
     {"LENGTH(\"AdventureWorks\")", "14"}},
    {"LOWER",
     1,
     1,
     "s",
     mapped<lower_ascii, u_tolower>,
     "LOWER(s)",
     "The string in lower case.",
     {"LOWER(\"AdventureWorks\")", "\"adventureworks\""}},
    {"LTRIM",
     1,
     2,
     "s",
     trim_start,
     "LTRIM(s [, characters])",
     "The string without white space, or without any of these characters, at its start.",
     {"LTRIM(\"AdventureWorks\", \"Adventure\")", "\"Works\""}},
    {"REVERSE",
     1,
     1,
     "s",
     reverse,
     "REVERSE(s)",
     "The characters in reverse order.",
     {"REVERSE(\"AdventureWorks\")", "\"skroWerutnevdA\""}},
    {"RIGHT",
     2,
     2,
     "sn",
     right,
     "RIGHT(s, n)",
     "The last `n` characters; all of them when there are fewer.",
     {"RIGHT(\"AdventureWorks\", 5)", "\"Works\""}},
    {"RTRIM",
     1,
     2,
     "s",
     trim_end,
     "RTRIM(s [, characters])",
     "The string without white space, or without any of these characters, at its end.",
     {"RTRIM(\"AdventureWorks  \")", "\"AdventureWorks\""}},
    {"SUBSTRING",
     3,
     3,
     "sn",
     substring,
     "SUBSTRING(s, start, length)",
     "The characters starting at a position, counted from 0; empty when the start is not in the "
     "string.",
     {"SUBSTRING(\"AdventureWorks\", 9, 5)", "\"Works\""}},
    {"TRIM",
     1,
     2,
     "s",
     trim,
     "TRIM(s [, characters])",
     "The string without white space, or without any of these characters, at both ends.",
     {"TRIM(\"-_-AdventureWorks-_-\", \"-_\")", "\"AdventureWorks\""}},
    {"UPPER",
     1,
     1,
     "s",
     mapped<upper, u_toupper>,
     "UPPER(s)",
     "The string in upper case.",
     {"UPPER(\"AdventureWorks\")", "\"ADVENTUREWORKS\""}},
};

}  // namespace

std::span<const Function> string_functions() { return kStringFunctions; }

}  // namespace orrery::sql
