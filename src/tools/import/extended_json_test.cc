#include "tools/import/extended_json.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::tools {
namespace extended_json_test {

using testing::HasSubstr;

std::string plain(std::string_view text) {
    const auto value = to_plain_json(json::Value::parse(text).take());
    return value ? value->text() : value.error().message();
}

TEST(ExtendedJsonTest, ConvertsTypes) {
    EXPECT_EQ(plain(R"({"$oid":"5f"})"), R"("5f")");
    EXPECT_EQ(plain(R"({"$numberLong":"9007199254740993"})"), "9007199254740993");
    EXPECT_EQ(plain(R"({"$numberInt":"7"})"), "7");
    EXPECT_EQ(plain(R"({"$numberDouble":"1.50"})"), "1.50");
    EXPECT_EQ(plain(R"({"$numberDouble":"Infinity"})"), R"("Infinity")");
    EXPECT_EQ(plain(R"({"$numberDecimal":"0.1000"})"), "0.1000");
    EXPECT_EQ(plain(R"({"$binary":{"base64":"AQI=","subType":"00"}})"), R"("AQI=")");
    EXPECT_EQ(plain(R"({"$binary":"AQI=","$type":"00"})"), R"("AQI=")");
    EXPECT_EQ(plain(R"({"$uuid":"3b241101-e2bb-4255-8caf-4136c566a962"})"),
              R"("3b241101-e2bb-4255-8caf-4136c566a962")");
    EXPECT_EQ(plain(R"({"$regularExpression":{"pattern":"^a","options":"i"}})"), R"("/^a/i")");
    EXPECT_EQ(plain(R"({"$regex":"^a","$options":""})"), R"("/^a/")");
    EXPECT_EQ(plain(R"({"$timestamp":{"t":1,"i":2}})"), R"({"t":1,"i":2})");
    EXPECT_EQ(plain(R"({"$symbol":"s"})"), R"("s")");
    EXPECT_EQ(plain(R"({"$code":"f"})"), R"("f")");
    EXPECT_EQ(plain(R"({"$undefined":true})"), "null");
}

TEST(ExtendedJsonTest, ConvertsDates) {
    EXPECT_EQ(plain(R"({"$date":"2024-05-01T12:00:00Z"})"), R"("2024-05-01T12:00:00Z")");
    EXPECT_EQ(plain(R"({"$date":1714564800123})"), R"("2024-05-01T12:00:00.123Z")");
    EXPECT_EQ(plain(R"({"$date":{"$numberLong":"-1"}})"), R"("1969-12-31T23:59:59.999Z")");
    EXPECT_EQ(plain(R"({"$date":{"$numberLong":"253402300799999"}})"),
              R"("9999-12-31T23:59:59.999Z")");
    EXPECT_THAT(plain(R"({"$date":{"$numberLong":"253402300800000"}})"), HasSubstr("outside"));
    EXPECT_THAT(plain(R"({"$date":true})"), HasSubstr("must be a string or milliseconds"));
}

TEST(ExtendedJsonTest, KeepsTheRest) {
    EXPECT_EQ(plain(R"({"a":[{"$oid":"1"},1.50,{"b":{"$numberInt":"2"}}],"c":{}})"),
              R"({"a":["1",1.50,{"b":2}],"c":{}})");
    EXPECT_EQ(plain(R"({"$ref":"c","$id":{"$oid":"1"}})"), R"({"$ref":"c","$id":"1"})");
    EXPECT_EQ(plain(R"({"$oid":"1","x":2})"), R"({"$oid":"1","x":2})");
    EXPECT_EQ(plain(R"({"$new":1})"), R"({"$new":1})");
}

TEST(ExtendedJsonTest, RefusesWhatHasNoCounterpart) {
    EXPECT_THAT(plain(R"({"a":{"$minKey":1}})"), HasSubstr("$minKey has no counterpart"));
    EXPECT_THAT(plain(R"({"$code":"f","$scope":{}})"), HasSubstr("with a scope"));
    EXPECT_THAT(plain(R"({"$oid":1})"), HasSubstr("must be a string"));
    EXPECT_THAT(plain(R"({"$binary":{}})"), HasSubstr("has no base64"));
    EXPECT_THAT(plain(R"({"$numberLong":true})"), HasSubstr("must be a number"));
}

}  // namespace extended_json_test
}  // namespace orrery::tools
