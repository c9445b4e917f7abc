#include "model/item_body.h"

#include <gmock/gmock.h>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/limits.h"
#include "model/test_support.h"

namespace orrery::model {
namespace item_body_test {

using testing::HasSubstr;
using testing_support::container_definition;
using testing_support::item_body;
using testing_support::parsed;
using testing_support::refusal;

using Undefined = PartitionKeyValue::Undefined;
using Null = PartitionKeyValue::Null;

ItemBody body_of(std::string_view text, std::string_view members = "{}") {
    return item_body(text, container_definition(members));
}

std::string refused(std::string_view text, ErrorCode code = ErrorCode::kBadRequest) {
    return refusal(parse_item_body(text, ItemPaths(container_definition())), code);
}

std::string open_json(std::string_view text) { return body_of(text).open_json; }

std::string nested(int levels) {
    std::string text = R"({"id":"1","pk":"a","n":)";
    text.append(static_cast<std::size_t>(levels) - 1, '[');
    text.append(static_cast<std::size_t>(levels) - 1, ']');
    return text + "}";
}

TEST(ItemBody, ExtractsWhatTheDatabaseNeeds) {
    const ItemBody body = body_of(R"({"id":"7","pk":"a","ttl":60,"x":1})");
    EXPECT_EQ(body.id, "7");
    EXPECT_EQ(body.partition_key, (PartitionKeyValue{"a"}));
    EXPECT_EQ(body.ttl, 60);
    EXPECT_TRUE(body.unique_digests.empty());
    EXPECT_EQ(body.open_json, R"({"id":"7","pk":"a","ttl":60,"x":1)");
}

TEST(ItemBody, KeepsTheTextExceptWhitespace) {
    EXPECT_EQ(
        open_json(" { \"id\" : \"1\" ,\r\n\t\"n\" : [ 1.50 , 1E400, -0,"
                  " 123456789012345678901234567890 ] , \"s\" : \" a\\u0000\\uD83D\\uDE00b \" } "),
        "{\"id\":\"1\",\"n\":[1.50,1E400,-0,123456789012345678901234567890],"
        "\"s\":\" a\\u0000\\uD83D\\uDE00b \"");
    EXPECT_EQ(open_json(R"({"z":1,"a":2,"id":"1"})"), R"({"z":1,"a":2,"id":"1")");
}

TEST(ItemBody, TellsTheFormOfItsNumbers) {
    EXPECT_EQ(body_of(R"({"id":"1","n":[1,2.5]})").numbers, json::NumberForm::kAsPrinted);
    EXPECT_EQ(body_of(R"({"id":"1","n":[1,2.50]})").numbers, json::NumberForm::kUnknown);
    EXPECT_EQ(body_of(R"({"id":"1","n":1,"n":2.50})").numbers, json::NumberForm::kUnknown);
}

TEST(ItemBody, SystemPropertiesAreRemovedEverywhere) {
    for (const char* name : {"_rid", "_self", "_etag", "_attachments", "_ts", "_lsn"}) {
        const std::string member = std::string("\"") + name + "\":";
        for (const std::string value : {R"("x,}")", "5", "null", R"({"a":[1,2]})", "[{},\"]\"]"}) {
            const std::string cut = member + value;
            EXPECT_EQ(open_json("{" + cut + R"(,"id":"1","a":2})"), R"({"id":"1","a":2)");
            EXPECT_EQ(open_json(R"({"id":"1",)" + cut + R"(,"a":2})"), R"({"id":"1","a":2)");
            EXPECT_EQ(open_json(R"({"id":"1","a":2,)" + cut + "}"), R"({"id":"1","a":2)");
            EXPECT_EQ(open_json(R"({"id":"1" , )" + cut + " }"), R"({"id":"1")");
        }
    }
}

TEST(ItemBody, AllSystemPropertiesAreRemovedTogether) {
    EXPECT_EQ(open_json(R"({"_rid":"r","_self":"s","id":"1","_etag":"e","_attachments":"a",)"
                        R"("x":{"_ts":1},"_ts":2,"_lsn":3})"),
              R"({"id":"1","x":{"_ts":1})");
    EXPECT_EQ(open_json(R"({"id":"1","\u005frid":"spelled with an escape"})"), R"({"id":"1")");
    EXPECT_EQ(open_json(R"({"id":"1","_rids":1,"_Rid":2,"rid":3})"),
              R"({"id":"1","_rids":1,"_Rid":2,"rid":3)");
}

TEST(ItemBody, TheIdIsATopLevelString) {
    EXPECT_EQ(body_of(R"({"id":"a\"b\u00e9\n"})").id, "a\"bé\n");
    EXPECT_EQ(body_of(R"({"i\u0064":"x"})").id, "x");
    for (const char* text : {"{}",
                             R"({"ID":"1"})",
                             R"({"id":1})",
                             R"({"id":null})",
                             R"({"id":["1"]})",
                             R"({"a":{"id":"1"}})"}) {
        EXPECT_THAT(refused(text), HasSubstr("'id; '")) << text;
    }
    EXPECT_THAT(refused(R"({"id":""})"), HasSubstr("must not be empty"));
    EXPECT_THAT(refused(R"({"id":"a\\b"})"), HasSubstr("must not contain"));
    EXPECT_THAT(refused("{\"id\":\"" + std::string(1024, 'x') + "\"}"), HasSubstr("'1024'"));
    EXPECT_EQ(body_of("{\"id\":\"" + std::string(1023, 'x') + "\"}").id.size(), 1023U);
}

