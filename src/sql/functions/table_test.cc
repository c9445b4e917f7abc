#include <algorithm>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "sql/functions/function.h"
#include "sql/functions/groups.h"
#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace table_test {

TEST(FunctionTable, ExamplesAreCorrect) {
    for (const FunctionGroup& group : function_groups()) {
        for (const Function& function : group.functions) {
            expect_results({{function.example.expression, function.example.result}});
            const std::string call = std::string(function.name) + "(";
            EXPECT_NE(function.example.expression.find(call), std::string_view::npos) << call;
        }
    }
}

TEST(FunctionTable, RowsAreComplete) {
    std::set<std::string_view> names;
    for (const FunctionGroup& group : function_groups()) {
        for (const Function& function : group.functions) {
            EXPECT_TRUE(names.insert(function.name).second) << function.name << " is there twice";
            EXPECT_TRUE(function.doc.ends_with('.')) << function.name;
            EXPECT_TRUE(function.signature.starts_with(function.name)) << function.name;
            EXPECT_LE(function.arguments_min, function.arguments_max) << function.name;
            EXPECT_EQ(function.arguments_max == 0, function.kinds.empty()) << function.name;
            EXPECT_EQ(function.kinds.find_first_not_of("nsbaode"), std::string_view::npos);
            EXPECT_EQ(find_function(function.name), &function);
        }
    }
}

// Names of the documentation's pages (nosql-query-docs cosmos-db/query), grouped as there.
TEST(FunctionTable, HasEveryDocumentedName) {
    std::istringstream names(
        "ABS ACOS ASIN ATAN ATN2 CEILING COS COT DEGREES EXP FLOOR INTADD INTBITAND "
        "INTBITLEFTSHIFT INTBITNOT INTBITOR INTBITRIGHTSHIFT INTBITXOR INTDIV INTMOD INTMUL "
        "INTSUB LOG LOG10 NUMBERBIN PI POWER RADIANS RAND ROUND SIGN SIN SQRT SQUARE TAN TRUNC "
        "CONCAT CONTAINS CONTAINS_ALL_CI CONTAINS_ALL_CS CONTAINS_ANY_CI CONTAINS_ANY_CS "
        "ENDSWITH INDEX_OF LASTINDEXOF LEFT LENGTH LOWER LTRIM REGEXMATCH REPLACE REPLICATE "
        "REVERSE RIGHT RTRIM STARTSWITH STRINGEQUALS STRINGJOIN STRINGSPLIT STRINGTOARRAY "
        "STRINGTOBOOLEAN STRINGTONULL STRINGTONUMBER STRINGTOOBJECT SUBSTRING TOSTRING TRIM "
        "UPPER IS_ARRAY IS_BOOL IS_DATETIME IS_DEFINED IS_FINITE_NUMBER IS_INTEGER IS_NULL "
        "IS_NUMBER IS_OBJECT IS_PRIMITIVE IS_STRING ARRAY_AVG ARRAY_CONCAT ARRAY_CONTAINS "
        "ARRAY_CONTAINS_ALL ARRAY_CONTAINS_ANY ARRAY_LENGTH ARRAY_MAX ARRAY_MEDIAN ARRAY_MIN "
        "ARRAY_SLICE ARRAY_SUM CHOOSE OBJECTTOARRAY SETDIFFERENCE SETEQUAL SETINTERSECT "
        "SETUNION IIF AGO DATETIMEADD DATETIMEBIN DATETIMEDIFF DATETIMEFORMAT DATETIMEFROMPARTS "
        "DATETIMEPART DATETIMETOTICKS DATETIMETOTIMESTAMP DAY GETCURRENTDATETIME "
        "GETCURRENTDATETIMESTATIC GETCURRENTTICKS GETCURRENTTICKSSTATIC GETCURRENTTIMESTAMP "
        "GETCURRENTTIMESTAMPSTATIC MONTH NOW TICKSTODATETIME TIMESTAMPTODATETIME YEAR");
    for (std::string name; names >> name;) {
        EXPECT_NE(find_function(name), nullptr) << name;
    }
}

TEST(FunctionTable, NamesAreCaseInsensitive) {
    EXPECT_EQ(find_function("StringEquals")->name, "STRINGEQUALS");
    EXPECT_EQ(find_function("is_boolean")->name, "IS_BOOL");
    EXPECT_EQ(find_function("IntBitwiseLeftShift")->name, "INTBITLEFTSHIFT");
    EXPECT_EQ(find_function("ContainsAnyCi")->name, "CONTAINS_ANY_CI");
    EXPECT_EQ(find_function("_try_array_contains")->name, "ARRAY_CONTAINS");
    EXPECT_EQ(find_function("LastSubstringAfter")->name, "LASTSUBSTRINGAFTER");
    EXPECT_EQ(find_function("RegexExtractAll")->name, "REGEXEXTRACTALL");
    EXPECT_EQ(find_function("NO_SUCH_FUNCTION"), nullptr);
    EXPECT_EQ(find_function(""), nullptr);
}

char kind_at(const Function& function, std::size_t place) {
    return function.kinds[std::min(place, function.kinds.size() - 1)];
}

