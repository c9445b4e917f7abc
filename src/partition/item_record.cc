#include "partition/item_record.h"

#include "base/bytes.h"
#include "model/etag.h"
#include "model/item_body.h"

namespace orrery::partition {

namespace {

// On disk. A new layout gets a new number.
enum Format : char {
    kPlainWithoutOrigin = 2,    // read, no longer written
    kStampedWithoutOrigin = 3,  // read, no longer written
    kPlainWithoutFlags = 4,     // read, no longer written
    kStampedWithoutFlags = 5,   // read, no longer written
    kWithFlags = 6,
};

// On disk. The byte after the format says what else there is, and what is known of the item.
enum Flag : unsigned char {
    kHasStamp = 1,  // after the indexing directive
    kSoleChange = 2,
    kNumbersAsPrinted = 4,
};
constexpr unsigned char kAllFlags = kHasStamp | kSoleChange | kNumbersAsPrinted;

bool is_known(char format) { return format >= kPlainWithoutOrigin && format <= kWithFlags; }
bool has_origin(char format) { return format >= kPlainWithoutFlags; }

unsigned char flags_of(const ItemHeader& header) {
    unsigned flags = 0;
    if (header.stamp != 0) flags |= kHasStamp;
    if (header.sole_change) flags |= kSoleChange;
    if (header.numbers == json::NumberForm::kAsPrinted) flags |= kNumbersAsPrinted;
    return static_cast<unsigned char>(flags);
}

// The first bytes of a record. Those without origin are written by tests only.
void append_format(std::string& record, const ItemHeader& header) {
    if (!header.origin) {
        const Format format = header.stamp == 0 ? kPlainWithoutOrigin : kStampedWithoutOrigin;
        record += static_cast<char>(format);
        return;
    }
    record += static_cast<char>(kWithFlags);
    record += static_cast<char>(flags_of(header));
}

unsigned char read_flags(char format, ByteReader& reader) {
    if (format == kWithFlags) return reader.big_endian<std::uint8_t>();
    const bool stamped = format == kStampedWithoutOrigin || format == kStampedWithoutFlags;
    return stamped ? kHasStamp : 0;
}

}  // namespace

std::string log_key_of(const ItemHeader& header, Docnum docnum) {
    if (!header.origin) return plain_log_key(header.lsn, docnum);
    return log_key({.lsn = header.lsn, .ordinal = header.ordinal, .docnum = docnum});
}

bool is_sole_change(std::string_view record, Lsn lsn) {
    ByteReader reader(record);
    if (reader.big_endian<std::uint8_t>() != kWithFlags) return false;
    const auto flags = reader.big_endian<std::uint8_t>();
    const auto found = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    return reader.ok() && (flags & kSoleChange) != 0 && found == lsn;
}

bool lsn_is_possible(Lsn lsn) {
    return lsn >= 0 && static_cast<std::uint64_t>(lsn) <= model::kStoredLsnMax;
}

bool timestamp_is_possible(std::int64_t unix_seconds) {
    constexpr std::int64_t kEndOf9999 = 253'402'300'799;
    return unix_seconds >= 0 && unix_seconds <= kEndOf9999;
}

bool Expiry::expired(const ItemHeader& header) const {
    if (!default_ttl) return false;
    const std::int32_t ttl = header.ttl != 0 ? header.ttl : *default_ttl;
    return ttl > 0 && header.timestamp + ttl <= now;
}

void append_item_head(std::string& record, const ItemHeader& header, const ItemNames& names) {
    append_format(record, header);
    append_big_endian(record, static_cast<std::uint64_t>(header.lsn));
    append_big_endian(record, static_cast<std::uint64_t>(header.timestamp));
    append_big_endian(record, header.ordinal);
    append_big_endian(record, static_cast<std::uint32_t>(header.ttl));
    record += static_cast<char>(header.indexing);
    if (header.stamp != 0) append_big_endian(record, header.stamp);
    if (header.origin) append_big_endian(record, *header.origin);
    append_varint(record, names.unique_digests.size() * model::kUniqueDigestBytes);
    for (const std::string& digest : names.unique_digests) {
        record.append(digest);
    }
    for (const std::string_view name : {names.epk, names.partition_key, names.id}) {
        append_varint(record, name.size());
        record.append(name);
    }
}

Result<ItemView> ItemView::decode(Docnum docnum, std::string_view record) {
    ItemView item;
    ByteReader reader(record);
    const auto format = static_cast<char>(reader.big_endian<std::uint8_t>());
    const unsigned char flags = read_flags(format, reader);
    item.docnum = docnum;
    item.header.sole_change = (flags & kSoleChange) != 0;
    if ((flags & kNumbersAsPrinted) != 0) item.header.numbers = json::NumberForm::kAsPrinted;
    item.header.lsn = static_cast<Lsn>(reader.big_endian<std::uint64_t>());
    item.header.timestamp = static_cast<std::int64_t>(reader.big_endian<std::uint64_t>());
    item.header.ordinal = reader.big_endian<std::uint16_t>();
    item.header.ttl = static_cast<std::int32_t>(reader.big_endian<std::uint32_t>());
    const auto indexing = reader.big_endian<std::uint8_t>();
    item.header.indexing = static_cast<IndexingDirective>(indexing);
    if ((flags & kHasStamp) != 0) item.header.stamp = reader.big_endian<std::uint64_t>();
    if (has_origin(format)) item.header.origin = reader.big_endian<std::uint16_t>();
    item.unique_digests = reader.take(reader.varint());
    item.epk = reader.take(reader.varint());
    item.partition_key = reader.take(reader.varint());
    item.id = reader.take(reader.varint());
    item.json = reader.rest();
    const bool possible = lsn_is_possible(item.header.lsn) &&
                          timestamp_is_possible(item.header.timestamp) &&
                          indexing <= static_cast<std::uint8_t>(IndexingDirective::kExclude) &&
                          item.header.stamp <= model::kEtagLsnMax &&
                          item.unique_digests.size() % model::kUniqueDigestBytes == 0;
    const bool known = is_known(format) && (flags & ~kAllFlags) == 0;
    if (!known || !reader.ok() || !possible) {
        return Error(ErrorCode::kCorrupted,
                     "item " + std::to_string(docnum) + " has an invalid record header");
    }
    return item;
}

Result<StoredItem> StoredItem::decode(Docnum docnum, std::string record) {
    const ItemView view = TRY(ItemView::decode(docnum, record));
    const auto piece = [&](std::string_view part) {
        return Piece{.offset = static_cast<std::size_t>(part.data() - record.data()),
                     .size = part.size()};
    };
    StoredItem item;
    item.docnum_ = docnum;
    item.header_ = view.header;
    item.unique_ = piece(view.unique_digests);
    item.epk_ = piece(view.epk);
    item.partition_key_ = piece(view.partition_key);
    item.id_ = piece(view.id);
    item.json_offset_ = static_cast<std::size_t>(view.json.data() - record.data());
    item.record_ = std::move(record);
    return item;
}

std::string_view StoredItem::unique_digest(std::size_t number) const {
    return at(unique_).substr(number * model::kUniqueDigestBytes, model::kUniqueDigestBytes);
}

}  // namespace orrery::partition
