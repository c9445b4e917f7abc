// The parts of a HybridRow: the columns of its schema and their values. Only flat schemas with the
// column types of the batch schemas are supported; other scalar types can only be skipped. Facts
// are from Microsoft's published source (github.com/microsoft/HybridRow, 1.1.0).
//
// A row, all numbers little endian, "varuint" being LEB128:
//   81                          version
//   70 54 e1 7f                 schema id
//   43                          one bit per fixed or variable column, lowest first: set if present
//   00 00 00 00  02 00 00 00    fixed columns; an absent one takes its space as well
//   0a 7b 22 …                  variable columns that are present: varuint length, bytes
//   14 09 04 22 …               sparse columns that are present, in any order: type code, varuint
//                               path token, value
// The path token of a column is its position in the schema, from 1; 0 is the empty path. A path
// that is not in the schema is the varuint (columns + 1 + its length), then its bytes.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

namespace orrery::hybridrow {

inline constexpr unsigned char kVersion = 0x81;

enum class TypeCode : std::uint8_t {
    kNull = 1,
    kFalse = 2,
    kTrue = 3,  // as a column type: boolean
    kInt8 = 5,
    kInt16 = 6,
    kInt32 = 7,
    kInt64 = 8,
    kUInt8 = 9,
    kUInt16 = 10,
    kUInt32 = 11,
    kUInt64 = 12,
    kVarInt = 13,
    kVarUInt = 14,
    kFloat32 = 15,
    kFloat64 = 16,
    kDecimal = 17,
    kDateTime = 18,
    kGuid = 19,
    kUtf8 = 20,
    kBinary = 21,
    kFloat128 = 22,
    kUnixDateTime = 23,
    kMongoDbObjectId = 24,
};

enum class StorageKind : std::uint8_t { kFixed, kVariable, kSparse };

struct Column {
    std::string_view path;
    TypeCode type;  // kTrue, kInt32, kUInt32, kFloat64, kUtf8, kBinary; fixed ones only kInt32
    StorageKind storage;
};

// Columns come fixed first, then variable, then sparse. All may be absent.
struct Schema {
    std::uint32_t id;
    std::span<const Column> columns;
};

inline constexpr std::size_t kColumnsMax = 12;
inline constexpr std::size_t kPresenceBitsMax = 8;  // the batch schemas need one byte

constexpr std::size_t presence_bits(const Schema& schema) {
    std::size_t bits = 0;
    for (const Column& column : schema.columns) {
        bits += column.storage != StorageKind::kSparse;
    }
    return bits;
}

// monostate when absent. Text and binary point into the input, or into the data to be written.
using Value =
    std::variant<std::monostate, bool, std::int32_t, std::uint32_t, double, std::string_view>;

// One value for each column of the schema.
using Row = std::array<Value, kColumnsMax>;

inline bool is_present(const Value& value) {
    return !std::holds_alternative<std::monostate>(value);
}

}  // namespace orrery::hybridrow
