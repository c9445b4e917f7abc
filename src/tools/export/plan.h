// What an export has to read, and how far it has got: kept in a file so that it can go on after it
// was interrupted.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/pages.h"
#include "tools/export/output.h"

namespace orrery::tools {

// A part of the export that is read page after page.
struct ExportTask {
    std::optional<client::Range> range;  // of the hash space; nothing: all of it
    std::string continuation;            // or position in the change feed; empty: the beginning
    bool done = false;

    bool operator==(const ExportTask&) const = default;
};

struct ExportPlan {
    // What was asked for. An export only goes on with its own plan.
    std::string purpose;
    std::vector<ExportTask> tasks;
    // What the tasks have written so far.
    OutputPosition output;
    // Items of which the output lacks values that have no column.
    std::uint64_t incomplete_items = 0;

    bool operator==(const ExportPlan&) const = default;

    std::string text() const;
    // kBadRequest for texts that text() does not produce.
    static Result<ExportPlan> parse(std::string_view text);
};

}  // namespace orrery::tools
