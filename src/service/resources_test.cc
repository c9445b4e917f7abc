#include "service/resources.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace resources_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

constexpr ApiVersion kOldest = 20140821;

class ResourcesTest : public ServiceTest {
protected:
    json::Value create(const std::string& name, const Request& request = {}) {
        return *must(resources_.create_database(Asked(request), "{\"id\":\"" + name + "\"}")).body;
    }
    json::Value create_container(const std::string& members = "{}", const Request& request = {}) {
        return *must(resources_.create_container(
                         Asked(request),
                         "d",
                         model::testing_support::container_body(members).text()))
                    .resource.body;
    }
    static Request sized(std::string_view count) {
        Request request;
        request.max_item_count = count;
        return request;
    }

    Resources& resources_ = *services_.resources;
};

TEST_F(ResourcesTest, Databases) {
    EXPECT_EQ(create("d").text(),
              R"({"id":"d","_rid":"AQAAAA==","_self":"dbs/AQAAAA==/",)"
              R"("_etag":"\"00000000-0002-0000-0000-6553f1000000\"","_ts":1700000000,)"
              R"("_colls":"colls/","_users":"users/"})");
    EXPECT_EQ(code_of(resources_.create_database(Asked(), R"({"id":"d"})")), "409/3206");
    for (const char* bad : {"", "[]", "{}", R"({"id":5})", R"({"id":""})", R"({"id":"a/b"})"}) {
        EXPECT_EQ(code_of(resources_.create_database(Asked(), bad)), "400") << bad;
    }
    EXPECT_EQ(code_of(resources_.read_database(Asked(), "x")), "404");
    EXPECT_EQ(code_of(resources_.remove_database(Asked(), "x")), "404");
    const auto by_name = must(resources_.read_database(Asked(), "d"));
    const auto by_rid = must(resources_.read_database(Asked(), "AQAAAA=="));
    EXPECT_EQ(by_name.body->text(), by_rid.body->text());
    Request request;
    request.if_none_match = by_name.etag;
    EXPECT_FALSE(must(resources_.read_database(Asked(request), "d")).body);
}

TEST_F(ResourcesTest, RemovalWakesTheBackground) {
    create("d");
    create_container();
    ASSERT_TRUE(resources_.remove_container(Asked(), {.database = "d", .container = "c"}));
    EXPECT_EQ(services_.removals, 1);
    ASSERT_TRUE(resources_.remove_database(Asked(), "d"));
    EXPECT_EQ(services_.removals, 2);
}

TEST_F(ResourcesTest, PagesLists) {
    std::vector<std::string> names;
    for (int i = 0; i < 5; ++i) {
        names.push_back("d" + std::to_string(i));
        create(names.back());
    }
    for (const char* size : {"1", "2", "3", "5", "100", "-1"}) {
        std::vector<std::string> found;
        Request request = sized(size);
        std::string token;
        for (;;) {
            const Page page = must(resources_.list_databases(Asked(request), nullptr));
            for (const std::string& id : ids_of(page)) {
                found.push_back(id);
            }
            if (!page.continuation) break;
            token = *page.continuation;
            request.continuation = token;
        }
        EXPECT_EQ(found, names) << size;
    }
}

TEST_F(ResourcesTest, ListResumesAfterRemovals) {
    for (const char* name : {"a", "b", "c", "d", "e"}) {
        create(name);
    }
    Request request = sized("2");
    const Page first = must(resources_.list_databases(Asked(request), nullptr));
    EXPECT_THAT(ids_of(first), ElementsAre("a", "b"));
    ASSERT_TRUE(
        resources_.remove_database(Asked(), "c"));  // the one the next page would start with
    request.continuation = *first.continuation;
    EXPECT_THAT(ids_of(must(resources_.list_databases(Asked(request), nullptr))),
                ElementsAre("d", "e"));
    EXPECT_EQ(code_of(services_.offers->list(Asked(request), nullptr)), "400")
        << "token of another list";
}

