#include "gateway/handlers/batch_json.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "json/scan.h"

namespace orrery::gateway::handlers {
namespace batch_json_test {

using testing::HasSubstr;
using Kind = model::BatchOperation::Kind;

std::string problem(std::string_view body) {
    const auto parsed = parse_batch_json(body);
    return parsed ? "(none)" : parsed.error().message();
}

TEST(BatchJson, Operations) {
    const auto parsed = parse_batch_json(R"( [
        {"operationType":"Create","resourceBody":{"id":"1", "n":1.50,"operationType":[{}]}},
        {"resourceBody":{"id":"2"},"ifMatch":"\"e\"","ifNoneMatch":null,"operationType":"Upsert",
         "partitionKey":"[\"a\"]","id":"2","minimalReturnPreference":true,
         "indexingDirective":"Exclude","someday":{"id":"x"}},
        {"operationType":"READ","id":"a\u0062","partitionKey":["a"]},
        {"operationType":"Replace","id":""},
        {"operationType":"Patch","id":"4","resourceBody":[{"op":"remove","path":"/a"}]},
        {"operationType":"Delete","id":"5","resourceBody":null} ] )");
    ASSERT_TRUE(parsed) << parsed.error().message();
    const auto& operations = *parsed;
    ASSERT_EQ(operations.size(), 6u);
    EXPECT_EQ(operations[0].kind, Kind::kCreate);
    EXPECT_EQ(operations[0].body, R"({"id":"1", "n":1.50,"operationType":[{}]})");
    EXPECT_EQ(operations[0].partition_key, std::nullopt);
    EXPECT_FALSE(operations[0].minimal_return);
    EXPECT_EQ(operations[1].kind, Kind::kUpsert);
    EXPECT_EQ(operations[1].if_match, "\"e\"");
    EXPECT_EQ(operations[1].if_none_match, std::nullopt);
    EXPECT_EQ(operations[1].partition_key, R"(["a"])");
    EXPECT_EQ(operations[1].id, "2");
    EXPECT_EQ(operations[1].indexing_directive, "Exclude");
    EXPECT_TRUE(operations[1].minimal_return);
    EXPECT_EQ(operations[2].kind, Kind::kRead);
    EXPECT_EQ(operations[2].id, "ab");
    EXPECT_EQ(operations[2].partition_key, R"(["a"])");
    EXPECT_EQ(operations[3].kind, Kind::kReplace);
    EXPECT_EQ(operations[3].id, "");
    EXPECT_EQ(operations[3].body, std::nullopt);
    EXPECT_EQ(operations[4].body, R"([{"op":"remove","path":"/a"}])");
    EXPECT_EQ(operations[5].kind, Kind::kDelete);
    EXPECT_EQ(operations[5].body, std::nullopt);
    EXPECT_TRUE(parse_batch_json("[]")->empty());
}

TEST(BatchJson, LastDuplicateWins) {
    const auto parsed = parse_batch_json(
        R"([{"operationType":"Create","id":"1","id":"2","operationType":"Replace",)"
        R"("resourceBody":{"a":1},"resourceBody":{"b":1,"b":2}}])");
    ASSERT_TRUE(parsed);
    const auto& operations = *parsed;
    EXPECT_EQ(operations[0].kind, Kind::kReplace);
    EXPECT_EQ(operations[0].id, "2");
    EXPECT_EQ(operations[0].body, R"({"b":1,"b":2})");
}

TEST(BatchJson, MalformedBatches) {
    for (const char* body : {"", "[", "[{}] x"}) {
        EXPECT_THAT(problem(body), HasSubstr("JSON")) << body;
    }
    EXPECT_THAT(problem("{}"), HasSubstr("must be an array"));
    EXPECT_THAT(problem("1"), HasSubstr("must be an array"));
    EXPECT_THAT(problem("[1]"), HasSubstr("array of objects"));
    EXPECT_THAT(problem("[[]]"), HasSubstr("array of objects"));
    EXPECT_THAT(problem(R"({"a":{"id":1}})"), HasSubstr("must be an array"));
    EXPECT_THAT(problem("[{}]"), HasSubstr("no operationType"));
    EXPECT_THAT(problem(R"([{"operationType":"Query"}])"), HasSubstr("operationType is unknown"));
    EXPECT_THAT(problem(R"([{"operationType":0}])"), HasSubstr("must be a string"));
    EXPECT_THAT(problem(R"([{"operationType":"Read","id":1}])"), HasSubstr("id must be"));
}

TEST(BatchJson, AllowsItemsOfFullNestingDepth) {
    const std::string nested =
        std::string(json::kDepthMax, '[') + std::string(json::kDepthMax, ']');
    EXPECT_TRUE(parse_batch_json(R"([{"operationType":"Create","resourceBody":)" + nested + "}]"));
}

TEST(BatchJson, Results) {
    model::BatchResult created;
    created.status = 201;
    created.charge = 5.71;
    created.etag = "\"e\"";
    created.body = R"({"id":"1"})";
    model::BatchResult busy;
    busy.status = 429;
    busy.substatus = 3200;
    busy.retry_after_ms = 20;
    EXPECT_EQ(
        print_batch_json({created, busy}),
        R"([{"statusCode":201,"subStatusCode":0,"requestCharge":5.71,"eTag":"\"e\"","resourceBody":{"id":"1"}},)"
        R"({"statusCode":429,"subStatusCode":3200,"requestCharge":0,"retryAfterMilliseconds":20}])");
}

}  // namespace batch_json_test
}  // namespace orrery::gateway::handlers
