// The aggregate functions: their names, and how each accumulates the values of a group.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
#include "sql/arena.h"
#include "sql/value.h"

namespace orrery::sql {

enum class AggregateKind : std::uint8_t {
    kAverage,
    kCount,
    kCountIf,
    kMakeList,
    kMakeSet,
    kMax,
    kMin,
    kSum,
};

// By the name in a query, in any case: AVG → kAverage.
std::optional<AggregateKind> find_aggregate(std::string_view name);

// As query plans name it: Average.
std::string_view plan_name(AggregateKind kind);

// Accumulates the values of one group. Values it keeps are copied into the arena `kept`, which also
// counts the other memory it takes.
class Accumulator {
public:
    explicit Accumulator(AggregateKind kind) : kind_(kind) {}

    // Adds the same value `times` times.
    void add(const Value& value, std::uint64_t times, Arena& row, Arena& kept);

    // Undefined where the aggregate has no result (AVG of no values, SUM of a string).
    Value result(Arena& arena) const;

    // What it has accumulated, for a query that continues on another page. MAKELIST and MAKESET
    // cannot be saved.
    bool can_save() const {
        return kind_ != AggregateKind::kMakeList && kind_ != AggregateKind::kMakeSet;
    }
    std::size_t saved_bytes_max() const {
        constexpr std::size_t kFixed = 22;  // flags, count, kind, number
        return kFixed + (total_.is_string() ? total_.string().size() : 0);
    }
    void save(std::string& out) const;
    // False for bytes that save() does not write.
    bool restore(ByteReader& saved, Arena& kept);

private:
    void add_number(const Value& value, std::uint64_t times);
    void add_extreme(const Value& value, Arena& kept);
    void add_to_list(const Value& value, std::uint64_t times, Arena& row, Arena& kept);

    AggregateKind kind_;
    // SUM and AVG saw a value that is not a number, MIN and MAX an array or object.
    bool undefined_ = false;
    std::int64_t count_ = 0;
    Value total_;  // the sum so far, or the smallest or greatest value
    std::vector<Value> list_;
    std::unordered_set<std::string> seen_;
};

}  // namespace orrery::sql
