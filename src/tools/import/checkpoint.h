// How far an import has come, on disk, so that it can go on after it was killed.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "tools/import/window.h"

namespace orrery::tools {

struct Totals {
    std::uint64_t loaded = 0;
    std::uint64_t skipped = 0;
    std::uint64_t failed = 0;

    std::uint64_t all() const { return loaded + skipped + failed; }
    bool operator==(const Totals&) const = default;
};

struct Checkpoint {
    // Names the import: its inputs, container and options. Another one must not go on from here.
    std::string import;
    Position position;
    Totals totals;
    // Of the file of failures; what follows is of records that are going to be read again.
    std::uint64_t errors_bytes = 0;

    bool operator==(const Checkpoint&) const = default;
};

// Atomically: a kill or power failure leaves the old or the new one.
Status save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
// Nothing if there is no such file.
Result<std::optional<Checkpoint>> load_checkpoint(const std::string& path);

}  // namespace orrery::tools
