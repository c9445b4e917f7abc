// Dates and times in queries: UTC strings in the proleptic Gregorian calendar, years 1 to 9999,
// with a resolution of 100 nanoseconds. Computed in ticks: 100 ns since 1970.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "json/number.h"

namespace orrery::sql {

using Ticks = std::int64_t;

inline constexpr Ticks kTicksPerMillisecond = 10'000;
inline constexpr Ticks kTicksPerSecond = 1000 * kTicksPerMillisecond;
inline constexpr Ticks kTicksPerMinute = 60 * kTicksPerSecond;
inline constexpr Ticks kTicksPerHour = 60 * kTicksPerMinute;
inline constexpr Ticks kTicksPerDay = 24 * kTicksPerHour;

inline constexpr Ticks kTicksMin = -719'162 * kTicksPerDay;           // 0001-01-01
inline constexpr Ticks kTicksEnd = 2'932'897 * kTicksPerDay;          // 10000-01-01, not included
inline constexpr Ticks kTicksWindowsEpoch = -134'774 * kTicksPerDay;  // 1601-01-01

struct DateTime {
    std::int64_t year = 1970;
    std::int64_t month = 1;  // 1 to 12
    std::int64_t day = 1;
    std::int64_t hour = 0;
    std::int64_t minute = 0;
    std::int64_t second = 0;
    std::int64_t fraction = 0;  // in 100 ns
};

// Rounds towards minus infinity; `b` is positive.
constexpr std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

// Nothing when one of the fields is out of range.
std::optional<Ticks> to_ticks(const DateTime& time);
// All `ticks` below must lie between kTicksMin and kTicksEnd.
DateTime to_date_time(Ticks ticks);

// YYYY-MM-DD, optionally with Z; or followed by T or a blank and hh:mm:ss, an optional fraction of
// 1 to 7 digits and an optional Z. Nothing for any other text (docs is-datetime).
std::optional<Ticks> parse_date_time(std::string_view text);
// 2017-04-20T13:15:20.3456789Z
std::string print_date_time(Ticks ticks);

enum class DatePart : std::uint8_t {
    kYear,
    kMonth,
    kDay,
    kHour,
    kMinute,
    kSecond,
    kMillisecond,
    kMicrosecond,
    kNanosecond,
};

// From "year", "yyyy", "yy" … in any case; the documentation lists only lower case.
std::optional<DatePart> parse_date_part(std::string_view name);

// The value of the part; milliseconds and below count within the second.
std::int64_t extract(DatePart part, Ticks ticks);

// Nothing when the result leaves the calendar. A day past the end of the month becomes its last.
std::optional<Ticks> add(DatePart part, std::int64_t count, Ticks ticks);

// How many boundaries of the part lie between the two; negative when `to` comes first.
json::Number boundaries(DatePart part, Ticks from, Ticks to);

struct Bins {
    DatePart part;
    std::int64_t size;  // positive, in parts
    Ticks origin;       // start of one of them
};
// The start of the bin that `ticks` falls into; nothing when that leaves the calendar.
std::optional<Ticks> bin(const Bins& bins, Ticks ticks);

// Uses the letters of .NET's custom formats (y M d H h m s f F t); `\` makes the next character
// literal. Nothing when the format is invalid.
std::optional<std::string> format_date_time(Ticks ticks, std::string_view format);

}  // namespace orrery::sql
