// What every request passes through: health, path, key, size, API version, route.

#include "gateway/gateway.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace gateway_test {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::FakeExchange;
using testing_support::GatewayTest;
using testing_support::Headers;
using testing_support::parsed;
using testing_support::Reply;

// SDKs parse the error body, so it must never be empty.
void expect_error(const Reply& reply, unsigned status, const std::string& text) {
    EXPECT_EQ(reply.status, status) << reply.body;
    ASSERT_NE(reply.json().find("code"), nullptr);
    EXPECT_THAT(reply.json().find("message")->string(), HasSubstr(text));
    EXPECT_THAT(reply.json().find("message")->string(), StartsWith("Message: {\"Errors\":["));
    EXPECT_TRUE(reply.header("x-ms-activity-id"));
    EXPECT_TRUE(reply.header("x-ms-request-charge"));
    EXPECT_EQ(reply.header("content-type"), "application/json");
}

TEST_F(GatewayTest, HealthNeedsNoKey) {
    const Headers none = {{"authorization", ""}};
    EXPECT_EQ(send("GET", "/alive", none).status, 200U);
    EXPECT_EQ(send("GET", "/ready", none).status, 200U);
    EXPECT_EQ(send("GET", "/status?x", none).status, 200U);
    EXPECT_EQ(send("HEAD", "/ready", none).status, 200U);
    EXPECT_EQ(send("POST", "/ready", none).status, 405U);
    healthy_ = false;
    EXPECT_EQ(send("GET", "/ready", none).status, 503U);
    EXPECT_EQ(send("GET", "/alive", none).status, 200U);
    healthy_ = true;
    draining_ = true;
    EXPECT_EQ(send("GET", "/ready", none).status, 503U);
    EXPECT_THAT(send("GET", "/_explorer/emulator.pem", none).body, StartsWith("-----BEGIN"));
}

TEST_F(GatewayTest, EverythingElseNeedsTheKey) {
    for (const char* target : {"/", "/dbs", "/dbs/d/colls/c/docs/1", "/offers"}) {
        expect_error(send("GET", target, {{"authorization", ""}}), 401, "");
        expect_error(
            send("GET", target, {{"authorization", "type%3dmaster%26ver%3d1.0%26sig%3dAAAA"}}),
            401,
            "");
    }
    expect_error(send("GET", "/dbs", {{"x-ms-date", "Thu, 27 Apr 2017 00:51:12 GMT"}}), 403, "");
    EXPECT_EQ(send("GET", "/dbs").status, 200U);
}

TEST_F(GatewayTest, SignatureIsValidOnlyForItsRequest) {
    const auto stolen = make_exchange("GET", "/dbs/d");
    const std::string signature(*stolen->header("authorization"));
    expect_error(send("DELETE", "/dbs/d", {{"authorization", signature}}), 401, "");
    expect_error(send("GET", "/dbs/e", {{"authorization", signature}}), 401, "");
}

TEST_F(GatewayTest, OversizedBodyIs413AfterTheSignatureCheck) {
    const auto exchange = make_exchange("POST", "/dbs/d/colls/c/docs");
    exchange->too_large = true;
    expect_error(answer_to(exchange), 413, "Request size is too large");
    const auto stranger = make_exchange("POST", "/dbs/d/colls/c/docs", {{"authorization", ""}});
    stranger->too_large = true;
    expect_error(answer_to(stranger), 401, "");
}

// The head alone decides, before the body has arrived.
TEST_F(GatewayTest, AdmitsKnownClientsOnly) {
    const auto admitted = [this](const std::shared_ptr<FakeExchange>& exchange) {
        auto response = exchange->response();
        const auto request = gateway_.admit(exchange);
        const bool answered =
            response.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        EXPECT_NE(request != nullptr, answered);
        return request != nullptr;
    };
    const std::string docs = "/dbs/d/colls/c/docs";
    EXPECT_TRUE(admitted(make_exchange("POST", docs)));
    EXPECT_TRUE(admitted(make_exchange("GET", docs)));
    EXPECT_FALSE(admitted(make_exchange("POST", docs, {{"authorization", ""}})));
    EXPECT_FALSE(admitted(make_exchange("POST", docs, {{"x-ms-version", "latest"}})));
    EXPECT_FALSE(admitted(make_exchange("POST", "/nowhere")));
    EXPECT_FALSE(admitted(make_exchange("POST", "/alive")));
    EXPECT_FALSE(admitted(make_exchange("GET", "/addresses")));
}

TEST_F(GatewayTest, AcceptsPublishedApiVersionsOnly) {
    for (const char* version : {"2014-08-21", "2015-12-16", "2018-12-31", "2020-07-15", ""}) {
        EXPECT_EQ(send("GET", "/dbs", {{"x-ms-version", version}}).status, 200U) << version;
    }
    for (const char* version : {"2018-12-30",
                                "20181231",
                                "2018-12-31 ",
                                "latest",
                                "9999-99-99",
                                "2018/12/31",
                                "2018-1231-",
                                "-1",
                                "2018-12-31T00:00:00"}) {
        expect_error(send("GET", "/dbs", {{"x-ms-version", version}}), 400, "API version");
    }
}

