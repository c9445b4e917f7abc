// Results that functions refuse to build, before they build them.

#include "model/limits.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace limits_test {

namespace limits = model::limits;

class FunctionLimits : public testing::Test {
protected:
    Value call(std::string_view name, const std::vector<Value>& arguments) {
        context_.error.reset();
        return call_function(*find_function(name), arguments, context_);
    }

    void expect_refused(std::string_view name, const std::vector<Value>& arguments) {
        const std::size_t before = arena_.used();
        EXPECT_TRUE(call(name, arguments).is_undefined()) << name;
        ASSERT_TRUE(context_.error.has_value()) << name;
        EXPECT_EQ(context_.error->code(), ErrorCode::kBadRequest);
        EXPECT_NE(context_.error->message().find("exceed the maximum"), std::string::npos);
        EXPECT_LT(arena_.used() - before, 100'000'000U) << name;
    }

    Budget budget_{{.memory_max = limits::kQueryMemoryBytesMax}};
    Arena arena_{budget_};
    FunctionContext context_{.arena = arena_};
    const std::string two_megabytes_ = std::string(limits::kItemBytesMax, 'a');
    const Value text_ = Value::string(two_megabytes_);
};

TEST_F(FunctionLimits, Strings) {
    const Value separator = Value::string("-");
    EXPECT_TRUE(call("CONCAT", {text_, text_, text_, text_}).is_string());
    expect_refused("CONCAT", {text_, text_, text_, text_, separator});
    expect_refused("CONCAT", std::vector<Value>(10'000, text_));
    expect_refused("REPLACE", {text_, Value::string("a"), Value::string("12345")});
    expect_refused("REPLACE", {text_, Value::string("a"), text_});
    const std::vector<Value> texts(10'000, text_);
    expect_refused("STRINGJOIN", {Value::array(texts), separator});
    const std::vector<Value> empty(100'000, Value::string(""));
    expect_refused("STRINGJOIN", {Value::array(empty), text_});
    EXPECT_TRUE(call("LOWER", {text_}).is_string());
}

TEST_F(FunctionLimits, ToStringOfRepeatedValues) {
    // Thirty levels of an array that contains the one below twice: a gigabyte as text.
    Value value = Value::number(1);
    for (int i = 0; i < 30; ++i) {
        const auto pair = arena_.array<Value>(2);
        pair[0] = pair[1] = value;
        value = Value::array(pair);
    }
    expect_refused("TOSTRING", {value});
    expect_refused("SETUNION", {value, value});
    expect_refused("ARRAY_CONTAINS", {value, value});
    expect_refused("ARRAY_CONTAINS_ANY", {value, value});
}

TEST_F(FunctionLimits, Arrays) {
    expect_refused("STRINGSPLIT", {text_, Value::string("a")});
    expect_refused("REGEXEXTRACTALL", {text_, Value::string("a")});
    std::string json = "[0";
    while (json.size() < limits::kItemBytesMax - 3) {
        json += ",0";
    }
    const Value zeros = Value::from_json(json += "]", arena_);
    EXPECT_TRUE(call("ARRAY_CONCAT", {zeros, Value::array({})}).is_array());
    expect_refused("ARRAY_CONCAT", {zeros, zeros});
    expect_refused("ARRAY_CONCAT", std::vector<Value>(10'000, zeros));
}

TEST_F(FunctionLimits, AllValuesOfARow) {
    Value result = text_;
    int calls = 0;
    while (result.is_string() && calls < 1000) {
        result = call("UPPER", {text_});
        ++calls;
    }
    EXPECT_THAT(budget_.status().error().message(),
                testing::HasSubstr("exceed the maximum of 268435456"));
    EXPECT_LE(arena_.used(), limits::kQueryMemoryBytesMax);
}

// Comparing all pairs would take hours.
TEST_F(FunctionLimits, LongArraysAreNotComparedPairwise) {
    constexpr int kCount = 300'000;
    std::vector<Value> a;
    std::vector<Value> b;
    for (int i = 0; i < kCount; ++i) {
        a.push_back(Value::string(arena_.copy("key " + std::to_string(i))));
        b.push_back(Value::string(arena_.copy("key " + std::to_string(i + kCount / 2))));
    }
    const Value x = Value::array(a);
    const Value y = Value::array(b);
    EXPECT_EQ(call("SETUNION", {x, y}).elements(arena_).size(), kCount * 3 / 2);
    EXPECT_EQ(call("SETINTERSECT", {x, y}).elements(arena_).size(), kCount / 2);
    EXPECT_EQ(call("SETDIFFERENCE", {x, y}).elements(arena_).size(), kCount / 2);
    EXPECT_TRUE(call("SETEQUAL", {x, y}).is_false());
    std::vector<Value> arguments{x};
    arguments.insert(arguments.end(), b.begin(), b.begin() + kCount / 2);
    EXPECT_TRUE(call("ARRAY_CONTAINS_ALL", arguments).is_true());
}

}  // namespace limits_test
}  // namespace orrery::sql
