#include "sql/functions/date_time.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/ascii.h"

namespace orrery::sql {

namespace {

__extension__ using Wide = __int128;

constexpr bool is_leap(std::int64_t year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr std::int64_t days_in_month(std::int64_t year, std::int64_t month) {
    constexpr std::int64_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return month == 2 && is_leap(year) ? 29 : kDays[month - 1];
}

// Years start in March here, so that the leap day is the last day of a year.
constexpr std::int64_t days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) {
    const std::int64_t y = month <= 2 ? year - 1 : year;
    const std::int64_t month_from_march = (month + 9) % 12;
    const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719'468;
}

static_assert(days_since_1970(1970, 1, 1) == 0);
static_assert(days_since_1970(1, 1, 1) * kTicksPerDay == kTicksMin);
static_assert(days_since_1970(1601, 1, 1) * kTicksPerDay == kTicksWindowsEpoch);
static_assert(days_since_1970(10000, 1, 1) * kTicksPerDay == kTicksEnd);

struct Date {
    std::int64_t year;
    std::int64_t month;
    std::int64_t day;
};

constexpr Date date_of(std::int64_t days) {
    // 400 years have 146,097 days, 0000-03-01 is day -719,468.
    const std::int64_t shifted = days + 719'468;
    const std::int64_t era = floor_divide(shifted, 146'097);
    const std::int64_t day_of_era = shifted - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t month_from_march = (5 * day_of_year + 2) / 153;
    const std::int64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    return {.year = year_of_era + era * 400 + (month <= 2 ? 1 : 0),
            .month = month,
            .day = day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

bool in_calendar(Wide ticks) { return ticks >= kTicksMin && ticks < kTicksEnd; }

bool is_between(std::int64_t value, std::int64_t from, std::int64_t to) {
    return value >= from && value <= to;
}

// Ticks of one part; not defined for years and months, nor for nanoseconds, which are shorter.
Ticks ticks_per(DatePart part) {
    switch (part) {
        case DatePart::kDay:
            return kTicksPerDay;
        case DatePart::kHour:
            return kTicksPerHour;
        case DatePart::kMinute:
            return kTicksPerMinute;
        case DatePart::kSecond:
            return kTicksPerSecond;
        case DatePart::kMillisecond:
            return kTicksPerMillisecond;
        case DatePart::kMicrosecond:
            return 10;
        default:
            return 0;
    }
}

constexpr std::int64_t kNanosecondsPerTick = 100;

std::int64_t month_number(Ticks ticks) {
    const DateTime time = to_date_time(ticks);
    return time.year * 12 + time.month - 1;
}

std::optional<Ticks> add_months(std::int64_t count, Ticks ticks) {
    constexpr std::int64_t kMonthsMax = 12 * 10'000;
    if (!is_between(count, -kMonthsMax, kMonthsMax)) return std::nullopt;
    DateTime time = to_date_time(ticks);
    const std::int64_t month = month_number(ticks) + count;
    time.year = floor_divide(month, 12);
    time.month = month - time.year * 12 + 1;
    if (!is_between(time.year, 1, 9999)) return std::nullopt;
    time.day = std::min(time.day, days_in_month(time.year, time.month));
    return to_ticks(time);
}

std::optional<Ticks> bin_by_month(std::int64_t months, const Bins& bins, Ticks ticks) {
    const std::int64_t apart = month_number(ticks) - month_number(bins.origin);
    std::int64_t count = floor_divide(apart, months);
    auto start = add_months(count * months, bins.origin);
    // The origin may lie later in its month than the time in its own.
    if (start && *start > ticks) start = add_months(--count * months, bins.origin);
    return start;
}

class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}

    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }

    // Exactly this many digits; otherwise 0, and ok() is false.
    std::int64_t number(std::size_t digits) {
        std::int64_t value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (!next_is_digit()) {
                ok_ = false;
                return 0;
            }
            value = value * 10 + take_digit();
        }
        return value;
    }

    // 1 to 7 digits as a fraction of a second in 100 ns.
    std::int64_t fraction() {
        std::int64_t value = 0;
        int digits = 0;
        for (; digits < 7 && next_is_digit(); ++digits) {
            value = value * 10 + take_digit();
        }
        if (digits == 0) ok_ = false;
        for (; digits < 7; ++digits) {
            value *= 10;
        }
        return value;
    }

    void expect(char c) { ok_ = take(c) && ok_; }
    bool at_end() const { return rest_.empty(); }
    bool ok() const { return ok_; }

private:
    bool next_is_digit() const {
        return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
    }
    std::int64_t take_digit() {
        const char digit = rest_.front();
        rest_.remove_prefix(1);
        return digit - '0';
    }

    std::string_view rest_;
    bool ok_ = true;
};

}  // namespace

std::optional<Ticks> to_ticks(const DateTime& time) {
    if (!is_between(time.year, 1, 9999) || !is_between(time.month, 1, 12) ||
        !is_between(time.day, 1, days_in_month(time.year, time.month)) ||
        !is_between(time.hour, 0, 23) || !is_between(time.minute, 0, 59) ||
        !is_between(time.second, 0, 59) || !is_between(time.fraction, 0, kTicksPerSecond - 1)) {
        return std::nullopt;
    }
    return days_since_1970(time.year, time.month, time.day) * kTicksPerDay +
           time.hour * kTicksPerHour + time.minute * kTicksPerMinute +
           time.second * kTicksPerSecond + time.fraction;
}

DateTime to_date_time(Ticks ticks) {
    const std::int64_t days = floor_divide(ticks, kTicksPerDay);
    const Ticks in_day = ticks - days * kTicksPerDay;
    const Date date = date_of(days);
    return {.year = date.year,
            .month = date.month,
            .day = date.day,
            .hour = in_day / kTicksPerHour,
            .minute = in_day / kTicksPerMinute % 60,
            .second = in_day / kTicksPerSecond % 60,
            .fraction = in_day % kTicksPerSecond};
}

