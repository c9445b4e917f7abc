// PCRE2 regular expressions with bounded work: a pattern that would run for hours gives up instead.
//
// PCRE2's own limit restarts at every position of the text where a match might start and does not
// count the characters that a repetition runs over, so alone it bounds nothing in a text of
// megabytes. It is used here while even its worst case is little work. Otherwise the pattern is
// matched again with a callout before each of its items, which counts the items and the distance
// covered, for the limit of one call and for the budget of the query.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/limits.h"
#include "sql/arena.h"

namespace orrery::sql {

class Regex {
public:
    // Modifiers are letters from m s i x.
    Regex(std::string_view pattern, std::string_view modifiers);
    ~Regex();
    Regex(const Regex&) = delete;
    Regex& operator=(const Regex&) = delete;

    // Whether pattern and modifiers are valid; find() requires it.
    bool is_valid() const { return quick_ != nullptr; }

    enum class Outcome : std::uint8_t { kMatch, kNoMatch, kGaveUp };
    struct Match {
        std::size_t from = 0;
        std::size_t until = 0;
    };
    // The remaining work budget of one function call.
    struct Work {
        std::uint64_t left = model::limits::kRegexWorkMax;
        bool once = true;  // a single search, part of which may go uncounted
    };

    // The first match at or after this byte, which must start a character. `text` is valid UTF-8.
    // Not thread-safe.
    Outcome find(std::string_view text, std::size_t from, Work& work, Match& match, Arena& arena);

private:
    struct Program;

    Outcome find_counted(
        std::string_view text, std::size_t from, Work& work, Match& match, Arena& arena);

    std::string pattern_;
    std::uint32_t options_ = 0;
    std::unique_ptr<Program> quick_;
    std::unique_ptr<Program> counted_;  // compiled on demand
};

}  // namespace orrery::sql
