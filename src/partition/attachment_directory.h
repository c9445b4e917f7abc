// The list of an item's attachments, one record per item that has ever had one. It names them, so
// that attachments need no keys by id and are found without a scan.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "partition/keys.h"

namespace orrery::partition {

struct AttachmentEntry {
    std::uint32_t number = 0;
    Lsn lsn = 0;  // of its newest change
    std::uint64_t json_bytes = 0;
    std::optional<std::uint64_t> media_bytes = std::nullopt;  // if its media is stored here
    std::string id;

    std::uint64_t bytes() const { return json_bytes + media_bytes.value_or(0); }
    bool operator==(const AttachmentEntry&) const = default;
};

// An attachment by its id, or by the number in its rid.
struct AttachmentRef {
    std::string id;
    std::optional<std::uint32_t> number = std::nullopt;  // if set, id is ignored
    bool with_media = false;  // one that links to other media is not found
};

struct AttachmentDirectory {
    Lsn lsn = 0;                           // of the newest change, which may be a removal
    std::uint32_t last_number = 0;         // numbers are never reused
    std::vector<AttachmentEntry> entries;  // by number

    // Null if there is none.
    const AttachmentEntry* find(const AttachmentRef& ref) const;
    std::uint64_t bytes() const;
    // Replaces the entry with this number, or appends it.
    void put(AttachmentEntry entry);
    void remove(std::uint32_t number);

    std::string encode() const;
    // kCorrupted if the bytes are not a directory.
    static Result<AttachmentDirectory> decode(std::string_view bytes);

    bool operator==(const AttachmentDirectory&) const = default;
};

}  // namespace orrery::partition
