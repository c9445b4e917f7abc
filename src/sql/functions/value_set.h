// Sets of values by structural equality, for arrays too long to compare pairwise.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/limits.h"
#include "sql/functions/function.h"

namespace orrery::sql {

// Parses values completely, so that comparing them repeatedly does not parse their text each time.
// One instance counts what one function call parses: a value can contain the same part many times
// over and be far larger than the memory it takes.
class DeepParser {
public:
    explicit DeepParser(FunctionContext& context) : context_(context) {}

    // Nothing when it is too much: context.error is then set, or the budget is used up.
    std::optional<Value> operator()(const Value& value);
    std::optional<std::vector<Value>> elements(const Value& array);

private:
    std::optional<Value> array(const Value& value);
    std::optional<Value> object(const Value& value);

    FunctionContext& context_;
    std::size_t left_ = model::limits::kFunctionNodesMax;
};

// Holds completely parsed values.
class ValueSet {
public:
    ValueSet(std::size_t values_max, FunctionContext& context);

    // True when it was not in the set before.
    bool insert(const Value& value);
    bool contains(const Value& value) const;
    std::size_t size() const { return size_; }

private:
    struct Slot {
        Value value;  // undefined: empty slot
        std::uint64_t hash = 0;
    };

    // The slot of the value, or the free slot where it would go.
    std::size_t place(const Value& value, std::uint64_t hash) const;

    FunctionContext& context_;
    // Values crafted to collide would take forever to compare; the query ends instead.
    mutable std::uint64_t steps_left_;
    std::span<Slot> slots_;  // size is a power of two, at least half are free
    std::size_t size_ = 0;
};

}  // namespace orrery::sql
