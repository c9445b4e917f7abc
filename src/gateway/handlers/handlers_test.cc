#include "gateway/handlers/handlers.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "gateway/test_support.h"

namespace orrery::gateway {
namespace handlers_test {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::GatewayTest;
using testing_support::Headers;
using testing_support::item;
using testing_support::Reply;

constexpr const char* kItems = "/dbs/d/colls/c/docs";
constexpr const char* kItem = "/dbs/d/colls/c/docs/1";
constexpr const char* kBody = R"({"id":"1","pk":"a"})";

// What SDKs need to store session tokens (protocol: common response headers).
void expect_item_headers(const Reply& reply) {
    for (const char* name : {"x-ms-request-charge",
                             "x-ms-request-duration-ms",
                             "x-ms-activity-id",
                             "x-ms-session-token",
                             "x-ms-documentdb-partitionkeyrangeid",
                             "lsn",
                             "x-ms-global-Committed-lsn",
                             "x-ms-number-of-read-regions",
                             "x-ms-serviceversion",
                             "x-ms-gatewayversion",
                             "x-ms-schemaversion"}) {
        EXPECT_TRUE(reply.header(name)) << name << " on " << reply.status;
    }
    const bool exists = reply.status != 404;
    using Header = std::optional<std::string>;
    EXPECT_EQ(reply.header("x-ms-alt-content-path"), exists ? Header("dbs/d/colls/c") : Header());
    EXPECT_EQ(reply.header("x-ms-content-path"), exists ? Header("AQAAAIAAAAE=") : Header());
}

TEST_F(GatewayTest, CreateReadReplaceDeleteItem) {
    make_container();
    const Reply created = create(kBody, keyed(R"(["a"])"));
    EXPECT_EQ(created.status, 201U);
    expect_item_headers(created);
    EXPECT_EQ(created.header("x-ms-session-token"), "0:1#1");
    EXPECT_EQ(created.json().find("_etag")->string(), created.header("etag"));
    EXPECT_THAT(created.body, StartsWith(R"({"id":"1","pk":"a","_rid":")"));

    const Reply read = send("GET", kItem, keyed(R"(["a"])"));
    EXPECT_EQ(read.status, 200U);
    EXPECT_EQ(read.body, created.body);
    expect_item_headers(read);

    const Reply replaced = send("PUT", kItem, keyed(R"(["a"])"), R"({"id":"1","pk":"a","n":2})");
    EXPECT_EQ(replaced.status, 200U);
    EXPECT_NE(replaced.header("etag"), created.header("etag"));
    EXPECT_EQ(replaced.header("x-ms-session-token"), "0:1#2");

    const Reply removed = send("DELETE", kItem, keyed(R"(["a"])"));
    EXPECT_EQ(removed.status, 204U);
    EXPECT_EQ(removed.body, "");
    EXPECT_EQ(removed.header("x-ms-session-token"), "0:1#3");
    expect_item_headers(removed);

    const Reply gone = send("GET", kItem, keyed(R"(["a"])"));
    EXPECT_EQ(gone.outcome(), "404");
    EXPECT_EQ(gone.header("x-ms-session-token"), "0:1#3");
    expect_item_headers(gone);
}

TEST_F(GatewayTest, UpsertAnswers201Then200) {
    make_container();
    const Headers upsert = {{"x-ms-documentdb-is-upsert", "True"}};
    EXPECT_EQ(create(kBody, upsert).status, 201U);
    EXPECT_EQ(create(kBody, upsert).status, 200U);
    const Reply conflict = create(kBody);
    EXPECT_EQ(conflict.outcome(), "409");
    expect_item_headers(conflict);
}

TEST_F(GatewayTest, MinimalResponseHasNoBody) {
    make_container();
    const Reply created = create(kBody, {{"Prefer", "return=minimal"}});
    EXPECT_EQ(created.status, 201U);
    EXPECT_EQ(created.body, "");
    EXPECT_TRUE(created.header("etag"));
    Headers headers = keyed(R"(["a"])");
    headers["Prefer"] = "return=minimal";
    EXPECT_EQ(send("PUT", kItem, headers, kBody).body, "");
    EXPECT_NE(send("GET", kItem, headers).body, "");
}

TEST_F(GatewayTest, ConditionalReadsAndWrites) {
    make_container();
    const std::string etag = *create(kBody).header("etag");
    Headers headers = keyed(R"(["a"])");
    headers["If-None-Match"] = etag;
    const Reply unchanged = send("GET", kItem, headers);
    EXPECT_EQ(unchanged.status, 304U);
    EXPECT_EQ(unchanged.body, "");
    EXPECT_EQ(unchanged.header("etag"), etag);
    headers = keyed(R"(["a"])");
    headers["If-Match"] = "\"other\"";
    EXPECT_EQ(send("PUT", kItem, headers, kBody).outcome(), "412");
    EXPECT_EQ(send("DELETE", kItem, headers).outcome(), "412");
    headers["If-Match"] = etag;
    EXPECT_EQ(send("DELETE", kItem, headers).status, 204U);
}

TEST_F(GatewayTest, ErrorsOfItemRequests) {
    make_container();
    ASSERT_EQ(create(kBody).status, 201U);
    EXPECT_EQ(create("nonsense").outcome(), "400");
    EXPECT_EQ(create(kBody, keyed(R"(["b"])")).outcome(), "400/1001");
    EXPECT_EQ(send("GET", kItem).outcome(), "400");
    EXPECT_EQ(send("GET", "/dbs/d/colls/x/docs/1", keyed("[1]")).outcome(), "404/1003");
    EXPECT_EQ(send("GET", "/dbs/x/colls/c/docs/1", keyed("[1]")).outcome(), "404/1003");
    EXPECT_EQ(send("GET", "/dbs/d/colls/x/docs").outcome(), "404/1003");
    EXPECT_EQ(send("POST", "/dbs/d/colls/x/docs", {}, kBody).outcome(), "404/1003");
    Headers ahead = keyed(R"(["a"])");
    ahead["x-ms-session-token"] = "0:-1#99";
    EXPECT_EQ(send("GET", kItem, ahead).outcome(), "404/1002");
    EXPECT_EQ(create(kBody, {{"x-ms-cosmos-intended-collection-rid", "AQAAAIAAAAk="}}).outcome(),
              "400/1024");
}

TEST_F(GatewayTest, OldClientsGetSimpleSessionTokens) {
    make_container();
    Headers headers = {{"x-ms-version", "2016-07-11"}};
    EXPECT_EQ(create(kBody, headers).header("x-ms-session-token"), "0:1");
    headers = {{"x-ms-version", "2018-06-18"}};
    EXPECT_EQ(create(R"({"id":"2","pk":"a"})", headers).header("x-ms-session-token"), "0:1#2");
}

TEST_F(GatewayTest, FeedEnvelope) {
    make_container(7);
    for (int i = 0; i < 5; ++i) {
        const std::string id = std::to_string(i);
        ASSERT_EQ(create(item(id, id)).status, 201U);
    }
    const Reply first = send("GET", kItems, {{"x-ms-max-item-count", "3"}});
    EXPECT_EQ(first.status, 200U);
    expect_item_headers(first);
    EXPECT_EQ(first.header("x-ms-item-count"), "3");
    EXPECT_EQ(first.json().find("_rid")->string(), "AQAAAIAAAAE=");
    EXPECT_EQ(first.json().find("_count")->integer(), 3);
    EXPECT_EQ(first.json().find("Documents")->array().size(), 3U);
    const Reply second =
        send("GET", kItems, {{"x-ms-continuation", *first.header("x-ms-continuation")}});
    EXPECT_EQ(second.json().find("_count")->integer(), 2);
    EXPECT_FALSE(second.header("x-ms-continuation"));
    EXPECT_EQ(send("GET", kItems, {{"x-ms-continuation", ""}}).json().find("_count")->integer(), 5);
    EXPECT_EQ(send("GET", kItems, {{"x-ms-continuation", "x"}}).outcome(), "400");
    EXPECT_EQ(send("GET", kItems, {{"x-ms-documentdb-partitionkeyrangeid", "9"}}).outcome(),
              "410/1002");
}

TEST_F(GatewayTest, ResourcesByRid) {
    make_container();
    const std::string self = "/" + create(kBody).json().find("_self")->string();
    EXPECT_EQ(send("GET", self, keyed(R"(["a"])")).status, 200U);
    EXPECT_EQ(send("GET", "/dbs/AQAAAA==").status, 200U);
    EXPECT_EQ(send("GET", "/dbs/AQAAAA==/colls/AQAAAIAAAAE=").status, 200U);
    EXPECT_EQ(send("DELETE", self, keyed(R"(["a"])")).status, 204U);
}

TEST_F(GatewayTest, Databases) {
    const Reply created = send("POST", "/dbs", {}, R"({"id":"d"})");
    EXPECT_EQ(created.status, 201U);
    EXPECT_EQ(created.json().find("_etag")->string(), created.header("etag"));
    EXPECT_EQ(send("POST", "/dbs", {}, R"({"id":"d"})").outcome(), "409/3206");
    const Reply list = send("GET", "/dbs");
    EXPECT_EQ(list.json().find("_rid")->string(), "");
    EXPECT_EQ(list.json().find("Databases")->array().size(), 1U);
    EXPECT_EQ(list.header("x-ms-item-count"), "1");
    EXPECT_EQ(send("GET", "/dbs/d", {{"If-None-Match", *created.header("etag")}}).status, 304U);
    const Headers query = {{"x-ms-documentdb-isquery", "True"}};
    EXPECT_EQ(send("POST", "/dbs", query, R"({"query":"SELECT * FROM r WHERE r.id = 'd'"})")
                  .json()
                  .find("_count")
                  ->integer(),
              1);
    EXPECT_EQ(send("POST", "/dbs", query, R"({"query":"SELECT * FROM r WHERE r.id = 'x'"})")
                  .json()
                  .find("_count")
                  ->integer(),
              0);
    EXPECT_EQ(send("POST", "/dbs", query, R"({"query":"SELECT"})").outcome(), "400");
    EXPECT_EQ(send("POST", "/dbs", query, "nonsense").outcome(), "400");
    const Reply removed = send("DELETE", "/dbs/d");
    EXPECT_EQ(removed.status, 204U);
    EXPECT_EQ(removed.body, "");
    EXPECT_EQ(send("DELETE", "/dbs/d").outcome(), "404");
}

TEST_F(GatewayTest, Containers) {
    make_container();
    const Reply read =
        send("GET", "/dbs/d/colls/c", {{"x-ms-documentdb-populatequotainfo", "True"}});
    EXPECT_EQ(read.status, 200U);
    EXPECT_EQ(read.header("x-ms-documentdb-collection-index-transformation-progress"), "100");
    EXPECT_EQ(read.header("x-ms-content-path"), "AQAAAA==");
    EXPECT_EQ(read.header("x-ms-alt-content-path"), "dbs/d");
    EXPECT_EQ(read.header("x-ms-session-token"), "0:1#0");
    EXPECT_THAT(*read.header("x-ms-resource-usage"), HasSubstr("documentsCount=0"));
    EXPECT_THAT(*read.header("x-ms-resource-quota"),
                StartsWith("functions=50;storedProcedures=100;triggers=25;"));
    EXPECT_FALSE(send("GET", "/dbs/d/colls/c").header("x-ms-resource-usage"));
    const Reply list = send("GET", "/dbs/d/colls");
    EXPECT_EQ(list.json().find("_rid")->string(), "AQAAAA==");
    EXPECT_EQ(list.json().find("DocumentCollections")->array().size(), 1U);
    const Reply replaced =
        send("PUT",
             "/dbs/d/colls/c",
             {},
             R"({"id":"c","partitionKey":{"paths":["/pk"],"version":2},"defaultTtl":9})");
    EXPECT_EQ(replaced.status, 200U);
    EXPECT_EQ(replaced.json().find("defaultTtl")->integer(), 9);
    EXPECT_EQ(send("POST", "/dbs/x/colls", {}, R"({"id":"c"})").outcome(), "404/1003");
    EXPECT_EQ(send("POST", "/dbs/d/colls", {}, R"({"id":"n"})").outcome(), "400/1013");
    EXPECT_EQ(send("DELETE", "/dbs/d/colls/c").status, 204U);
    EXPECT_EQ(send("GET", "/dbs/d/colls/c").outcome(), "404");
}

TEST_F(GatewayTest, Scripts) {
    make_container();
    const std::string sprocs = "/dbs/d/colls/c/sprocs";
    const std::string body = R"({"id":"p","body":"function () {}"})";
    const Reply made = send("POST", sprocs, {}, body);
    EXPECT_EQ(made.status, 201U);
    EXPECT_EQ(made.json().find("_etag")->string(), made.header("etag"));
    EXPECT_EQ(send("GET", sprocs + "/p").body, made.body);
    EXPECT_EQ(send("GET", "/" + made.json().find("_self")->string()).body, made.body);
    EXPECT_EQ(send("GET", sprocs + "/p", {{"If-None-Match", *made.header("etag")}}).status, 304U);
    const Headers upsert = {{"x-ms-documentdb-is-upsert", "True"}};
    EXPECT_EQ(send("POST", sprocs, upsert, body).status, 200U);
    EXPECT_EQ(send("POST", "/dbs/d/colls/c/udfs", upsert, body).status, 201U);
    EXPECT_EQ(send("PUT", sprocs + "/p", {{"If-Match", *made.header("etag")}}, body).outcome(),
              "412");
    const Reply list = send("GET", sprocs);
    EXPECT_EQ(list.json().find("_rid")->string(), "AQAAAIAAAAE=");
    EXPECT_EQ(list.json().find("StoredProcedures")->array().size(), 1U);
    const Reply container =
        send("GET", "/dbs/d/colls/c", {{"x-ms-documentdb-populatequotainfo", "True"}});
    EXPECT_THAT(*container.header("x-ms-resource-usage"),
                StartsWith("functions=1;storedProcedures=1;triggers=0;"));
    EXPECT_EQ(send("POST", sprocs + "/p", {}, "[]").outcome(), "400");
    EXPECT_EQ(send("POST", "/dbs/d/colls/c/udfs/p", {}, "[]").outcome(), "405");
    EXPECT_EQ(send("POST", "/dbs/d/colls/x/sprocs", {}, body).outcome(), "404/1003");
    EXPECT_EQ(send("DELETE", sprocs + "/p").status, 204U);
    EXPECT_EQ(send("GET", sprocs + "/p").outcome(), "404");
}

TEST_F(GatewayTest, LimitsTriggersPerContainer) {
    make_container();
    const auto create = [&](int number) {
        return send("POST",
                    "/dbs/d/colls/c/triggers",
                    {},
                    R"({"body":"","triggerType":"Pre","triggerOperation":"All","id":"t)" +
                        std::to_string(number) + "\"}")
            .outcome();
    };
    for (int i = 0; i < 25; ++i) {
        ASSERT_EQ(create(i), "201");
    }
    EXPECT_EQ(create(25), "403");
    EXPECT_EQ(send("DELETE", "/dbs/d/colls/c/triggers/t7").status, 204U);
    EXPECT_EQ(create(25), "201");
}

TEST_F(GatewayTest, ListingRangesEndsWith304) {
    make_container(7);
    const std::string target = "/dbs/d/colls/c/pkranges";
    const Reply first =
        send("GET", target, {{"A-IM", "Incremental Feed"}, {"x-ms-max-item-count", "-1"}});
    EXPECT_EQ(first.status, 200U);
    EXPECT_EQ(first.json().find("PartitionKeyRanges")->array().size(), 7U);
    ASSERT_TRUE(first.header("etag"));
    const Reply second = send(
        "GET", target, {{"A-IM", "Incremental feed"}, {"If-None-Match", *first.header("etag")}});
    EXPECT_EQ(second.status, 304U);
    EXPECT_EQ(second.body, "");
    EXPECT_EQ(second.header("etag"), first.header("etag"));
    EXPECT_EQ(send("GET", target).json().find("_count")->integer(), 7);
    EXPECT_EQ(send("GET", target + "/3").status, 200U);
    EXPECT_EQ(send("GET", target + "/9").outcome(), "404");
}

TEST_F(GatewayTest, Offers) {
    make_container();
    const Reply list = send("GET", "/offers");
    ASSERT_EQ(list.json().find("Offers")->array().size(), 1U);
    const json::Value offer = list.json().find("Offers")->array()[0];
    const Reply read = send("GET", "/" + offer.find("_self")->string());
    EXPECT_EQ(read.status, 200U);
    EXPECT_EQ(read.header("x-ms-cosmos-min-throughput"), "400");
    EXPECT_EQ(read.header("x-ms-offer-replace-pending"), "false");
    const Reply replaced = send(
        "PUT", "/" + offer.find("_self")->string(), {}, R"({"content":{"offerThroughput":50000}})");
    EXPECT_EQ(replaced.status, 200U);
    EXPECT_EQ(replaced.header("etag"), replaced.json().find("_etag")->string());
    EXPECT_EQ(replaced.header("x-ms-cosmos-min-throughput"), "500");
    EXPECT_EQ(replaced.header("x-ms-cosmos-instant-scale-up-value"), "10000");
    EXPECT_EQ(replaced.header("x-ms-cosmos-offer-max-allowed-throughput"), "1000000");
    EXPECT_EQ(replaced.header("x-ms-offer-replace-pending"), "false");
    const Reply migrated = send("PUT",
                                "/" + offer.find("_self")->string(),
                                {{"x-ms-cosmos-migrate-offer-to-autopilot", "true"}},
                                R"({"content":{}})");
    EXPECT_EQ(migrated.header("x-ms-cosmos-min-throughput"), "5000") << migrated.body;
    EXPECT_EQ(send("GET",
                   "/" + offer.find("_self")->string(),
                   {{"If-None-Match", *migrated.header("etag")}})
                  .status,
              304U);
    const Headers query = {{"Content-Type", "application/query+json"}};
    const Reply found = send(
        "POST",
        "/offers",
        query,
        R"({"query":"SELECT * FROM root r WHERE r.resource=@link","parameters":[{"name":"@link",)"
        R"("value":"dbs/AQAAAA==/colls/AQAAAIAAAAE=/"}]})");
    EXPECT_EQ(found.json().find("_count")->integer(), 1);
}

TEST_F(GatewayTest, NamesInHeadersAreAscii) {
    ASSERT_EQ(send("POST", "/dbs", {}, R"({"id":"café"})").status, 201U);
    ASSERT_EQ(send("POST",
                   "/dbs/caf%C3%A9/colls",
                   {},
                   "{\"id\":\"a\\u0001b\",\"partitionKey\":{\"paths\":[\"/pk\"]}}")
                  .status,
              201U);
    const Reply created = send("POST", "/dbs/caf%C3%A9/colls/a%01b/docs", {}, kBody);
    EXPECT_EQ(created.status, 201U) << created.body;
    EXPECT_EQ(created.header("x-ms-alt-content-path"), "dbs/caf%C3%A9/colls/a%01b");
}

}  // namespace handlers_test
}  // namespace orrery::gateway
