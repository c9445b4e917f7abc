#include "json/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "json/text.h"

namespace orrery::json {

namespace {

// 2^63: the first double that does not fit int64.
constexpr double kInt64End = 9223372036854775808.0;

std::partial_ordering compare(std::int64_t integer, double real) {
    if (std::isnan(real)) return std::partial_ordering::unordered;
    if (real >= kInt64End) return std::partial_ordering::less;
    if (real < -kInt64End) return std::partial_ordering::greater;
    const double whole = std::trunc(real);
    const auto truncated = static_cast<std::int64_t>(whole);
    if (integer != truncated) return integer <=> truncated;
    return 0.0 <=> (real - whole);
}

}  // namespace

Number Number::parse(std::string_view text) {
    std::int64_t integer = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer);
    if (error == std::errc{} && end == text.data() + text.size()) return integer;
    return Number(to_double(text)).normalized();
}

bool Number::is_finite() const { return is_integer_ || std::isfinite(real_); }

Number Number::normalized() const {
    if (is_integer_ || !(real_ >= -kInt64End && real_ < kInt64End)) return *this;
    const auto integer = static_cast<std::int64_t>(real_);
    if (static_cast<double>(integer) != real_) return *this;
    return integer;
}

std::partial_ordering operator<=>(const Number& a, const Number& b) {
    if (a.is_integer_ && b.is_integer_) return a.integer_ <=> b.integer_;
    if (!a.is_integer_ && !b.is_integer_) return a.real_ <=> b.real_;
    if (a.is_integer_) return compare(a.integer_, b.real_);
    return 0 <=> compare(b.integer_, a.real_);
}

void append_number(std::string& out, const Number& number) {
    char buffer[32];
    if (number.is_integer()) {
        const auto end = std::to_chars(buffer, buffer + sizeof(buffer), number.integer()).ptr;
        out.append(buffer, end);
        return;
    }
    const double real = number.real();
    if (std::isnan(real)) {
        out += "NaN";
    } else if (std::isinf(real)) {
        out += real > 0 ? "Infinity" : "-Infinity";
    } else {
        // With 15 digits if they tell the number from all others, else with 17, as "%.15g" does.
        const auto print = [&](int digits) {
            const char* const end =
                std::to_chars(
                    buffer, buffer + sizeof(buffer), real, std::chars_format::general, digits)
                    .ptr;
            return std::string_view(buffer, static_cast<std::size_t>(end - buffer));
        };
        const std::string_view rounded = print(15);
        out += to_double(rounded) == real ? rounded : print(17);
    }
}

bool prints_as_written(std::string_view number) {
    constexpr std::size_t kDigitsMax = 15;
    const bool negative = number.front() == '-';
    if (negative) number.remove_prefix(1);
    if (number.empty() || number.size() > kDigitsMax) return false;
    std::size_t point = 0;
    while (point < number.size() && is_digit(number[point])) {
        ++point;
    }
    const bool zero = number.front() == '0';
    if (zero && point > 1) return false;
    if (point == number.size()) return !negative || !zero;
    if (number[point] != '.' || !is_digit(number.back()) || number.back() == '0') return false;
    const std::string_view fraction = number.substr(point + 1);
    return std::all_of(fraction.begin(), fraction.end(), is_digit) &&
           (!zero || !fraction.starts_with("0000"));
}

}  // namespace orrery::json
