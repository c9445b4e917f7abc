#include "storage/rocksdb/rocks_files.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_status.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

namespace {

// RocksDB's log format: blocks of 32 KB; a physical record is a masked CRC-32C (4 bytes), a length
// (2, little endian), a type (1) and the payload; the CRC covers type and payload.
constexpr std::size_t kLogBlockSize = 32768;
constexpr std::size_t kLogHeaderSize = 7;
constexpr unsigned kFullRecord = 1;
constexpr unsigned kFirstRecord = 2;
constexpr unsigned kLastRecord = 4;

struct LogHeader {
    std::uint32_t masked_crc;
    std::size_t length;
    unsigned type;
};

std::uint32_t little_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
        value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return value;
}

// nullopt if the header or the payload does not fit into the rest of the block.
std::optional<LogHeader> header_at(std::string_view block, std::size_t at) {
    if (at + kLogHeaderSize > block.size()) return std::nullopt;
    const LogHeader header{.masked_crc = little_endian(block.substr(at, 4)),
                           .length = little_endian(block.substr(at + 4, 2)),
                           .type = static_cast<unsigned char>(block[at + 6])};
    if (at + kLogHeaderSize + header.length > block.size()) return std::nullopt;
    return header;
}

std::uint32_t crc32c(std::string_view bytes) {
    static const std::array<std::uint32_t, 256> kTable = [] {
        std::array<std::uint32_t, 256> made{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t crc = i;
            for (int bit = 0; bit < 8; ++bit) {
                crc = (crc & 1) != 0 ? crc >> 1 ^ 0x82f63b78U : crc >> 1;
            }
            made[i] = crc;
        }
        return made;
    }();
    std::uint32_t crc = 0xffffffffU;
    for (const char c : bytes) {
        crc = kTable[(crc ^ static_cast<unsigned char>(c)) & 0xff] ^ crc >> 8;
    }
    return ~crc;
}

bool is_intact(std::string_view block, std::size_t at, const LogHeader& header) {
    const std::uint32_t crc = crc32c(block.substr(at + 6, 1 + header.length));
    return header.masked_crc == (crc >> 15 | crc << 17) + 0xa282ead8U;
}

Result<std::string> last_block_of(rocksdb::FileSystem& file_system, const std::string& name) {
    const rocksdb::IOOptions options;
    std::uint64_t size = 0;
    TRY(to_status(file_system.GetFileSize(name, options, &size, nullptr), "reading " + name));
    if (size == 0) return std::string();
    std::unique_ptr<rocksdb::FSRandomAccessFile> file;
    TRY(to_status(file_system.NewRandomAccessFile(name, rocksdb::FileOptions(), &file, nullptr),
                  "opening " + name));
    const std::uint64_t start = (size - 1) / kLogBlockSize * kLogBlockSize;
    std::string block(static_cast<std::size_t>(size - start), '\0');
    rocksdb::Slice read;
    TRY(to_status(file->Read(start, block.size(), options, &read, block.data(), nullptr),
                  "reading " + name));
    return read.ToString();
}

bool is_log(std::string_view name) { return name.ends_with(".log"); }
bool is_table(std::string_view name) { return name.ends_with(".sst"); }

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

Error damaged(const std::string& path, const std::string& what) {
    return Error(ErrorCode::kCorrupted, "database " + path + " is damaged: " + what);
}

}  // namespace

Result<DatabaseFiles> inspect_database_files(rocksdb::FileSystem& file_system,
                                             const std::string& path) {
    const rocksdb::IOOptions options;
    std::vector<std::string> names;
    const rocksdb::IOStatus listed = file_system.GetChildren(path, options, &names, nullptr);
    if (listed.IsNotFound() || listed.IsPathNotFound()) return DatabaseFiles::kNone;
    TRY(to_status(listed, "listing " + path));

    const bool has_data = std::any_of(names.begin(), names.end(), is_table);
    const bool has_log = std::any_of(names.begin(), names.end(), is_log);
    // Read after listing the names: a log removed in between is unlisted first.
    const std::optional<LogNumbers> listed_logs = TRY(read_wal_list(file_system, path));
    for (const std::uint64_t log : listed_logs.value_or(LogNumbers())) {
        if (contains(names, log_name(log))) continue;
        return damaged(path, "its write-ahead log " + log_name(log) + " is missing");
    }
    if (!contains(names, "CURRENT")) {
        // CURRENT is written before the first log, so this is not an interrupted creation.
        if (has_data || has_log) return damaged(path, "its CURRENT file is missing");
        return DatabaseFiles::kNone;
    }
    if (!listed_logs) {
        return damaged(
            path, "its list of write-ahead logs, " + std::string(kWalListName) + ", is missing");
    }
    std::string manifest;
    TRY(to_status(rocksdb::ReadFileToString(&file_system, path + "/CURRENT", &manifest),
                  "reading " + path + "/CURRENT"));
    while (manifest.ends_with('\n')) {
        manifest.pop_back();
    }
    if (!contains(names, manifest)) {
        return damaged(path, "its manifest '" + manifest + "' is missing");
    }
    for (const std::string& name : names) {
        if (!is_log(name)) continue;
        const std::string block = TRY(last_block_of(file_system, file_in(path, name)));
        if (has_record_behind_damage(block)) {
            return damaged(path, "write-ahead log " + name + " is damaged before its end");
        }
    }
    return DatabaseFiles::kPresent;
}

bool has_record_behind_damage(std::string_view last_block) {
    std::size_t at = 0;
    for (;;) {
        const std::optional<LogHeader> header = header_at(last_block, at);
        if (!header || header->type < kFullRecord || header->type > kLastRecord ||
            !is_intact(last_block, at, *header)) {
            break;
        }
        at += kLogHeaderSize + header->length;
    }
    for (++at; at + kLogHeaderSize <= last_block.size(); ++at) {
        const std::optional<LogHeader> header = header_at(last_block, at);
        if (header && (header->type == kFullRecord || header->type == kFirstRecord) &&
            is_intact(last_block, at, *header)) {
            return true;
        }
    }
    return false;
}

}  // namespace orrery::storage
