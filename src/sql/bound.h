// A query after binding: names are resolved to places, parameters and constant parts to values,
// forms such as BETWEEN to simpler ones. The planner reads it, the evaluator runs it.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

#include "sql/aggregates.h"
#include "sql/ast.h"
#include "sql/functions/function.h"
#include "sql/like.h"
#include "sql/value.h"

namespace orrery::sql {

struct BoundQuery;
struct BoundExpression;
using BoundPtr = std::unique_ptr<BoundExpression>;

// A path from the item's root: names and positions in arrays.
using ItemPath = std::vector<ast::PathStep>;

enum class Op : std::uint8_t {
    kConstant,     // constant
    kPath,         // the value at paths[number] of the item
    kVariable,     // the row's variable `number`
    kMember,       // operands[0].name
    kElement,      // operands[0][number]
    kUnary,        // unary
    kBinary,       // binary, not ??
    kCoalesce,     // operands[0] ?? operands[1]
    kAnd,          // all operands
    kOr,           // all operands
    kConditional,  // operands[0] ? [1] : [2]
    kIn,           // operands[0] IN the others
    kInConstants,  // operands[0] IN set
    kLike,         // operands[0] LIKE operands[1], or the compiled pattern
    kCall,         // function
    kUdf,          // the UDF that UdfCaller knows as `number`
    kArray,        // operands
    kObject,       // names, operands
    kSubquery,     // query, subquery
    kAggregate,    // result `number` of the group
    kGroupKey,     // key `number` of the group
    kItemNumber,   // DOCUMENTID
};

struct BoundExpression {
    Op op = Op::kConstant;
    Value constant;
    std::uint64_t number = 0;
    std::string name;
    ast::UnaryOperator unary = ast::UnaryOperator::kNot;
    ast::BinaryOperator binary = ast::BinaryOperator::kEqual;
    const Function* function = nullptr;
    std::vector<BoundPtr> operands;
    std::vector<std::string> names;
    std::optional<LikePattern> pattern;
    std::optional<char32_t> escape;
    std::shared_ptr<const std::unordered_set<std::string>> set;  // sql/canonical.h
    std::unique_ptr<BoundQuery> query;
    ast::SubqueryKind subquery = ast::SubqueryKind::kScalar;
    // Cached by the function from its constant arguments; used only by the evaluating thread.
    mutable std::shared_ptr<void> state;

    // For a filter: how many of its query's sources must be bound before it can be evaluated.
    std::size_t level = 0;
};

// One source of rows, in the order of FROM and JOIN. It sets one variable.
struct BoundSource {
    enum class Kind : std::uint8_t {
        kExpression,   // the value, once, if it is defined
        kElements,     // each element of the array
        kRows,         // each row of the subquery
        kRowElements,  // each element of each row that is an array
    };
    Kind kind = Kind::kExpression;
    std::uint32_t variable = 0;
    BoundPtr expression;                // for the first two
    std::unique_ptr<BoundQuery> query;  // for the others
    // The path, if the expression is a path of the item: an index may have entries for it.
    std::optional<ItemPath> path;
};

struct BoundAggregate {
    AggregateKind kind = AggregateKind::kCount;
    BoundPtr argument;
};

struct BoundOrder {
    BoundPtr expression;
    bool descending = false;
    std::optional<ItemPath> path;  // nothing when groups are ordered
    std::string text;              // as written, for messages
};

struct BoundQuery {
    // Whether its rows come from the items of the container. False for SELECT without FROM, and for
    // subqueries, which see only the current item of their query.
    bool over_items = false;
    // A FROM subquery that needs all items before its first row; its rows are the values of the
    // variable of sources[0].
    std::unique_ptr<BoundQuery> derived;
    std::vector<BoundSource> sources;
    std::vector<BoundPtr> filters;  // all must be true; ordered by level

    bool grouped = false;
    std::vector<BoundPtr> group_keys;
    std::vector<BoundAggregate> aggregates;

    bool select_value = false;
    BoundPtr output;
    bool distinct = false;
    std::vector<BoundOrder> order_by;
    std::optional<std::uint64_t> top;
    std::optional<std::uint64_t> offset;
    std::optional<std::uint64_t> limit;
};

// Calls `see` for the expression and everything in it, subqueries included.
void visit(const BoundExpression& expression,
           const std::function<void(const BoundExpression&)>& see);

// Whether a UDF is called anywhere in it.
bool calls_udf(const BoundExpression& expression);

// Whether it gives the same result each time it is evaluated on the same row.
bool is_deterministic(const BoundExpression& expression);

// How many of these sources, counted from the first, the expression needs.
std::size_t sources_needed(const BoundExpression& expression,
                           const std::vector<BoundSource>& sources);

// A query ready to be planned, with everything its values point to.
struct Prepared {
    std::unique_ptr<Arena> constants;
    BoundQuery query;
    std::vector<ItemPath> paths;  // that kPath refers to
    std::uint32_t variables = 0;
};

}  // namespace orrery::sql
