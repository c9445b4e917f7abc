#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace array_test {

TEST(Array, Aggregates) {
    expect_results({
        {"ARRAY_AVG([1.0, 2.0, 3.3, 4.7])", "2.75"},
        {"ARRAY_AVG([1, -2.7, 3, -4])", "-0.675"},
        {"ARRAY_AVG([\"abc\", \"ABC\"])", ""},
        {"ARRAY_AVG([12, \"abc\", true, null])", ""},
        {"ARRAY_AVG([])", ""},
        {"ARRAY_SUM([])", "0"},
        {"ARRAY_SUM([12, \"abc\"])", ""},
        {"ARRAY_SUM([9007199254740993, 1])", "9007199254740994"},
        {"ARRAY_SUM([9223372036854775807, 1])", "9.2233720368547758e+18"},
        {"ARRAY_MEDIAN([1.0, 2.0, 3.3, 4.7, 7.8])", "3.3"},
        {"ARRAY_MEDIAN([1, -2.7, 3, -4])", "-0.85000000000000009"},
        {"ARRAY_MEDIAN([9, 1, 5])", "5"},
        {"ARRAY_MEDIAN([7])", "7"},
        {"ARRAY_MEDIAN([])", ""},
        {"ARRAY_MEDIAN([\"abc\"])", ""},
        {"ARRAY_MAX([\"abc\", \"ABC\", \"aBc\", \"AbC\"])", "\"abc\""},
        {"ARRAY_MAX([true, false])", "true"},
        {"ARRAY_MAX([null, null])", "null"},
        {"ARRAY_MAX([12, \"abc\", true, false, null])", "\"abc\""},
        {"ARRAY_MIN([\"abc\", \"ABC\", \"aBc\", \"AbC\"])", "\"ABC\""},
        {"ARRAY_MIN([true, false])", "false"},
        {"ARRAY_MIN([12, \"abc\", true, false, null])", "null"},
        {"ARRAY_MIN([2.5, 1, 3])", "1"},
        {"ARRAY_MAX([])", ""},
        {"ARRAY_MAX([1, [2]])", ""},
        {"ARRAY_MIN([{}, 1])", ""},
        {"ARRAY_MAX(null)", ""},
    });
}

TEST(Array, UndefinedElementsAreIgnored) {
    Arena arena;
    FunctionContext context{.arena = arena};
    const Value elements[] = {Value::number(4), Value::undefined(), Value::number(2)};
    const Value arguments[] = {Value::array(elements)};
    const auto call = [&](std::string_view name) {
        return call_function(*find_function(name), arguments, context).number();
    };
    EXPECT_EQ(call("ARRAY_AVG"), 3);
    EXPECT_EQ(call("ARRAY_SUM"), 6);
    EXPECT_EQ(call("ARRAY_MEDIAN"), 3);
    EXPECT_EQ(call("ARRAY_MIN"), 2);
    EXPECT_EQ(call("ARRAY_MAX"), 4);
}

TEST(Array, MedianHandlesNaN) {
    Arena arena;
    FunctionContext context{.arena = arena};
    std::vector<Value> elements;
    elements.reserve(100);
    for (int i = 0; i < 100; ++i) {
        elements.push_back(Value::number(i % 7 == 0 ? std::nan("") : i));
    }
    const Value arguments[] = {Value::array(elements)};
    const Value median = call_function(*find_function("ARRAY_MEDIAN"), arguments, context);
    EXPECT_TRUE(std::isnan(median.number().real()));
}