TEST_F(ResourcesTest, ListsCanBeQueried) {
    for (const char* name : {"a", "b", "c"}) {
        create(name);
    }
    const QueryText query{.body = R"({"query":"SELECT * FROM r WHERE r.id = 'b'"})"};
    EXPECT_THAT(ids_of(must(resources_.list_databases(Asked(), &query))), ElementsAre("b"));
}

TEST_F(ResourcesTest, Containers) {
    create("d");
    const json::Value made = create_container(R"({"defaultTtl":5})");
    for (const char* name : {"_rid",
                             "_self",
                             "_etag",
                             "_ts",
                             "_docs",
                             "_sprocs",
                             "_triggers",
                             "_udfs",
                             "_conflicts",
                             "indexingPolicy",
                             "partitionKey",
                             "geospatialConfig"}) {
        EXPECT_NE(made.find(name), nullptr) << name;
    }
    EXPECT_EQ(made.find("defaultTtl")->integer(), 5);
    EXPECT_EQ(made.find("_self")->string(), "dbs/AQAAAA==/colls/AQAAAIAAAAE=/");
    const ContainerAddress by_rid{.database = "AQAAAA==", .container = "AQAAAIAAAAE="};
    EXPECT_EQ(must(resources_.read_container(Asked(), by_rid)).resource.body->text(), made.text());
    const ContainerAddress mixed{.database = "AQAAAA==", .container = "c"};
    EXPECT_EQ(code_of(resources_.read_container(Asked(), mixed)), "404");
    EXPECT_EQ(code_of(resources_.read_container(Asked(), {.database = "x", .container = "c"})),
              "404/1003");
    EXPECT_EQ(code_of(resources_.create_container(Asked(), "x", made.text())), "404/1003");
    EXPECT_EQ(code_of(resources_.create_container(Asked(), "d", made.text())), "409");
    EXPECT_EQ(code_of(resources_.list_containers(Asked(), "x", nullptr)), "404/1003");
}

TEST_F(ResourcesTest, ReplaceKeepsAnOmittedUniqueKeyPolicy) {
    create("d");
    create_container(R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}})");
    const ContainerAddress address{.database = "d", .container = "c"};
    const std::string body = model::testing_support::container_body(R"({"defaultTtl":9})").text();
    const auto replaced = must(resources_.replace_container(Asked(), address, body));
    EXPECT_EQ(replaced.resource.body->find("defaultTtl")->integer(), 9);
    EXPECT_THAT(replaced.resource.body->find("uniqueKeyPolicy")->text(), HasSubstr("/u"));
    Request request;
    request.if_match = "\"old\"";
    EXPECT_EQ(code_of(resources_.replace_container(Asked(request), address, body)), "412");
    EXPECT_EQ(code_of(resources_.replace_container(Asked(), address, "{}")), "400");
}

TEST_F(ResourcesTest, ThroughputDeterminesOfferAndPartitions) {
    create("d");
    const auto ranges = [&](const std::string& id, const Request& request) {
        create_container("{\"id\":\"" + id + "\"}", request);
        const auto found = must(resources_.find({}, {.database = "d", .container = id}));
        return found.container->ranges.size();
    };
    EXPECT_EQ(ranges("standard", {}), 1U);
    Request manual;
    manual.offer_throughput = "20000";
    EXPECT_EQ(ranges("manual", manual), 4U);
    Request autoscale;
    autoscale.autopilot_settings = R"({"maxThroughput":31000})";
    EXPECT_EQ(ranges("autoscale", autoscale), 4U);
    Request bad;
    bad.offer_throughput = "1";
    EXPECT_EQ(code_of(resources_.create_container(
                  Asked(bad), "d", R"({"id":"x","partitionKey":{"paths":["/a"]}})")),
              "400");
    const Page offers = must(services_.offers->list(Asked(), nullptr));
    EXPECT_EQ(offers.count, 3U);
    const json::Value list = parsed("[" + offers.elements + "]");
    EXPECT_EQ(list.array()[1].find("content")->find("offerThroughput")->integer(), 20000);
    EXPECT_EQ(list.array()[1].find("resource")->string(), "dbs/AQAAAA==/colls/AQAAAIAAAAI=/");
    EXPECT_EQ(list.array()[2]
                  .find("content")
                  ->find("offerAutopilotSettings")
                  ->find("maxThroughput")
                  ->integer(),
              31000);
    const std::string rid = list.array()[0].find("_rid")->string();
    EXPECT_TRUE(services_.offers->read(Asked(), rid));
    EXPECT_EQ(code_of(services_.offers->read(Asked(), "AAAA")), "404");
    EXPECT_EQ(code_of(services_.offers->read(Asked(), "nonsense")), "404");
}