bool takes(char kind, const Value& value) {
    constexpr std::string_view kLetters = "?-bnsao";  // in the order of Kind
    return kind == 'e' || (kind == 'd' && value.is_defined()) ||
           kLetters[static_cast<std::size_t>(value.kind())] == kind;
}

// Passes a value of each kind at each position, and accepted values at the others.
void expect_kinds_checked(const Function& function,
                          std::span<const Value> values,
                          FunctionContext& context) {
    std::vector<Value> right;
    for (std::size_t i = 0; i < std::min<std::size_t>(function.arguments_max, 4); ++i) {
        const auto is_taken = [&](const Value& value) {
            return value.is_defined() && takes(kind_at(function, i), value);
        };
        right.push_back(*std::find_if(values.begin(), values.end(), is_taken));
    }
    for (std::size_t i = 0; i < right.size(); ++i) {
        for (const Value& value : values) {
            std::vector<Value> arguments = right;
            arguments[i] = value;
            const Value result = call_function(function, arguments, context);
            if (takes(kind_at(function, i), value)) continue;
            EXPECT_TRUE(result.is_undefined()) << function.name << " " << i;
        }
    }
}

TEST(FunctionTable, WrongKindsGiveUndefined) {
    FunctionTest test;
    const Value values[] = {test("undefined"),
                            test("null"),
                            test("true"),
                            test("1"),
                            test("\"x\""),
                            test("[1]"),
                            test("{\"a\": 1}")};
    for (const FunctionGroup& group : function_groups()) {
        for (const Function& function : group.functions) {
            expect_kinds_checked(function, values, test.context);
        }
    }
}

TEST(FunctionTable, OptionalArgumentsAreCheckedToo) {
    expect_results({
        {"CONTAINS(\"abc\", \"b\", 1)", ""},
        {"CONTAINS(\"abc\", \"b\", undefined)", ""},
        {"INDEX_OF(\"abc\", \"b\", \"1\")", ""},
        {"ARRAY_CONTAINS([1], 1, null)", ""},
        {"LOG(2, null)", ""},
    });
}

TEST(Conditional, Samples) {
    expect_results({
        {"IIF(true, 123, 456)", "123"},
        {"IIF(false, 123, 456)", "456"},
        {"IIF(123, 123, 456)", "456"},
        {"IIF(\"ABC\", 123, 456)", "456"},
        {"IIF([1, 2, 3], 123, 456)", "456"},
        {"IIF({\"name\": \"Alice\"}, 123, 456)", "456"},
        {"IIF(undefined, 123, 456)", "456"},
        {"IIF(null, 123, 456)", "456"},
        {"IIF(true, undefined, 456)", ""},
        {"CHOOSE(0, \"Mt.\", \"Hood\")", ""},
        {"CHOOSE(1, \"Mt.\", \"Hood\")", "\"Mt.\""},
        {"CHOOSE(2, \"Mt.\", \"Hood\")", "\"Hood\""},
        {"CHOOSE(3, \"Mt.\", \"Hood\")", ""},
        {"CHOOSE(-1, \"Mt.\", \"Hood\")", ""},
        {"CHOOSE(1.5, \"Mt.\", \"Hood\")", ""},
        {"CHOOSE(1, undefined, \"Hood\")", ""},
        {"CHOOSE(2, undefined, \"Hood\")", "\"Hood\""},
        {"CHOOSE(\"1\", \"Mt.\")", ""},
    });
}

TEST(TypeCheck, EveryKind) {
    struct Row {
        std::string_view argument;
        std::string_view kinds;  // the functions that return true
    };
    const Row rows[] = {
        {"undefined", ""},
        {"null", "IS_DEFINED IS_NULL IS_PRIMITIVE"},
        {"true", "IS_DEFINED IS_BOOL IS_PRIMITIVE"},
        {"65", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_INTEGER IS_PRIMITIVE"},
        {"5.0", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_INTEGER IS_PRIMITIVE"},
        {"3454.123", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_PRIMITIVE"},
        {"9223372036854775807", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_INTEGER IS_PRIMITIVE"},
        {"-9223372036854775808", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_INTEGER IS_PRIMITIVE"},
        {"18446744073709551615", "IS_DEFINED IS_NUMBER IS_FINITE_NUMBER IS_PRIMITIVE"},
        {"SQRT(-1)", "IS_DEFINED IS_NUMBER IS_PRIMITIVE"},
        {"Infinity", "IS_DEFINED IS_NUMBER IS_PRIMITIVE"},
        {"\"x\"", "IS_DEFINED IS_STRING IS_PRIMITIVE"},
        {"\"2024-12-12\"", "IS_DEFINED IS_STRING IS_PRIMITIVE IS_DATETIME"},
        {"[]", "IS_DEFINED IS_ARRAY"},
        {"{}", "IS_DEFINED IS_OBJECT"},
    };
    for (const Row& row : rows) {
        for (const Function& function : type_check_functions()) {
            const std::string call =
                std::string(function.name) + "(" + std::string(row.argument) + ")";
            const std::string among = " " + std::string(row.kinds) + " ";
            const bool expected =
                among.find(" " + std::string(function.name) + " ") != std::string::npos;
            EXPECT_EQ(FunctionTest().print(call), expected ? "true" : "false") << call;
        }
    }
}

}  // namespace table_test
}  // namespace orrery::sql
