#include "hybridrow/row_writer.h"

#include <bit>

#include "base/bytes.h"
#include "base/check.h"

namespace orrery::hybridrow {
namespace {

void append_value(std::string& out, TypeCode type, const Value& value) {
    switch (type) {
        case TypeCode::kTrue:
            break;  // The type code is the value.
        case TypeCode::kInt32:
            append_little_endian(out, static_cast<std::uint32_t>(std::get<std::int32_t>(value)));
            break;
        case TypeCode::kUInt32:
            append_little_endian(out, std::get<std::uint32_t>(value));
            break;
        case TypeCode::kFloat64:
            append_little_endian(out, std::bit_cast<std::uint64_t>(std::get<double>(value)));
            break;
        case TypeCode::kUtf8:
        case TypeCode::kBinary: {
            const auto bytes = std::get<std::string_view>(value);
            append_varint(out, bytes.size());
            out += bytes;
            break;
        }
        default:
            CHECK(false);
    }
}

void append_schematized(std::string& out, const Schema& schema, const Row& row) {
    unsigned present = 0;
    for (std::size_t i = 0; i < presence_bits(schema); ++i) {
        present |= static_cast<unsigned>(is_present(row[i])) << i;
    }
    out += static_cast<char>(present);
    for (std::size_t i = 0; i < presence_bits(schema); ++i) {
        const Column& column = schema.columns[i];
        if (is_present(row[i])) {
            append_value(out, column.type, row[i]);
        } else if (column.storage == StorageKind::kFixed) {
            append_value(out, column.type, std::int32_t{0});
        }
    }
}

}  // namespace

void append_row(std::string& out, const Schema& schema, const Row& row) {
    out += static_cast<char>(kVersion);
    append_little_endian(out, schema.id);
    append_schematized(out, schema, row);
    for (std::size_t i = presence_bits(schema); i < schema.columns.size(); ++i) {
        if (!is_present(row[i])) continue;
        const TypeCode type = schema.columns[i].type;
        const bool is_false = type == TypeCode::kTrue && !std::get<bool>(row[i]);
        out += static_cast<char>(is_false ? TypeCode::kFalse : type);
        append_varint(out, i + 1);
        append_value(out, type, row[i]);
    }
}

}  // namespace orrery::hybridrow