TEST(ItemBody, TtlIsSecondsOrMinusOne) {
    EXPECT_EQ(body_of(R"({"id":"1"})").ttl, 0);
    EXPECT_EQ(body_of(R"({"id":"1","ttl":-1})").ttl, -1);
    EXPECT_EQ(body_of(R"({"id":"1","ttl":1})").ttl, 1);
    EXPECT_EQ(body_of(R"({"id":"1","ttl":2147483647})").ttl, 2147483647);
    EXPECT_EQ(body_of(R"({"id":"1","a":{"ttl":0}})").ttl, 0);
    for (const char* bad : {"0",
                            "-2",
                            "2147483648",
                            "1.5",
                            "null",
                            "\"60\"",
                            "true",
                            "[]",
                            "{}",
                            "1e400",
                            "-1e400"}) {
        EXPECT_THAT(refused(std::string(R"({"id":"1","ttl":)") + bad + "}"), HasSubstr("ttl"))
            << bad;
    }
}

TEST(ItemBody, PartitionKeyComponentsOfEveryKind) {
    const auto key = [](const std::string& value) {
        return body_of(R"({"id":"1","pk":)" + value + "}").partition_key;
    };
    EXPECT_EQ(key("\"a\\u0062\""), (PartitionKeyValue{"ab"}));
    EXPECT_EQ(key("12.50"), (PartitionKeyValue{12.5}));
    EXPECT_EQ(key("-0"), (PartitionKeyValue{0.0}));
    EXPECT_EQ(key("true"), (PartitionKeyValue{true}));
    EXPECT_EQ(key("false"), (PartitionKeyValue{false}));
    EXPECT_EQ(key("null"), (PartitionKeyValue{Null{}}));
    EXPECT_EQ(key("[1]"), (PartitionKeyValue{Undefined{}}));
    EXPECT_EQ(key("{}"), (PartitionKeyValue{Undefined{}}));
    EXPECT_EQ(body_of(R"({"id":"1"})").partition_key, (PartitionKeyValue{Undefined{}}));
    EXPECT_THAT(refused(R"({"id":"1","pk":1e400})"), HasSubstr("double"));
    EXPECT_EQ(key("\"" + std::string(2048, 'x') + "\""),
              (PartitionKeyValue{std::string(2048, 'x')}));
    EXPECT_THAT(refused(R"({"id":"1","pk":")" + std::string(2049, 'x') + "\"}"), HasSubstr("2048"));
}

