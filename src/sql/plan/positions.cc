#include "sql/plan/positions.h"

#include "base/bytes.h"
#include "base/hash.h"

namespace orrery::sql {

Error bad_position() { return Error(ErrorCode::kBadRequest, "Invalid Continuation Token"); }

std::optional<ItemOrder> order_of(std::string_view position) {
    if (position.empty()) return std::nullopt;
    switch (position.front()) {
        case 'v':
            return ItemOrder::kValue;
        case 'o':
        case 'l':
            return ItemOrder::kKeys;
        default:
            return ItemOrder::kNumber;
    }
}

std::string number_position(ItemNumber number) {
    std::string out = "n";
    append_big_endian(out, number);
    return out;
}

Result<ItemNumber> number_of_position(std::string_view position) {
    if (position.empty()) return ItemNumber{0};
    ByteReader reader(position.substr(1));
    const auto number = reader.big_endian<ItemNumber>();
    if (position.front() != 'n' || !reader.ok()) return bad_position();
    return number;
}

std::string value_position(const ValuePosition& position) {
    std::string out = "v";
    append_varint(out, position.part);
    append_big_endian(out, position.number);
    return out + position.value;
}

Result<std::optional<ValuePosition>> parse_value_position(std::string_view position) {
    if (position.empty()) return std::optional<ValuePosition>();
    ByteReader reader(position.substr(1));
    ValuePosition out;
    out.part = reader.varint();
    out.number = reader.big_endian<ItemNumber>();
    out.value = reader.rest();
    if (position.front() != 'v' || !reader.ok()) return bad_position();
    return std::optional(std::move(out));
}

std::uint64_t key_hash(std::string_view key) { return murmur3_x64_128(key, 0).h1; }

std::string key_position(const KeyedItem& at, const KeyedItem& before) {
    if (at.key.size() <= kPositionBytesMax) return "o" + std::string(at.key);
    std::string out = "l";
    for (const KeyedItem& item : {at, before}) {
        append_big_endian(out, item.number);
        append_big_endian(out, key_hash(item.key));
    }
    out.append(at.key.substr(0, kPositionBytesMax));
    return out;
}

Result<KeyPosition> parse_key_position(std::string_view position) {
    if (position.empty()) return KeyPosition{};
    if (position.front() == 'o') return KeyPosition{std::string(position.substr(1)), std::nullopt};
    ByteReader reader(position.substr(1));
    KeyPosition::Neighbours items;
    for (KeyPosition::Neighbour* item : {&items.at, &items.before}) {
        item->number = reader.big_endian<ItemNumber>();
        item->key_hash = reader.big_endian<std::uint64_t>();
    }
    if (position.front() != 'l' || !reader.ok()) return bad_position();
    return KeyPosition{std::string(reader.rest()), items};
}

}  // namespace orrery::sql
