// Sets of values by structural equality, for arrays too long to compare each with each.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "model/limits.h"
#include "sql/functions/function.h"

namespace orrery::sql {

// Takes values apart all the way down, so that comparing them often does not read their text
// often. One of these counts what one call of a function takes apart: a value can hold the same
// part many times over, and be far larger than the memory it takes.
class TakeApart {
public:
    explicit TakeApart(FunctionContext& context) : context_(context) {}

    // Nothing when it is too much; context.error is set then.
    std::optional<Value> operator()(const Value& value);
    std::optional<std::vector<Value>> elements(const Value& array);

private:
    std::optional<Value> array(const Value& value);
    std::optional<Value> object(const Value& value);

    FunctionContext& context_;
    std::size_t left_ = model::limits::kFunctionNodesMax;
};

// Holds values that have been taken apart.
class ValueSet {
public:
    ValueSet(std::size_t values_max, FunctionContext& context);

    // True when it was not there before.
    bool insert(const Value& value);
    bool contains(const Value& value) const;
    std::size_t size() const { return size_; }

private:
    struct Slot {
        Value value;  // undefined where there is none
        std::uint64_t hash = 0;
    };

    // Where the value is, or the free place where it would be.
    std::size_t place(const Value& value, std::uint64_t hash) const;

    FunctionContext& context_;
    // Values made up to fall on the same places would take forever to tell apart; the query ends
    // instead.
    mutable std::uint64_t steps_left_;
    std::vector<Slot> slots_;  // a power of two, at least half of them free
    std::size_t size_ = 0;
};

}  // namespace orrery::sql
