#include "base/http_date.h"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "base/check.h"

namespace orrery {

namespace {

constexpr std::array<std::string_view, 7> kWeekdays = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Reads fixed parts from the front of a date; one mismatch makes all of it invalid.
class DateReader {
public:
    explicit DateReader(std::string_view text) : rest_(text) {}

    void skip(std::string_view expected) { ok_ = ok_ && same(take(expected.size()), expected); }

    unsigned number(std::size_t digits) {
        unsigned value = 0;
        for (const char c : take(digits)) {
            ok_ = ok_ && c >= '0' && c <= '9';
            value = value * 10 + static_cast<unsigned>(c - '0');
        }
        return value;
    }

    template <std::size_t kCount>
    unsigned name(const std::array<std::string_view, kCount>& names) {
        const std::string_view taken = take(3);
        const auto found = std::find_if(
            names.begin(), names.end(), [&](std::string_view n) { return same(n, taken); });
        ok_ = ok_ && found != names.end();
        return static_cast<unsigned>(found - names.begin());
    }

    bool finished() const { return ok_ && rest_.empty(); }

private:
    std::string_view take(std::size_t count) {
        ok_ = ok_ && rest_.size() >= count;
        if (!ok_) return {};
        const std::string_view taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    static bool same(std::string_view a, std::string_view b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
            return lower(x) == lower(y);
        });
    }

    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace

std::string print_http_date(std::int64_t unix_seconds) {
    using std::chrono::days;
    using std::chrono::floor;
    const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
    const std::chrono::sys_days day = floor<days>(time);
    const std::chrono::year_month_day date{day};
    const std::chrono::hh_mm_ss clock{time - day};
    const int year = static_cast<int>(date.year());
    CHECK(year >= 1 && year <= 9999);
    return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                       kWeekdays[std::chrono::weekday(day).c_encoding()],
                       static_cast<unsigned>(date.day()),
                       kMonths[static_cast<unsigned>(date.month()) - 1],
                       year,
                       clock.hours().count(),
                       clock.minutes().count(),
                       clock.seconds().count());
}

std::optional<std::int64_t> parse_http_date(std::string_view text) {
    DateReader reader(text);
    const unsigned weekday = reader.name(kWeekdays);
    reader.skip(", ");
    const std::chrono::day day(reader.number(2));
    reader.skip(" ");
    const std::chrono::month month(reader.name(kMonths) + 1);
    reader.skip(" ");
    const std::chrono::year year(static_cast<int>(reader.number(4)));
    reader.skip(" ");
    const unsigned hour = reader.number(2);
    reader.skip(":");
    const unsigned minute = reader.number(2);
    reader.skip(":");
    const unsigned second = reader.number(2);
    reader.skip(" GMT");

    const std::chrono::year_month_day date{year, month, day};
    if (!reader.finished() || !date.ok() || static_cast<int>(year) == 0) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    const std::chrono::sys_days midnight{date};
    if (std::chrono::weekday(midnight).c_encoding() != weekday) return std::nullopt;
    const std::chrono::sys_seconds time = midnight + std::chrono::hours(hour) +
                                          std::chrono::minutes(minute) +
                                          std::chrono::seconds(second);
    return time.time_since_epoch().count();
}

}  // namespace orrery
