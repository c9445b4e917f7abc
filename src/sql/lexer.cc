#include "sql/lexer.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/ascii.h"
#include "base/utf8.h"
#include "sql/literal.h"

namespace orrery::sql {

namespace {

struct ReservedWord {
    std::string_view word;  // lower case
    TokenKind kind;
};

constexpr std::array kReservedWords = {
    ReservedWord{"and", TokenKind::kAnd},
    ReservedWord{"array", TokenKind::kArray},
    ReservedWord{"as", TokenKind::kAs},
    ReservedWord{"asc", TokenKind::kAsc},
    ReservedWord{"between", TokenKind::kBetween},
    ReservedWord{"by", TokenKind::kBy},
    ReservedWord{"desc", TokenKind::kDesc},
    ReservedWord{"distinct", TokenKind::kDistinct},
    ReservedWord{"escape", TokenKind::kEscape},
    ReservedWord{"exists", TokenKind::kExists},
    ReservedWord{"false", TokenKind::kFalse},
    ReservedWord{"from", TokenKind::kFrom},
    ReservedWord{"group", TokenKind::kGroup},
    ReservedWord{"in", TokenKind::kIn},
    ReservedWord{"join", TokenKind::kJoin},
    ReservedWord{"left", TokenKind::kLeft},
    ReservedWord{"like", TokenKind::kLike},
    ReservedWord{"limit", TokenKind::kLimit},
    ReservedWord{"not", TokenKind::kNot},
    ReservedWord{"null", TokenKind::kNull},
    ReservedWord{"offset", TokenKind::kOffset},
    ReservedWord{"or", TokenKind::kOr},
    ReservedWord{"order", TokenKind::kOrder},
    ReservedWord{"right", TokenKind::kRight},
    ReservedWord{"select", TokenKind::kSelect},
    ReservedWord{"top", TokenKind::kTop},
    ReservedWord{"true", TokenKind::kTrue},
    ReservedWord{"udf", TokenKind::kUdf},
    ReservedWord{"undefined", TokenKind::kUndefined},
    ReservedWord{"value", TokenKind::kValue},
    ReservedWord{"where", TokenKind::kWhere},
};

struct Symbol {
    std::string_view text;
    TokenKind kind;
};

// Symbols that begin alike: longest first.
constexpr std::array kSymbols = {
    Symbol{">>>", TokenKind::kShiftRightUnsigned},
    Symbol{">>", TokenKind::kShiftRight},
    Symbol{">=", TokenKind::kGreaterOrEqual},
    Symbol{">", TokenKind::kGreater},
    Symbol{"<<", TokenKind::kShiftLeft},
    Symbol{"<=", TokenKind::kLessOrEqual},
    Symbol{"<>", TokenKind::kNotEqual},
    Symbol{"<", TokenKind::kLess},
    Symbol{"!=", TokenKind::kNotEqual},
    Symbol{"=", TokenKind::kEqual},
    Symbol{"||", TokenKind::kConcat},
    Symbol{"|", TokenKind::kPipe},
    Symbol{"??", TokenKind::kCoalesce},
    Symbol{"?", TokenKind::kQuestion},
    Symbol{"(", TokenKind::kLeftParen},
    Symbol{")", TokenKind::kRightParen},
    Symbol{"[", TokenKind::kLeftBracket},
    Symbol{"]", TokenKind::kRightBracket},
    Symbol{"{", TokenKind::kLeftBrace},
    Symbol{"}", TokenKind::kRightBrace},
    Symbol{".", TokenKind::kDot},
    Symbol{",", TokenKind::kComma},
    Symbol{":", TokenKind::kColon},
    Symbol{"*", TokenKind::kStar},
    Symbol{"+", TokenKind::kPlus},
    Symbol{"-", TokenKind::kMinus},
    Symbol{"/", TokenKind::kSlash},
    Symbol{"%", TokenKind::kPercent},
    Symbol{"~", TokenKind::kTilde},
    Symbol{"&", TokenKind::kAmpersand},
    Symbol{"^", TokenKind::kCaret},
};

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool starts_word(char c) { return (lower(c) >= 'a' && lower(c) <= 'z') || c == '_'; }
constexpr bool in_word(char c) { return starts_word(c) || is_digit(c); }
constexpr bool is_hex_digit(char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f'); }

std::size_t word_length(std::string_view text) {
    const auto* end = std::find_if_not(text.begin(), text.end(), in_word);
    return static_cast<std::size_t>(end - text.begin());
}

std::size_t digits_length(std::string_view text) {
    const auto* end = std::find_if_not(text.begin(), text.end(), is_digit);
    return static_cast<std::size_t>(end - text.begin());
}

}  // namespace

Token Lexer::next() {
    skip_blanks();
    if (at_ == text_.size()) return token(TokenKind::kEnd, 0);
    const char c = peek();
    if (starts_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return string();
    if (c == '@') return parameter();
    return symbol();
}

void Lexer::skip_blanks() {
    for (;;) {
        const char c = peek();
        if (c == ' ' || (c >= '\t' && c <= '\r')) {
            advance_to(at_ + 1);
        } else if (c == '-' && peek(1) == '-') {
            advance_to(std::min(text_.find_first_of("\r\n", at_), text_.size()));
        } else {
            return;
        }
    }
}

void Lexer::advance_to(std::size_t end) {
    for (; at_ < end; ++at_) {
        const auto byte = static_cast<unsigned char>(text_[at_]);
        if ((byte & 0xC0) != 0x80) ++units_;  // continuation bytes belong to the one before
        if (byte >= 0xF0) ++units_;           // beyond the BMP: a surrogate pair
    }
}

Token Lexer::token(TokenKind kind, std::size_t length) {
    Token out{kind, text_.substr(at_, length), {units_, units_}};
    advance_to(at_ + length);
    out.location.end = units_;
    return out;
}

Token Lexer::word() {
    const std::size_t length = word_length(text_.substr(at_));
    return token(word_kind(text_.substr(at_, length)), length);
}

Token Lexer::parameter() {
    const std::size_t length = word_length(text_.substr(at_ + 1));
    const bool named = length != 0 && starts_word(peek(1));
    return token(named ? TokenKind::kParameter : TokenKind::kInvalid, 1 + length);
}

// A number that runs into a word (12a, 0.E) is invalid: otherwise the word would be an alias.
Token Lexer::number() {
    const std::size_t length = number_length();
    const std::size_t tail = word_length(text_.substr(at_ + length));
    return token(tail == 0 ? TokenKind::kNumber : TokenKind::kInvalid, length + tail);
}

std::size_t Lexer::number_length() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.size() > 2 && rest[0] == '0' && lower(rest[1]) == 'x' && is_hex_digit(rest[2])) {
        const auto* end = std::find_if_not(rest.begin() + 2, rest.end(), is_hex_digit);
        return static_cast<std::size_t>(end - rest.begin());
    }
    std::size_t length = digits_length(rest);
    if (length < rest.size() && rest[length] == '.') {
        length += 1 + digits_length(rest.substr(length + 1));
    }
    if (length < rest.size() && lower(rest[length]) == 'e') {
        std::size_t exponent = length + 1;
        if (exponent < rest.size() && (rest[exponent] == '+' || rest[exponent] == '-')) ++exponent;
        const std::size_t digits = digits_length(rest.substr(std::min(exponent, rest.size())));
        if (digits != 0) length = exponent + digits;
    }
    return length;
}

Token Lexer::string() {
    const char quote = peek();
    std::size_t end = at_ + 1;
    while (end < text_.size() && text_[end] != quote) {
        // A character after a backslash never ends the string; string_value() checks the escape.
        end += text_[end] == '\\' && end + 1 < text_.size() ? 2U : 1U;
    }
    // An unclosed string yields only its quote, as in the service.
    if (end >= text_.size()) return token(TokenKind::kBadString, 1);
    const std::size_t length = end + 1 - at_;
    const bool valid = string_value(text_.substr(at_, length)).has_value();
    return token(valid ? TokenKind::kString : TokenKind::kBadString, length);
}

Token Lexer::symbol() {
    const std::string_view rest = text_.substr(at_);
    for (const Symbol& symbol : kSymbols) {
        if (rest.starts_with(symbol.text)) return token(symbol.kind, symbol.text.size());
    }
    std::string_view after = rest;
    (void)take_code_point(after);
    return token(TokenKind::kInvalid, rest.size() - after.size());
}

TokenKind word_kind(std::string_view word) {
    const auto* found =
        std::find_if(kReservedWords.begin(), kReservedWords.end(), [&](const ReservedWord& w) {
            return same_word(w.word, word);
        });
    return found == kReservedWords.end() ? TokenKind::kIdentifier : found->kind;
}

std::vector<std::string_view> reserved_words() {
    std::vector<std::string_view> out;
    out.reserve(kReservedWords.size());
    for (const ReservedWord& reserved : kReservedWords) {
        out.push_back(reserved.word);
    }
    return out;
}

bool is_identifier(std::string_view text) {
    return !text.empty() && starts_word(text[0]) && word_length(text) == text.size() &&
           word_kind(text) == TokenKind::kIdentifier;
}

}  // namespace orrery::sql