TEST(Array, Contains) {
    expect_results({
        {"ARRAY_CONTAINS([\"coats\", \"jackets\"], \"coats\")", "true"},
        {"ARRAY_CONTAINS([\"coats\", \"jackets\"], \"hoodies\")", "false"},
        {"ARRAY_CONTAINS([{\"a\": 1, \"b\": 2}], {\"b\": 2, \"a\": 1.0})", "true"},
        {"ARRAY_CONTAINS([{\"a\": 1, \"b\": 2}], {\"a\": 1})", "false"},
        {"ARRAY_CONTAINS([{\"a\": 1, \"b\": 2}], {\"a\": 1}, true)", "true"},
        {"ARRAY_CONTAINS([{\"a\": 1, \"b\": 2}], {\"a\": 3, \"b\": 2}, true)", "false"},
        {"ARRAY_CONTAINS([{\"a\": 1, \"b\": 2}], {\"c\": 1}, true)", "false"},
        {"ARRAY_CONTAINS([{\"a\": {\"x\": 1, \"y\": 2}}], {\"a\": {\"x\": 1}}, true)", "false"},
        {"ARRAY_CONTAINS([1, {\"a\": 1}], {}, true)", "true"},
        {"ARRAY_CONTAINS([1], {}, true)", "false"},
        {"ARRAY_CONTAINS([1, 2], 2, true)", "true"},
        {"ARRAY_CONTAINS([[1, [2]]], [1, [2]])", "true"},
        {"ARRAY_CONTAINS([[1, [2]]], [1, [3]])", "false"},
        {"ARRAY_CONTAINS([1, \"1\"], true)", "false"},
        {"ARRAY_CONTAINS([null], null)", "true"},
        {"ARRAY_CONTAINS([], null)", "false"},
        {"ARRAY_CONTAINS([1], undefined)", ""},
        {"ARRAY_CONTAINS(\"a\", \"a\")", ""},
        {"_TRY_ARRAY_CONTAINS([1, 2], 2)", "true"},
        {"ARRAY_CONTAINS(STRINGSPLIT(\"a b\", \" \"), \"b\")", "true"},
    });
}

TEST(Array, PartialContainsWithManyMembers) {
    std::string members;
    for (int i = 0; i < 40; ++i) {
        members += (i == 0 ? "\"m" : ",\"m") + std::to_string(i) + "\":" + std::to_string(i);
    }
    const std::string start = "ARRAY_CONTAINS([{" + members + "}], {";
    expect_results({
        {start + "\"m39\": 39, \"m0\": 0}, true)", "true"},
        {start + "\"m39\": 38}, true)", "false"},
        {start + "\"m40\": 40}, true)", "false"},
    });
}

TEST(Array, ContainsMany) {
    expect_results({
        {"ARRAY_CONTAINS_ALL([1, true, \"3\", [1, 2, 3]], 1, true, \"3\", [1, 2, 3])", "true"},
        {"ARRAY_CONTAINS_ALL([1, 2, 3, 4], 2, 3, 4, 5)", "false"},
        {"ARRAY_CONTAINS_ALL([1, 2, 3, 4], 1, undefined)", ""},
        {"ARRAY_CONTAINS_ALL([1, 2, 3, 4], 5, undefined)", "false"},
        {"ARRAY_CONTAINS_ALL([], 1, 2, 3)", "false"},
        {"ARRAY_CONTAINS_ANY([1, true, \"3\", [1, 2, 3]], 7, [1, 2, 3])", "true"},
        {"ARRAY_CONTAINS_ANY([1, 2, 3, 4], 1, undefined)", "true"},
        {"ARRAY_CONTAINS_ANY([1, 2, 3, 4], undefined, 1)", "true"},
        {"ARRAY_CONTAINS_ANY([1, 2, 3, 4], 5, 6, 7, 8)", "false"},
        {"ARRAY_CONTAINS_ANY([], 1, 2, 3)", "false"},
        {"ARRAY_CONTAINS_ANY([1, 2, 3, 4], 5, undefined)", ""},
        {"ARRAY_CONTAINS_ANY([{\"a\": 1, \"b\": [2]}], {\"b\": [2.0], \"a\": 1})", "true"},
        {"ARRAY_CONTAINS_ANY(null, 1)", ""},
    });
}

TEST(Array, Slices) {
    const std::string call = "ARRAY_SLICE([\"A\", \"B\", \"C\", \"D\"], ";
    expect_results({
        {call + "0)", "[\"A\",\"B\",\"C\",\"D\"]"},
        {call + "1)", "[\"B\",\"C\",\"D\"]"},
        {call + "-1)", "[\"D\"]"},
        {call + "-2)", "[\"C\",\"D\"]"},
        {call + "-100)", "[\"A\",\"B\",\"C\",\"D\"]"},
        {call + "0, 3)", "[\"A\",\"B\",\"C\"]"},
        {call + "0, 12)", "[\"A\",\"B\",\"C\",\"D\"]"},
        {call + "3, 5)", "[\"D\"]"},
        {call + "-2, 1)", "[\"C\"]"},
        {call + "4)", "[]"},
        {call + "0, 0)", "[]"},
        {call + "0, -1)", "[]"},
        {call + "9223372036854775807, 9223372036854775807)", "[]"},
        {call + "-9223372036854775808)", "[\"A\",\"B\",\"C\",\"D\"]"},
        {call + "0.5)", ""},
        {call + "0, 0.5)", ""},
        {"ARRAY_SLICE([], 0)", "[]"},
    });
}

