#include "service/offers.h"

#include <gmock/gmock.h>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace offers_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::must;
using testing_support::parsed;
using testing_support::ServiceTest;

constexpr std::uint64_t kGigabyte = std::uint64_t{1} << 30;

class OffersTest : public ServiceTest {
protected:
    // The rid of the offer of a new database, or of a container in database `d`.
    std::string database(const std::string& id, const Request& request) {
        const auto made =
            must(services_.resources->create_database(Asked(request), "{\"id\":\"" + id + "\"}"));
        const auto offer = services_.catalog->find_offer_of(made.body->find("_rid")->string());
        return offer ? offer->rid.text() : "";
    }
    std::string container(const std::string& id,
                          const Request& request,
                          const std::string& key = R"("partitionKey":{"paths":["/pk"]})") {
        const std::string body = "{\"id\":\"" + id + "\"" + (key.empty() ? "" : "," + key) + "}";
        const auto made = must(services_.resources->create_container(Asked(request), "d", body));
        const auto offer = services_.catalog->find_offer_of(made.found.container->rid.text());
        return offer ? offer->rid.text() : "";
    }
    static Request manual(std::string_view units) {
        Request request;
        request.offer_throughput = units;
        return request;
    }
    static Request autoscale(std::string_view settings) {
        Request request;
        request.autopilot_settings = settings;
        return request;
    }
    static Request to_autoscale() {
        Request request;
        request.migrate_to_autoscale = true;
        return request;
    }
    static Request to_manual() {
        Request request;
        request.migrate_to_manual = true;
        return request;
    }

    OfferAnswer read(const std::string& rid) { return must(offers_.read(Asked(), rid)); }
    Result<OfferAnswer> replace(const std::string& rid,
                                const std::string& content,
                                const Request& request = {}) {
        return offers_.replace(Asked(request), rid, "{\"content\":" + content + "}");
    }
    // Status, sub-status and message.
    static std::string refusal(const Result<OfferAnswer>& result) {
        return result ? "(not refused)" : code_of(result) + " " + result.error().message();
    }
    static std::int64_t units_of(const OfferAnswer& answer) {
        const json::Value& content = *answer.resource.body->find("content");
        const json::Value* settings = content.find("offerAutopilotSettings");
        return settings == nullptr ? *content.find("offerThroughput")->integer()
                                   : *settings->find("maxThroughput")->integer();
    }

    Offers& offers_ = *services_.offers;
};

