#include "sql/aggregates.h"

#include <array>

#include "base/ascii.h"
#include "sql/canonical.h"
#include "sql/operators.h"

namespace orrery::sql {

namespace {

struct Row {
    std::string_view name;
    std::string_view plan;
    AggregateKind kind;
};
constexpr std::array<Row, 8> kRows{{
    {"AVG", "Average", AggregateKind::kAverage},
    {"COUNT", "Count", AggregateKind::kCount},
    {"COUNTIF", "CountIf", AggregateKind::kCountIf},
    {"MAKELIST", "MakeList", AggregateKind::kMakeList},
    {"MAKESET", "MakeSet", AggregateKind::kMakeSet},
    {"MAX", "Max", AggregateKind::kMax},
    {"MIN", "Min", AggregateKind::kMin},
    {"SUM", "Sum", AggregateKind::kSum},
}};

}  // namespace

std::optional<AggregateKind> find_aggregate(std::string_view name) {
    for (const Row& row : kRows) {
        if (same_word(row.name, name)) return row.kind;
    }
    return std::nullopt;
}

std::string_view plan_name(AggregateKind kind) {
    return kRows[static_cast<std::size_t>(kind)].plan;
}

void Accumulator::add(const Value& value, Arena& row, Arena& kept) {
    if (value.is_undefined()) return;
    switch (kind_) {
        case AggregateKind::kCount:
            ++count_;
            return;
        case AggregateKind::kCountIf:
            if (value.is_true()) ++count_;
            return;
        case AggregateKind::kSum:
        case AggregateKind::kAverage:
            return add_number(value);
        case AggregateKind::kMin:
        case AggregateKind::kMax:
            return add_extreme(value, kept);
        case AggregateKind::kMakeList:
        case AggregateKind::kMakeSet:
            return add_to_list(value, row, kept);
    }
}

void Accumulator::add_number(const Value& value) {
    if (!value.is_number()) {
        undefined_ = true;
        return;
    }
    ++count_;
    if (total_.is_undefined()) {
        total_ = value;
        return;
    }
    Arena none;
    total_ = apply_binary(ast::BinaryOperator::kAdd, total_, value, none);
}

// Compares across kinds, too: null < booleans < numbers < strings.
void Accumulator::add_extreme(const Value& value, Arena& kept) {
    if (value.is_array() || value.is_object()) undefined_ = true;
    if (undefined_) return;
    const bool better = total_.is_undefined() ||
                        (kind_ == AggregateKind::kMin ? compare_scalars(value, total_) < 0
                                                      : compare_scalars(value, total_) > 0);
    if (better) total_ = copy(value, kept);
}

void Accumulator::add_to_list(const Value& value, Arena& row, Arena& kept) {
    if (kind_ == AggregateKind::kMakeSet) {
        std::string bytes;
        append_canonical(bytes, value, row);
        if (!seen_.insert(std::move(bytes)).second) return;
    }
    list_.push_back(copy(value, kept));
}

Value Accumulator::result(Arena& arena) const {
    switch (kind_) {
        case AggregateKind::kCount:
        case AggregateKind::kCountIf:
            return Value::number(count_);
        case AggregateKind::kSum:
            if (undefined_) return Value::undefined();
            return total_.is_undefined() ? Value::number(0) : total_;
        case AggregateKind::kAverage:
            if (undefined_ || count_ == 0) return Value::undefined();
            return Value::number(total_.number().real() / static_cast<double>(count_));
        case AggregateKind::kMin:
        case AggregateKind::kMax:
            return undefined_ ? Value::undefined() : total_;
        case AggregateKind::kMakeList:
        case AggregateKind::kMakeSet: {
            const auto out = arena.array<Value>(list_.size());
            std::copy(list_.begin(), list_.end(), out.begin());
            return Value::array(out);
        }
    }
    return Value::undefined();
}

}  // namespace orrery::sql
