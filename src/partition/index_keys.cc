#include "partition/index_keys.h"

#include "base/bytes.h"
#include "index/value_bounds.h"
#include "model/resource_id.h"

namespace orrery::partition {

namespace {

constexpr char kPathNames = 1;
constexpr char kShapeNames = 2;
constexpr char kUnlisted = 3;

std::string numbered_prefix(char letter, GenerationNumber generation, std::uint64_t number) {
    std::string prefix = index_prefix(letter, generation);
    append_ordered_varint(prefix, number);
    return prefix;
}

std::string name_prefix(GenerationNumber generation, char what) {
    return index_prefix('N', generation) + what;
}

}  // namespace

std::string index_prefix(char letter, GenerationNumber generation) {
    return {letter, static_cast<char>(generation)};
}

std::string term_prefix(GenerationNumber generation, index::PathId path) {
    return numbered_prefix('I', generation, path);
}

std::string composite_prefix(GenerationNumber generation, std::size_t number) {
    return numbered_prefix('C', generation, number);
}

std::string shape_prefix(GenerationNumber generation, index::ShapeId shape) {
    return numbered_prefix('S', generation, shape);
}

std::string path_name_key(GenerationNumber generation, std::string_view encoded_path) {
    return name_prefix(generation, kPathNames).append(encoded_path);
}

std::string shape_name_key(GenerationNumber generation, index::ShapeId shape) {
    std::string key = name_prefix(generation, kShapeNames);
    append_ordered_varint(key, shape);
    return key;
}

std::string unlisted_key(GenerationNumber generation) { return name_prefix(generation, kUnlisted); }

storage::Range path_names_of(GenerationNumber generation) {
    return keys_with(name_prefix(generation, kPathNames));
}

storage::Range shape_names_of(GenerationNumber generation) {
    return keys_with(name_prefix(generation, kShapeNames));
}

storage::Range keys_with(std::string_view prefix) {
    return {.from = std::string(prefix), .until = index::prefix_end(prefix)};
}

std::string index_state_key() { return "MI"; }

std::string index_position_key() { return "MP"; }

void append_index_docnum(std::string& out, Docnum docnum) {
    append_ordered_varint(out, docnum >> model::kItemCounterBits);
    append_ordered_varint(out, docnum & ((Docnum{1} << model::kItemCounterBits) - 1));
}

std::optional<Docnum> index_docnum(std::string_view bytes) {
    ByteReader reader(bytes);
    const Docnum range = reader.ordered_varint();
    const Docnum counter = reader.ordered_varint();
    if (!reader.ok() || !reader.rest().empty()) return std::nullopt;
    return range << model::kItemCounterBits | counter;
}

}  // namespace orrery::partition
