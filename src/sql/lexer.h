// Splits query text into tokens, one at a time. Small enough to copy, which is how the parser looks
// ahead.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sql/token.h"

namespace orrery::sql {

class Lexer {
public:
    // The text must be valid UTF-8 and outlive the lexer and its tokens.
    explicit Lexer(std::string_view text) : text_(text) {}

    // kEnd, repeatedly, once no text is left.
    Token next();

private:
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    void skip_blanks();
    void advance_to(std::size_t end);
    Token token(TokenKind kind, std::size_t length);

    Token word();
    Token parameter();
    Token number();
    Token string();
    Token symbol();
    std::size_t number_length() const;

    std::string_view text_;
    std::size_t at_ = 0;       // in bytes
    std::uint32_t units_ = 0;  // the same place in UTF-16 units
};

// The kind of a reserved word, ignoring case; kIdentifier for any other word.
TokenKind word_kind(std::string_view word);

// All reserved words, in lower case.
std::vector<std::string_view> reserved_words();

// Whether the text is an identifier: letters, digits and underscores, no digit first, not reserved.
bool is_identifier(std::string_view text);

}  // namespace orrery::sql
