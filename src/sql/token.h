// The words of the query language. A token points into the query text.

#pragma once

#include <cstdint>
#include <string_view>

#include "sql/ast.h"

namespace orrery::sql {

enum class TokenKind : std::uint8_t {
    kEnd,
    kInvalid,    // a character the language does not know
    kBadString,  // not closed, or with an escape that means nothing
    kIdentifier,
    kParameter,  // with the @
    kNumber,
    kString,  // with its quotes and escapes

    kLeftParen,
    kRightParen,
    kLeftBracket,
    kRightBracket,
    kLeftBrace,
    kRightBrace,
    kDot,
    kComma,
    kColon,
    kQuestion,
    kCoalesce,
    kStar,
    kPlus,
    kMinus,
    kSlash,
    kPercent,
    kTilde,
    kAmpersand,
    kPipe,
    kCaret,
    kConcat,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kShiftLeft,
    kShiftRight,
    kShiftRightUnsigned,

    // Reserved words. ALL, FIRST, LAST, RANK and EXPLAIN are none: they mean something in some
    // places only and are identifiers everywhere else.
    kAnd,
    kArray,
    kAs,
    kAsc,
    kBetween,
    kBy,
    kDesc,
    kDistinct,
    kEscape,
    kExists,
    kFalse,
    kFrom,
    kGroup,
    kIn,
    kJoin,
    kLeft,
    kLike,
    kLimit,
    kNot,
    kNull,
    kOffset,
    kOr,
    kOrder,
    kRight,
    kSelect,
    kTop,
    kTrue,
    kUdf,
    kUndefined,
    kValue,
    kWhere,
};

struct Token {
    TokenKind kind = TokenKind::kEnd;
    std::string_view text;
    Location location;
};

}  // namespace orrery::sql
