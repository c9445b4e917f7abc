// Regular expressions of PCRE2 whose work is bounded: a pattern that would go on for hours gives up
// instead.
//
// PCRE2's own limit counts anew at every position of the text where a match might start and does
// not count the characters that a repetition runs over, so alone it bounds nothing in a text of
// megabytes. It serves here while even the worst case under it is little work. Otherwise the
// pattern is matched once more with a call before each of its items, which counts the items and the
// distance covered.

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "model/limits.h"

namespace orrery::sql {

class Regex {
public:
    // Modifiers are letters of m s i x.
    Regex(std::string_view pattern, std::string_view modifiers);
    ~Regex();
    Regex(const Regex&) = delete;
    Regex& operator=(const Regex&) = delete;

    // Whether pattern and modifiers are; otherwise there is nothing to find.
    bool is_valid() const { return quick_ != nullptr; }

    enum class Outcome : std::uint8_t { kMatch, kNoMatch, kGaveUp };
    struct Match {
        std::size_t from = 0;
        std::size_t until = 0;
    };
    // What may still be spent on one call of a function.
    struct Work {
        std::uint64_t left = model::limits::kRegexWorkMax;
        bool once = true;  // one search only, so that a part of it may go uncounted
    };

    // The first match at this byte or later, which must start a character. `text` is valid UTF-8.
    // Not for two threads at once.
    Outcome find(std::string_view text, std::size_t from, Work& work, Match& match);

private:
    struct Program;

    Outcome find_counted(std::string_view text, std::size_t from, Work& work, Match& match);

    std::string pattern_;
    std::uint32_t options_ = 0;
    std::unique_ptr<Program> quick_;
    std::unique_ptr<Program> counted_;  // made when it is needed
};

}  // namespace orrery::sql
