#include "sql/functions/value_set.h"

#include <algorithm>
#include <bit>

#include "base/hash.h"
#include "sql/functions/room.h"

namespace orrery::sql {

namespace {

// With evenly spread hashes a search takes two or three steps.
constexpr std::uint64_t kStepsPerValue = 256;

std::uint64_t mix(std::uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

std::uint64_t hash_text(std::string_view text) { return murmur3_x64_128(text, 0).h1; }

// Equal values have equal hashes.
std::uint64_t hash_value(const Value& value, Arena& arena) {
    if (!arena.count()) return 0;
    auto hash = static_cast<std::uint64_t>(value.kind());
    switch (value.kind()) {
        case Kind::kBoolean:
            return mix(hash * 2 + (value.boolean() ? 1 : 0));
        case Kind::kNumber: {
            const json::Number number = value.number();
            return mix(number.is_integer() ? static_cast<std::uint64_t>(number.integer())
                                           : std::bit_cast<std::uint64_t>(number.real()));
        }
        case Kind::kString:
            arena.count_bytes(value.string().size());
            return hash_text(value.string());
        case Kind::kArray:
            for (const Value& element : value.elements(arena)) {
                hash = mix(hash + hash_value(element, arena));
            }
            return hash;
        case Kind::kObject:
            // A sum, because member order does not matter.
            for (const Member& member : value.members(arena)) {
                hash += mix(hash_text(member.name) + mix(hash_value(member.value, arena)));
            }
            return mix(hash);
        default:
            return mix(hash);
    }
}

}  // namespace

std::optional<Value> DeepParser::operator()(const Value& value) {
    if (left_ == 0) {
        refuse_nodes(context_);
        return std::nullopt;
    }
    --left_;
    if (!context_.arena.count()) return std::nullopt;
    if (value.is_array()) return array(value);
    if (value.is_object()) return object(value);
    return value;
}

std::optional<std::vector<Value>> DeepParser::elements(const Value& array) {
    std::vector<Value> out;
    for (const Value& element : array.elements(context_.arena)) {
        if (element.is_undefined()) continue;
        const auto taken = (*this)(element);
        if (!taken) return std::nullopt;
        out.push_back(*taken);
    }
    return out;
}

std::optional<Value> DeepParser::array(const Value& value) {
    const auto from = value.elements(context_.arena);
    const auto room = array_room(from.size(), context_);
    if (!room) return std::nullopt;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto taken = (*this)(from[i]);
        if (!taken) return std::nullopt;
        (*room)[i] = *taken;
    }
    return Value::array(*room);
}

std::optional<Value> DeepParser::object(const Value& value) {
    const auto from = value.members(context_.arena);
    const auto room = object_room(from.size(), context_);
    if (!room) return std::nullopt;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const auto taken = (*this)(from[i].value);
        if (!taken) return std::nullopt;
        (*room)[i] = {from[i].name, *taken};
    }
    return Value::object(*room);
}

ValueSet::ValueSet(std::size_t values_max, FunctionContext& context)
    : context_(context),
      steps_left_(kStepsPerValue * (values_max + 1)),
      slots_(context.arena.array<Slot>(std::bit_ceil(values_max * 2 + 1))) {
    context.arena.count(1 + slots_.size());
    std::fill(slots_.begin(), slots_.end(), Slot());
}

bool ValueSet::insert(const Value& value) {
    const std::uint64_t hash = hash_value(value, context_.arena);
    Slot& slot = slots_[place(value, hash)];
    if (slot.value.is_defined()) return false;
    slot = {value, hash};
    ++size_;
    return true;
}

bool ValueSet::contains(const Value& value) const {
    return slots_[place(value, hash_value(value, context_.arena))].value.is_defined();
}

std::size_t ValueSet::place(const Value& value, std::uint64_t hash) const {
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at].value.is_defined() && context_.arena.count() &&
           (slots_[at].hash != hash || !equal(slots_[at].value, value, context_.arena))) {
        at = (at + 1) & (slots_.size() - 1);
        if (steps_left_ == 0) {
            refuse_nodes(context_);
            break;
        }
        --steps_left_;
    }
    return at;
}

}  // namespace orrery::sql
