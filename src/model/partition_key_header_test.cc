#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "model/partition_key.h"

namespace orrery::model {
namespace partition_key_header_test {

using Undefined = PartitionKeyValue::Undefined;
using Null = PartitionKeyValue::Null;
using namespace std::string_literals;

void expect_parsed(std::string_view header, const PartitionKeyValue& expected) {
    const Result<PartitionKeyValue> parsed = parse_partition_key_header(header);
    ASSERT_TRUE(parsed) << header << ": " << parsed.error().message();
    EXPECT_EQ(*parsed, expected) << header << " became " << parsed->to_json();
}

void expect_refused(std::string_view header, std::string_view why) {
    const Result<PartitionKeyValue> parsed = parse_partition_key_header(header);
    ASSERT_FALSE(parsed) << header << " became " << parsed->to_json();
    EXPECT_EQ(parsed.error().code(), ErrorCode::kBadRequest) << header;
    EXPECT_NE(parsed.error().message().find(why), std::string::npos)
        << header << ": " << parsed.error().message();
}

TEST(PartitionKeyHeader, Scalars) {
    expect_parsed(R"(["v"])", {"v"s});
    expect_parsed("[null]", {Null{}});
    expect_parsed("[true]", {true});
    expect_parsed("[false]", {false});
    expect_parsed("[{}]", {Undefined{}});
    expect_parsed("[]", {});
    expect_parsed(R"([""])", {""s});
    expect_parsed(R"(["a",{}])", {"a"s, Undefined{}});
    expect_parsed(R"(["a",5,null])", {"a"s, 5.0, Null{}});
    expect_parsed(R"(["Infinity"])", {"Infinity"s});
}

TEST(PartitionKeyHeader, WhitespaceIsTolerated) {
    expect_parsed(" [ \"a\" ,\t{ } , 5 ] ", {"a"s, Undefined{}, 5.0});
    expect_parsed("[ ]\r\n", {});
}

TEST(PartitionKeyHeader, Numbers) {
    expect_parsed("[5]", {5.0});
    expect_parsed("[5.0]", {5.0});
    expect_parsed("[-0]", {0.0});
    expect_parsed("[-1.5e3]", {-1500.0});
    expect_parsed("[1E+2]", {100.0});
    expect_parsed("[0.1]", {0.1});
    expect_parsed("[5.123124190509124]", {5.123124190509124});
    // Halfway between two doubles: rounds to even. With one more digit: rounds up.
    expect_parsed("[9007199254740993]", {9007199254740992.0});
    expect_parsed("[9007199254740993.00000000000000000001]", {9007199254740994.0});
    expect_parsed("[1.7976931348623157e308]", {std::numeric_limits<double>::max()});
    expect_parsed("[5e-324]", {5e-324});
    expect_parsed("[1e-400]", {0.0});
    expect_parsed("[-1e-400]", {0.0});
    expect_parsed("[0e999]", {0.0});
    for (const char* header : {"[01]",
                               "[1.]",
                               "[.5]",
                               "[-]",
                               "[+1]",
                               "[1e]",
                               "[1e+]",
                               "[0x10]",
                               "[1 2]",
                               "[NaN]",
                               "[Infinity]",
                               "[-Infinity]",
                               "[--1]"}) {
        expect_refused(header, "invalid");
    }
    expect_refused("[1e309]", "out of range");
    expect_refused("[-1e999999999999999999999]", "out of range");
}

TEST(PartitionKeyHeader, JsonEscapes) {
    expect_parsed(R"(["\"\\\/\b\f\n\r\t"])", {"\"\\/\b\f\n\r\t"s});
    expect_parsed(R"(["caf\u00e9 \u65E5"])", {"caf\u00e9 \u65e5"s});
    expect_parsed(R"(["\ud83d\ude00"])", {"\U0001F600"s});
    expect_parsed(R"(["\u0000"])", {"\0"s});
    for (const char* header : {R"(["\ud83d"])",
                               R"(["\ude00"])",
                               R"(["\ud83dx"])",
                               R"(["\ud83d\ud83d"])",
                               R"(["\ud83d\u0041"])",
                               R"(["\ud83d\n"])",
                               R"(["\ude00\ud83d"])",
                               R"(["\ud83d\u12"])"}) {
        expect_refused(header, "surrogate");
    }
    expect_refused(R"(["\u12"])", "four hex digits");
    expect_refused(R"(["\u+123"])", "four hex digits");
    expect_refused(R"(["\q"])", "unknown escape");
    expect_refused(R"(["\'"])", "unknown escape");
}

