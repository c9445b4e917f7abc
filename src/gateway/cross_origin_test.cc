// Requests of pages of other origins.

#include "gateway/cross_origin.h"

#include <string>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace cross_origin_test {

using testing_support::GatewayTest;
using testing_support::Headers;
using testing_support::Reply;

constexpr const char* kApp = "https://app.example";

class CrossOriginTest : public GatewayTest {
protected:
    Reply ask(const std::string& method, Headers headers) {
        Backend backend = make_backend("");
        backend.allowed_origins = {"http://localhost:3000", kApp};
        Gateway gateway(std::move(backend));
        return answer_of(gateway, make_exchange(method, "/dbs", std::move(headers)));
    }
    static Headers preflight(const std::string& origin) {
        return {{"Origin", origin},
                {"Access-Control-Request-Method", "GET"},
                {"Access-Control-Request-Headers", "authorization,x-ms-date"},
                {"authorization", ""}};
    }
};

TEST_F(CrossOriginTest, ShowsAnswersToAllowedOrigins) {
    const Reply answer = ask("GET", {{"Origin", kApp}});
    EXPECT_EQ(answer.status, 200U);
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), kApp);
    EXPECT_EQ(answer.header("Access-Control-Expose-Headers"), "*");
    EXPECT_EQ(answer.header("Vary"), "Origin");
    const Reply refused = ask("GET", {{"Origin", kApp}, {"authorization", ""}});
    EXPECT_EQ(refused.status, 401U);
    EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), kApp);
}

TEST_F(CrossOriginTest, ShowsNothingToOthers) {
    for (const char* origin : {"https://app.example:444", "http://app.example", "null", ""}) {
        const Reply answer = ask("GET", {{"Origin", origin}});
        EXPECT_EQ(answer.status, 200U);
        EXPECT_FALSE(answer.header("Access-Control-Allow-Origin")) << origin;
        EXPECT_EQ(ask("OPTIONS", preflight(origin)).status, 401U) << origin;
    }
    EXPECT_FALSE(ask("GET", {}).header("Access-Control-Allow-Origin"));
    // Without the setting nobody may.
    EXPECT_FALSE(send("GET", "/dbs", {{"Origin", kApp}}).header("Access-Control-Allow-Origin"));
}

TEST_F(CrossOriginTest, AnswersPreflightsWithoutCredential) {
    const Reply answer = ask("OPTIONS", preflight(kApp));
    EXPECT_EQ(answer.status, 204U);
    EXPECT_EQ(answer.header("Access-Control-Allow-Origin"), kApp);
    EXPECT_EQ(answer.header("Access-Control-Allow-Headers"), "authorization,x-ms-date");
    EXPECT_EQ(answer.header("Access-Control-Allow-Methods"), "GET, POST, PUT, PATCH, DELETE");
    Headers strange = preflight(kApp);
    strange["Access-Control-Request-Headers"] = "a\tb";
    EXPECT_FALSE(ask("OPTIONS", strange).header("Access-Control-Allow-Headers"));
    EXPECT_EQ(ask("OPTIONS", {{"Origin", kApp}, {"authorization", ""}}).status, 401U);
}

TEST(OriginTest, KnowsOrigins) {
    for (const char* good :
         {"*", "https://app.example", "http://localhost:3000", "https://[::1]:8443"}) {
        EXPECT_TRUE(is_origin(good)) << good;
    }
    for (const char* bad : {"",
                            "app.example",
                            "https://app.example/",
                            "https://app.example/path",
                            "https://app.example:443",
                            "https://App.example",
                            "ftp://app.example",
                            "https://*.example",
                            "null"}) {
        EXPECT_FALSE(is_origin(bad)) << bad;
    }
}

}  // namespace cross_origin_test
}  // namespace orrery::gateway
