#include "sql/query_spec.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::sql {
namespace query_spec_test {

using ::testing::HasSubstr;

std::string message(std::string_view body) {
    const auto spec = parse_query_spec(body);
    return spec ? std::string() : spec.error().message();
}

TEST(QuerySpec, TextAndParameters) {
    const auto spec = parse_query_spec(
        R"({"query":"SELECT \"a\"","parameters":[{"name":"@a","value":{ "x" : [1, 2.50] }},)"
        R"({"name":"@b"},{"value":null,"name":"@c"}]})");
    ASSERT_TRUE(spec);
    EXPECT_EQ(spec->text, "SELECT \"a\"");
    ASSERT_EQ(spec->parameters.size(), 2U);
    EXPECT_EQ(spec->parameters[0].name, "@a");
    EXPECT_EQ(spec->parameters[0].json, R"({"x":[1,2.50]})");
    EXPECT_EQ(spec->parameters[1].name, "@c");
    EXPECT_EQ(spec->parameters[1].json, "null");
    EXPECT_FALSE(spec->resume_filter);
}

TEST(QuerySpec, ParametersMayBeMissing) {
    EXPECT_TRUE(parse_query_spec(R"({"query":"SELECT 1"})"));
    EXPECT_TRUE(parse_query_spec(R"({"query":"SELECT 1","parameters":null})"));
    EXPECT_TRUE(parse_query_spec(R"({"query":"SELECT 1","parameters":[]})"));
}

TEST(QuerySpec, Malformed) {
    const std::string malformed =
        R"({"Errors":["Invalid query. Specified parameterized query JSON is malformed"]})";
    for (const char* body : {"",
                             "SELECT 1",
                             "[]",
                             "{}",
                             R"({"Query":"SELECT 1"})",
                             R"({"query":1})",
                             R"({"query":"","parameters":{}})",
                             R"({"query":"","parameters":[1]})",
                             R"({"query":"","parameters":[{"NAME":"@p","value":1}]})"}) {
        EXPECT_EQ(message(body), malformed) << body;
    }
}

TEST(QuerySpec, ParameterNames) {
    for (const char* name : {"@*", "p", "@", "@1", "@a b", "", " @a"}) {
        EXPECT_THAT(message(R"({"query":"","parameters":[{"name":")" + std::string(name) +
                            R"(","value":1}]})"),
                    HasSubstr("Specified parameter name '" + std::string(name) + "' is invalid."));
    }
    EXPECT_EQ(message(R"({"query":"","parameters":[{"name":"@value","value":1}]})"), "");
    EXPECT_EQ(message(R"({"query":"","parameters":[{"name":"@p"},{"name":"@p"}]})"),
              R"({"Errors":["Invalid query. Specified duplicate parameter name '@p'."]})");
}

TEST(QuerySpec, ResumeFilter) {
    const auto spec = parse_query_spec(
        R"({"query":"","resumeFilter":{"value":[1,"a",null,[],)"
        R"({"type":"array","low":-5,"high":9223372036854775807}],"rid":"AbC=","exclude":true}})");
    ASSERT_TRUE(spec);
    const ResumeFilter& filter = *spec->resume_filter;
    EXPECT_EQ(filter.values,
              (std::vector<ResumeValue>{std::string("1"),
                                        std::string("\"a\""),
                                        std::string("null"),
                                        ResumeUndefined{},
                                        ResumeHash{true, -5, INT64_MAX}}));
    EXPECT_EQ(filter.rid, "AbC=");
    EXPECT_TRUE(filter.exclude);
}

TEST(QuerySpec, ResumeFilterIsChecked) {
    for (const char* filter : {"1",
                               "{}",
                               R"({"value":[]})",
                               R"({"value":[[1]]})",
                               R"({"value":[{}]})",
                               R"({"value":[{"type":"set","low":1,"high":1}]})",
                               R"({"value":[1],"rid":5})",
                               R"({"value":[1],"exclude":"no"})"}) {
        EXPECT_THAT(message(R"({"query":"","resumeFilter":)" + std::string(filter) + "}"),
                    HasSubstr("resume filter is malformed"))
            << filter;
    }
}

TEST(QuerySpec, PlainText) { EXPECT_EQ(plain_query_spec("SELECT 1").text, "SELECT 1"); }

}  // namespace query_spec_test
}  // namespace orrery::sql
