#include "auth/resource_token.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "model/limits.h"

namespace orrery::auth {
namespace resource_token_test {

constexpr std::string_view kPrefix = "type=resource&ver=1&sig=";

ResourceGrant some_grant() {
    ResourceGrant grant;
    grant.mode = model::PermissionMode::kAll;
    grant.by_rid = true;
    grant.database = "AQAAAA==";
    grant.container = "AQAAAIAAAAE=";
    grant.child_type = "docs";
    grant.child = "é/;";
    grant.partition_key = model::PartitionKeyValue{std::string("a"), 1.0};
    grant.issued = 1'000'000;
    grant.expires = 1'003'600;
    return grant;
}

TEST(ResourceToken, SurvivesTheRoundTrip) {
    const ResourceTokens tokens("secret");
    const std::string token = tokens.issue(some_grant());
    ASSERT_TRUE(token.starts_with(kPrefix));
    const auto grant = tokens.check(token.substr(kPrefix.size()));
    ASSERT_TRUE(grant);
    EXPECT_EQ(grant->mode, model::PermissionMode::kAll);
    EXPECT_TRUE(grant->by_rid);
    EXPECT_EQ(grant->container, "AQAAAIAAAAE=");
    EXPECT_EQ(grant->child, "é/;");
    EXPECT_EQ(grant->partition_key, some_grant().partition_key);
    EXPECT_EQ(grant->expires, 1'003'600);
}

TEST(ResourceToken, RefusesWhatItHasNotIssued) {
    const ResourceTokens tokens("secret");
    const std::string good = tokens.issue(some_grant()).substr(kPrefix.size());
    const std::size_t middle = good.find(';');
    const std::string signature = good.substr(0, middle);
    const std::string payload = good.substr(middle + 1, good.size() - middle - 2);
    EXPECT_TRUE(tokens.check(signature + ";" + payload + ";"));
    for (const std::string& bad : {std::string(),
                                   std::string(";"),
                                   std::string(";;"),
                                   signature + ";",
                                   signature + ";;",
                                   good.substr(0, good.size() - 1),
                                   good + ";",
                                   payload + ";" + signature + ";",
                                   signature + ";" + payload.substr(4) + ";",
                                   signature.substr(4) + ";" + payload + ";"}) {
        const auto grant = tokens.check(bad);
        ASSERT_FALSE(grant) << bad;
        EXPECT_EQ(grant.error().code(), ErrorCode::kUnauthorized);
    }
    EXPECT_FALSE(ResourceTokens("other").check(good));
}

TEST(ResourceToken, EveryBitCounts) {
    const ResourceTokens tokens("secret");
    const std::string good = tokens.issue(some_grant()).substr(kPrefix.size());
    const std::size_t middle = good.find(';');
    std::string payload = *base64_decode(good.substr(middle + 1, good.size() - middle - 2));
    for (char& byte : payload) {
        byte = static_cast<char>(byte ^ 1);
        EXPECT_FALSE(tokens.check(good.substr(0, middle + 1) + base64_encode(payload) + ";"));
        byte = static_cast<char>(byte ^ 1);
    }
}

TEST(ResourceToken, IsValidUntilItExpires) {
    const ResourceGrant grant = some_grant();
    EXPECT_TRUE(check_time(grant, grant.issued));
    EXPECT_TRUE(check_time(grant, grant.expires - 1));
    EXPECT_TRUE(check_time(grant, grant.issued - model::limits::kClockSkewSecondsMax));
    for (const std::int64_t now :
         {grant.expires, grant.issued - model::limits::kClockSkewSecondsMax - 1}) {
        const Status valid = check_time(grant, now);
        ASSERT_FALSE(valid);
        EXPECT_EQ(valid.error().code(), ErrorCode::kForbidden);
        EXPECT_NE(valid.error().message().find("token expiry time"), std::string::npos);
    }
}

}  // namespace resource_token_test
}  // namespace orrery::auth
