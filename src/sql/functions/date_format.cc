#include <fmt/format.h>

#include "sql/functions/date_time.h"

namespace orrery::sql {

namespace {

constexpr std::string_view kMonths[] = {"January",
                                        "February",
                                        "March",
                                        "April",
                                        "May",
                                        "June",
                                        "July",
                                        "August",
                                        "September",
                                        "October",
                                        "November",
                                        "December"};
constexpr std::string_view kWeekdays[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

std::string_view weekday(Ticks ticks) {
    // 0001-01-01 was a Monday.
    return kWeekdays[static_cast<std::size_t>((ticks - kTicksMin) / kTicksPerDay + 1) % 7];
}

// One letter means the bare number, two mean two digits.
void append_padded(std::string& out, std::int64_t number, std::size_t letters) {
    fmt::format_to(std::back_inserter(out), "{:0{}}", number, letters < 2 ? 1 : 2);
}

// Three letters mean the first three of the name, more mean all of it.
void append_name(std::string& out, std::string_view name, std::size_t letters) {
    out += letters == 3 ? name.substr(0, 3) : name;
}

void append_year(std::string& out, std::int64_t year, std::size_t letters) {
    if (letters <= 2) {
        append_padded(out, year % 100, letters);
    } else {
        fmt::format_to(std::back_inserter(out), "{:0{}}", year, letters);
    }
}

void append_fraction(std::string& out, std::int64_t fraction, std::size_t digits, bool trim) {
    std::string text = fmt::format("{:07}", fraction).substr(0, digits);
    while (trim && text.ends_with('0')) {
        text.pop_back();
    }
    out += text;
}

std::int64_t on_clock_face(std::int64_t hour) { return hour % 12 == 0 ? 12 : hour % 12; }

// Appends a run of one letter. False when there is no such format.
bool append_run(std::string& out, Ticks ticks, char letter, std::size_t letters) {
    constexpr std::size_t kYearDigitsMax = 10;
    const DateTime time = to_date_time(ticks);
    switch (letter) {
        case 'y':
            if (letters > kYearDigitsMax) return false;
            append_year(out, time.year, letters);
            return true;
        case 'M':
            if (letters <= 2) {
                append_padded(out, time.month, letters);
            } else {
                append_name(out, kMonths[time.month - 1], letters);
            }
            return true;
        case 'd':
            if (letters <= 2) {
                append_padded(out, time.day, letters);
            } else {
                append_name(out, weekday(ticks), letters);
            }
            return true;
        case 'H':
            append_padded(out, time.hour, letters);
            return true;
        case 'h':
            append_padded(out, on_clock_face(time.hour), letters);
            return true;
        case 'm':
            append_padded(out, time.minute, letters);
            return true;
        case 's':
            append_padded(out, time.second, letters);
            return true;
        case 't':
            out += std::string_view(time.hour < 12 ? "AM" : "PM").substr(0, letters);
            return true;
        default:  // f or F
            if (letters > 7) return false;
            append_fraction(out, time.fraction, letters, letter == 'F');
            return true;
    }
}

}  // namespace

std::optional<std::string> format_date_time(Ticks ticks, std::string_view format) {
    std::string out;
    std::size_t at = 0;
    while (at < format.size()) {
        const char c = format[at];
        if (c == '\\') {
            if (at + 1 == format.size()) return std::nullopt;
            out += format[at + 1];
            at += 2;
        } else if (std::string_view("yMdHhmsfFt").find(c) == std::string_view::npos) {
            out += c;
            ++at;
        } else {
            const std::size_t end = std::min(format.find_first_not_of(c, at), format.size());
            if (!append_run(out, ticks, c, end - at)) return std::nullopt;
            at = end;
        }
    }
    return out;
}

}  // namespace orrery::sql
