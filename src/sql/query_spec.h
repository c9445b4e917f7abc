// The body of a query request: the text, its parameters, and from where to resume.

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

// The sort key of the row to resume from, one per ORDER BY item. Arrays and objects are known by
// their hash only.
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
    bool exclude = false;  // rows with these very values are left out, too
};

struct QuerySpec {
    std::string text;
    // Names differ. A parameter without value is undefined, as if it had not been sent, and is not
    // here.
    std::vector<ParameterValue> parameters;
    std::optional<ResumeFilter> resume_filter;
};

// From the body {"query":…, "parameters":[{"name":"@p","value":…}], "resumeFilter":…}. kBadRequest
// in the words of the service when it is not that. The text itself is not looked at.
Result<QuerySpec> parse_query_spec(std::string_view body);

// From a body of type application/sql, which is the text itself.
QuerySpec plain_query_spec(std::string_view body);

}  // namespace orrery::sql
