#include <algorithm>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "json/text.h"
#include "sql/functions/groups.h"
#include "sql/functions/regex.h"
#include "sql/functions/room.h"

namespace orrery::sql {

namespace {

using Arguments = std::span<const Value>;

// State kept from row to row: the last pattern used, valid or not.
struct Compiled {
    std::string pattern;
    std::string modifiers;
    Regex regex;

    Compiled(std::string_view p, std::string_view m) : pattern(p), modifiers(m), regex(p, m) {}
};

std::shared_ptr<Compiled> compiled(Arguments arguments, FunctionContext& context) {
    const std::string_view pattern = arguments[1].string();
    const std::string_view modifiers = arguments.size() > 2 ? arguments[2].string() : "";
    if (context.state != nullptr && *context.state != nullptr) {
        auto kept = std::static_pointer_cast<Compiled>(*context.state);
        if (kept->pattern == pattern && kept->modifiers == modifiers) return kept;
    }
    auto made = std::make_shared<Compiled>(pattern, modifiers);
    if (context.state != nullptr) *context.state = made;
    return made;
}

// The first match; nothing when the pattern is invalid or takes too much work.
std::optional<Regex::Outcome> find_first(Arguments arguments,
                                         FunctionContext& context,
                                         Regex::Match& match) {
    const auto pattern = compiled(arguments, context);
    const std::string_view text = arguments[0].string();
    if (!pattern->regex.is_valid() || !json::is_valid_utf8(text)) return std::nullopt;
    Regex::Work work;
    const auto outcome = pattern->regex.find(text, 0, work, match, context.arena);
    if (outcome == Regex::Outcome::kGaveUp) return std::nullopt;
    return outcome;
}

Value regex_match(Arguments arguments, FunctionContext& context) {
    Regex::Match match;
    const auto outcome = find_first(arguments, context, match);
    return outcome ? Value::boolean(*outcome == Regex::Outcome::kMatch) : Value::undefined();
}

// The SDKs' function table lists these two without documentation; the names suggest the behaviour.
Value regex_extract(Arguments arguments, FunctionContext& context) {
    Regex::Match match;
    const auto outcome = find_first(arguments, context, match);
    if (outcome != Regex::Outcome::kMatch) return Value::undefined();
    return Value::string(arguments[0].string().substr(match.from, match.until - match.from));
}

Value regex_extract_all(Arguments arguments, FunctionContext& context) {
    const auto pattern = compiled(arguments, context);
    const std::string_view text = arguments[0].string();
    if (!pattern->regex.is_valid() || !json::is_valid_utf8(text)) return Value::undefined();
    std::vector<Value> matches;
    Regex::Work work{.once = false};
    Regex::Match match;
    std::size_t from = 0;
    while (from <= text.size()) {
        const auto outcome = pattern->regex.find(text, from, work, match, context.arena);
        if (outcome == Regex::Outcome::kGaveUp) return Value::undefined();
        if (outcome == Regex::Outcome::kNoMatch) break;
        matches.push_back(Value::string(text.substr(match.from, match.until - match.from)));
        if (!fits_array(matches.size(), context)) return Value::undefined();
        from = match.until;
        if (match.from < match.until) continue;
        // Advance one character, or the next search would find the same empty match.
        if (from == text.size()) break;
        std::string_view rest = text.substr(from);
        take_code_point(rest);
        from = text.size() - rest.size();
    }
    const auto room = array_room(matches.size(), context);
    if (!room) return Value::undefined();
    std::copy(matches.begin(), matches.end(), room->begin());
    return Value::array(*room);
}

constexpr Function kRegexFunctions[] = {
    {"REGEXEXTRACT",
     2,
     3,
     "s",
     regex_extract,
     "REGEXEXTRACT(s, pattern [, modifiers])",
     "The first part of the string that matches the pattern; undefined when there is none.",
     {"REGEXEXTRACT(\"salt3824908\", \"[0-9]+\")", "\"3824908\""}},
    {"REGEXEXTRACTALL",
     2,
     3,
     "s",
     regex_extract_all,
     "REGEXEXTRACTALL(s, pattern [, modifiers])",
     "All parts of the string that match the pattern.",
     {"REGEXEXTRACTALL(\"a1b22\", \"[0-9]+\")", "[\"1\",\"22\"]"}},
    {"REGEXMATCH",
     2,
     3,
     "s",
     regex_match,
     "REGEXMATCH(s, pattern [, modifiers])",
     "Whether the pattern matches somewhere in the string; the modifiers are letters of `m s i x`.",
     {"REGEXMATCH(\"abcd\", \"ABC\", \"i\")", "true"}},
};

}  // namespace

std::span<const Function> regex_functions() { return kRegexFunctions; }

}  // namespace orrery::sql
