#include <gtest/gtest.h>

#include "sql/functions/test_support.h"

namespace orrery::sql {
namespace string_test {

TEST(String, CutsAndCounts) {
    expect_results({
        {"LEFT(\"AdventureWorks\", 0)", "\"\""},
        {"LEFT(\"AdventureWorks\", 1)", "\"A\""},
        {"LEFT(\"AdventureWorks\", 100)", "\"AdventureWorks\""},
        {"LEFT(\"AdventureWorks\", -1)", "\"\""},
        {"LEFT(\"AdventureWorks\", 1.5)", ""},
        {"LEFT(\"AdventureWorks\", 9223372036854775807)", "\"AdventureWorks\""},
        {"RIGHT(\"AdventureWorks\", 0)", "\"\""},
        {"RIGHT(\"AdventureWorks\", 1)", "\"s\""},
        {"RIGHT(\"AdventureWorks\", 100)", "\"AdventureWorks\""},
        {"RIGHT(\"AdventureWorks\", -1)", "\"\""},
        {"RIGHT(\"AdventureWorks\", 1.5)", ""},
        {"SUBSTRING(\"AdventureWorks\", 0, 9)", "\"Adventure\""},
        {"SUBSTRING(\"AdventureWorks\", 9, 5)", "\"Works\""},
        {"SUBSTRING(\"AdventureWorks\", 9, 500)", "\"Works\""},
        {"SUBSTRING(\"AdventureWorks\", 0, -1)", "\"\""},
        {"SUBSTRING(\"AdventureWorks\", -1, 5)", "\"\""},
        {"SUBSTRING(\"AdventureWorks\", 14, 1)", "\"\""},
        {"SUBSTRING(\"AdventureWorks\", 15, 1)", "\"\""},
        {"SUBSTRING(\"AdventureWorks\", 0.5, 1)", ""},
        {"SUBSTRING(\"AdventureWorks\", 1, 9223372036854775807)", "\"dventureWorks\""},
        {"SUBSTRING(\"AdventureWorks\", 9223372036854775807, 9223372036854775807)", "\"\""},
        {"SUBSTRING(\"\", 0, 1)", "\"\""},
        {"LENGTH(\"\")", "0"},
        {"REVERSE(\"\")", "\"\""},
        {"REVERSE(REVERSE(\"AdventureWorks\"))", "\"AdventureWorks\""},
    });
}

TEST(String, CountsUtf16CodeUnits) {
    expect_results({
        {"LENGTH(\"é\")", "1"},
        {"LENGTH(\"€\")", "1"},
        {"LENGTH(\"😀\")", "2"},
        {"LENGTH(\"a😀b\")", "4"},
        {"SUBSTRING(\"a😀b\", 1, 2)", "\"😀\""},
        {"SUBSTRING(\"a😀b\", 3, 1)", "\"b\""},
        {"SUBSTRING(\"a😀b\", 1, 1)", "\"\uFFFD\""},
        {"SUBSTRING(\"a😀b\", 2, 1)", "\"\uFFFD\""},
        {"SUBSTRING(\"a😀b\", 2, 2)", "\"\uFFFDb\""},
        {"SUBSTRING(\"😀😀\", 1, 2)", "\"\uFFFD\uFFFD\""},
        {"SUBSTRING(\"😀x😀\", 1, 3)", "\"\uFFFDx\uFFFD\""},
        {"LEFT(\"a😀b\", 2)", "\"a\uFFFD\""},
        {"LEFT(\"é€😀\", 2)", "\"é€\""},
        {"RIGHT(\"a😀b\", 2)", "\"\uFFFDb\""},
        {"RIGHT(\"a😀b\", 3)", "\"😀b\""},
        {"REVERSE(\"aé😀\")", "\"😀éa\""},
        {"INDEX_OF(\"😀b\", \"b\")", "2"},
        {"INDEX_OF(\"😀b😀\", \"😀\", 1)", "3"},
        {"LASTINDEXOF(\"😀b😀\", \"😀\")", "3"},
        {"LASTINDEXOF(\"😀b😀\", \"😀\", 3)", "0"},
        {"LASTINDEXOF(\"😀b😀\", \"😀\", 4)", "3"},
    });
}

TEST(String, UpperAndLowerCase) {
    expect_results({
        {"LOWER(\"ADVENTURE_WORKS\")", "\"adventure_works\""},
        {"UPPER(\"adventure_works\")", "\"ADVENTURE_WORKS\""},
        {"LOWER(\"ÄÖÜ ΣΑΣ Я\")", "\"äöü σασ я\""},
        {"UPPER(\"äöü σας я\")", "\"ÄÖÜ ΣΑΣ Я\""},
        {"UPPER(\"straße\")", "\"STRAßE\""},  // characters are not expanded
        {"UPPER(\"i\")", "\"I\""},            // independent of language, even Turkish
        {"UPPER(\"ɐ\")", "\"Ɐ\""},            // two bytes become three
        {"LOWER(\"\")", "\"\""},
    });
}

TEST(String, Trims) {
    expect_results({
        {"LTRIM(\"  AdventureWorks  \")", "\"AdventureWorks  \""},
        {"LTRIM(\"AdventureWorks\", \"Works\")", "\"AdventureWorks\""},
        {"LTRIM(\"AdventureWorks\", \"AdventureWorks\")", "\"\""},
        {"LTRIM(\"AdventureWorks\", \"\")", "\"AdventureWorks\""},
        {"RTRIM(\"  AdventureWorks  \")", "\"  AdventureWorks\""},
        {"RTRIM(\"AdventureWorks\", \"Works\")", "\"Adventure\""},
        {"RTRIM(\"AdventureWorks\", \"Adventure\")", "\"AdventureWorks\""},
        {"RTRIM(\"AdventureWorks\", \"\")", "\"AdventureWorks\""},
        {"TRIM(\"   AdventureWorks   \")", "\"AdventureWorks\""},
        {"TRIM(\"---AdventureWorks---\")", "\"---AdventureWorks---\""},
        {"TRIM(\"-- AdventureWorks --\", \"-\")", "\" AdventureWorks \""},
        {"TRIM(\"\\t\\n\\u00a0\\u3000x\\u2028 \")", "\"x\""},
        {"TRIM(\"éx😀\", \"😀é\")", "\"x\""},
        {"TRIM(\"    \")", "\"\""},
        {"TRIM(\" x \", null)", ""},
    });
}

TEST(StringBuild, Samples) {
    expect_results({
        {"CONCAT(\"a\", \"\", \"b\", \"c\")", "\"abc\""},
        {"CONCAT(\"a\", 1)", ""},
        {"CONCAT(\"a\", undefined)", ""},
        {"REPLACE(\"aaaa\", \"aa\", \"b\")", "\"bb\""},
        {"REPLACE(\"aaa\", \"aa\", \"\")", "\"a\""},
        {"REPLACE(\"abc\", \"x\", \"y\")", "\"abc\""},
        {"REPLACE(\"abc\", \"\", \"y\")", ""},
        {"REPLACE(\"a.b.c\", \".\", \", \")", "\"a, b, c\""},
        {"REPLICATE(\"ab\", 0)", "\"\""},
        {"REPLICATE(\"ab\", 2.9)", "\"abab\""},
        {"REPLICATE(\"ab\", -1)", ""},
        {"REPLICATE(\"ab\", -0.5)", ""},
        {"REPLICATE(\"ab\", NaN)", ""},
        {"REPLICATE(\"ab\", Infinity)", ""},
        {"REPLICATE(\"\", 1e300)", "\"\""},
        {"LENGTH(REPLICATE(\"ab\", 5000))", "10000"},
        {"REPLICATE(\"ab\", 5001)", ""},
        {"LENGTH(REPLICATE(\"😀\", 5000))", "10000"},
        {"STRINGJOIN([\"Iropa\", \"Mountain\", \"Bike\"], \"\")", "\"IropaMountainBike\""},
        {"STRINGJOIN([\"a\", \"b\"], undefined)", ""},
        {"STRINGJOIN([\"6\", \"7\", \"4\", \"3\"], \"A\")", "\"6A7A4A3\""},
        {"STRINGJOIN([], \"A\")", "\"\""},
        {"STRINGJOIN([\"a\", 1], \"A\")", ""},
        {"STRINGSPLIT(\"Handlebar\", \"e\")", "[\"Handl\",\"bar\"]"},
        {"STRINGSPLIT(\"CARBON_STEEL_BIKE_WHEEL\", \"_\")",
         "[\"CARBON\",\"STEEL\",\"BIKE\",\"WHEEL\"]"},
        {"STRINGSPLIT(\"xenmoun mountain bike\", \"moun\")", "[\"xen\",\" \",\"tain bike\"]"},
        {"STRINGSPLIT(\"AluminumBikeFrame\", undefined)", ""},
        {"STRINGSPLIT(\"Helmet\", \"\")", "[\"Helmet\"]"},
        {"STRINGSPLIT(\"\", \"\")", "[\"\"]"},
        {"STRINGSPLIT(\"\", \"x\")", "[\"\"]"},
        {"STRINGSPLIT(\"xx\", \"x\")", "[\"\",\"\",\"\"]"},
    });
}

TEST(StringBuild, ToString) {
    expect_results({
        {"TOSTRING(125)", "\"125\""},
        {"TOSTRING(0.1234)", "\"0.1234\""},
        {"TOSTRING(1.0)", "\"1\""},
        {"TOSTRING(1e300)", "\"1e+300\""},
        {"TOSTRING(false)", "\"false\""},
        {"TOSTRING(null)", "\"null\""},
        {"TOSTRING({\"department\": \"Bicycles\"})", R"("{\"department\":\"Bicycles\"}")"},
        {"TOSTRING([1.0, [\"é\"], {}])", R"("[1,[\"é\"],{}]")"},
        {"TOSTRING(STRINGSPLIT(\"a b\", \" \"))", R"("[\"a\",\"b\"]")"},
        {"TOSTRING(OBJECTTOARRAY({\"a\": [1, 2]}))", R"("[{\"k\":\"a\",\"v\":[1,2]}]")"},
        {"TOSTRING(\"Hello World\")", "\"Hello World\""},
        {"TOSTRING(undefined)", ""},
        {"TOSTRING(NaN)", "\"NaN\""},
        {"TOSTRING(Infinity)", "\"Infinity\""},
        {"TOSTRING([1e400])", "\"[Infinity]\""},
    });
}

TEST(StringParse, Samples) {
    expect_results({
        {"STRINGTOARRAY(\"[]\")", "[]"},
        {R"(STRINGTOARRAY("[ \"coats\", \"gloves\", \"hats\" ]"))",
         "[\"coats\",\"gloves\",\"hats\"]"},
        {R"(STRINGTOARRAY("[ { \"types\": [ \"a b\" ] }, [ 1.50 ], 76, false, null ]"))",
         R"([{"types":["a b"]},[1.5],76,false,null])"},
        {"STRINGTOARRAY(\"[ 'coats' ]\")", ""},
        {"STRINGTOARRAY(\"[1,]\")", ""},
        {"STRINGTOARRAY(\"[1] 2\")", ""},
        {"STRINGTOARRAY(\"{}\")", ""},
        {"STRINGTOARRAY(\" \\n[1]\\t\")", "[1]"},
        {"STRINGTOARRAY(undefined)", ""},
        {"STRINGTOARRAY(null)", ""},
        {"STRINGTOARRAY(\"\")", ""},
        {"STRINGTOBOOLEAN(\"true\")", "true"},
        {"STRINGTOBOOLEAN(\"true  \")", "true"},
        {"STRINGTOBOOLEAN(\"  false  \")", "false"},
        {"STRINGTOBOOLEAN(\"True\")", ""},
        {"STRINGTOBOOLEAN(true)", ""},
        {"STRINGTONULL(\"  null  \")", "null"},
        {"STRINGTONULL(\"NULL\")", ""},
        {"STRINGTONULL(\"Null\")", ""},
        {"STRINGTONULL(null)", ""},
        {"STRINGTONUMBER(\"100\")", "100"},
        {"STRINGTONUMBER(\"3.14\")", "3.14"},
        {"STRINGTONUMBER(\"-1.79769e+308\")", "-1.79769e+308"},
        {"STRINGTONUMBER(\"9223372036854775807\")", "9223372036854775807"},
        {"STRINGTONUMBER(\"1e400\")", ""},
        {"STRINGTONUMBER(\"Hello\")", ""},
        {"STRINGTONUMBER(\"+1\")", ""},
        {"STRINGTONUMBER(\"01\")", ""},
        {"STRINGTONUMBER(\"1 2\")", ""},
        {"STRINGTONUMBER(\"NaN\")", ""},
        {"STRINGTONUMBER(\"\")", ""},
        {"STRINGTONUMBER(NaN)", ""},
        {R"(STRINGTOOBJECT("{\"isAvailable\": true}"))", R"({"isAvailable":true})"},
        {R"(STRINGTOOBJECT("{\"division\": {\"name\": \"Sales\"}}"))",
         R"({"division":{"name":"Sales"}})"},
        {"STRINGTOOBJECT(\"{'price': 27.55}\")", ""},
        {R"(STRINGTOOBJECT("{\"a\": 1, \"a\": 2}"))", R"({"a":2})"},
        {"STRINGTOOBJECT(\"[]\")", ""},
    });
}

TEST(StringParse, DepthIsBounded) {
    FunctionTest test;
    const std::string deep = std::string(200, '[') + std::string(200, ']');
    EXPECT_EQ(test.print("STRINGTOARRAY(\"" + deep + "\")"), "");
}

}  // namespace string_test
}  // namespace orrery::sql
