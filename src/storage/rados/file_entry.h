// What a directory object says about a file. The directory of a database is one RADOS object: its
// attributes are the epoch and the owner, its keys the files.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::storage {

// Names the objects of a file for ever: no other file of the directory ever gets the same.
struct FileId {
    std::uint64_t epoch = 0;  // of the owner that created it
    std::uint64_t number = 0;

    bool operator==(const FileId&) const = default;
};

struct FileEntry {
    // On disk. Never reuse or renumber.
    enum class Kind : std::uint8_t {
        kLog = 1,     // one object; every append is guarded by the epoch
        kChunks = 2,  // objects of kChunkBytes, written once by one owner, and not guarded
        kInline = 3,  // the bytes are in the entry
    };

    Kind kind = Kind::kInline;
    // Complete: it has `size` bytes for ever. A log that is not sealed is as long as its object.
    bool sealed = false;
    FileId id;
    std::uint64_t size = 0;
    std::int64_t modified_seconds = 0;  // Unix time
    std::string content;                // of kInline
};

// On disk: the size of a chunk object. Never change.
inline constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;

// Larger files get objects of their own.
inline constexpr std::uint64_t kInlineBytesMax = std::uint64_t{8} << 10;

std::string encode(const FileEntry& entry);
// kCorrupted if these are not the bytes of an entry.
Result<FileEntry> decode_entry(std::string_view bytes);

// "000012.log" → "f/000012.log", and back; nullopt for other keys.
std::string file_key(std::string_view name);
std::optional<std::string_view> file_of_key(std::string_view key);

// A removed file, kept for those who still read it: its key begins with the time of its removal.
std::string trash_key(std::int64_t removed_seconds, const FileId& id);
// The time in such a key; nullopt for other keys.
std::optional<std::int64_t> removed_seconds_of_key(std::string_view key);

// 42 → "000000000000002a": sorts like the number.
std::string to_hex(std::uint64_t number);
std::optional<std::uint64_t> from_hex(std::string_view text);

// "p00000007" with id 5, 1 → "p00000007.5.1": the object of a log, and what the names of chunks
// begin with.
std::string object_name(std::string_view directory, const FileId& id);
// The third chunk of the same → "p00000007.5.1.2".
std::string chunk_name(std::string_view directory, const FileId& id, std::uint64_t chunk);

}  // namespace orrery::storage
