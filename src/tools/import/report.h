// What came of an import, for people and for programs.

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "tools/import/byte_source.h"
#include "tools/import/checkpoint.h"
#include "tools/import/records.h"

namespace orrery::tools {

struct InputReport {
    std::string source;
    Format format;
    Compression compression = Compression::kNone;
};

struct ImportReport {
    Totals totals;  // with those of the runs before, if it was resumed
    bool dry_run = false;
    bool resumed = false;
    bool interrupted = false;
    // Why the import ended early, if it did. It can go on from the checkpoint.
    std::optional<std::string> problem = std::nullopt;
    // Of this run.
    std::vector<InputReport> inputs = {};
    std::map<std::string, std::uint64_t> reasons = {};
    std::vector<std::string> shown_failures = {};
    double charge = 0;
    std::uint64_t throttled = 0;
    std::chrono::nanoseconds elapsed{0};
    std::string errors_file = {};
    std::string checkpoint_file = {};  // of an import that is not complete

    int exit_code() const;
};

json::Value to_json(const ImportReport& report);
// Lines of text.
std::string print(const ImportReport& report);

}  // namespace orrery::tools
