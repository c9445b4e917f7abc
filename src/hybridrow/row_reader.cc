#include "hybridrow/row_reader.h"

#include <bit>
#include <optional>
#include <string>

#include "base/check.h"
#include "json/text.h"

namespace orrery::hybridrow {
namespace {

Error invalid_field(const Column& column, std::string_view why) {
    return invalid("the field '" + std::string(column.path) + "' " + std::string(why));
}

class RowReader {
public:
    RowReader(std::string_view bytes, const Schema& schema) : in_(bytes), schema_(schema) {}

    Result<Row> read();

private:
    Status read_schematized();
    Status read_sparse();
    Result<Value> read_value(const Column& column);
    std::optional<std::size_t> take_path();
    Status skip(TypeCode type);

    ByteReader in_;
    const Schema& schema_;
    Row row_;
};

Result<Row> RowReader::read() {
    const std::uint32_t schema = TRY(read_header(in_));
    if (schema != schema_.id) {
        return invalid("the row has the schema " + std::to_string(schema) + " instead of " +
                       std::to_string(schema_.id));
    }
    TRY(read_schematized());
    while (!in_.rest().empty()) {
        TRY(read_sparse());
    }
    return row_;
}

Status RowReader::read_schematized() {
    const auto present = in_.little_endian<std::uint8_t>();
    const std::size_t bits = presence_bits(schema_);
    // A bit beyond belongs to an unknown column, so what follows it cannot be located.
    if (present >> bits != 0) return invalid("the row has a column that its schema does not have");
    for (std::size_t i = 0; i < bits; ++i) {
        const Column& column = schema_.columns[i];
        const bool is_here = (present >> i & 1) != 0;
        if (!is_here && column.storage != StorageKind::kFixed) continue;
        const Value value = TRY(read_value(column));
        if (is_here) row_[i] = value;
    }
    return {};
}

Status RowReader::read_sparse() {
    const auto type = static_cast<TypeCode>(in_.little_endian<std::uint8_t>());
    const std::optional<std::size_t> at = take_path();
    if (!in_.ok()) return invalid("the row ends inside the path of a sparse field");
    if (!at) return skip(type);

    const Column& column = schema_.columns[*at];
    if (column.storage != StorageKind::kSparse) return invalid_field(column, "is not sparse");
    if (is_present(row_[*at])) return invalid_field(column, "appears twice");
    if (column.type == TypeCode::kTrue && type == TypeCode::kFalse) {
        row_[*at] = false;
        return {};
    }
    if (type != column.type) return invalid_field(column, "has the wrong type");
    row_[*at] = TRY(read_value(column));
    return {};
}

// Consumes a path and returns its column; nothing when it is not in the schema.
std::optional<std::size_t> RowReader::take_path() {
    const std::size_t count = schema_.columns.size();
    const std::uint64_t token = in_.varint();
    if (token == 0) return std::nullopt;
    if (token <= count) return token - 1;
    const std::string_view path = in_.take(token - count - 1);
    for (std::size_t i = 0; i < count; ++i) {
        if (schema_.columns[i].path == path) return i;
    }
    return std::nullopt;
}

Result<Value> RowReader::read_value(const Column& column) {
    Value value;
    switch (column.type) {
        case TypeCode::kTrue:
            value = true;  // The type code is the value.
            break;
        case TypeCode::kInt32:
            value = static_cast<std::int32_t>(in_.little_endian<std::uint32_t>());
            break;
        case TypeCode::kUInt32:
            value = in_.little_endian<std::uint32_t>();
            break;
        case TypeCode::kFloat64:
            value = std::bit_cast<double>(in_.little_endian<std::uint64_t>());
            break;
        case TypeCode::kUtf8:
        case TypeCode::kBinary: {
            const std::uint64_t length = in_.varint();
            value = in_.take(length);
            break;
        }
        default:
            CHECK(false);
    }
    if (!in_.ok()) return invalid_field(column, "does not end within the row");
    if (column.type == TypeCode::kUtf8 && !json::is_valid_utf8(std::get<std::string_view>(value))) {
        return invalid_field(column, "is not valid UTF-8");
    }
    return value;
}

Status RowReader::skip(TypeCode type) {
    switch (type) {
        case TypeCode::kNull:
        case TypeCode::kFalse:
        case TypeCode::kTrue:
            return {};
        case TypeCode::kInt8:
        case TypeCode::kUInt8:
            in_.take(1);
            break;
        case TypeCode::kInt16:
        case TypeCode::kUInt16:
            in_.take(2);
            break;
        case TypeCode::kInt32:
        case TypeCode::kUInt32:
        case TypeCode::kFloat32:
            in_.take(4);
            break;
        case TypeCode::kInt64:
        case TypeCode::kUInt64:
        case TypeCode::kFloat64:
        case TypeCode::kDateTime:
        case TypeCode::kUnixDateTime:
            in_.take(8);
            break;
        case TypeCode::kMongoDbObjectId:
            in_.take(12);
            break;
        case TypeCode::kDecimal:
        case TypeCode::kGuid:
        case TypeCode::kFloat128:
            in_.take(16);
            break;
        case TypeCode::kVarInt:
        case TypeCode::kVarUInt:
            in_.varint();
            break;
        case TypeCode::kUtf8:
        case TypeCode::kBinary: {
            const std::uint64_t length = in_.varint();
            in_.take(length);
            break;
        }
        default:
            return invalid("an unknown field has the type " +
                           std::to_string(static_cast<unsigned>(type)) + ", which is not a scalar");
    }
    if (!in_.ok()) return invalid("an unknown field does not end within the row");
    return {};
}

}  // namespace

Result<std::uint32_t> read_header(ByteReader& bytes) {
    const auto version = bytes.little_endian<std::uint8_t>();
    const auto schema = bytes.little_endian<std::uint32_t>();
    if (!bytes.ok()) return invalid("a row is shorter than its header");
    if (version != kVersion) {
        return invalid("a row has the version " + std::to_string(version) + " instead of " +
                       std::to_string(kVersion));
    }
    return schema;
}

Result<Row> read_row(std::string_view bytes, const Schema& schema) {
    return RowReader(bytes, schema).read();
}

}  // namespace orrery::hybridrow
