// Numbers as queries see them: a 64-bit integer or a double. An integer literal that fits stays
// exact; everything else is the nearest double. Comparison is exact across the two (reference: the
// SDKs' Number64).

#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace orrery::json {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Number {
public:
    constexpr Number() = default;
    constexpr Number(std::int64_t integer) : integer_(integer), is_integer_(true) {}  // NOLINT
    constexpr Number(int integer) : Number(std::int64_t{integer}) {}                  // NOLINT
    constexpr Number(double real) : real_(real), is_integer_(false) {}                // NOLINT

    // From a valid JSON number. 1.0 and 1e2 are integers as well; -0 is 0.
    static Number parse(std::string_view text);

    constexpr bool is_integer() const { return is_integer_; }
    constexpr std::int64_t integer() const { return integer_; }
    constexpr double real() const { return is_integer_ ? static_cast<double>(integer_) : real_; }
    bool is_finite() const;

    // An integral double that fits becomes an integer; -0 becomes 0.
    Number normalized() const;

    // NaN is unordered with everything.
    friend std::partial_ordering operator<=>(const Number& a, const Number& b);
    friend bool operator==(const Number& a, const Number& b) { return (a <=> b) == 0; }

private:
    union {
        std::int64_t integer_ = 0;
        double real_;
    };
    bool is_integer_ = true;
};

// As query results print it: integers plain, doubles with 15 significant digits if those parse back
// to the same number, else with 17 (0.1, 0.33333333333333331, 1.8446744073709552e+19). NaN and
// infinities become the words NaN, Infinity, -Infinity, which are not JSON.
void append_number(std::string& out, const Number& number);

// Whether append_number() prints a valid JSON number as it is written; false where that takes more
// than a look at its digits. Most are integers or decimal fractions of at most 15 digits, all of
// which a double keeps; what is printed with an exponent, with fewer zeros or without a sign is not
// among them.
bool prints_as_written(std::string_view number);

// What is known of the numbers in a JSON text: nothing, or that query results print all of them as
// they are written there.
enum class NumberForm : std::uint8_t { kUnknown, kAsPrinted };

}  // namespace orrery::json
