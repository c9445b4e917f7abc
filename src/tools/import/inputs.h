// The inputs of an import as files: whether they can be read, and what identifies them.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "tools/import/import_options.h"
#include "tools/import/report.h"

namespace orrery::tools {

// Of all inputs together; 0 if one has no size, such as a pipe.
Result<std::uint64_t> measure_inputs(const std::vector<std::string>& paths);

// kBadRequest if a file to write is also one to read.
Status check_outputs(const ImportOptions& options);

// Names an import by all that decides which items it loads and where: another run with the same
// name may go on where this one has ended.
std::string name_import(const ImportOptions& options, const std::string& container_rid);

// An input that has been opened, and what it turned out to be.
struct Input {
    OpenedSource source;  // of a file, and so is the text
    std::unique_ptr<TextCursor> text;
    std::unique_ptr<Records> records;
    InputReport report;

    std::uint64_t line() const { return text ? text->line() : 0; }
    // Bytes that have been read of the file.
    std::uint64_t consumed() const { return source.consumed != nullptr ? *source.consumed : 0; }
};
// `interrupted` must outlive the input.
Result<Input> open_input(const std::string& path,
                         const ImportOptions& options,
                         const SourceOptions& source,
                         const std::atomic<bool>& interrupted);

}  // namespace orrery::tools
