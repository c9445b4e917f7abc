// An item in the store: a short header for the write path and expiry, then the JSON text exactly as
// sent to clients.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/item_body.h"
#include "partition/keys.h"

namespace orrery::partition {

// The x-ms-indexing-directive of the item's last write. On disk.
enum class IndexingDirective : std::uint8_t { kDefault = 0, kInclude = 1, kExclude = 2 };

struct ItemHeader {
    Lsn lsn = 0;
    std::int64_t timestamp = 0;  // _ts
    std::uint16_t ordinal = 0;   // place within its transaction
    std::int32_t ttl = 0;        // the item's own; 0 if it has none
    IndexingDirective indexing = IndexingDirective::kDefault;
    // For an item whose etag was shown before the write had an LSN: identifies the version instead.
    std::uint64_t stamp = 0;
    // The partition that wrote this version, as its etag shows it. Nothing in records of data
    // directories of format 2; their log entries also lack ordinal and kind.
    std::optional<std::uint16_t> origin = std::nullopt;
    // No other item was changed with this LSN by the partition that wrote this version.
    bool sole_change = false;
    json::NumberForm numbers = json::NumberForm::kUnknown;  // in the JSON text
};

// Whether a record says that it is the sole change with this LSN; without decoding the rest.
bool is_sole_change(std::string_view record, Lsn lsn);

// The key of the log entry of the item's newest change.
std::string log_key_of(const ItemHeader& header, Docnum docnum);

// Values that no server writes indicate damage; continuing from them would overflow etags.
bool lsn_is_possible(Lsn lsn);
bool timestamp_is_possible(std::int64_t unix_seconds);

// The names an item is found by. They are in the record so that it can be removed without parsing
// its JSON.
struct ItemNames {
    std::string_view epk;
    std::string_view partition_key;  // encoded PartitionKeyValue
    std::string_view id;
    std::span<const std::string> unique_digests;
};

// The container's expiry rule at one moment.
struct Expiry {
    std::optional<std::int32_t> default_ttl;
    std::int64_t now = 0;

    bool expired(const ItemHeader& header) const;
};

// Appends everything but the JSON text, which follows to the end of the record.
void append_item_head(std::string& record, const ItemHeader& header, const ItemNames& names);

// A decoded view of a record; valid as long as its bytes.
struct ItemView {
    Docnum docnum = 0;
    ItemHeader header;
    std::string_view unique_digests;  // concatenated
    std::string_view epk;
    std::string_view partition_key;
    std::string_view id;
    std::string_view json;

    // kCorrupted if the bytes are not a record.
    static Result<ItemView> decode(Docnum docnum, std::string_view record);
};

// A decoded record. Refers to itself by offset, so it can be moved.
class StoredItem {
public:
    // kCorrupted if the bytes are not a record.
    static Result<StoredItem> decode(Docnum docnum, std::string record);

    Docnum docnum() const { return docnum_; }
    const ItemHeader& header() const { return header_; }
    std::string_view epk() const { return at(epk_); }
    std::string_view partition_key() const { return at(partition_key_); }
    std::string_view id() const { return at(id_); }
    std::size_t unique_count() const { return unique_.size / model::kUniqueDigestBytes; }
    std::string_view unique_digest(std::size_t number) const;

    std::string_view json() const { return std::string_view(record_).substr(json_offset_); }
    std::size_t json_offset() const { return json_offset_; }
    const std::string& record() const { return record_; }
    // The whole record, to send its JSON without copying.
    std::string take_record() && { return std::move(record_); }

private:
    struct Piece {
        std::size_t offset = 0;
        std::size_t size = 0;
    };
    std::string_view at(Piece piece) const {
        return std::string_view(record_).substr(piece.offset, piece.size);
    }

    Docnum docnum_ = 0;
    ItemHeader header_;
    Piece unique_;
    Piece epk_;
    Piece partition_key_;
    Piece id_;
    std::size_t json_offset_ = 0;
    std::string record_;
};

}  // namespace orrery::partition