TEST(Array, Others) {
    expect_results({
        {"ARRAY_LENGTH([])", "0"},
        {"ARRAY_LENGTH(null)", ""},
        {"ARRAY_LENGTH(STRINGSPLIT(\"a b c\", \" \"))", "3"},
        {"ARRAY_CONCAT([\"a\"], [], [1, [2]])", "[\"a\",1,[2]]"},
        {"ARRAY_CONCAT([], [])", "[]"},
        {"ARRAY_CONCAT([1], null)", ""},
        {"OBJECTTOARRAY({\"a\": \"12345\", \"b\": {\"c\": 1}})",
         R"([{"k":"a","v":"12345"},{"k":"b","v":{"c":1}}])"},
        {"OBJECTTOARRAY({\"a\": 1}, \"key\")", R"([{"key":"a","v":1}])"},
        {"OBJECTTOARRAY({\"a\": 1}, \"key\", \"value\")", R"([{"key":"a","value":1}])"},
        {"OBJECTTOARRAY({\"a\": 1}, \"x\", \"x\")", ""},
        {"OBJECTTOARRAY({})", "[]"},
        {"OBJECTTOARRAY([])", ""},
    });
}

TEST(Set, Samples) {
    expect_results({
        {"SETINTERSECT([1, 2, 3, 4], [3, 4, 5, 6])", "[3,4]"},
        {"SETINTERSECT([1, 2, 3, 4], [])", "[]"},
        {"SETINTERSECT([1, 2, 3, 4], [1, 1, 1, 1])", "[1]"},
        {"SETINTERSECT([1, 2, 3, 4], [\"A\", \"B\"])", "[]"},
        {"SETUNION([1, 2, 3, 4], [3, 4, 5, 6])", "[1,2,3,4,5,6]"},
        {"SETUNION([1, 2, 3, 4], [])", "[1,2,3,4]"},
        {"SETUNION([1, 2, 3, 4], [1, 1, 1, 1])", "[1,2,3,4]"},
        {"SETUNION([1, 2, \"A\", \"B\"], [\"A\", 1])", "[1,2,\"A\",\"B\"]"},
        {"SETUNION([{\"a\": 1, \"b\": 2}], [{\"b\": 2, \"a\": 1}, {\"a\": 1}])",
         R"([{"a":1,"b":2},{"a":1}])"},
        {"SETUNION([1, \"1\", true, null, [1], [[1]]], [1.0, [1]])",
         R"([1,"1",true,null,[1],[[1]]])"},
        {"SETDIFFERENCE([1, 2, 3], [1, 2, 6, 7])", "[3]"},
        {"SETDIFFERENCE([1, 2, 3, 4], [1, 2, 3, 4, 5, 6])", "[]"},
        {"SETDIFFERENCE([], [1, 2, 3])", "[]"},
        {"SETDIFFERENCE([1, 2, 3], [])", "[1,2,3]"},
        {"SETDIFFERENCE([1, 1, 1, 1], [2, 3, 4])", "[1]"},
        {"SETEQUAL([1, 2, 3], [1, 2, 3])", "true"},
        {"SETEQUAL([1, 2, 3], [3, 2, 1])", "true"},
        {"SETEQUAL([1, 2, 3, 3], [1, 2, 2, 3, 1, 2])", "true"},
        {"SETEQUAL([], [1, 2, 3])", "false"},
        {"SETEQUAL([1, 2, 3], [1, 2, 4])", "false"},
        {"SETEQUAL([1, true, \"abc\"], [true, 1, \"abc\"])", "true"},
        {"SETEQUAL([1, 1, 1, 1], [2, 3, 4])", "false"},
        {"SETEQUAL([], [])", "true"},
        {"SETUNION([1], null)", ""},
    });
}

}  // namespace array_test
}  // namespace orrery::sql
