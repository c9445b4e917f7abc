// The records of an input: the JSON text of one item each, or what is wrong with it.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/import/text_cursor.h"

namespace orrery::tools {

// Of the text of one record; MongoDB's documents may have as much. A larger one is a failure and
// is not kept in memory.
inline constexpr std::size_t kRecordBytesMax = std::size_t{16} << 20;
// Of a CSV file's header.
inline constexpr std::size_t kColumnsMax = 10'000;

struct Record {
    std::uint64_t line = 0;  // where it begins
    std::string text;        // of an item, or what could not be read
    std::string problem;     // why it is not an item; empty: nothing is wrong so far
};

class Records {
public:
    virtual ~Records() = default;

    // The next record; nothing at the end. An error if the input cannot be read any further.
    virtual Result<std::optional<Record>> next() = 0;
};

enum class Layout : std::uint8_t {
    kJson,   // an array, or values one after another
    kLines,  // one JSON value a line
    kCsv,
    kTsv,
    kContainer,  // no text: the items of another container
};

struct Format {
    Layout layout = Layout::kJson;
    bool mongo = false;  // MongoDB's extended JSON

    bool operator==(const Format&) const = default;
};
std::string name_of(const Format& format);

// What the file's name and the beginning of the text say; nothing if they do not tell. Items with
// _id and without id are MongoDB's.
std::optional<Format> detect_format(std::string_view path, std::string_view beginning);

// Whether this is as much of a text as detect_format() needs, of at most so many bytes.
bool tells_format(std::string_view beginning);
inline constexpr std::size_t kBeginningBytes = std::size_t{64} << 10;

struct CsvOptions {
    char delimiter = ',';
    // All cells are strings, also 1, true and null.
    bool plain_strings = false;
};

// `text` must outlive the records.
std::unique_ptr<Records> read_json(TextCursor& text);
std::unique_ptr<Records> read_lines(TextCursor& text);
// An error if the header is not one.
Result<std::unique_ptr<Records>> read_csv(TextCursor& text, const CsvOptions& options);

}  // namespace orrery::tools
