// The file, the numbered files or standard output that an export writes to.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "tools/export/compression.h"

namespace orrery::tools {

enum class ExportFormat : std::uint8_t {
    kJson,       // one array
    kJsonLines,  // an item per line
    kCsv,
    kTsv,
};

inline char delimiter_of(ExportFormat format) { return format == ExportFormat::kTsv ? '\t' : ','; }
inline bool has_columns(ExportFormat format) {
    return format == ExportFormat::kCsv || format == ExportFormat::kTsv;
}

struct OutputOptions {
    ExportFormat format = ExportFormat::kJsonLines;
    Compression compression = Compression::kNone;
    std::string header = {};  // the first line of each CSV file
    // Limits of a file, after which the next one begins; 0: none. Bytes are those of the text
    // before compression. One item may be larger.
    std::uint64_t split_items = 0;
    std::uint64_t split_bytes = 0;

    bool splits() const { return split_items > 0 || split_bytes > 0; }
};

// How much has been written.
struct OutputPosition {
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;  // of text, in all files
    std::uint64_t file = 1;   // the number of the current one
    std::uint64_t file_items = 0;
    std::uint64_t file_bytes = 0;  // of text
    std::uint64_t file_size = 0;   // on disk

    bool operator==(const OutputPosition&) const = default;
};

// A file that may have writes that are not on disk yet.
class WrittenFile {
public:
    // Owns the descriptor; -1: there is nothing to sync.
    WrittenFile(int file, std::string name) : file_(file), name_(std::move(name)) {}
    WrittenFile(WrittenFile&& other) noexcept
        : file_(std::exchange(other.file_, -1)), name_(std::move(other.name_)) {}
    WrittenFile(const WrittenFile&) = delete;
    WrittenFile& operator=(const WrittenFile&) = delete;
    WrittenFile& operator=(WrittenFile&&) = delete;
    ~WrittenFile();

    Status sync() const;

private:
    int file_;
    std::string name_;
};

// For use by one thread.
class ExportOutput {
public:
    static constexpr std::string_view kStandardOutput = "-";

    explicit ExportOutput(OutputOptions options);
    ExportOutput(const ExportOutput&) = delete;
    ExportOutput& operator=(const ExportOutput&) = delete;
    ~ExportOutput();

    // Creates the first file. kConflict if there is one, unless it may be overwritten.
    Status create(const std::string& path, bool overwrite);
    // Opens files that create() and add() have made, and cuts off what was written after this
    // position.
    Status reopen(const std::string& path, const OutputPosition& position);

    // Buffers an item, after the end of the current file if it is full; write() writes them.
    Status add(std::string_view item);
    Status write();
    // Writes what has been added. The position is one for reopen() once this file is synced, which
    // may take long and may be done while more is written.
    Result<WrittenFile> checkpoint();
    Status sync() { return TRY(checkpoint()).sync(); }
    // Ends the text, and makes sure it is on disk.
    Status finish();

    const OutputPosition& position() const { return position_; }

private:
    std::string current_file() const;
    Status open_new(int flags);
    Status end_file();
    bool is_full(std::size_t more) const;
    void append(std::string_view text);
    void end_piece();
    Status write_out();
    Error failed(const std::string& to) const;

    const OutputOptions options_;
    const std::unique_ptr<Compressor> compressor_;
    int file_ = -1;
    bool is_file_ = false;  // rather than a pipe or a terminal
    std::string path_;
    std::string text_;            // not compressed yet, if it is to be
    std::string out_;             // to be written
    bool piece_started_ = false;  // of compressed data
    OutputPosition position_;
};

}  // namespace orrery::tools
