#include "sql/parser.h"

#include <string>

#include "base/ascii.h"
#include "json/text.h"
#include "model/limits.h"
#include "sql/errors.h"
#include "sql/parser_state.h"

namespace orrery::sql {

namespace limits = model::limits;

namespace {

std::size_t utf16_units(std::string_view utf8) {
    std::size_t units = 0;
    for (const char c : utf8) {
        const auto byte = static_cast<unsigned char>(c);
        units += ((byte & 0xC0) != 0x80 ? 1U : 0U) + (byte >= 0xF0 ? 1U : 0U);
    }
    return units;
}

Error limit_error(std::string_view code,
                  const std::string& what,
                  std::size_t limit,
                  const Location& all) {
    return query_error(code,
                       "The SQL query exceeded the maximum number of " + what +
                           ". The allowed limit is " + std::to_string(limit) + ".",
                       all);
}

}  // namespace

Result<ast::QueryPtr> parse(std::string_view text) {
    if (!json::is_valid_utf8(text)) {
        return query_error("", "The SQL query text is not valid UTF-8.", std::nullopt);
    }
    const std::size_t units = utf16_units(text);
    const Location all{0, static_cast<std::uint32_t>(units)};
    if (units > limits::kQueryTextUnitsMax) {
        return query_error("SC3020",
                           "The SQL query text exceeded the maximum limit of " +
                               std::to_string(limits::kQueryTextUnitsMax) + " characters.",
                           all);
    }
    Parser parser(text);
    ast::QueryPtr query = TRY(parser.statement());
    if (parser.joins() > limits::kQueryJoinsMax) {
        return limit_error("SC3002", "joins", limits::kQueryJoinsMax, all);
    }
    if (parser.udf_calls() > limits::kQueryUdfCallsMax) {
        return limit_error("SC3005", "user-defined function calls", limits::kQueryUdfCallsMax, all);
    }
    return query;
}

Result<ast::QueryPtr> Parser::statement() {
    const bool explain = at_word("EXPLAIN") && next_at(TokenKind::kSelect);
    if (explain) advance();
    ParsedQuery parsed = TRY(query());
    if (!at(TokenKind::kEnd)) return unexpected();
    parsed.query->explain = explain;
    return ast::QueryPtr(std::move(parsed.query));
}

bool Parser::at_word(std::string_view word) const {
    return at(TokenKind::kIdentifier) && same_word(token_.text, word);
}

Token Parser::advance() {
    last_end_ = token_.location.end;
    return std::exchange(token_, std::exchange(next_, lexer_.next()));
}

bool Parser::take(TokenKind kind) {
    if (!at(kind)) return false;
    advance();
    return true;
}

Result<Token> Parser::expect(TokenKind kind) {
    if (!at(kind)) return unexpected();
    return advance();
}

Error Parser::unexpected() const {
    const std::string text(token_.text);
    switch (token_.kind) {
        case TokenKind::kInvalid:
            return query_error(
                "SC1010", "Syntax error, invalid token '" + text + "'.", token_.location);
        case TokenKind::kBadString:
            return query_error("SC1012",
                               "Syntax error, invalid string literal token '" + text + "'.",
                               token_.location);
        default:
            return syntax_error(text, token_.location);
    }
}

Error Parser::too_deep() const {
    return query_error("SC1001",
                       "Syntax error, the query is nested too deeply. The allowed limit is " +
                           std::to_string(limits::kQueryDepthMax) + " levels.",
                       token_.location);
}

// Twice the depth of a tree: an operator and the parentheses around it are a level each, and the
// printed form of the deepest tree must parse again.
Status Parser::within_depth() const {
    if (depth_ > 2 * limits::kQueryDepthMax) return too_deep();
    return {};
}

}  // namespace orrery::sql
