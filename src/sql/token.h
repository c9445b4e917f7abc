// The tokens of the query language. A token points into the query text.

#pragma once

#include <cstdint>
#include <string_view>

#include "sql/ast.h"

namespace orrery::sql {

enum class TokenKind : std::uint8_t {
    kEnd,
    kInvalid,    // a character that the language does not use
    kBadString,  // unclosed, or with an invalid escape
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

    // Reserved words. ALL, FIRST, LAST, RANK and EXPLAIN are not reserved: they are keywords only
    // in some places and identifiers everywhere else.
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