// What strconv.QuoteToASCII prints for "\a\v\x01\x7f", for U+1F600 and for bytes that are not
// UTF-8.
TEST(PartitionKeyHeader, GoEscapes) {
    expect_parsed(R"(["\a\v\x01\x7f"])", {"\a\v\x01\x7f"s});
    expect_parsed(R"(["\U0001f600"])", {"\U0001F600"s});
    expect_parsed(R"(["\u00e9\U000065e5"])", {"\u00e9\u65e5"s});
    expect_parsed(R"(["\xc3\xa9"])", {"\u00e9"s});
    expect_parsed(R"(["\xE6\x97\xA5"])", {"\u65e5"s});
    expect_refused(R"(["\xff"])", "UTF-8");
    expect_refused(R"(["\xe9"])", "UTF-8");
    expect_refused(R"(["\xed\xa0\x80"])", "UTF-8");
    expect_refused(R"(["\x1"])", "unknown escape");
    expect_refused(R"(["\xg1"])", "unknown escape");
    expect_refused(R"(["\U0001f60"])", "unknown escape");
    expect_refused(R"(["\U00110000"])", "not a character");
    expect_refused(R"(["\U0000d800"])", "not a character");
    expect_refused(R"(["\UFFFFFFFF"])", "not a character");
}

TEST(PartitionKeyHeader, RawBytesMustBeUtf8) {
    expect_parsed("[\"caf\u00e9\U0001F600\"]", {"caf\u00e9\U0001F600"s});
    expect_refused("[\"caf\xe9\"]", "UTF-8");
    expect_refused("[\"\xed\xa0\x80\"]", "UTF-8");
    expect_refused("[\"a\tb\"]", "control character");
    expect_refused("[\"a\0b\"]"s, "control character");
}

TEST(PartitionKeyHeader, OtherShapesAreRefusedByName) {
    expect_refused("", "not a JSON array");
    expect_refused("  ", "not a JSON array");
    expect_refused("{}", "not a JSON array");
    expect_refused("\"v\"", "not a JSON array");
    expect_refused("\"Infinity\"", "not a JSON array");
    expect_refused("null", "not a JSON array");
    expect_refused(R"([{"type":"MinNumber"}])", "only {} is allowed");
    expect_refused(R"([{"type":"MaxString"}])", "only {} is allowed");
    expect_refused(R"([{"a":1}])", "only {} is allowed");
    expect_refused("[{", "only {} is allowed");
    expect_refused("[[]]", "a component is an array");
    expect_refused(R"([["a"]])", "a component is an array");
    expect_refused("[undefined]", "not a JSON value");
    expect_refused("[True]", "not a JSON value");
    expect_refused("['a']", "not a JSON value");
}

TEST(PartitionKeyHeader, BrokenArraysAreRefused) {
    expect_refused("[", "ends too early");
    expect_refused("[5", "expected ',' or ']'");
    expect_refused("[5,", "ends too early");
    expect_refused("[5,]", "not a JSON value");
    expect_refused("[,5]", "not a JSON value");
    expect_refused("[nullnull]", "expected ',' or ']'");
    expect_refused("[5]]", "after the array");
    expect_refused("[5] x", "after the array");
    expect_refused(R"(["a)", "no end");
    expect_refused(R"(["a\)", "no end");
}

TEST(PartitionKeyHeader, Limits) {
    expect_parsed("[1,2,3]", {1.0, 2.0, 3.0});
    expect_refused("[1,2,3,4]", "more than 3 components");
    expect_parsed("[\"" + std::string(2048, 'x') + "\"]", {std::string(2048, 'x')});
    expect_refused("[\"" + std::string(2049, 'x') + "\"]", "2048 bytes");
    // The limit applies to the value's bytes, not to how the header spells them.
    std::string escaped = "[\"";
    std::string value;
    for (int i = 0; i < 1024; ++i) {
        escaped += "\\u00e9";
        value += "\u00e9";
    }
    expect_parsed(escaped + "\"]", {value});
    expect_refused(escaped + "x\"]", "2048 bytes");
}

TEST(PartitionKeyHeader, ParsesWhatItPrints) {
    const PartitionKeyValue key{"a\"\\\n\0\u00e9\U0001F600"s, -1.25e-7, Undefined{}};
    expect_parsed(key.to_json(), key);
}

}  // namespace partition_key_header_test
}  // namespace orrery::model
