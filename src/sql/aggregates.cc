#include "sql/aggregates.h"

#include <array>
#include <bit>

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

constexpr char kInteger = 'i';
constexpr char kReal = 'r';

void append_exactly(std::string& out, const json::Number& number) {
    out += number.is_integer() ? kInteger : kReal;
    append_big_endian(out,
                      number.is_integer() ? static_cast<std::uint64_t>(number.integer())
                                          : std::bit_cast<std::uint64_t>(number.real()));
}

json::Number take_exactly(ByteReader& reader) {
    const bool integer = reader.take(1) == std::string_view(&kInteger, 1);
    const auto bits = reader.big_endian<std::uint64_t>();
    if (integer) return static_cast<std::int64_t>(bits);
    return std::bit_cast<double>(bits);
}

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

void Accumulator::add(const Value& value, std::uint64_t times, Arena& row, Arena& kept) {
    if (value.is_undefined()) return;
    switch (kind_) {
        case AggregateKind::kCount:
            count_ += static_cast<std::int64_t>(times);
            return;
        case AggregateKind::kCountIf:
            if (value.is_true()) count_ += static_cast<std::int64_t>(times);
            return;
        case AggregateKind::kSum:
        case AggregateKind::kAverage:
            return add_number(value, times);
        case AggregateKind::kMin:
        case AggregateKind::kMax:
            return add_extreme(value, kept);
        case AggregateKind::kMakeList:
        case AggregateKind::kMakeSet:
            return add_to_list(value, times, row, kept);
    }
}

void Accumulator::add_number(const Value& value, std::uint64_t times) {
    if (!value.is_number()) {
        undefined_ = true;
        return;
    }
    count_ += static_cast<std::int64_t>(times);
    // One by one: a product would be rounded differently.
    for (; times > 0; --times) {
        total_ = total_.is_undefined() ? value : sum(total_.number(), value.number());
    }
}

// Compares across kinds, too: null < booleans < numbers < strings.
void Accumulator::add_extreme(const Value& value, Arena& kept) {
    if (value.is_array() || value.is_object()) undefined_ = true;
    if (undefined_) return;
    if (value.is_string()) kept.count_bytes(value.string().size());
    const bool better = total_.is_undefined() ||
                        (kind_ == AggregateKind::kMin ? compare_scalars(value, total_) < 0
                                                      : compare_scalars(value, total_) > 0);
    if (better) total_ = copy(value, kept);
}

void Accumulator::add_to_list(const Value& value, std::uint64_t times, Arena& row, Arena& kept) {
    if (kind_ == AggregateKind::kMakeSet) {
        std::string bytes;
        append_canonical(bytes, value, row);
        const std::size_t size = bytes.size();
        if (!seen_.insert(std::move(bytes)).second) return;
        constexpr std::size_t kEntryBytes = 64;  // of the set, besides the text
        kept.charge(size + kEntryBytes);
        times = 1;
    }
    for (; times > 0; --times) {
        list_.push_back(copy(value, kept));
        kept.charge(sizeof(Value));
    }
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
            arena.count(1 + list_.size());
            const auto out = arena.array<Value>(list_.size());
            std::copy(list_.begin(), list_.end(), out.begin());
            return Value::array(out);
        }
    }
    return Value::undefined();
}

// flags count [kind value]: flag 1 is undefined_, flag 2 a total.
void Accumulator::save(std::string& out) const {
    out += static_cast<char>((undefined_ ? 1 : 0) + (total_.is_defined() ? 2 : 0));
    append_varint(out, static_cast<std::uint64_t>(count_));
    if (total_.is_undefined()) return;
    out += static_cast<char>(total_.kind());
    if (total_.is_boolean()) out += static_cast<char>(total_.boolean());
    if (total_.is_number()) append_exactly(out, total_.number());
    if (total_.is_string()) {
        append_varint(out, total_.string().size());
        out += total_.string();
    }
}

bool Accumulator::restore(ByteReader& saved, Arena& kept) {
    const std::string_view flags = saved.take(1);
    count_ = static_cast<std::int64_t>(saved.varint());
    if (!saved.ok()) return false;
    undefined_ = (flags.front() & 1) != 0;
    if ((flags.front() & 2) == 0) return true;
    const std::string_view kind = saved.take(1);
    if (!saved.ok()) return false;
    switch (static_cast<Kind>(kind.front())) {
        case Kind::kNull:
            total_ = Value::null();
            break;
        case Kind::kBoolean:
            total_ = Value::boolean(saved.take(1) == "\1");
            break;
        case Kind::kNumber:
            total_ = Value::number(take_exactly(saved));
            break;
        case Kind::kString:
            total_ = Value::string(kept.copy(saved.take(saved.varint())));
            break;
        default:
            return false;
    }
    return saved.ok();
}

}  // namespace orrery::sql
