#include "server/cluster/catalog_update.h"

#include "base/bytes.h"
#include "server/cluster/sized_text.h"

namespace orrery::server {

namespace {

using Kind = storage::WriteBatch::Kind;

Error damaged_update() {
    return Error(ErrorCode::kUnavailable, "an update of the catalog is damaged");
}

void append_put(std::string& out, std::string_view key, std::string_view value) {
    out += 'P';
    append_sized(out, key);
    append_sized(out, value);
}

}  // namespace

std::string CatalogUpdate::encode() const {
    std::string out(1, whole ? 'W' : 'C');
    append_varint(out, term);
    append_varint(out, commits);
    return out + operations;
}

Result<CatalogUpdate> CatalogUpdate::decode(std::string_view bytes) {
    ByteReader reader(bytes);
    CatalogUpdate out;
    const std::string_view kind = reader.take(1);
    out.whole = kind == "W";
    out.term = reader.varint();
    out.commits = reader.varint();
    if (!reader.ok() || (!out.whole && kind != "C")) return damaged_update();
    out.operations = std::string(reader.rest());
    return out;
}

std::string encode_operations(const storage::WriteBatch& batch) {
    std::string out;
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const storage::WriteBatch::Operation operation = batch.operation(i);
        if (operation.kind == Kind::kPut) {
            append_put(out, operation.key, operation.value);
        } else {
            out += 'R';
            append_sized(out, operation.key);
        }
    }
    return out;
}

Status add_operations(std::string_view operations, storage::WriteBatch& batch) {
    ByteReader reader(operations);
    while (!reader.rest().empty()) {
        const std::string_view kind = reader.take(1);
        const std::string_view key = take_sized(reader);
        if (kind == "P") {
            batch.put(key, take_sized(reader));
        } else if (kind == "R") {
            batch.remove(key);
        } else {
            return damaged_update();
        }
        if (!reader.ok()) return damaged_update();
    }
    return {};
}

Result<std::string> encode_content(const storage::Reader& reader) {
    std::string out;
    const auto cursor = reader.scan({}, storage::Direction::kForward);
    for (; cursor->valid(); cursor->next())
        append_put(out, cursor->key(), cursor->value());
    TRY(cursor->status());
    return out;
}

}  // namespace orrery::server
