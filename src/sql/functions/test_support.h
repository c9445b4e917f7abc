// Calls functions from text, for tests: JSON literals, undefined, NaN, Infinity, and function
// calls. Not the query language: just enough to write arguments.

#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "json/text.h"
#include "json/walk.h"
#include "sql/functions/function.h"

namespace orrery::sql {

class FunctionTest {
public:
    Value operator()(std::string_view expression) {
        rest_ = expression;
        const Value out = value();
        CHECK(rest_.empty());
        return out;
    }

    // As JSON; empty for undefined. Numbers that JSON cannot represent are words.
    std::string print(std::string_view expression) {
        const Value result = (*this)(expression);
        std::string out;
        append_json(out, result, arena);
        return out;
    }

    Arena arena;
    // 2024-10-14T14:20:30.6668888Z, the moment of the documentation's samples.
    FunctionContext context{
        .arena = arena, .now_ticks = 17289156306668888, .query_ticks = 17289156300000000};

private:
    Value value() {
        skip_blanks();
        if (take("undefined")) return Value::undefined();
        if (take("NaN")) return Value::number(std::nan(""));
        if (take("Infinity")) return Value::number(std::numeric_limits<double>::infinity());
        const char c = rest_.front();
        if ((c >= 'A' && c <= 'Z') || c == '_') return call();
        return literal();
    }

    Value call() {
        const std::size_t bracket = rest_.find('(');
        const Function* function = find_function(rest_.substr(0, bracket));
        CHECK(function != nullptr);
        rest_.remove_prefix(bracket + 1);
        std::vector<Value> arguments;
        for (skip_blanks(); !take(")"); skip_blanks()) {
            if (!arguments.empty()) CHECK(take(","));
            arguments.push_back(value());
        }
        CHECK(arguments.size() >= function->arguments_min);
        CHECK(function->arguments_max == kAnyNumber || arguments.size() <= function->arguments_max);
        return call_function(*function, arguments, context);
    }

    // An array with undefined in it cannot be written as JSON and is not needed here.
    Value literal() {
        const std::size_t length = literal_length();
        const auto minified = json::minify(rest_.substr(0, length));
        CHECK(minified.has_value());
        rest_.remove_prefix(length);
        return Value::from_json(arena.copy(*minified), arena);
    }

    std::size_t literal_length() const {
        int depth = 0;
        std::size_t at = 0;
        while (at < rest_.size()) {
            const char c = rest_[at];
            if (depth == 0 && at > 0 && (c == ',' || c == ')' || c == ' ')) break;
            if (c == '"') {
                at += json::string_length(rest_.substr(at));
                continue;
            }
            if (c == '[' || c == '{') ++depth;
            if (c == ']' || c == '}') --depth;
            ++at;
        }
        return at;
    }

    bool take(std::string_view text) {
        if (!rest_.starts_with(text)) return false;
        rest_.remove_prefix(text.size());
        return true;
    }

    void skip_blanks() {
        while (take(" ")) {
        }
    }

    std::string_view rest_;
};

struct FunctionCase {
    std::string_view expression;
    std::string_view result;  // empty for undefined
};

inline void expect_results(const std::vector<FunctionCase>& cases) {
    for (const FunctionCase& c : cases) {
        FunctionTest test;
        EXPECT_EQ(test.print(c.expression), c.result) << c.expression;
        EXPECT_FALSE(test.context.error.has_value()) << c.expression;
    }
}

}  // namespace orrery::sql
