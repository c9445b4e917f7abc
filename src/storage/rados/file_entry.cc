#include "storage/rados/file_entry.h"

#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"

namespace orrery::storage {

namespace {

// On disk. A later version that changes the encoding takes the next number.
constexpr char kFormat = 1;
constexpr char kSealed = 1;

constexpr std::string_view kFilePrefix = "f/";
constexpr std::string_view kTrashPrefix = "t/";
constexpr std::size_t kHexDigits = 16;

}  // namespace

// {kLog, sealed, id 5 1, 300 bytes, second 7} → 01 01 01 05 01 ac 02 07: format, kind, sealed, then
// numbers as LEB128.
std::string encode(const FileEntry& entry) {
    std::string out(1, kFormat);
    out += static_cast<char>(entry.kind);
    out += entry.sealed ? kSealed : '\0';
    append_varint(out, entry.id.epoch);
    append_varint(out, entry.id.number);
    append_varint(out, entry.size);
    append_varint(out, static_cast<std::uint64_t>(entry.modified_seconds));
    out += entry.content;
    return out;
}

Result<FileEntry> decode_entry(std::string_view bytes) {
    ByteReader reader(bytes);
    const Error damaged(ErrorCode::kCorrupted,
                        "the entry of a file is damaged or of a later version");
    const std::string_view head = reader.take(3);
    if (!reader.ok() || head[0] != kFormat) return damaged.copy();
    FileEntry entry;
    entry.kind = static_cast<FileEntry::Kind>(head[1]);
    if (entry.kind < FileEntry::Kind::kLog || entry.kind > FileEntry::Kind::kInline) {
        return damaged.copy();
    }
    entry.sealed = head[2] == kSealed;
    entry.id.epoch = reader.varint();
    entry.id.number = reader.varint();
    entry.size = reader.varint();
    entry.modified_seconds = static_cast<std::int64_t>(reader.varint());
    entry.content = reader.rest();
    const std::size_t expected = entry.kind == FileEntry::Kind::kInline ? entry.size : 0;
    if (!reader.ok() || entry.content.size() != expected) return damaged.copy();
    return entry;
}

std::string file_key(std::string_view name) { return std::string(kFilePrefix).append(name); }

std::optional<std::string_view> file_of_key(std::string_view key) {
    if (!key.starts_with(kFilePrefix)) return std::nullopt;
    return key.substr(kFilePrefix.size());
}

std::string trash_key(std::int64_t removed_seconds, const FileId& id) {
    return fmt::format("{}{}/{:x}.{:x}",
                       kTrashPrefix,
                       to_hex(static_cast<std::uint64_t>(removed_seconds)),
                       id.epoch,
                       id.number);
}

std::optional<std::int64_t> removed_seconds_of_key(std::string_view key) {
    if (!key.starts_with(kTrashPrefix)) return std::nullopt;
    const auto seconds = from_hex(key.substr(kTrashPrefix.size(), kHexDigits));
    if (!seconds) return std::nullopt;
    return static_cast<std::int64_t>(*seconds);
}

std::string to_hex(std::uint64_t number) { return fmt::format("{:016x}", number); }

std::optional<std::uint64_t> from_hex(std::string_view text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number, 16);
    if (text.size() != kHexDigits || error != std::errc() || stop != end) return std::nullopt;
    return number;
}

std::string object_name(std::string_view directory, const FileId& id) {
    return fmt::format("{}.{:x}.{:x}", directory, id.epoch, id.number);
}

std::string chunk_name(std::string_view directory, const FileId& id, std::uint64_t chunk) {
    return fmt::format("{}.{:x}.{:x}.{:x}", directory, id.epoch, id.number, chunk);
}

}  // namespace orrery::storage
