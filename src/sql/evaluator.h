// Evaluates the expressions of one query for its current row. Not thread-safe: one per running
// query and partition.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "sql/arena.h"
#include "sql/bound.h"
#include "sql/budget.h"
#include "sql/udf.h"
#include "sql/value.h"

namespace orrery::sql {

// The environment a query runs in.
struct Surroundings {
    std::int64_t start_ticks = 0;  // 100 ns since 1970
    const Clock* clock = nullptr;
    std::uint64_t random_seed = 0;
    UdfCaller* udfs = nullptr;  // without one, queries that call UDFs are refused
    Budget* budget = nullptr;   // null: unlimited
};

class Evaluator {
public:
    Evaluator(std::uint32_t variables, const Surroundings& surroundings);

    // The row: the item's paths, the variables and, while a group is output, its results.
    std::vector<Value> variables;
    std::span<const Value> paths;
    std::uint64_t item_number = 0;
    std::span<const Value> group_keys;
    std::span<const Value> aggregates;

    Budget& budget() { return budget_; }
    // Values allocated while a row is evaluated live until the caller resets this arena.
    Arena& arena() { return *arena_; }
    // Redirects allocations, for values that must outlive the row.
    Arena* exchange_arena(Arena* other) { return std::exchange(arena_, other); }

    Value evaluate(const BoundExpression& expression);
    bool all_true(std::span<const BoundPtr> conditions);

    // The rows of a subquery for the current row.
    std::span<const Value> rows_of(const BoundQuery& query);

    // The query cannot continue: it has failed (a scalar subquery with two rows, a limit reached)
    // or used up its budget. Values evaluated after that are meaningless.
    bool is_stopped() const { return error_.has_value() || budget_.is_stopped(); }
    // Why it failed, but not that the budget is used up.
    const std::optional<Error>& error() const { return error_; }
    std::optional<Error> take_error() { return std::exchange(error_, std::nullopt); }
    void fail(Error error);
    // Why it is stopped, if it is.
    Status take_status();

private:
    Value call(const BoundExpression& expression);
    Value call_on(const BoundExpression& expression, std::span<const Value> arguments);
    Value call_udf(std::size_t udf, std::span<const Value> arguments, FunctionContext& context);
    Value in(const BoundExpression& expression);
    Value in_constants(const BoundExpression& expression);
    Value like(const BoundExpression& expression);
    Value array(const BoundExpression& expression);
    Value object(const BoundExpression& expression);
    Value subquery(const BoundExpression& expression);
    bool has_row(const BoundQuery& query);
    std::int64_t now_ticks() const;
    double next_random();  // from 0 up to, but not including, 1

    Surroundings surroundings_;
    Budget unlimited_;  // used when the query has none
    Budget& budget_;
    Arena own_;
    Arena* arena_ = &own_;
    std::optional<Error> error_;
    std::optional<std::mt19937_64> random_;  // made for the first RAND: seeding it takes long
    std::string scratch_;
};

}  // namespace orrery::sql