TEST_F(GatewayTest, KeepsAWellFormedActivityId) {
    const std::string guid = "f81d4fae-7dec-41d0-8765-00a0c91e6bf6";
    EXPECT_EQ(send("GET", "/dbs", {{"x-ms-activity-id", guid}}).header("x-ms-activity-id"), guid);
    for (const std::string& odd :
         {std::string(), std::string("a b"), std::string("\"x\""), std::string(65, 'a')}) {
        const auto given =
            send("GET", "/dbs", {{"x-ms-activity-id", odd}}).header("x-ms-activity-id");
        ASSERT_TRUE(given);
        EXPECT_NE(*given, odd);
        EXPECT_EQ(given->size(), guid.size());
    }
    EXPECT_NE(send("GET", "/dbs").header("x-ms-activity-id"),
              send("GET", "/dbs").header("x-ms-activity-id"));
    EXPECT_EQ(send("GET", "/dbs", {{"x-ms-cosmos-correlated-activityid", guid}})
                  .header("x-ms-cosmos-correlated-activityid"),
              guid);
}

TEST_F(GatewayTest, UnknownPathIs404WithABody) {
    for (const char* target :
         {"/nowhere", "/clientconfigs", "/dbs/d/x", "/dbs/d/colls/c/schemas"}) {
        expect_error(send("GET", target), 404, "does not exist");
    }
    expect_error(send("GET", "/dbs/%zz"), 400, "path");
}

TEST_F(GatewayTest, UnsupportedVerbIs405) {
    make_container();
    const std::pair<const char*, const char*> wrong[] = {{"POST", "/"},
                                                         {"DELETE", "/dbs"},
                                                         {"PUT", "/dbs"},
                                                         {"PUT", "/dbs/d"},
                                                         {"POST", "/dbs/d"},
                                                         {"PATCH", "/dbs/d"},
                                                         {"PUT", "/dbs/d/colls"},
                                                         {"POST", "/dbs/d/colls/c"},
                                                         {"PATCH", "/dbs/d/colls/c"},
                                                         {"PUT", "/dbs/d/colls/c/docs"},
                                                         {"DELETE", "/dbs/d/colls/c/docs"},
                                                         {"POST", "/dbs/d/colls/c/docs/1"},
                                                         {"POST", "/dbs/d/colls/c/pkranges"},
                                                         {"DELETE", "/dbs/d/colls/c/pkranges/0"},
                                                         {"DELETE", "/offers/uT2L"},
                                                         {"POST", "/offers"},
                                                         {"OPTIONS", "/dbs"},
                                                         {"TRACE", "/dbs"},
                                                         {"get", "/dbs"}};
    for (const auto& [method, target] : wrong) {
        const Reply reply = send(method, target);
        EXPECT_EQ(reply.status, 405U) << method << " " << target;
        EXPECT_EQ(reply.json().find("code")->string(), "MethodNotAllowed");
    }
}

TEST_F(GatewayTest, MissingFeatureIs501AndNamed) {
    make_container();
    const std::tuple<const char*, const char*, const char*> missing[] = {
        {"POST", "/dbs/d/colls/c/operations/other", "container operation"},
        {"GET", "/addresses", "Direct mode"}};
    for (const auto& [method, target, name] : missing) {
        expect_error(send(method, target), 501, name);
    }
}

TEST_F(GatewayTest, UnsupportedRequestIsRefusedAndNamed) {
    make_container();
    expect_error(create("\x81", {{"x-ms-cosmos-is-batch-request", "true"}}), 400, "batch");
    expect_error(send("GET", "/dbs/d/colls/c/docs", {{"A-IM", "Full-Fidelity Feed"}}),
                 400,
                 "changeFeedPolicy");
    const std::string item = R"({"id":"1","pk":"a"})";
    expect_error(create(item, {{"x-ms-documentdb-pre-trigger-include", "t"}}), 400, "no trigger");
    expect_error(create(item, {{"x-ms-documentdb-post-trigger-include", "t"}}), 400, "no trigger");
    expect_error(create(item, {{"x-ms-indexing-directive", "Perhaps"}}), 400, "directive");
    EXPECT_EQ(send("GET", "/dbs/d/colls/c/docs").json().find("_count")->integer(), 0)
        << "a refused request must not write";
}

TEST_F(GatewayTest, HeadIsRoutedAsGet) {
    make_container();
    EXPECT_EQ(send("HEAD", "/dbs/d/colls/c").status, 200U);
    EXPECT_EQ(send("HEAD", "/dbs/d/colls/x").status, 404U);
}

TEST_F(GatewayTest, RefusedConnectionGetsABody) {
    const Reply reply(gateway_.refuse(431, "too much"));
    EXPECT_EQ(reply.status, 431U);
    EXPECT_THAT(reply.json().find("message")->string(), HasSubstr("too much"));
    EXPECT_TRUE(gateway_.refuse(400, "x").close);
    EXPECT_THAT(gateway_.refuse(400, "x").headers, Not(HasSubstr("x-ms-retry-after-ms")));
    EXPECT_THAT(gateway_.refuse(503, "x").headers, HasSubstr("x-ms-retry-after-ms: 100\r\n"));
}

