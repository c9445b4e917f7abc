// Times as people write them in commands and read them in listings: ISO 8601 in UTC, such as
// 2026-03-01T14:02:59.5Z.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace orrery {

// With six decimals. Years 0001 to 9999 only; anything else is a bug of the caller.
std::string print_iso_time(std::int64_t unix_micros);

// Microseconds of Unix time, of a time with up to six decimals that ends in Z. Nothing for anything
// else, such as a time without a zone.
std::optional<std::int64_t> parse_iso_time(std::string_view text);

}  // namespace orrery
