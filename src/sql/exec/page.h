// Runs a prepared query against one partition until a page is full, its time is up or no rows are
// left.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "sql/bound.h"
#include "sql/evaluator.h"
#include "sql/exec/driver.h"
#include "sql/exec/resume.h"
#include "sql/query_spec.h"
#include "sql/source.h"

namespace orrery::sql {

struct PageLimits {
    std::size_t rows_max = 0;
    std::size_t bytes_max = 0;
    // Look for another row after a full page, so that the last page has no continuation. Ignored
    // by queries that know all their rows.
    bool seeks_end = true;
    // Describe the plan as well as running it.
    bool describe = false;
    // Record how long each step takes.
    bool measure = false;
};

struct ResultPage {
    std::string rows;  // JSON texts, separated by commas
    std::size_t count = 0;
    std::optional<Resume> resume;  // where to continue; nothing at the end
    Access access;                 // how the items were found
    Counters counters;
};

// Where a page begins: at the start, at a continuation, or at sort keys the client names.
struct PageStart {
    Resume resume;
    const ResumeFilter* filter = nullptr;  // ignored with a continuation
};

// Counts with the budget of the surroundings, which is for one page.
Result<ResultPage> run_page(const Prepared& prepared,
                            ItemSource& source,
                            const Surroundings& surroundings,
                            const PageStart& start,
                            const PageLimits& limits);

}  // namespace orrery::sql
