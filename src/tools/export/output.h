// The file, or standard output, that an export writes to.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery::tools {

enum class ExportFormat : std::uint8_t {
    kJson,       // one array
    kJsonLines,  // an item per line
};

// Appends the item, without what the server adds to items (_rid, _ts ...) unless that is wanted.
// `item` is validated and minified.
void append_item(std::string& out, std::string_view item, bool system_properties);

// For use by one thread.
class ExportOutput {
public:
    static constexpr std::string_view kStandardOutput = "-";

    explicit ExportOutput(ExportFormat format) : format_(format) {}
    ExportOutput(const ExportOutput&) = delete;
    ExportOutput& operator=(const ExportOutput&) = delete;
    ~ExportOutput();

    // Creates the file. kConflict if there is one, unless it may be overwritten.
    Status create(const std::string& path, bool overwrite);
    // Opens a file that create() has made and cuts off what was written after this state.
    Status reopen(const std::string& path, std::uint64_t items, std::uint64_t bytes);

    // Buffers items; write() writes them.
    void add(std::string_view item);
    Status write();
    // What has been written is on disk when it returns.
    Status sync();
    // Ends the text, and makes sure it is on disk.
    Status finish();

    std::uint64_t items() const { return items_; }
    std::uint64_t bytes() const { return bytes_; }

private:
    const ExportFormat format_;
    int file_ = -1;
    bool is_file_ = false;  // rather than a pipe or a terminal
    std::string path_;
    std::string buffer_;
    std::uint64_t items_ = 0;
    std::uint64_t bytes_ = 0;
};

}  // namespace orrery::tools
