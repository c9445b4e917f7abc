// The change log: what happened to the items of a partition, in commit order. On disk
// (docs/storage-format.md).
//
// Every item has one entry ('L') for its newest change. A change that left no item has one of its
// own ('V'): a delete, an expiry, the delete of a partition key. The latter is one change, however
// many items it hides; removing these later is none.
//
// The changes of a transaction share an LSN and are ordered by their ordinals.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "partition/keys.h"
#include "storage/engine.h"

namespace orrery::partition {

// On disk. Never renumber.
enum class ChangeKind : std::uint8_t {
    kUnknown = 0,  // of an item last written by a server with format 2
    kCreate = 1,
    kReplace = 2,
    kDelete = 3,
    kExpiry = 4,
    kKeyDelete = 5,
};

// The value of an 'L' key: {kReplace, 300} → 02 ac 02; {kCreate} → 01.
struct LogEntry {
    ChangeKind kind = ChangeKind::kUnknown;  // kCreate or kReplace
    Lsn previous = 0;                        // of the version that was replaced

    std::string encode() const;
    // kCorrupted if the bytes are not an entry. An empty value is of unknown kind.
    static Result<LogEntry> decode(std::string_view value);
};

// The value of a 'V' key: what a reader of the log needs to know about an item that is gone.
struct Removal {
    ChangeKind kind = ChangeKind::kDelete;  // kDelete, kExpiry or kKeyDelete
    std::int64_t timestamp = 0;             // Unix seconds
    Lsn previous = 0;                       // of the removed version; 0 for a partition key
    std::string epk;
    std::string partition_key;  // encoded
    std::string id;             // empty for a partition key

    std::string encode() const;
    // kCorrupted if the bytes are not a removal.
    static Result<Removal> decode(std::string_view value);
};

// The value of an 'H' key: a version that is no longer the newest, as it was in the log and in the
// store. Refers to the bytes it was decoded from.
struct Version {
    LogEntry entry;
    std::string_view record;

    static std::string encode(std::string_view entry, std::string_view record);
    // kCorrupted if the bytes are not a version. The record is not looked at.
    static Result<Version> decode(std::string_view value);
};

// All changes after this LSN are in the log; nothing if versions are not kept.
Result<std::optional<Lsn>> versions_from(const storage::Reader& state);

// The log of a partition is in the order of timestamps, but for the seconds that a script may have
// taken. In one that others were merged into, that begins after this LSN; 0 if it was always so.
Result<Lsn> unordered_until(const storage::Reader& state);
// The value of the keys of both.
std::string lsn_value(Lsn lsn);

// Removals are kept for this many LSNs, and are trimmed as new ones are written.
inline constexpr Lsn kRemovalsKeptLsns = 10'000;

}  // namespace orrery::partition
