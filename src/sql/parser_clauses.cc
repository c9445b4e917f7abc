#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.h"
#include "model/limits.h"
#include "sql/errors.h"
#include "sql/literal.h"
#include "sql/parser_state.h"

namespace orrery::sql {

namespace limits = model::limits;

namespace {

// Words of other SQL dialects that are not accepted as an alias without AS: FROM c INNER JOIN d,
// WHERE c.a IS NULL.
constexpr std::array<std::string_view, 10> kNoAliases = {
    "cross", "for", "having", "inner", "is", "let", "on", "outer", "over", "set"};

// A number without fraction or exponent.
std::optional<std::uint64_t> whole_number(std::string_view digits) {
    if (digits.find_first_of(".eE") != std::string_view::npos && digits.find_first_of("xX") != 1) {
        return std::nullopt;
    }
    const json::Number number = number_value(digits);
    // A number beyond 64 bits exceeds every limit on counts as well.
    return number.is_integer() ? static_cast<std::uint64_t>(number.integer()) : UINT64_MAX;
}

}  // namespace

Result<Parser::ParsedQuery> Parser::query() {
    const Descent descent(*this);
    TRY(within_depth());
    auto query = std::make_shared<ast::Query>();
    const Location start = token_.location;
    TRY(expect(TokenKind::kSelect));
    std::size_t height = TRY(select_clause(query->select));
    const auto deepen = [&](std::size_t below) { height = std::max(height, below); };
    if (take(TokenKind::kFrom)) deepen(TRY(from_clause(*query)));
    if (take(TokenKind::kWhere)) {
        Parsed where = TRY(expression());
        query->where = std::move(where.expression);
        deepen(where.height);
    }
    if (take(TokenKind::kGroup)) deepen(TRY(group_by_clause(*query)));
    if (at(TokenKind::kOrder)) deepen(TRY(order_by_clause(*query)));
    if (at(TokenKind::kOffset)) TRY(offset_limit_clause(*query));
    query->location = since(start);
    return ParsedQuery{std::move(query), height};
}

Result<std::size_t> Parser::select_clause(ast::Select& select) {
    select.distinct = take(TokenKind::kDistinct);
    if (at(TokenKind::kTop)) {
        const Location start = advance().location;
        select.top = TRY(top_count());
        select.top_location = since(start);
    }
    const Location start = token_.location;
    std::size_t height = 0;
    if (take(TokenKind::kStar)) {
        select.kind = ast::SelectKind::kStar;
    } else if (take(TokenKind::kValue)) {
        select.kind = ast::SelectKind::kValue;
        Parsed value = TRY(expression());
        select.items.push_back({std::move(value.expression), std::nullopt});
        height = value.height;
    } else {
        select.kind = ast::SelectKind::kList;
        height = TRY(select_list(select));
    }
    select.location = since(start);
    return height;
}

Result<std::size_t> Parser::select_list(ast::Select& select) {
    std::size_t height = 0;
    do {
        Parsed item = TRY(expression());
        // Evaluated first: GCC 12 leaks the other member when TRY returns from inside the braces.
        std::optional<ast::Name> alias = TRY(optional_alias());
        select.items.push_back({std::move(item.expression), std::move(alias)});
        height = std::max(height, item.height);
    } while (take(TokenKind::kComma));
    return height;
}

Result<std::size_t> Parser::from_clause(ast::Query& query) {
    std::size_t height = 0;
    do {
        height = std::max(height, TRY(source(query.from.emplace_back())));
    } while (take(TokenKind::kJoin));
    joins_ = std::max(joins_, query.from.size() - 1);
    return height;
}

Result<std::size_t> Parser::source(ast::Source& source) {
    const Location start = token_.location;
    source.iterates = at(TokenKind::kIdentifier) && next_at(TokenKind::kIn);
    if (source.iterates) {
        source.alias = TRY(name());
        advance();
    }
    const std::size_t height = TRY(collection(source));
    if (!source.iterates) source.alias = TRY(optional_alias());
    source.location = since(start);
    return height;
}

Result<std::size_t> Parser::collection(ast::Source& source) {
    if (take(TokenKind::kLeftParen)) {
        ParsedQuery parsed = TRY(query());
        TRY(expect(TokenKind::kRightParen));
        if (parsed.height >= limits::kQueryDepthMax) return too_deep();
        source.subquery = std::move(parsed.query);
        return parsed.height + 1;
    }
    source.root = TRY(name());
    while (at(TokenKind::kDot) || at(TokenKind::kLeftBracket)) {
        source.path.push_back(TRY(path_step()));
    }
    return std::size_t{1};
}

Result<ast::PathStep> Parser::path_step() {
    if (advance().kind == TokenKind::kDot) {
        ast::Name step = TRY(name());
        return ast::PathStep(std::move(step.text));
    }
    ast::PathStep step;
    if (at(TokenKind::kString)) {
        step = string_value(token_.text).value();
    } else if (at(TokenKind::kNumber) && whole_number(token_.text)) {
        step = whole_number(token_.text).value();
    } else {
        return unexpected();
    }
    advance();
    TRY(expect(TokenKind::kRightBracket));
    return step;
}

Result<std::size_t> Parser::group_by_clause(ast::Query& query) {
    TRY(expect(TokenKind::kBy));
    std::size_t height = 0;
    do {
        Parsed key = TRY(expression());
        query.group_by.push_back(std::move(key.expression));
        height = std::max(height, key.height);
    } while (take(TokenKind::kComma));
    return height;
}

Result<std::size_t> Parser::order_by_clause(ast::Query& query) {
    const Location start = advance().location;
    TRY(expect(TokenKind::kBy));
    // RANK is an ordinary name unless a function follows it.
    query.order_by_rank = at_word("RANK") && next_at(TokenKind::kIdentifier);
    if (query.order_by_rank) advance();
    std::size_t height = 0;
    do {
        height = std::max(height, TRY(order_item(query)));
    } while (take(TokenKind::kComma));
    query.order_by_location = since(start);
    return height;
}

Result<std::size_t> Parser::order_item(ast::Query& query) {
    using Written = ast::OrderItem::Written;
    Parsed key = TRY(query.order_by_rank ? score() : expression());
    Written written = Written::kNothing;
    if (take(TokenKind::kAsc)) {
        written = Written::kAscending;
    } else if (take(TokenKind::kDesc)) {
        written = Written::kDescending;
    }
    query.order_by.push_back({std::move(key.expression), written});
    return key.height;
}

// ORDER BY RANK takes function calls only.
Result<Parser::Parsed> Parser::score() {
    if (!at(TokenKind::kIdentifier) || !next_at(TokenKind::kLeftParen)) return unexpected();
    return call(false);
}

Status Parser::offset_limit_clause(ast::Query& query) {
    const Location start = advance().location;
    ast::OffsetLimit clause;
    clause.offset = TRY(offset_or_limit_count(CountClause::kOffset));
    TRY(expect(TokenKind::kLimit));
    clause.limit = TRY(offset_or_limit_count(CountClause::kLimit));
    clause.location = since(start);
    query.offset_limit = std::move(clause);
    return {};
}

Result<ast::Count> Parser::top_count() {
    const Location location = token_.location;
    if (at(TokenKind::kParameter)) {
        return ast::Count{ast::Parameter{std::string(advance().text)}, location};
    }
    const Token number = TRY(expect(TokenKind::kNumber));
    const auto count = whole_number(number.text);
    if (!count || *count > limits::kQueryCountMax) {
        return query_error(
            "SC2060", "The count value provided for a TOP clause must be an integer.", location);
    }
    return ast::Count{*count, location};
}

Result<ast::Count> Parser::offset_or_limit_count(CountClause clause) {
    const Location location = token_.location;
    if (at(TokenKind::kParameter)) {
        return ast::Count{ast::Parameter{std::string(advance().text)}, location};
    }
    if (!at(TokenKind::kNumber) || !whole_number(token_.text)) return unexpected();
    const std::uint64_t count = whole_number(advance().text).value();
    if (count <= limits::kQueryCountMax) return ast::Count{count, location};
    return count_error(clause, location);
}

Result<std::optional<ast::Name>> Parser::optional_alias() {
    std::optional<ast::Name> alias;
    const bool as = take(TokenKind::kAs);
    const bool foreign = std::any_of(kNoAliases.begin(), kNoAliases.end(), [&](auto word) {
        return same_word(word, token_.text);
    });
    if (as || (at(TokenKind::kIdentifier) && !foreign)) alias = TRY(name());
    return alias;
}

Result<ast::Name> Parser::name() {
    const Token token = TRY(expect(TokenKind::kIdentifier));
    return ast::Name{std::string(token.text), token.location};
}

}  // namespace orrery::sql
