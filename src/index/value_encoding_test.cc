#include "index/value_encoding.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/utf8.h"
#include "json/distinct_hash.h"

namespace orrery::index {
namespace value_encoding_test {

using json::Number;

std::string number(const Number& value) {
    std::string out;
    encode_number(out, value);
    return out;
}
std::string string(std::string_view utf8) {
    std::string out;
    encode_string(out, utf8);
    return out;
}
std::string json(std::string_view raw) {
    std::string out;
    std::string scratch;
    encode_json_scalar(out, raw, scratch);
    return out;
}
std::string hex(std::string_view bytes) { return to_hex_upper(bytes); }

std::vector<Number> edge_numbers() {
    std::vector<Number> numbers;
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t base : {std::int64_t{0},
                                    std::int64_t{1} << 52,
                                    std::int64_t{1} << 53,
                                    std::int64_t{1} << 54,
                                    std::int64_t{1} << 62,
                                    kMax - 2,
                                    kMin + 2}) {
        for (std::int64_t delta = -2; delta <= 2; ++delta) {
            numbers.emplace_back(base + delta);
            numbers.emplace_back(base == kMin + 2 ? base - delta : -(base + delta));
            numbers.emplace_back(static_cast<double>(base + delta));
        }
    }
    using Limits = std::numeric_limits<double>;
    for (const double real : {0.1,
                              0.5,
                              1.5,
                              1e300,
                              9.5e18,
                              Limits::max(),
                              Limits::min(),
                              Limits::denorm_min(),
                              Limits::infinity(),
                              9223372036854775808.0}) {
        numbers.emplace_back(real);
        numbers.emplace_back(-real);
    }
    return numbers;
}

TEST(ValueEncoding, MatchesTheDocumentedBytes) {
    EXPECT_EQ(hex(json("null")), "02");
    EXPECT_EQ(hex(json("false")), "03");
    EXPECT_EQ(hex(json("true")), "04");
    EXPECT_EQ(hex(json("0")), "058000");
    EXPECT_EQ(hex(json("-0.0")), "058000");
    EXPECT_EQ(hex(json("10")), "05C024");
    EXPECT_EQ(hex(json("-10")), "053FDC");
    EXPECT_EQ(hex(json("9007199254740993")),
              "05C340"
              "8001");
    EXPECT_EQ(hex(json("9007199254740992")),
              "05C340"
              "8000");
    EXPECT_EQ(hex(json(R"("a")")), "066100");
    EXPECT_EQ(hex(json(R"("a\u0000\u0001")")), "06610101010200");
    EXPECT_EQ(hex(string("\xee\x80\x80")), "06F3808000");
    EXPECT_EQ(hex(string("\xf0\x9f\x98\x80")), "06EE9F988000");
    std::string array;
    encode_container(array, Tag::kArray, json::distinct_hash("[]"));
    EXPECT_EQ(hex(array), "0782805359A33CEFA2FF634AFF29F7547D");
    std::string undefined;
    encode_undefined(undefined);
    EXPECT_EQ(hex(undefined), "01");
}

TEST(ValueEncoding, SmallNumbersAreShort) {
    EXPECT_EQ(json("7").size(), 3U);
    EXPECT_LE(json("1000").size(), 4U);
    EXPECT_LE(json("1700000000").size(), 7U);
    EXPECT_LE(json("0.1").size(), 10U);
}

TEST(ValueEncoding, KindsSortAsOrderByDoes) {
    std::string undefined;
    encode_undefined(undefined);
    std::string array;
    std::string object;
    encode_container(array, Tag::kArray, {0xff, 0});
    encode_container(object, Tag::kObject, {0, 0});
    const std::vector<std::string> sorted{undefined,
                                          json("null"),
                                          json("false"),
                                          json("true"),
                                          json("-1e308"),
                                          json("1e308"),
                                          string(""),
                                          string("z"),
                                          array,
                                          object};
    EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
}

TEST(ValueEncoding, NumbersSortAndRoundTrip) {
    std::vector<Number> numbers = edge_numbers();
    std::mt19937_64 random(1);
    for (int i = 0; i < 400; ++i) {
        const std::uint64_t bits = random();
        numbers.emplace_back(static_cast<std::int64_t>(bits) >> (random() % 64));
        const double real = std::bit_cast<double>(bits);
        if (!std::isnan(real)) numbers.emplace_back(real);
    }
    for (const Number& a : numbers) {
        for (const Number& b : numbers) {
            const auto expected = a <=> b;
            const auto found = number(a) <=> number(b);
            ASSERT_TRUE(expected == 0 ? found == 0 : (expected < 0) == (found < 0))
                << a.real() << " " << b.real();
        }
        std::string scratch;
        const auto decoded = decode_value(number(a), scratch);
        ASSERT_TRUE(decoded);
        EXPECT_EQ(decoded->tag, Tag::kNumber);
        EXPECT_TRUE(decoded->number == a) << a.real();
        EXPECT_EQ(decoded->number.is_integer(), a.normalized().is_integer());
        EXPECT_TRUE(decoded->exact);
    }
}

std::u16string utf16(std::string_view utf8) {
    std::u16string out;
    while (!utf8.empty()) {
        const char32_t c = *take_code_point(utf8);
        if (c < 0x10000) {
            out += static_cast<char16_t>(c);
        } else {
            out += static_cast<char16_t>(0xd800 + ((c - 0x10000) >> 10));
            out += static_cast<char16_t>(0xdc00 + ((c - 0x10000) & 0x3ff));
        }
    }
    return out;
}

TEST(ValueEncoding, StringsSortByUtf16AndRoundTrip) {
    constexpr char32_t kCharacters[] = {0,
                                        1,
                                        2,
                                        'a',
                                        'b',
                                        0x7f,
                                        0x80,
                                        0x7ff,
                                        0x800,
                                        0xd7ff,
                                        0xe000,
                                        0xfffd,
                                        0xffff,
                                        0x10000,
                                        0x3ffff,
                                        0x40000,
                                        0x100000,
                                        0x10ffff};
    std::mt19937_64 random(2);
    std::vector<std::string> strings;
    for (int i = 0; i < 500; ++i) {
        std::string& text = strings.emplace_back();
        for (std::size_t n = random() % 4; n > 0; --n) {
            append_utf8(text, kCharacters[random() % std::size(kCharacters)]);
        }
    }
    for (const std::string& a : strings) {
        for (const std::string& b : strings) {
            ASSERT_EQ(string(a) <=> string(b), utf16(a) <=> utf16(b)) << a << " " << b;
        }
        std::string scratch;
        const auto decoded = decode_value(string(a), scratch);
        ASSERT_TRUE(decoded);
        EXPECT_EQ(decoded->text, a);
        EXPECT_TRUE(decoded->exact);
        EXPECT_TRUE(is_exact(string(a)));
    }
}

TEST(ValueEncoding, LongStringsAreTruncated) {
    const std::string whole(kStringBytesMax, 'x');
    EXPECT_TRUE(is_exact(string(whole)));
    for (const std::string_view more : {"", "a", "b", "\1"}) {
        const std::string longer = whole + "y" + std::string(more);
        EXPECT_FALSE(is_exact(string(longer)));
        EXPECT_LT(string(whole), string(longer));
        EXPECT_LT(string(longer), string(std::string(kStringBytesMax - 1, 'x') + "y"));
        EXPECT_EQ(string(longer).size(), 1 + kStringBytesMax + 2 + 16);
        std::string scratch;
        const auto decoded = decode_value(string(longer), scratch);
        ASSERT_TRUE(decoded);
        EXPECT_FALSE(decoded->exact);
        EXPECT_EQ(decoded->text, whole);
    }
    EXPECT_NE(string(whole + "a"), string(whole + "b"));
}

TEST(ValueEncoding, IsSelfDelimiting) {
    std::vector<std::string> values{
        json("null"), json("true"), string("a\1b"), string(""), string(std::string(300, '\0'))};
    for (const Number& edge : edge_numbers()) {
        values.push_back(number(edge));
    }
    encode_container(values.emplace_back(), Tag::kObject, {1, 2});
    for (const std::string& value : values) {
        for (const Order order : {Order::kAscending, Order::kDescending}) {
            std::string bytes;
            append_in_order(bytes, value, order);
            EXPECT_EQ(encoded_length(bytes + "\x7f\x01\xff", order), value.size());
            for (std::size_t size = 0; size < bytes.size(); ++size) {
                EXPECT_EQ(encoded_length(bytes.substr(0, size), order), 0U);
            }
        }
    }
    for (const Order order : {Order::kAscending, Order::kDescending}) {
        EXPECT_EQ(encoded_length("\x55", order), 0U);
    }
}

TEST(ValueEncoding, DamagedBytesAreNotAValue) {
    std::string scratch;
    for (const std::string_view bytes : {std::string_view(""),
                                         std::string_view("\x09"),
                                         std::string_view("\x06"
                                                          "a"),
                                         std::string_view("\x06\x01\x07\x00", 4),
                                         std::string_view("\x02\x02"),
                                         std::string_view("\x05\xc3\x40\xff\xff", 5),
                                         std::string_view("\x05\xc3\xe0\x80\x01", 5)}) {
        EXPECT_FALSE(decode_value(bytes, scratch)) << hex(bytes);
    }
    std::mt19937_64 random(3);
    for (int i = 0; i < 20'000; ++i) {
        std::string bytes;
        for (std::size_t n = random() % 12; n > 0; --n) {
            bytes += static_cast<char>(random() % 4 == 0 ? random() % 10 : random());
        }
        decode_value(bytes, scratch);
    }
}

}  // namespace value_encoding_test
}  // namespace orrery::index