TEST_F(GatewayTest, AccountNamesTheRequestedHost) {
    const auto endpoint = [](const Reply& reply) {
        EXPECT_EQ(reply.status, 200U);
        return reply.json()
            .find("writableLocations")
            ->array()[0]
            .find("databaseAccountEndpoint")
            ->string();
    };
    EXPECT_EQ(endpoint(send("GET", "/")), "http://127.0.0.1:8081/");
    EXPECT_EQ(endpoint(send("GET", "/", {{"Host", "localhost:9000"}})), "http://localhost:9000/");
    EXPECT_EQ(endpoint(send("GET", "/", {{"Host", "bad host\"}"}})), "http://127.0.0.1:8081/");
    EXPECT_EQ(endpoint(send("GET",
                            "/",
                            {{"Host", "inside"},
                             {"X-Forwarded-Host", "db.example.com"},
                             {"X-Forwarded-Proto", "https"}})),
              "https://db.example.com/");
    const auto exchange = make_exchange("GET", "/", {{"Host", "[::1]:8081"}});
    exchange->over_tls = true;
    EXPECT_EQ(endpoint(answer_to(exchange)), "https://[::1]:8081/");
    const auto advertised = make_exchange("GET", "/", {{"Host", "localhost:9000"}});
    Gateway elsewhere = make_gateway("https://db.example.com:8081/");
    EXPECT_EQ(endpoint(answer_of(elsewhere, advertised)), "https://db.example.com:8081/");
    const json::Value account = send("GET", "/").json();
    for (const char* name : {"id",
                             "_rid",
                             "_dbs",
                             "readableLocations",
                             "userConsistencyPolicy",
                             "userReplicationPolicy",
                             "systemReplicationPolicy",
                             "readPolicy"}) {
        EXPECT_NE(account.find(name), nullptr) << name;
    }
    EXPECT_NE(
        parsed(account.find("queryEngineConfiguration")->string()).find("maxSqlQueryInputLength"),
        nullptr);
}

TEST_F(GatewayTest, OnlyAllowedNetworksAreServed) {
    allowed_networks_ = {*IpNetwork::parse("10.0.0.0/8")};
    Gateway gateway = make_gateway("");
    const auto outcome = [&](const char* address, bool local) {
        const auto exchange = make_exchange("GET", "/dbs");
        exchange->local = local;
        exchange->address = address;
        return answer_of(gateway, exchange);
    };
    EXPECT_EQ(outcome("10.1.2.3", false).status, 200U);
    EXPECT_EQ(outcome("127.0.0.1", true).status, 200U);
    expect_error(outcome("11.1.2.3", false), 403, "Request originated from IP 11.1.2.3");
    expect_error(outcome("", false), 403, "firewall");
}

TEST_F(GatewayTest, AnswersToManyInvalidCredentialsAreHeldBack) {
    const Headers forged = {{"authorization", "type%3dmaster%26ver%3d1.0%26sig%3dAAAA"}};
    testing::internal::CaptureStderr();
    Reply last = send("GET", "/dbs", forged);
    EXPECT_EQ(last.delay.count(), 0);
    for (int i = 0; i < 1100; ++i) {
        last = send("GET", "/dbs", forged);
    }
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                HasSubstr("client=127.0.0.1 reason=signature"));
    expect_error(last, 401, "");
    EXPECT_GT(last.delay.count(), 0);
    EXPECT_EQ(failed_logins_.stats().by_reason[2], 1101U);
    // Clients with a valid credential do not notice, nor those that send none.
    EXPECT_EQ(send("GET", "/dbs").delay.count(), 0);
    EXPECT_EQ(send("GET", "/dbs", {{"authorization", ""}}).delay.count(), 0);
    EXPECT_EQ(send("GET", "/nowhere").delay.count(), 0);
    const auto exchange = make_exchange("GET", "/dbs", forged);
    exchange->address = "10.1.2.3";
    EXPECT_EQ(answer_to(exchange).delay.count(), 0);
}

TEST_F(GatewayTest, WithClientCertificatesEverythingButLocalProbesNeedsTls) {
    requires_tls_ = true;
    Gateway gateway = make_gateway("");
    const auto status = [&](const char* target, bool over_tls, bool local) {
        const auto exchange = make_exchange("GET", target);
        exchange->over_tls = over_tls;
        exchange->local = local;
        return answer_of(gateway, exchange).status;
    };
    for (const bool local : {true, false}) {
        EXPECT_EQ(status("/dbs", true, local), 200U);
        EXPECT_EQ(status("/ready", true, local), 200U);
        EXPECT_EQ(status("/dbs", false, local), 403U);
        EXPECT_EQ(status("/ready", false, local), local ? 200U : 403U);
        EXPECT_EQ(status("/metrics", false, local), local ? 200U : 403U);
    }
    expect_error(answer_of(gateway, make_exchange("GET", "/dbs")), 403, "requires HTTPS");
}

}  // namespace gateway_test
}  // namespace orrery::gateway
