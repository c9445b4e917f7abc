// Query errors in the JSON form that the service puts into its error message and that clients
// search for words and codes.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "sql/ast.h"

namespace orrery::sql {

// One entry of "errors". A code of digits only is sent as a number, an empty one not at all.
struct Diagnostic {
    std::string code;
    std::string message;
    std::optional<Location> location;
};

// {"errors":[{"severity":"Error","location":{"start":27,"end":28},"code":"SC2001","message":"…"}]}
Error query_error(const std::vector<Diagnostic>& diagnostics);
Error query_error(std::string_view code, std::string message, std::optional<Location> location);

// {"Errors":["…"]}, the form of errors about a query as a whole.
Error plain_query_error(std::string_view message);

// SC1001, or SC1002 at the end of the text.
Error syntax_error(std::string_view near, Location location);

// SC2060, SC2062, SC2061: an invalid count for TOP, OFFSET or LIMIT.
enum class CountClause : std::uint8_t { kTop, kOffset, kLimit };
Error count_error(CountClause clause, Location location);

}  // namespace orrery::sql
