// Patterns of LIKE: % any run, _ one character, [abc] [a-f] [^…] sets; all else is literal.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/arena.h"

namespace orrery::sql {

class LikePattern {
public:
    // `escape` makes the character after it literal.
    LikePattern(std::string_view pattern, std::optional<char32_t> escape);

    // The whole text must match. The arena counts the work.
    bool matches(std::string_view text, Arena& arena) const;

    // The prefix of every match, and whether it is the whole pattern (no wildcard).
    const std::string& prefix() const { return prefix_; }
    bool is_exact() const { return exact_; }
    // The pattern is the prefix followed by one %.
    bool is_prefix_only() const { return prefix_only_; }

private:
    struct Token {
        enum class Kind { kCharacter, kAny, kRun, kSet } kind;
        char32_t character = 0;
        bool negated = false;
        std::vector<std::pair<char32_t, char32_t>> ranges;  // inclusive
    };

    static bool accepts(const Token& token, char32_t c);
    // Reads a set after its [; nothing when it is not closed, and the [ is literal.
    static std::optional<Token> read_set(std::string_view& rest);

    std::vector<Token> tokens_;
    std::string prefix_;
    bool exact_ = false;
    bool prefix_only_ = false;
};

}  // namespace orrery::sql
