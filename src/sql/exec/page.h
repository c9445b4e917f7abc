// Runs a prepared query against one partition until a page is full, the time is up or there are no
// more rows.

#pragma once

#include <cstdint>
#include <functional>
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
    std::function<bool()> time_is_up;  // the page is to end; asked now and then
    std::function<bool()> gives_up;    // the query is to end, when it cannot end a page
    // Takes the first row whatever its size, so that a query always gets on.
    bool at_least_one = true;
    // The plan is to be shown, not only run.
    bool describe = false;
    // How long each step takes is to be shown.
    bool measure = false;
};

struct ResultPage {
    std::string rows;  // JSON texts, separated by commas
    std::size_t count = 0;
    std::optional<Resume> resume;  // there may be more, from here
    Access access;                 // how the items were found
    Counters counters;
};

// From where a page begins: at the start, at a continuation, or at sort keys the client names.
struct PageStart {
    Resume resume;
    const ResumeFilter* filter = nullptr;  // only looked at without a continuation
};

Result<ResultPage> run_page(const Prepared& prepared,
                            ItemSource& source,
                            const Surroundings& surroundings,
                            const PageStart& start,
                            const PageLimits& limits);

}  // namespace orrery::sql
