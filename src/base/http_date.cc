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
constexpr std::array<std::string_view, 1> kZones = {"GMT"};

// Reads a date at fixed places; one mismatch makes all of it invalid.
class DateReader {
public:
    static constexpr std::size_t kSize = 29;  // "Sun, 06 Nov 1994 08:49:37 GMT"

    explicit DateReader(const char* text) : text_(text) {}

    void expect(std::size_t at, char c) { ok_ = ok_ && text_[at] == c; }

    unsigned number(std::size_t at, std::size_t digits) {
        unsigned value = 0;
        for (std::size_t i = at; i < at + digits; ++i) {
            const auto digit = static_cast<unsigned>(text_[i] - '0');
            ok_ = ok_ && digit < 10;
            value = value * 10 + digit;
        }
        return value;
    }

    // Names have three letters, of any case.
    template <std::size_t kCount>
    unsigned name(std::size_t at, const std::array<std::string_view, kCount>& names) {
        const auto found = std::find_if(names.begin(), names.end(), [&](std::string_view one) {
            return same_letter(text_[at], one[0]) && same_letter(text_[at + 1], one[1]) &&
                   same_letter(text_[at + 2], one[2]);
        });
        ok_ = ok_ && found != names.end();
        return static_cast<unsigned>(found - names.begin());
    }

    bool ok() const { return ok_; }

private:
    // Setting this bit makes letters lower case, and nothing else a letter.
    static bool same_letter(char a, char b) { return (a | 0x20) == (b | 0x20); }

    const char* text_;
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
    if (text.size() != DateReader::kSize) return std::nullopt;
    DateReader reader(text.data());
    for (const std::size_t at : {4U, 7U, 11U, 16U, 25U}) {
        reader.expect(at, ' ');
    }
    reader.expect(3, ',');
    reader.expect(19, ':');
    reader.expect(22, ':');
    reader.name(26, kZones);
    const unsigned weekday = reader.name(0, kWeekdays);
    const std::chrono::day day(reader.number(5, 2));
    const std::chrono::month month(reader.name(8, kMonths) + 1);
    const std::chrono::year year(static_cast<int>(reader.number(12, 4)));
    const unsigned hour = reader.number(17, 2);
    const unsigned minute = reader.number(20, 2);
    const unsigned second = reader.number(23, 2);

    const std::chrono::year_month_day date{year, month, day};
    if (!reader.ok() || !date.ok() || static_cast<int>(year) == 0) return std::nullopt;
    if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
    const std::chrono::sys_days midnight{date};
    if (std::chrono::weekday(midnight).c_encoding() != weekday) return std::nullopt;
    const std::chrono::sys_seconds time = midnight + std::chrono::hours(hour) +
                                          std::chrono::minutes(minute) +
                                          std::chrono::seconds(second);
    return time.time_since_epoch().count();
}

}  // namespace orrery
