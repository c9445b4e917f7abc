// The names of an export's files when it is split into several: books.jsonl.gz becomes
// books-00001.jsonl.gz, books-00002.jsonl.gz …

#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace orrery::tools {

// `number` counts from 1.
std::string numbered_file(const std::string& path, std::uint64_t number);

// The first of those that exist with a number above this one; empty: none.
Result<std::string> find_numbered_file(const std::string& path, std::uint64_t above);
Status remove_numbered_files(const std::string& path, std::uint64_t above);

}  // namespace orrery::tools