TEST(ItemBody, PartitionKeyOfSeveralPaths) {
    const char* const definition =
        R"({"partitionKey":{"paths":["/a/b","/\"c d\"","/id"],"kind":"MultiHash","version":2}})";
    EXPECT_EQ(body_of(R"({"id":"1","a":{"b":2},"c d":true})", definition).partition_key,
              (PartitionKeyValue{2.0, true, "1"}));
    EXPECT_EQ(body_of(R"({"id":"1","a":[{"b":2}],"c":{"d":1}})", definition).partition_key,
              (PartitionKeyValue{Undefined{}, Undefined{}, "1"}));
}

TEST(ItemBody, WithoutPartitionKeyTheKeyIsEmpty) {
    const auto definition =
        parse_container_definition(parsed(R"({"id":"old"})"), {.partition_key_required = false});
    ASSERT_TRUE(definition);
    EXPECT_TRUE(item_body(R"({"id":"1","pk":"a"})", *definition).partition_key.empty());
    EXPECT_EQ(item_body(R"({"id":"1","_partitionKey":"a"})", *definition).partition_key,
              (PartitionKeyValue{"a"}));
}

TEST(ItemBody, EqualValuesHaveEqualUniqueDigests) {
    const char* const definition =
        R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u","/v/w"]}]}})";
    const auto digest = [&](const std::string& rest) {
        const ItemBody body = body_of(R"({"id":"1","pk":"a")" + rest + "}", definition);
        EXPECT_EQ(body.unique_digests.size(), 1U);
        EXPECT_EQ(body.unique_digests[0].size(), kUniqueDigestBytes);
        return body.unique_digests[0];
    };
    // Values in one group are equal, values in different groups are not.
    const std::vector<std::vector<std::string>> groups = {
        {"", R"(,"u":null)", R"(,"v":{"w":null})", R"(,"v":5)", R"(,"v":[{"w":1}])"},
        {R"(,"u":1)", R"(,"u":1.0)", R"(,"u":10e-1,"x":3)"},
        {R"(,"u":0)", R"(,"u":-0)", R"(,"u":0.0)"},
        {R"(,"u":"1")", R"(,"u":"\u0031")"},
        {R"(,"u":false)"},
        {R"(,"u":true)"},
        {R"(,"u":"A")"},
        {R"(,"u":"a")"},
        {R"(,"u":"")"},
        {R"(,"v":{"w":1})"},
        {R"(,"u":1,"v":{"w":1})"},
        {R"(,"u":"1null")"},
        {R"(,"u":[1,2])", R"(,"u":[1.0, 2])"},
        {R"(,"u":[2,1])"},
        {R"(,"u":[[1],2])"},
        {R"(,"u":{"a":1,"b":2})", R"(,"u":{"b":2,"a":1})"},
        {R"(,"u":{"a":2,"b":1})"},
        {R"(,"u":{})"},
        {R"(,"u":[])"},
    };
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (const std::string& rest : groups[i]) {
            const auto [found, added] = seen.emplace(digest(rest), i);
            EXPECT_EQ(found->second, i) << rest;
        }
    }
    EXPECT_EQ(seen.size(), groups.size());
}

TEST(ItemBody, UniqueDigestsDependOnThePartitionKey) {
    const char* const definition =
        R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]},{"paths":["/v"]}]}})";
    const ItemBody a = body_of(R"({"id":"1","pk":"a","u":1,"v":1})", definition);
    const ItemBody b = body_of(R"({"id":"1","pk":"b","u":1,"v":1})", definition);
    ASSERT_EQ(a.unique_digests.size(), 2U);
    EXPECT_NE(a.unique_digests[0], b.unique_digests[0]);
}

TEST(ItemBody, BadJsonIsRefused) {
    for (const char* text : {"",
                             " ",
                             "null",
                             "[]",
                             "\"id\"",
                             "{",
                             R"({"id":"1")",
                             R"({"id":"1"}x)",
                             R"({"id":"1",})",
                             R"({id:"1"})",
                             R"({'id':'1'})",
                             R"({"id":"1","a":01})",
                             R"({"id":"1","a":NaN})",
                             R"({"id":"1","a":"\x"})",
                             R"({"id":"1","a":"\ud800"})",
                             "{\"id\":\"1\",\"a\":\"\xff\"}",
                             "{\"id\":\"1\",\"a\":\"\n\"}",
                             R"({"id":"1"}{"id":"2"})",
                             "\xef\xbb\xbf{\"id\":\"1\"}"}) {
        EXPECT_THAT(refused(text), HasSubstr("JSON")) << text;
    }
}