std::optional<Ticks> parse_date_time(std::string_view text) {
    Reader reader(text);
    DateTime time;
    time.year = reader.number(4);
    reader.expect('-');
    time.month = reader.number(2);
    reader.expect('-');
    time.day = reader.number(2);
    if (reader.take('T') || reader.take(' ')) {
        time.hour = reader.number(2);
        reader.expect(':');
        time.minute = reader.number(2);
        reader.expect(':');
        time.second = reader.number(2);
        if (reader.take('.')) time.fraction = reader.fraction();
    }
    reader.take('Z');
    if (!reader.ok() || !reader.at_end()) return std::nullopt;
    return to_ticks(time);
}

std::string print_date_time(Ticks ticks) {
    const DateTime time = to_date_time(ticks);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:07}Z",
                       time.year,
                       time.month,
                       time.day,
                       time.hour,
                       time.minute,
                       time.second,
                       time.fraction);
}

std::optional<DatePart> parse_date_part(std::string_view name) {
    struct Name {
        std::string_view name;
        DatePart part;
    };
    constexpr auto kNames = std::to_array<Name>({
        {"year", DatePart::kYear},       {"yyyy", DatePart::kYear},
        {"yy", DatePart::kYear},         {"month", DatePart::kMonth},
        {"mm", DatePart::kMonth},        {"m", DatePart::kMonth},
        {"day", DatePart::kDay},         {"dd", DatePart::kDay},
        {"d", DatePart::kDay},           {"hour", DatePart::kHour},
        {"hh", DatePart::kHour},         {"minute", DatePart::kMinute},
        {"mi", DatePart::kMinute},       {"n", DatePart::kMinute},
        {"second", DatePart::kSecond},   {"ss", DatePart::kSecond},
        {"s", DatePart::kSecond},        {"millisecond", DatePart::kMillisecond},
        {"ms", DatePart::kMillisecond},  {"microsecond", DatePart::kMicrosecond},
        {"mcs", DatePart::kMicrosecond}, {"nanosecond", DatePart::kNanosecond},
        {"ns", DatePart::kNanosecond},
    });
    const auto found = std::find_if(
        kNames.begin(), kNames.end(), [name](const Name& n) { return same_word(n.name, name); });
    if (found == kNames.end()) return std::nullopt;
    return found->part;
}

std::int64_t extract(DatePart part, Ticks ticks) {
    const DateTime time = to_date_time(ticks);
    switch (part) {
        case DatePart::kYear:
            return time.year;
        case DatePart::kMonth:
            return time.month;
        case DatePart::kDay:
            return time.day;
        case DatePart::kHour:
            return time.hour;
        case DatePart::kMinute:
            return time.minute;
        case DatePart::kSecond:
            return time.second;
        case DatePart::kMillisecond:
            return time.fraction / kTicksPerMillisecond;
        case DatePart::kMicrosecond:
            return time.fraction / 10;
        case DatePart::kNanosecond:
            return time.fraction * kNanosecondsPerTick;
    }
    return 0;
}

std::optional<Ticks> add(DatePart part, std::int64_t count, Ticks ticks) {
    if (part == DatePart::kYear) {
        if (!is_between(count, -10'000, 10'000)) return std::nullopt;
        return add_months(count * 12, ticks);
    }
    if (part == DatePart::kMonth) return add_months(count, ticks);
    const Wide distance = part == DatePart::kNanosecond ? Wide{count / kNanosecondsPerTick}
                                                        : Wide{count} * ticks_per(part);
    const Wide sum = ticks + distance;
    if (!in_calendar(sum)) return std::nullopt;
    return static_cast<Ticks>(sum);
}

json::Number boundaries(DatePart part, Ticks from, Ticks to) {
    switch (part) {
        case DatePart::kYear:
            return to_date_time(to).year - to_date_time(from).year;
        case DatePart::kMonth:
            return month_number(to) - month_number(from);
        case DatePart::kNanosecond: {
            std::int64_t out = 0;
            if (!__builtin_mul_overflow(to - from, kNanosecondsPerTick, &out)) return out;
            return static_cast<double>(to - from) * kNanosecondsPerTick;
        }
        default: {
            const Ticks unit = ticks_per(part);
            return floor_divide(to, unit) - floor_divide(from, unit);
        }
    }
}

std::optional<Ticks> bin(const Bins& bins, Ticks ticks) {
    constexpr std::int64_t kMonthsMax = 12 * 10'000;
    if (bins.part == DatePart::kYear) {
        return bin_by_month(std::min(bins.size, kMonthsMax) * 12, bins, ticks);
    }
    if (bins.part == DatePart::kMonth) {
        return bin_by_month(std::min(bins.size, kMonthsMax), bins, ticks);
    }
    // In nanoseconds, because a bin of nanoseconds need not be a whole number of ticks.
    const Wide size = bins.part == DatePart::kNanosecond
                          ? Wide{bins.size}
                          : Wide{bins.size} * ticks_per(bins.part) * kNanosecondsPerTick;
    const Wide apart = (Wide{ticks} - bins.origin) * kNanosecondsPerTick;
    const Wide into = (apart % size + size) % size;
    const Wide start = apart - into;  // from the origin
    const Wide in_ticks =
        start / kNanosecondsPerTick - (start % kNanosecondsPerTick < 0 ? 1 : 0) + bins.origin;
    if (!in_calendar(in_ticks)) return std::nullopt;
    return static_cast<Ticks>(in_ticks);
}

}  // namespace orrery::sql
