#include "sql/like.h"

#include "base/utf8.h"

namespace orrery::sql {

namespace {

char32_t take(std::string_view& rest) {
    return take_code_point(rest).value_or(kReplacementCharacter);
}

}  // namespace

LikePattern::LikePattern(std::string_view pattern, std::optional<char32_t> escape) {
    using Kind = Token::Kind;
    while (!pattern.empty()) {
        const char32_t c = take(pattern);
        if (escape && c == *escape && !pattern.empty()) {
            tokens_.push_back({Kind::kCharacter, take(pattern), false, {}});
        } else if (c == '%') {
            // Adjacent runs are one.
            if (tokens_.empty() || tokens_.back().kind != Kind::kRun) {
                tokens_.push_back({Kind::kRun, 0, false, {}});
            }
        } else if (c == '_') {
            tokens_.push_back({Kind::kAny, 0, false, {}});
        } else if (c == '[') {
            auto set = read_set(pattern);
            tokens_.push_back(set ? *std::move(set) : Token{Kind::kCharacter, c, false, {}});
        } else {
            tokens_.push_back({Kind::kCharacter, c, false, {}});
        }
    }
    std::size_t literal = 0;
    while (literal < tokens_.size() && tokens_[literal].kind == Kind::kCharacter) {
        append_utf8(prefix_, tokens_[literal++].character);
    }
    exact_ = literal == tokens_.size();
    prefix_only_ = literal + 1 == tokens_.size() && tokens_.back().kind == Kind::kRun;
}

std::optional<LikePattern::Token> LikePattern::read_set(std::string_view& rest) {
    std::string_view at = rest;
    Token set{Token::Kind::kSet, 0, false, {}};
    if (!at.empty() && at.front() == '^') {
        set.negated = true;
        at.remove_prefix(1);
    }
    while (!at.empty()) {
        const char32_t low = take(at);
        if (low == ']' && !set.ranges.empty()) {
            rest = at;
            return set;
        }
        char32_t high = low;
        if (at.size() >= 2 && at[0] == '-' && at[1] != ']') {
            at.remove_prefix(1);
            high = take(at);
        }
        set.ranges.emplace_back(low, high);
    }
    return std::nullopt;
}

bool LikePattern::accepts(const Token& token, char32_t c) {
    switch (token.kind) {
        case Token::Kind::kCharacter:
            return token.character == c;
        case Token::Kind::kAny:
            return true;
        case Token::Kind::kSet:
            for (const auto& [low, high] : token.ranges) {
                if (low <= c && c <= high) return !token.negated;
            }
            return token.negated;
        case Token::Kind::kRun:
            return false;
    }
    return false;
}

// Greedy with one point to backtrack to: when a token fails, the last run takes one more character.
bool LikePattern::matches(std::string_view text, Arena& arena) const {
    if (!arena.count_bytes(prefix_.size())) return false;
    if (exact_) return text == prefix_;
    if (!text.starts_with(prefix_)) return false;
    if (prefix_only_) return true;
    std::size_t token = 0;
    std::optional<std::size_t> run;
    std::string_view run_text;
    while (!text.empty() && arena.count()) {
        if (token < tokens_.size() && tokens_[token].kind == Token::Kind::kRun) {
            run = token++;
            run_text = text;
            continue;
        }
        std::string_view next = text;
        const char32_t c = take(next);
        if (token < tokens_.size() && accepts(tokens_[token], c)) {
            ++token;
            text = next;
        } else if (run) {
            take(run_text);
            text = run_text;
            token = *run + 1;
        } else {
            return false;
        }
    }
    while (token < tokens_.size() && tokens_[token].kind == Token::Kind::kRun) {
        ++token;
    }
    return text.empty() && token == tokens_.size();
}

}  // namespace orrery::sql
