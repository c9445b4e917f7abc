// Small files, written atomically: keys, checkpoints.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace orrery {

Result<std::string> read_file(const std::string& path);

// Readable by the owner only; on disk when this returns.
Status write_private_file(const std::string& path, std::string_view content);

// Makes the creation, renaming and removal of its files survive a power failure.
Status sync_directory(const std::string& path);

}  // namespace orrery
