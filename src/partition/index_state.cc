#include "partition/index_state.h"

#include "base/bytes.h"

namespace orrery::partition {

namespace {

constexpr char kStateFormat = 1;  // On disk. A new layout gets a new number.

Error damaged_state() { return Error(ErrorCode::kCorrupted, "the state of an index is damaged"); }

void append(std::string& out, const GenerationRecord& generation) {
    out += static_cast<char>(generation.number);
    append_varint(out, generation.policy.size());
    out.append(generation.policy);
}

GenerationRecord take_generation(ByteReader& reader) {
    GenerationRecord generation;
    generation.number = reader.big_endian<GenerationNumber>();
    generation.policy = reader.take(reader.varint());
    return generation;
}

}  // namespace

std::string IndexStateRecord::encode() const {
    std::string out(1, kStateFormat);
    append(out, active);
    out += static_cast<char>(building ? 1 : 0);
    if (building) {
        append(out, building->generation);
        append_big_endian(out, building->until);
        append_big_endian(out, building->items);
    }
    for (const GenerationNumber number : removing) {
        out += static_cast<char>(number);
    }
    return out;
}

Result<IndexStateRecord> IndexStateRecord::decode(std::string_view bytes) {
    ByteReader reader(bytes);
    IndexStateRecord state;
    if (reader.take(1) != std::string_view(&kStateFormat, 1)) return damaged_state();
    state.active = take_generation(reader);
    if (reader.big_endian<std::uint8_t>() != 0) {
        BuildingRecord& building = state.building.emplace();
        building.generation = take_generation(reader);
        building.until = reader.big_endian<Docnum>();
        building.items = reader.big_endian<std::uint64_t>();
    }
    for (const char number : reader.rest()) {
        state.removing.push_back(static_cast<GenerationNumber>(number));
    }
    if (!reader.ok()) return damaged_state();
    return state;
}

std::string IndexPosition::encode() const {
    std::string out;
    append_big_endian(out, next);
    append_big_endian(out, items);
    return out;
}

Result<IndexPosition> IndexPosition::decode(std::string_view bytes) {
    ByteReader reader(bytes);
    IndexPosition position;
    position.next = reader.big_endian<Docnum>();
    position.items = reader.big_endian<std::uint64_t>();
    if (!reader.ok() || !reader.rest().empty()) return damaged_state();
    return position;
}

Result<std::optional<IndexStateRecord>> read_index_state(const storage::Reader& store) {
    std::string bytes;
    if (!TRY(store.get(index_state_key(), bytes))) return std::optional<IndexStateRecord>();
    return std::optional(TRY(IndexStateRecord::decode(bytes)));
}

Result<IndexPosition> read_index_position(const storage::Reader& store) {
    std::string bytes;
    if (!TRY(store.get(index_position_key(), bytes))) return IndexPosition{};
    return IndexPosition::decode(bytes);
}

}  // namespace orrery::partition