TEST_F(ResourcesTest, ContainerWithSharedThroughputHasNoOffer) {
    Request shared;
    shared.offer_throughput = "20000";
    create("d", shared);
    create_container();
    EXPECT_EQ(must(services_.offers->list(Asked(), nullptr)).count, 1U);
    const auto found = must(resources_.find({}, {.database = "d", .container = "c"}));
    EXPECT_EQ(found.container->ranges.size(), 2U);
}

TEST_F(ResourcesTest, OldClientsSeeOnlyKnownFeatures) {
    create("d");
    create_container();
    Request old;
    old.api_version = kOldest;
    EXPECT_EQ(code_of(resources_.read_container(Asked(old), {.database = "d", .container = "c"})),
              "404");
    EXPECT_EQ(code_of(resources_.create_container(
                  Asked(old), "d", R"({"id":"p","partitionKey":{"paths":["/a"]}})")),
              "400");
    const auto made = must(resources_.create_container(Asked(old), "d", R"({"id":"old"})"));
    EXPECT_EQ(made.resource.body->find("partitionKey"), nullptr);
    EXPECT_EQ(must(resources_.list_containers(Asked(old), "d", nullptr)).page.count, 1U);
    EXPECT_EQ(must(resources_.list_containers(Asked(), "d", nullptr)).page.count, 2U);
    const auto seen =
        must(resources_.read_container(Asked(), {.database = "d", .container = "old"}));
    EXPECT_THAT(seen.resource.body->find("partitionKey")->text(), HasSubstr("systemKey"));
    const auto replaced = must(resources_.replace_container(
        Asked(old), {.database = "d", .container = "old"}, R"({"id":"old","defaultTtl":5})"));
    EXPECT_EQ(replaced.resource.body->find("defaultTtl")->integer(), 5);
    old.offer_throughput = "20000";
    EXPECT_EQ(code_of(resources_.create_container(Asked(old), "d", R"({"id":"large"})")), "400");
}

TEST_F(ResourcesTest, RangesCoverTheSpaceAndAreNotPaged) {
    create("d");
    const auto container = services_.container(R"({"id":"seven"})", 7);
    Request request = sized("2");
    const RangesAnswer all = must(resources_.list_ranges(Asked(request), *container, true));
    EXPECT_EQ(all.page.count, 7U);
    EXPECT_FALSE(all.page.continuation);
    const json::Value list = parsed("[" + all.page.elements + "]");
    EXPECT_EQ(list.array().front().find("minInclusive")->string(), "");
    EXPECT_EQ(list.array().back().find("maxExclusive")->string(), "FF");
    EXPECT_EQ(list.array()[3].find("status")->string(), "online");
    request.if_none_match = all.etag;
    const RangesAnswer again = must(resources_.list_ranges(Asked(request), *container, true));
    EXPECT_TRUE(again.not_modified);
    EXPECT_EQ(again.etag, all.etag);
    EXPECT_EQ(must(resources_.list_ranges(Asked(request), *container, false)).page.count, 7U);
    EXPECT_TRUE(resources_.read_range(*container, "3"));
    EXPECT_TRUE(resources_.read_range(*container, list.array()[3].find("_rid")->string()));
    EXPECT_EQ(code_of(resources_.read_range(*container, "7")), "404");
}

}  // namespace resources_test
}  // namespace orrery::service