TEST_F(OffersTest, ReadsHaveTheBounds) {
    database("d", {});
    const OfferAnswer one = read(container("one", manual("500")));
    EXPECT_EQ(one.units_min, 400);
    EXPECT_EQ(one.units_max, 1'000'000);
    EXPECT_EQ(one.instant_units_max, 10'000);
    EXPECT_FALSE(one.replace_pending);
    const OfferAnswer five = read(container("five", manual("30000")));
    EXPECT_EQ(five.instant_units_max, 50'000);
    const OfferAnswer scaled = read(container("scaled", autoscale(R"({"maxThroughput":100000})")));
    EXPECT_EQ(scaled.units_min, 10'000);
    EXPECT_EQ(code_of(offers_.read(Asked(), "AAAA")), "404");
    EXPECT_EQ(code_of(offers_.read(Asked(), "nonsense")), "404");
    EXPECT_EQ(code_of(offers_.replace(Asked(), "AAAA", "{}")), "404");
}

TEST_F(OffersTest, ReplacesManualThroughput) {
    const std::string rid = database("d", manual("400"));
    const OfferAnswer before = read(rid);
    clock_.advance(std::chrono::seconds(3));
    const OfferAnswer after = must(replace(rid, R"({"offerThroughput":50000})"));
    EXPECT_EQ(units_of(after), 50'000);
    EXPECT_EQ(after.units_min, 500);
    EXPECT_NE(after.resource.etag, before.resource.etag);
    EXPECT_EQ(after.resource.body->find("_ts")->integer(), 1'700'000'003);
    const json::Value& content = *after.resource.body->find("content");
    EXPECT_EQ(content.find("offerLastReplaceTimestamp")->integer(), 1'700'000'003);
    EXPECT_EQ(content.find("offerMinimumThroughputParameters")->text(),
              R"({"maxThroughputEverProvisioned":50000,"maxConsumedStorageEverInKB":0})");
    EXPECT_EQ(read(rid).resource.body->text(), after.resource.body->text());
    EXPECT_THAT(services_.replaced_offers, ElementsAre(model::OfferRid{1}));
    EXPECT_THAT(refusal(replace(rid, R"({"offerThroughput":400})")),
                HasSubstr("between 500 and 1000000 inclusive in increments of 100. Requested "
                          "throughput 400 is less than required minimum throughput 500. Minimum "
                          "limit 500 is because of Highest RUs provisioned 50000."));
    EXPECT_EQ(units_of(must(replace(rid, R"({"offerThroughput":500})"))), 500);
}

TEST_F(OffersTest, AutoscaleFollowsTheUse) {
    database("d", {});
    const std::string fixed = container("fixed", manual("500"));
    const std::string scaled = container("scaled", autoscale(R"({"maxThroughput":4000})"));
    double used = 0;
    const Offers offers(*services_.catalog,
                        *services_.resource_feed,
                        {.stored_bytes = [](const auto&) { return 0; },
                         .recent_units = [&](const auto&) { return used; }});
    const auto units = [&](const std::string& rid) {
        const OfferAnswer answer = must(offers.read(Asked(), rid));
        return *answer.resource.body->find("content")->find("offerThroughput")->integer();
    };
    const std::vector<std::pair<double, std::int64_t>> cases = {
        {0, 400}, {399, 400}, {1234.5, 1235}, {4000, 4000}, {9000, 4000}};
    for (const auto& [recent, expected] : cases) {
        used = recent;
        EXPECT_EQ(units(scaled), expected) << recent;
        EXPECT_EQ(units(fixed), 500) << recent;
    }
}

TEST_F(OffersTest, WaitsForPartitionsBeforeTheNextReplacement) {
    const std::string rid = database("d", manual("400"));
    bool growing = true;
    Offers offers(*services_.catalog,
                  *services_.resource_feed,
                  {.stored_bytes = [](const auto&) { return 0; },
                   .is_growing = [&](const auto&) { return growing; }});
    EXPECT_TRUE(must(offers.read(Asked(), rid)).replace_pending);
    const std::string body = R"({"content":{"offerThroughput":500}})";
    EXPECT_EQ(code_of(offers.replace(Asked(), rid, body)), "400/3205");
    growing = false;
    EXPECT_FALSE(must(offers.replace(Asked(), rid, body)).replace_pending);
}

TEST_F(OffersTest, ContentNeedsThroughput) {
    const std::string rid = database("d", manual("400"));
    for (const char* content : {"{}",
                                R"({"offerThroughput":null})",
                                R"({"offerThroughput":"500"})",
                                R"({"offerThroughput":500.5})",
                                R"({"offerThroughput":450})",
                                R"({"offerThroughput":1000100})",
                                R"({"offerThroughput":0})"}) {
        EXPECT_THAT(refusal(replace(rid, content)), HasSubstr("The offer should have valid"))
            << content;
    }
    for (const char* body : {"{}", R"({"content":null})", R"({"content":5})", "[]", "x"}) {
        EXPECT_EQ(code_of(offers_.replace(Asked(), rid, body)), "400") << body;
    }
    EXPECT_THAT(services_.replaced_offers, IsEmpty());
}

TEST_F(OffersTest, BodyMustBeThatOffer) {
    const std::string rid = database("d", manual("400"));
    const json::Value good = *read(rid).resource.body;
    EXPECT_TRUE(offers_.replace(Asked(), rid, good.text()));
    for (const char* name : {"id", "_rid", "resource", "offerResourceId"}) {
        json::Value other = good;
        for (const json::Value& bad : {json::Value("x"), json::Value(""), json::Value(5)}) {
            other.set(name, bad);
            EXPECT_THAT(refusal(offers_.replace(Asked(), rid, other.text())),
                        HasSubstr(std::string("400 The input content is invalid because the "
                                              "property '") +
                                  name))
                << other.text();
        }
        other.set(name, json::Value());
        EXPECT_TRUE(offers_.replace(Asked(), rid, other.text())) << other.text();
    }
    Request condition;
    condition.if_match = "\"other\"";
    EXPECT_EQ(code_of(replace(rid, R"({"offerThroughput":500})", condition)), "412");
    const std::string etag = read(rid).resource.etag;
    condition.if_match = etag;
    EXPECT_TRUE(replace(rid, R"({"offerThroughput":500})", condition));
}

TEST_F(OffersTest, ReplacesAutoscaleThroughput) {
    const std::string settings =
        R"({"maxThroughput":4000,"autoUpgradePolicy":{"throughputPolicy":{"incrementPercent":0}}})";
    const std::string rid = database("d", autoscale(settings));
    json::Value offer = *read(rid).resource.body;
    const auto settings_of = [](const json::Value& one) {
        return one.find("content")->find("offerAutopilotSettings")->text();
    };
    EXPECT_EQ(offer.find("content")->find("offerThroughput")->integer(), 400);
    EXPECT_EQ(settings_of(offer),
              R"({"tier":0,"maximumTierThroughput":4000,"autoUpgrade":false,"maxThroughput":4000,)"
              R"("targetMaxThroughput":0,"autoUpgradePolicy":{"throughputPolicy":)"
              R"({"incrementPercent":0}}})");
    // The content as it was read: only the maximum counts.
    json::Value content = *offer.find("content");
    json::Value wanted = *content.find("offerAutopilotSettings");
    wanted.set("maxThroughput", 60'000);
    content.set("offerAutopilotSettings", wanted);
    content.set("offerThroughput", 700);
    offer.set("content", content);
    const OfferAnswer after = must(offers_.replace(Asked(), rid, offer.text()));
    EXPECT_EQ(units_of(after), 60'000);
    EXPECT_EQ(after.units_min, 6000);
    EXPECT_EQ(after.resource.body->find("content")->find("offerThroughput")->integer(), 6000);
    EXPECT_THAT(settings_of(*after.resource.body), HasSubstr("incrementPercent"));
    const OfferAnswer plain =
        must(replace(rid, R"({"offerAutopilotSettings":{"maxThroughput":6000}})"));
    EXPECT_THAT(settings_of(*plain.resource.body), testing::Not(HasSubstr("autoUpgradePolicy")));
    for (const char* bad : {R"({"maxThroughput":5000})", R"({"maxThroughput":6500})", "{}", "5"}) {
        EXPECT_THAT(refusal(replace(rid, std::string("{\"offerAutopilotSettings\":") + bad + "}")),
                    HasSubstr("inclusive in increments of 1000."))
            << bad;
    }
}

TEST_F(OffersTest, ModeChangesOnlyByMigration) {
    database("d", {});
    const std::string rid = container("c", manual("1500"));
    const std::string settings = R"({"offerAutopilotSettings":{"maxThroughput":4000}})";
    const std::string plain = R"({"offerThroughput":800})";
    EXPECT_THAT(refusal(replace(rid, settings)),
                HasSubstr("400 x-ms-cosmos-migrate-offer-to-autopilot must be supplied"));
    EXPECT_THAT(refusal(replace(rid, settings, to_autoscale())),
                HasSubstr("must not contain autopilotSettings"));
    EXPECT_EQ(code_of(replace(rid, plain, to_manual())), "400") << "it is manual";
    Request both = to_manual();
    both.migrate_to_autoscale = true;
    EXPECT_EQ(code_of(replace(rid, plain, both)), "400");
    EXPECT_EQ(units_of(must(replace(rid, "{}", to_autoscale()))), 2000);
    EXPECT_THAT(refusal(replace(rid, plain)),
                HasSubstr("400 x-ms-cosmos-migrate-offer-to-manual-throughput must be supplied"));
    EXPECT_EQ(code_of(replace(rid, plain, to_autoscale())), "400") << "it is autoscale";
    EXPECT_TRUE(replace(rid, R"({"offerAutopilotSettings":{"maxThroughput":9000}})"));
    // As the data explorer of the service asks for it.
    const auto back =
        must(replace(rid, R"({"offerAutopilotSettings":{"maxThroughput":0}})", to_manual()));
    EXPECT_EQ(units_of(back), 9000);
    EXPECT_EQ(back.units_min, 400);
    EXPECT_EQ(back.resource.body->find("content")->find("offerAutopilotSettings"), nullptr);
}

TEST_F(OffersTest, StorageRaisesTheMinimum) {
    database("d", {});
    const std::string rid = container("c", manual("1000"));
    services_.stored_bytes = 450 * kGigabyte;
    EXPECT_EQ(read(rid).units_min, 500);
    EXPECT_THAT(refusal(replace(rid, R"({"offerThroughput":400})")),
                HasSubstr("because of Storage consumed 450 GB."));
    const OfferAnswer after = must(replace(rid, "{}", to_autoscale()));
    EXPECT_EQ(units_of(after), 5000);
    EXPECT_EQ(after.units_min, 5000);
    services_.stored_bytes = 0;
    const auto parameters = [](const json::Value& offer) {
        return offer.find("content")->find("offerMinimumThroughputParameters")->text();
    };
    const std::string expected =
        R"({"maxThroughputEverProvisioned":5000,"maxConsumedStorageEverInKB":471859200})";
    EXPECT_EQ(parameters(*read(rid).resource.body), expected);
    const Page list = must(offers_.list(Asked(), nullptr));
    EXPECT_EQ(parameters(parsed(list.elements)), expected);
}

TEST_F(OffersTest, DatabaseIsBoundByItsSharingContainers) {
    const std::string rid = database("d", manual("20000"));
    EXPECT_EQ(read(rid).instant_units_max, 20'000) << "as a first container would get";
    EXPECT_EQ(must(replace(rid, R"({"offerThroughput":30000})")).instant_units_max, 30'000);
    must(replace(rid, R"({"offerThroughput":20000})"));
    container("a", {});
    container("b", {});
    EXPECT_NE(container("own", manual("400")), "");
    services_.stored_bytes = 225 * kGigabyte;
    EXPECT_EQ(read(rid).units_min, 500) << "twice 225 GB";
    EXPECT_EQ(read(rid).instant_units_max, 20'000);
    must(replace(rid, R"({"offerThroughput":500})"));
    container("late", {});
    EXPECT_EQ(read(rid).instant_units_max, 10'000);
}

TEST_F(OffersTest, ContainersWithoutKeyHaveOnePartition) {
    database("d", {});
    Request old = manual("400");
    old.api_version = 20171115;
    const std::string rid = container("old", old, "");
    EXPECT_EQ(read(rid).units_max, 10'000);
    EXPECT_TRUE(replace(rid, R"({"offerThroughput":10000})"));
    EXPECT_THAT(refusal(replace(rid, R"({"offerThroughput":10100})")),
                HasSubstr("between 400 and 10000 inclusive"));
    EXPECT_THAT(refusal(replace(rid, "{}", to_autoscale())), HasSubstr("400/1018 "));
}

TEST_F(OffersTest, PerformanceLevels) {
    database("d", {});
    Request old;
    old.api_version = 20150408;
    old.offer_type = "S1";
    const std::string rid = container("old", old, "");
    json::Value offer = *read(rid).resource.body;
    EXPECT_EQ(offer.find("offerVersion")->string(), "V1");
    const auto type_of = [](const OfferAnswer& answer) {
        return answer.resource.body->find("offerVersion")->string() + " " +
               answer.resource.body->find("offerType")->string();
    };
    offer.set("offerType", "S3");
    EXPECT_EQ(type_of(must(offers_.replace(Asked(), rid, offer.text()))), "V1 S3");
    EXPECT_EQ(units_of(read(rid)), 2500);
    for (const json::Value& bad : {json::Value("S4"), json::Value(""), json::Value()}) {
        offer.set("offerType", bad);
        EXPECT_EQ(code_of(offers_.replace(Asked(), rid, offer.text())), "400") << offer.text();
    }
    offer.set("offerType", "S2");
    offer.set("offerVersion", "V3");
    EXPECT_EQ(code_of(offers_.replace(Asked(), rid, offer.text())), "400");
    offer.remove("offerVersion");
    EXPECT_EQ(type_of(must(offers_.replace(Asked(), rid, offer.text()))), "V1 S2");
    const auto user_defined = must(offers_.replace(
        Asked(), rid, R"({"offerVersion":"V2","offerType":"","content":{"offerThroughput":700}})"));
    EXPECT_EQ(type_of(user_defined), "V2 Invalid");
    EXPECT_EQ(units_of(user_defined), 700);
    offer.set("offerVersion", "V1");
    EXPECT_THAT(refusal(offers_.replace(Asked(), rid, offer.text())),
                HasSubstr("cannot return to a performance level"));
}

TEST_F(OffersTest, AutoscaleNeedsAPartitionKey) {
    database("d", {});
    Request old = autoscale(R"({"maxThroughput":4000})");
    old.api_version = 20171115;
    EXPECT_EQ(code_of(services_.resources->create_container(Asked(old), "d", R"({"id":"old"})")),
              "400/1018");
}

}  // namespace offers_test
}  // namespace orrery::service
