#include "gateway/status.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::gateway {
namespace status_test {

using model::testing_support::parsed;
using testing::HasSubstr;
using testing::StartsWith;

TEST(HttpStatus, MapsEveryErrorCode) {
    EXPECT_EQ(http_status(ErrorCode::kBadRequest), 400U);
    EXPECT_EQ(http_status(ErrorCode::kUnauthorized), 401U);
    EXPECT_EQ(http_status(ErrorCode::kForbidden), 403U);
    EXPECT_EQ(http_status(ErrorCode::kNotFound), 404U);
    EXPECT_EQ(http_status(ErrorCode::kMethodNotAllowed), 405U);
    EXPECT_EQ(http_status(ErrorCode::kTimeout), 408U);
    EXPECT_EQ(http_status(ErrorCode::kConflict), 409U);
    EXPECT_EQ(http_status(ErrorCode::kGone), 410U);
    EXPECT_EQ(http_status(ErrorCode::kPreconditionFailed), 412U);
    EXPECT_EQ(http_status(ErrorCode::kTooLarge), 413U);
    EXPECT_EQ(http_status(ErrorCode::kThrottled), 429U);
    EXPECT_EQ(http_status(ErrorCode::kRetryWith), 449U);
    EXPECT_EQ(http_status(ErrorCode::kInternal), 500U);
    EXPECT_EQ(http_status(ErrorCode::kCorrupted), 500U);
    EXPECT_EQ(http_status(ErrorCode::kNotImplemented), 501U);
    EXPECT_EQ(http_status(ErrorCode::kUnavailable), 503U);
    EXPECT_EQ(http_status(ErrorCode::kFenced), 503U);
}

std::string code_in_body(unsigned status) {
    return parsed(error_body(status, "why", "id", "/dbs")).find("code")->string();
}

TEST(ErrorBody, UsesTheServicesStatusNames) {
    EXPECT_EQ(code_in_body(400), "BadRequest");
    EXPECT_EQ(code_in_body(401), "Unauthorized");
    EXPECT_EQ(code_in_body(403), "Forbidden");
    EXPECT_EQ(code_in_body(404), "NotFound");
    EXPECT_EQ(code_in_body(405), "MethodNotAllowed");
    EXPECT_EQ(code_in_body(408), "RequestTimeout");
    EXPECT_EQ(code_in_body(409), "Conflict");
    EXPECT_EQ(code_in_body(410), "Gone");
    EXPECT_EQ(code_in_body(412), "PreconditionFailed");
    EXPECT_EQ(code_in_body(413), "RequestEntityTooLarge");
    EXPECT_EQ(code_in_body(429), "429");
    EXPECT_EQ(code_in_body(449), "449");
    EXPECT_EQ(code_in_body(500), "InternalServerError");
    EXPECT_EQ(code_in_body(503), "ServiceUnavailable");
}

TEST(ErrorBody, HasTheShapeThatSdksParse) {
    const std::string body = error_body(404, "Resource Not Found.", "4b7", "/dbs/d?secret=1");
    EXPECT_EQ(body,
              "{\"code\":\"NotFound\",\"message\":\"Message: {\\\"Errors\\\":[\\\"Resource Not "
              "Found.\\\"]}\\r\\nActivityId: 4b7, Request URI: /dbs/d, RequestStats: , SDK: "
              "Orrery\"}");
    EXPECT_THAT(parsed(body).find("message")->string(), StartsWith("Message: {\"Errors\":["));
}

TEST(ErrorBody, OfAMissingItemIsNotWrapped) {
    constexpr std::string_view kMissing =
        "Entity with the specified id does not exist in the system.";
    EXPECT_THAT(parsed(error_body(404, kMissing, "4b7", "/")).find("message")->string(),
                StartsWith(std::string(kMissing) + "\r\nActivityId: 4b7"));
}

TEST(ErrorBody, IsValidJsonForAnyText) {
    for (const std::string& text : {std::string("quotes \" and \\ and \n"),
                                    std::string("nul \0 byte", 10),
                                    std::string("half a character \xc3"),
                                    std::string("\xff\xfe"),
                                    std::string("日本"),
                                    std::string(10'000, '"')}) {
        const auto body = json::Value::parse(error_body(400, text, "id", text));
        ASSERT_TRUE(body) << body.error().message();
        EXPECT_THAT(body->find("message")->string(), HasSubstr("ActivityId: id"));
    }
}

}  // namespace status_test
}  // namespace orrery::gateway
