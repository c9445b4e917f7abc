// The body of a query request: the text, its parameters, and where to resume.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "sql/parameter.h"

namespace orrery::sql {

// The sort key of the row to resume from, one value per ORDER BY item. Arrays and objects are given
// only by their hash.
struct ResumeHash {
    bool is_array = false;
    std::int64_t low = 0;
    std::int64_t high = 0;

    bool operator==(const ResumeHash&) const = default;
};
struct ResumeUndefined {
    bool operator==(const ResumeUndefined&) const = default;
};
// A scalar is its JSON text.
using ResumeValue = std::variant<ResumeUndefined, std::string, ResumeHash>;

struct ResumeFilter {
    std::vector<ResumeValue> values;
    std::string rid;       // empty: before the first row with these values
    bool exclude = false;  // also skips rows with exactly these values
};

struct QuerySpec {
    std::string text;
    // Names are unique. A parameter without value is undefined, as if it had not been sent, and is
    // omitted here.
    std::vector<ParameterValue> parameters;
    std::optional<ResumeFilter> resume_filter;
};

// From the body {"query":…, "parameters":[{"name":"@p","value":…}], "resumeFilter":…}. kBadRequest
// with the service's text when it is malformed. The query text itself is not parsed.
Result<QuerySpec> parse_query_spec(std::string_view body);

// From a body of type application/sql, which is the text itself.
QuerySpec plain_query_spec(std::string_view body);

}  // namespace orrery::sql
