#include "index/value_bounds.h"

#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::index {
namespace value_bounds_test {

std::string json(std::string_view raw) {
    std::string out;
    std::string scratch;
    encode_json_scalar(out, raw, scratch);
    return out;
}
std::string string(std::string_view utf8) {
    std::string out;
    encode_string(out, utf8);
    return out;
}

// Values in their order; the index does not know the order of the long strings.
std::vector<std::string> sorted_values() {
    std::string undefined;
    encode_undefined(undefined);
    std::vector<std::string> values{undefined,
                                    json("null"),
                                    json("false"),
                                    json("true"),
                                    json("-5"),
                                    json("0"),
                                    json("0.5"),
                                    json("7"),
                                    json("9007199254740992"),
                                    json("9007199254740993")};
    for (const std::string_view text : {"", "a", "aa", "a\xff", "b"}) {
        values.push_back(string(text));
    }
    encode_container(values.emplace_back(), Tag::kArray, {~0ULL, ~0ULL});
    encode_container(values.emplace_back(), Tag::kObject, {0, 0});
    return values;
}

bool contains(const ValueBounds& bounds, const std::string& value) {
    // As in a key: arbitrary bytes follow.
    for (const char* docnum : {"", "\x01", "\xff\xff"}) {
        const std::string key = value + docnum;
        if (key < bounds.from || key >= bounds.until) return false;
    }
    return true;
}

bool same_kind(const std::string& a, const std::string& b) {
    const auto kind = [](const std::string& value) { return value[0] == 4 ? 3 : value[0]; };
    return kind(a) == kind(b);
}

// Every function, ascending and inverted, against the order of the values.
TEST(ValueBounds, ContainExactlyTheMatchingValues) {
    using Make = ValueBounds (*)(std::string_view);
    using Meets = std::function<bool(int)>;
    const std::vector<std::pair<Make, Meets>> conditions{
        {equal_to, [](int order) { return order == 0; }},
        {less_than, [](int order) { return order < 0; }},
        {at_most, [](int order) { return order <= 0; }},
        {greater_than, [](int order) { return order > 0; }},
        {at_least, [](int order) { return order >= 0; }}};
    const std::vector<std::string> values = sorted_values();
    for (const auto& [make, meets] : conditions) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            const ValueBounds bounds = make(values[i]);
            const ValueBounds down = inverted(bounds);
            EXPECT_EQ(bounds.exact, values[i][0] < 7 || make != equal_to);
            for (std::size_t k = 0; k < values.size(); ++k) {
                const int order = k < i ? -1 : static_cast<int>(k > i);
                const bool expected = same_kind(values[i], values[k]) && meets(order);
                EXPECT_EQ(contains(bounds, values[k]), expected) << i << " " << k;
                std::string inverse;
                append_in_order(inverse, values[k], Order::kDescending);
                EXPECT_EQ(contains(down, inverse), expected) << i << " " << k;
            }
        }
    }
}

TEST(ValueBounds, KindsAndPrefixes) {
    EXPECT_TRUE(contains(any_defined(), json("null")));
    EXPECT_FALSE(contains(any_defined(), sorted_values()[0]));
    EXPECT_TRUE(contains(of_kind(Tag::kNumber), json("-1e300")));
    EXPECT_FALSE(contains(of_kind(Tag::kNumber), string("")));
    const ValueBounds prefix = starting_with("a");
    EXPECT_TRUE(prefix.exact);
    for (const std::string_view text : {"a", "ab", "a\xf0\x9f\x98\x80", "a\1"}) {
        EXPECT_TRUE(contains(prefix, string(text))) << text;
    }
    for (const std::string_view text : {"", "b", "A"}) {
        EXPECT_FALSE(contains(prefix, string(text))) << text;
    }
    EXPECT_TRUE(contains(starting_with(""), string("")));
    EXPECT_FALSE(contains(starting_with(""), json("1")));
    EXPECT_TRUE(contains(starting_with(std::string("\0", 1)), string(std::string("\0x", 2))));
    const ValueBounds between = intersection(at_least(json("0")), less_than(json("7")));
    EXPECT_TRUE(contains(between, json("0.5")));
    EXPECT_FALSE(contains(between, json("7")));
    EXPECT_TRUE(intersection(of_kind(Tag::kNull), of_kind(Tag::kString)).empty());
    EXPECT_FALSE(between.empty());
}

TEST(ValueBounds, LongStringsAreInexact) {
    const std::string head(kStringBytesMax, 'm');
    const std::string value = string(head + "5");
    for (const ValueBounds& bounds :
         {less_than(value), at_most(value), greater_than(value), at_least(value)}) {
        EXPECT_FALSE(bounds.exact);
        for (const char* tail : {"1", "5", "9"}) {
            EXPECT_TRUE(contains(bounds, string(head + tail)));
        }
    }
    EXPECT_TRUE(contains(less_than(value), string(head)));
    EXPECT_FALSE(contains(greater_than(value), string(head)));
    EXPECT_FALSE(contains(less_than(value), string("n")));
    EXPECT_FALSE(equal_to(value).exact);
    EXPECT_FALSE(contains(equal_to(value), string(head + "6")));
    const ValueBounds prefix = starting_with(head + "5");
    EXPECT_FALSE(prefix.exact);
    EXPECT_TRUE(contains(prefix, string(head + "9")));
    EXPECT_FALSE(contains(prefix, string(head)));
    // A short value is exact even against long ones.
    EXPECT_TRUE(greater_than(string(head)).exact);
    EXPECT_TRUE(contains(greater_than(string(head)), value));
    EXPECT_TRUE(starting_with(head).exact);
    EXPECT_TRUE(contains(starting_with(head), value));
}

}  // namespace value_bounds_test
}  // namespace orrery::index
