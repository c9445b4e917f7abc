// Dates in HTTP headers: "Tue, 15 Nov 1994 08:12:31 GMT" (RFC 1123), independent of the locale.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// Years 0001 to 9999 only; anything else is a bug of the caller.
std::string print_http_date(std::int64_t unix_seconds);

// Case-insensitive, because signed requests carry the date in lower case. Strict otherwise:
// two-digit day, "GMT", a day that exists, and its weekday.
std::optional<std::int64_t> parse_http_date(std::string_view text);

}  // namespace orrery
