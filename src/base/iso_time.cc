#include "base/iso_time.h"

#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/check.h"

namespace orrery {

namespace {

using Micros = std::chrono::microseconds;

// Takes exactly so many digits off the front.
std::optional<unsigned> take_number(std::string_view& text, std::size_t digits) {
    if (text.size() < digits) return std::nullopt;
    unsigned value = 0;
    for (const char c : text.substr(0, digits)) {
        if (c < '0' || c > '9') return std::nullopt;
        value = value * 10 + static_cast<unsigned>(c - '0');
    }
    text.remove_prefix(digits);
    return value;
}

// The digits after the point, as microseconds.
std::optional<unsigned> take_decimals(std::string_view& text) {
    if (!text.starts_with('.')) return 0;
    text.remove_prefix(1);
    std::size_t digits = text.find_first_not_of("0123456789");
    if (digits == std::string_view::npos) digits = text.size();
    if (digits < 1 || digits > 6) return std::nullopt;
    unsigned value = *take_number(text, digits);
    for (; digits < 6; ++digits)
        value *= 10;
    return value;
}

}  // namespace

std::string print_iso_time(std::int64_t unix_micros) {
    const std::chrono::sys_time<Micros> time{Micros(unix_micros)};
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    CHECK(date.year() >= std::chrono::year(1) && date.year() <= std::chrono::year(9999));
    const std::chrono::hh_mm_ss clock(time - day);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z",
                       static_cast<int>(date.year()),
                       static_cast<unsigned>(date.month()),
                       static_cast<unsigned>(date.day()),
                       clock.hours().count(),
                       clock.minutes().count(),
                       clock.seconds().count(),
                       clock.subseconds().count());
}

std::optional<std::int64_t> parse_iso_time(std::string_view text) {
    // Year, month, day, hour, minute, second, each with what follows it; after the second come
    // decimals.
    constexpr std::array<char, 5> kBetween{'-', '-', 'T', ':', ':'};
    std::array<unsigned, 6> parts{};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto value = take_number(text, i == 0 ? 4 : 2);
        if (!value) return std::nullopt;
        parts[i] = *value;
        if (i == kBetween.size()) break;
        if (!text.starts_with(kBetween[i])) return std::nullopt;
        text.remove_prefix(1);
    }
    const auto micros = take_decimals(text);
    const auto [year, month, day, hour, minute, second] = parts;
    const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                           std::chrono::month(month),
                                           std::chrono::day(day));
    if (!micros || text != "Z" || year == 0 || !date.ok()) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    const auto time = std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(hour) +
                      std::chrono::minutes(minute) + std::chrono::seconds(second);
    return std::chrono::duration_cast<Micros>(time).count() + *micros;
}

}  // namespace orrery
