// The keys of one partition's store. On disk (docs/storage-format.md): never reuse a letter.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/effective_partition_key.h"
#include "storage/engine.h"

namespace orrery::partition {

// The number of an item in its container, from its rid; ascending in insertion order.
using Docnum = std::uint64_t;
using Lsn = std::int64_t;

// 'D' docnum: the item.
std::string item_key(Docnum docnum);
// 'K' epk id → docnum: point reads, uniqueness of (partition key, id).
std::string id_key(std::string_view epk, std::string_view id);
// 'P' epk docnum: the items of a logical partition, in insertion order.
std::string member_key(std::string_view epk, Docnum docnum);
// The place of a change in the log: changes of one transaction share an LSN and are ordered by
// their ordinals.
struct LogPlace {
    Lsn lsn = 0;
    std::uint16_t ordinal = 0;
    Docnum docnum = 0;

    auto operator<=>(const LogPlace&) const = default;
};
// 'L' lsn ordinal docnum → LogEntry: the newest change of every item, in commit order.
std::string log_key(const LogPlace& place);
// The same in data directories of format 2: without an ordinal and a value.
std::string plain_log_key(Lsn lsn, Docnum docnum);
// 'V' lsn ordinal docnum → Removal: changes that left no item, in commit order.
std::string removal_key(const LogPlace& place);
// 'H' lsn ordinal docnum → Version: versions of items that have been replaced or removed, in commit
// order. Only in containers that keep all versions.
std::string version_key(const LogPlace& place);
// 'T' second docnum: items with their own ttl, in order of expiry.
std::string expiry_key(std::int64_t second, Docnum docnum);
// 'U' epk number digest → docnum: unique keys.
std::string unique_key(std::string_view epk, std::uint8_t number, std::string_view digest);
// 'G' partition key (encoded) → KeyDelete: all items of the key are deleted (key_deletes.h).
std::string key_delete_key(std::string_view partition_key);
// 'Z' → the partitions that are to replace this one (split_seal.h).
// 'B' epk → bytes of JSON that the items of the key take (item_sizes.cc).
std::string key_size_key(std::string_view epk);
std::string encode_key_size(std::uint64_t bytes);
Result<std::uint64_t> decode_key_size(std::string_view value);
// 'A' docnum → AttachmentDirectory: the attachments of an item.
std::string attachments_key(Docnum docnum);
// 'J' docnum number → the attachment, as an item record.
std::string attachment_key(Docnum docnum, std::uint32_t number);
// 'Q' docnum number → the media of an attachment.
std::string media_key(Docnum docnum, std::uint32_t number);
// 'Y' lsn docnum: the newest change of the attachments of every item that has a directory.
std::string attachment_log_key(Lsn lsn, Docnum docnum);
// 'M': the partition's counters.
std::string state_key();
// 'MO': the LSN up to which the log is not in the order of timestamps; absent if there is none.
std::string unordered_key();
// 'MH': the LSN from which on all versions are kept; absent if they are not.
std::string versions_from_key();

// Letters of keys that are only scanned, here and in index_keys.h.
inline constexpr std::string_view kScannedLetters = "CHILPSTVY";

// All keys with that first letter; all member keys of a part of the hash space or of one EPK.
storage::Range all_of(char letter);
storage::Range members_of(const model::EpkRange& epks);
storage::Range members_of(std::string_view epk);

// Reading back: kCorrupted if the bytes are not what the functions above write.

// The docnum at the end of an item, member or log key.
Result<Docnum> docnum_of_key(std::string_view key);
// nullopt if the key is not an item key.
std::optional<Docnum> docnum_of_item_key(std::string_view key);
// Both numbers of an expiry key or of an entry in the log of attachments.
struct NumberAndDocnum {
    std::uint64_t number;
    Docnum docnum;
};
Result<NumberAndDocnum> numbers_of(std::string_view key);
// Of a log key in either form, of a version key or of a removal key. Ordinal 0 if the key has none.
Result<LogPlace> place_of(std::string_view log_or_removal_key);

// A docnum as the value of an id or unique key.
std::string docnum_value(Docnum docnum);
Result<Docnum> docnum_of_value(std::string_view value);

}  // namespace orrery::partition
