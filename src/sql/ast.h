// A query as written: made by the parser, read by the binder and the query planner. Trees are
// immutable and shared, so a rewritten query reuses the parts it keeps. Every node can be printed
// (sql/printer.h).

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orrery::sql {

// Offsets into the query text in UTF-16 code units, as .NET clients count characters. The end is
// exclusive.
struct Location {
    std::uint32_t start = 0;
    std::uint32_t end = 0;

    bool operator==(const Location&) const = default;
};

namespace ast {

struct Expression;
struct Query;
using ExpressionPtr = std::shared_ptr<const Expression>;
using QueryPtr = std::shared_ptr<const Query>;

// A name and its location, for error messages.
struct Name {
    std::string text;
    Location location;
};

struct Undefined {};
struct Null {};
struct Boolean {
    bool value = false;
};
// As written ("0x1F", ".5", "NaN"); see sql/literal.h for its value.
struct Number {
    std::string digits;
};
struct String {
    std::string value;  // UTF-8, escapes resolved
};
struct Parameter {
    std::string name;  // with the @
};
struct Identifier {
    std::string name;
};
// base.name and base["name"] are the same once parsed.
struct Member {
    ExpressionPtr base;
    std::string name;
    bool dotted = true;  // how it was written, which the printer keeps
};
// base[index] for everything but a string literal.
struct Subscript {
    ExpressionPtr base;
    ExpressionPtr index;
};

enum class UnaryOperator : std::uint8_t { kMinus, kPlus, kBitNot, kNot };
struct Unary {
    UnaryOperator op = UnaryOperator::kNot;
    ExpressionPtr operand;
};

enum class BinaryOperator : std::uint8_t {
    kConcat,
    kBitOr,
    kBitXor,
    kBitAnd,
    kEqual,
    kNotEqual,
    kLess,
    kLessOrEqual,
    kGreater,
    kGreaterOrEqual,
    kShiftLeft,
    kShiftRight,
    kShiftRightUnsigned,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kModulo,
    kCoalesce,
};
struct Binary {
    BinaryOperator op = BinaryOperator::kEqual;
    ExpressionPtr left;
    ExpressionPtr right;
};

// A chain of ANDs or ORs is one node, so that thousands of terms do not make a deep tree. It means,
// and prints as, ((a AND b) AND c).
struct Logical {
    bool is_and = true;
    std::vector<ExpressionPtr> terms;
};

struct Conditional {
    ExpressionPtr condition;
    ExpressionPtr then;
    ExpressionPtr otherwise;
};
struct In {
    ExpressionPtr needle;
    std::vector<ExpressionPtr> list;
    bool negated = false;
};
struct Between {
    ExpressionPtr operand;
    ExpressionPtr low;
    ExpressionPtr high;
    bool negated = false;
};
struct Like {
    ExpressionPtr operand;
    ExpressionPtr pattern;
    std::optional<std::string> escape;
    bool negated = false;
};
struct Call {
    std::string name;  // the user's spelling
    bool udf = false;
    std::vector<ExpressionPtr> arguments;
};
struct Array {
    std::vector<ExpressionPtr> elements;
};
struct Property {
    Name name;
    ExpressionPtr value;
};
struct Object {
    std::vector<Property> properties;
};

enum class SubqueryKind : std::uint8_t { kScalar, kExists, kArray, kAll, kFirst, kLast };
struct Subquery {
    SubqueryKind kind = SubqueryKind::kScalar;
    QueryPtr query;
};
// Text that is only printed: a placeholder that an SDK fills in.
struct Verbatim {
    std::string text;
};

struct Expression {
    std::variant<Undefined,
                 Null,
                 Boolean,
                 Number,
                 String,
                 Parameter,
                 Identifier,
                 Member,
                 Subscript,
                 Unary,
                 Binary,
                 Logical,
                 Conditional,
                 In,
                 Between,
                 Like,
                 Call,
                 Array,
                 Object,
                 Subquery,
                 Verbatim>
        node;
    Location location;
};

// The argument of TOP, OFFSET or LIMIT: a count or a parameter.
struct Count {
    std::variant<std::uint64_t, Parameter> value;
    Location location;
};

struct SelectItem {
    ExpressionPtr expression;
    std::optional<Name> alias;
};

enum class SelectKind : std::uint8_t { kStar, kValue, kList };
struct Select {
    bool distinct = false;
    std::optional<Count> top;
    Location top_location;  // of TOP and its count
    SelectKind kind = SelectKind::kStar;
    std::vector<SelectItem> items;  // one for kValue, none for kStar
    Location location;              // of what is selected: the star, the expressions
};

// A step of a path in FROM: .name, ["name"] or [3].
using PathStep = std::variant<std::string, std::uint64_t>;

// A collection: a container or alias and a path into it, or a subquery. `x IN path` iterates the
// array, `path AS x` binds the value.
struct Source {
    Name root;  // unused for a subquery
    std::vector<PathStep> path;
    QueryPtr subquery;
    std::optional<Name> alias;  // as written; see source_alias() for the effective one
    bool iterates = false;
    Location location;
};

struct OrderItem {
    ExpressionPtr expression;
    enum class Written : std::uint8_t {
        kNothing,
        kAscending,
        kDescending
    } written = Written::kNothing;

    bool descending() const { return written == Written::kDescending; }
};

struct OffsetLimit {
    Count offset;
    Count limit;
    Location location;
};

struct Query {
    Select select;
    std::vector<Source> from;  // the first is FROM's, the others JOINs; empty without FROM
    ExpressionPtr where;
    std::vector<ExpressionPtr> group_by;
    std::vector<OrderItem> order_by;
    bool order_by_rank = false;
    Location order_by_location;
    std::optional<OffsetLimit> offset_limit;
    bool explain = false;  // EXPLAIN SELECT …, an Orrery extension
    Location location;
};

// The name that rows of the source go by: the alias, or else the last name of the path; nothing for
// an unnamed subquery.
std::optional<std::string> source_alias(const Source& source);

// Calls `see` for each expression directly inside this one; subqueries are not entered.
void for_each_child(const Expression& expression,
                    const std::function<void(const Expression&)>& see);

template <typename Node>
ExpressionPtr make(Node node, Location location = {}) {
    return std::make_shared<const Expression>(Expression{std::move(node), location});
}

}  // namespace ast
}  // namespace orrery::sql
