#include "sql/functions/value_set.h"

#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace value_set_test {

// The number that has this hash in a ValueSet.
std::uint64_t unmix(std::uint64_t hash) {
    const auto inverse = [](std::uint64_t odd) {
        std::uint64_t out = odd;
        for (int i = 0; i < 6; ++i) {
            out *= 2 - odd * out;
        }
        return out;
    };
    const auto unshift = [](std::uint64_t x, int by) { return x ^ x >> by ^ x >> 2 * by; };
    hash = unshift(hash, 31) * inverse(0x94d049bb133111ebU);
    hash = unshift(hash, 27) * inverse(0xbf58476d1ce4e5b9U);
    return unshift(hash, 30);
}

TEST(ValueSet, HoldsEachValueOnce) {
    FunctionTest test;
    ValueSet set(8, test.context);
    EXPECT_TRUE(set.insert(test("1")));
    EXPECT_TRUE(set.insert(test("\"1\"")));
    EXPECT_TRUE(set.insert(test("[1]")));
    EXPECT_TRUE(set.insert(test("{\"a\": 1, \"b\": [2]}")));
    EXPECT_FALSE(set.insert(test("1.0")));
    EXPECT_FALSE(set.insert(test("{\"b\": [2], \"a\": 1}")));
    EXPECT_EQ(set.size(), 4U);
    EXPECT_TRUE(set.contains(test("[1]")));
    EXPECT_FALSE(set.contains(test("[[1]]")));
    EXPECT_FALSE(set.contains(test("null")));
}

TEST(ValueSet, GivesUpOnCraftedCollisions) {
    FunctionTest test;
    constexpr std::uint64_t kCount = 60'000;
    std::vector<Value> values;
    values.reserve(kCount);
    for (std::uint64_t i = 0; i < kCount; ++i) {
        values.push_back(Value::number(static_cast<std::int64_t>(unmix(i << 24))));
    }
    const Value arguments[] = {Value::array(values), Value::array({})};
    call_function(*find_function("SETUNION"), arguments, test.context);
    EXPECT_TRUE(test.context.error.has_value());
}

TEST(ValueSet, ParsesNestedValues) {
    FunctionTest test;
    DeepParser parser(test.context);
    const auto value = parser(test("[{\"a\": [1, {}]}, \"x\"]"));
    ASSERT_TRUE(value.has_value());
    EXPECT_FALSE(value->raw().has_value());
    const auto members = value->elements(test.arena)[0].members(test.arena);
    EXPECT_FALSE(members[0].value.raw().has_value());
    EXPECT_FALSE(members[0].value.elements(test.arena)[1].raw().has_value());
}

}  // namespace value_set_test
}  // namespace orrery::sql
