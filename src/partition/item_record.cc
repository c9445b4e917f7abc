#include "partition/item_record.h"

#include "base/bytes.h"
#include "model/item_body.h"

namespace orrery::partition {

namespace {

constexpr char kFormat = 2;  // On disk. A new layout gets a new number.

}  // namespace

bool Expiry::expired(const ItemHeader& header) const {
    if (!default_ttl) return false;
    const std::int32_t ttl = header.ttl != 0 ? header.ttl : *default_ttl;
    return ttl > 0 && header.timestamp + ttl <= now;
}

void append_item_head(std::string& record, const ItemHeader& header, const ItemNames& names) {
    record += kFormat;
    append_big_endian(record, static_cast<std::uint64_t>(header.lsn));
    append_big_endian(record, static_cast<std::uint64_t>(header.timestamp));
    append_big_endian(record, header.ordinal);
    append_big_endian(record, static_cast<std::uint32_t>(header.ttl));
    record += static_cast<char>(header.indexing);
    append_varint(record, names.unique_digests.size() * model::kUniqueDigestBytes);
    for (const std::string& digest : names.unique_digests) {
        record.append(digest);
    }
    for (const std::string_view name : {names.epk, names.partition_key, names.id}) {
        append_varint(record, name.size());
        record.append(name);
    }
}

Result<StoredItem> StoredItem::decode(Docnum docnum, std::string record) {
    StoredItem item;
    ByteReader reader(record);
    const auto piece = [&] {
        const std::size_t size = reader.varint();
        const std::size_t offset = record.size() - reader.rest().size();
        reader.take(size);
        return Piece{.offset = offset, .size = size};
    };
    const bool known = reader.take(1) == std::string_view(&kFormat, 1);
    item.header_.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    item.header_.timestamp = static_cast<std::int64_t>(reader.big_endian<std::uint64_t>());
    item.header_.ordinal = reader.big_endian<std::uint16_t>();
    item.header_.ttl = static_cast<std::int32_t>(reader.big_endian<std::uint32_t>());
    const auto indexing = reader.big_endian<std::uint8_t>();
    item.header_.indexing = static_cast<IndexingDirective>(indexing);
    item.unique_ = piece();
    item.epk_ = piece();
    item.partition_key_ = piece();
    item.id_ = piece();
    if (!known || !reader.ok() ||
        indexing > static_cast<std::uint8_t>(IndexingDirective::kExclude) ||
        item.unique_.size % model::kUniqueDigestBytes != 0) {
        return Error(ErrorCode::kCorrupted,
                     "item " + std::to_string(docnum) + " has no valid record head");
    }
    item.docnum_ = docnum;
    item.json_offset_ = record.size() - reader.rest().size();
    item.record_ = std::move(record);
    return item;
}

std::string_view StoredItem::unique_digest(std::size_t number) const {
    return at(unique_).substr(number * model::kUniqueDigestBytes, model::kUniqueDigestBytes);
}

}  // namespace orrery::partition