TEST(ItemBody, TheLastOfDuplicatesIsStored) {
    EXPECT_EQ(open_json(R"({"id":"1","a":1,"b":2,"a":3})"), R"({"id":"1","a":3,"b":2)");
    EXPECT_EQ(open_json(R"({"id":"1","a":1,"\u0061":2})"), R"({"id":"1","a":2)");
    EXPECT_EQ(open_json(R"({"id":"1","x":[{"b":{"c":1,"c":2}}]})"),
              R"({"id":"1","x":[{"b":{"c":2}}])");
    EXPECT_EQ(open_json(R"({"_rid":1,"id":"1","_rid":2})"), R"({"id":"1")");
    EXPECT_EQ(open_json(R"({"id":"1","a":{"a":{"a":1}},"A":1})"),
              R"({"id":"1","a":{"a":{"a":1}},"A":1)");
}

TEST(ItemBody, TheLastOfDuplicatesIsWhatTheDatabaseUses) {
    const ItemBody body =
        body_of(R"({"id":"1","pk":"a","ttl":"no number","id":"2","pk":"b","ttl":60})");
    EXPECT_EQ(body.id, "2");
    EXPECT_EQ(body.partition_key.encode(),
              body_of(R"({"id":"2","pk":"b"})").partition_key.encode());
    EXPECT_EQ(body.ttl, 60);
    EXPECT_THAT(refused(R"({"id":"1","id":2})"), HasSubstr("'id; '"));
}

TEST(ItemBody, SystemPropertiesKeepTheirPlaces) {
    const ItemBody body =
        body_of(R"({"_ts":1,"id":"1","_lsn":2,"_rid":"r","a":2,"_self":"s","_etag":"e"})");
    EXPECT_EQ(body.open_json, R"({"id":"1","a":2)");
    std::vector<std::pair<SystemProperty, std::size_t>> places;
    for (const auto& place : body.system_places) {
        places.emplace_back(place.property, place.offset);
    }
    EXPECT_THAT(places,
                testing::ElementsAre(std::pair(SystemProperty::kTimestamp, 1),
                                     std::pair(SystemProperty::kRid, 10),
                                     std::pair(SystemProperty::kSelf, 16),
                                     std::pair(SystemProperty::kEtag, 16)));
    EXPECT_TRUE(body_of(R"({"id":"1"})").system_places.empty());
}

TEST(ItemBody, NestingIsLimited) {
    EXPECT_EQ(body_of(nested(128)).id, "1");
    EXPECT_THAT(refused(nested(129)), HasSubstr("too deep"));
    EXPECT_THAT(refused(nested(100'000)), HasSubstr("too deep"));
}

TEST(ItemBody, SizeIsLimitedWithoutWhitespaceAndSystemProperties) {
    const auto sized = [](std::size_t bytes) {
        const std::string frame = R"({"id":"1","a":""})";
        return frame.substr(0, frame.size() - 2) + std::string(bytes - frame.size(), 'x') + "\"}";
    };
    ASSERT_EQ(sized(100).size(), 100U);
    const std::string largest = sized(limits::kItemBytesMax);
    EXPECT_EQ(open_json(largest).size(), limits::kItemBytesMax - 1);
    EXPECT_THAT(refused(sized(limits::kItemBytesMax + 1), ErrorCode::kTooLarge),
                HasSubstr("too large"));
    EXPECT_EQ(open_json(largest + std::string(1000, ' ')).size(), limits::kItemBytesMax - 1);
    EXPECT_EQ(
        open_json(R"({"_self":")" + std::string(1000, 's') + "\"," + largest.substr(1)).size(),
        limits::kItemBytesMax - 1);
}

}  // namespace item_body_test
}  // namespace orrery::model
