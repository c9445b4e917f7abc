#include <gmock/gmock.h>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "model/limits.h"
#include "model/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/faulty_engine.h"
#include "storage/memory/memory_engine.h"

namespace orrery::catalog {
namespace catalog_offers_test {

using model::testing_support::container_definition;
using model::testing_support::must;
using storage::testing_support::put;
using storage::testing_support::value_of;

model::Throughput manual(std::int64_t units) {
    return {.request_units = units, .autoscale = false};
}

class CatalogOffersTest : public testing::Test {
protected:
    void SetUp() override { reopen(); }

    void reopen() { catalog_ = must(Catalog::open(must(faulty_.open(0)), clock_, random_)); }
    OfferPtr database_offer(const model::Throughput& throughput) {
        const DatabasePtr made = must(catalog_->create_database("d", throughput));
        return catalog_->find_offer_of(made->rid.text());
    }
    Result<ContainerPtr> create(const std::string& name,
                                std::optional<model::Throughput> throughput = std::nullopt) {
        return catalog_->create_container(
            catalog_->find_database("d")->rid,
            {.definition = container_definition("{\"id\":\"" + name + "\"}"),
             .throughput = std::move(throughput),
             .partition_count = 1});
    }

    storage::MemoryEngine engine_;
    storage::FaultyEngine faulty_{engine_};
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    SeededRandom random_{1};
    std::unique_ptr<Catalog> catalog_;
};

TEST_F(CatalogOffersTest, ReplacementIsDurableAndVisible) {
    const OfferPtr made = database_offer(manual(400));
    EXPECT_EQ(made->highest_units, 400);
    const std::uint64_t edition = catalog_->edition();
    clock_.advance(std::chrono::seconds(5));
    model::Throughput wanted{.request_units = 50'000, .autoscale = true};
    wanted.auto_upgrade_policy =
        must(json::Value::parse(R"({"throughputPolicy":{"incrementPercent":10}})"));
    const OfferPtr replaced = must(catalog_->replace_offer(made->rid, wanted, 7, std::nullopt));
    EXPECT_EQ(replaced->throughput, wanted);
    EXPECT_EQ(replaced->resource_link, made->resource_link);
    EXPECT_NE(replaced->revision.etag(), made->revision.etag());
    EXPECT_EQ(replaced->revision.timestamp, 1'700'000'005);
    EXPECT_NE(catalog_->edition(), edition);
    EXPECT_EQ(catalog_->find_offer(made->rid), replaced);
    EXPECT_EQ(catalog_->find_offer_of(made->resource_rid), replaced);
    EXPECT_EQ(catalog_->offers().size(), 1U);
    EXPECT_EQ(made->throughput, manual(400)) << "resources are immutable";
    reopen();
    EXPECT_EQ(encode(*catalog_->find_offer(made->rid)), encode(*replaced));
    EXPECT_EQ(catalog_->find_offer(made->rid)->throughput, wanted);
}

TEST_F(CatalogOffersTest, MaximaNeverFall) {
    const model::OfferRid rid = database_offer(manual(400))->rid;
    must(catalog_->replace_offer(rid, manual(50'000), 3000, std::nullopt));
    must(catalog_->replace_offer(rid, manual(500), 20, std::nullopt));
    reopen();
    const OfferPtr offer = catalog_->find_offer(rid);
    EXPECT_EQ(offer->throughput, manual(500));
    EXPECT_EQ(offer->highest_units, 50'000);
    EXPECT_EQ(offer->highest_storage_kb, 3000U);
}

TEST_F(CatalogOffersTest, RefusedReplacementChangesNothing) {
    const OfferPtr made = database_offer(manual(400));
    const auto code = [&](model::OfferRid rid, const std::optional<std::string>& if_match) {
        const auto refused = catalog_->replace_offer(rid, manual(500), 0, if_match);
        return refused ? ErrorCode::kInternal : refused.error().code();
    };
    EXPECT_EQ(code({made->rid.number + 1}, std::nullopt), ErrorCode::kNotFound);
    EXPECT_EQ(code(made->rid, "\"other\""), ErrorCode::kPreconditionFailed);
    faulty_.inject(storage::Fault::kFail, 1);
    EXPECT_EQ(code(made->rid, std::nullopt), ErrorCode::kUnavailable);
    EXPECT_EQ(catalog_->find_offer(made->rid), made);
    EXPECT_TRUE(catalog_->replace_offer(made->rid, manual(500), 0, made->revision.etag()));
}

TEST_F(CatalogOffersTest, ReadsOffersWrittenBeforeTheyCouldBeReplaced) {
    const OfferPtr made = database_offer(manual(600));
    catalog_.reset();
    const auto store = must(engine_.open(0));
    const std::string key("O\0\0\0\1", 5);
    EXPECT_EQ(*value_of(*store, key),
              R"({"number":1,"resourceRid":"AQAAAA==","resourceLink":"dbs/AQAAAA==/",)"
              R"("requestUnits":600,"autoscale":false,"version":2,"timestamp":1700000000})")
        << "the form of a new offer is that of earlier versions";
    reopen();
    EXPECT_EQ(catalog_->find_offer(made->rid)->highest_units, 600);
    EXPECT_EQ(catalog_->find_offer(made->rid)->highest_storage_kb, 0U);
    must(catalog_->replace_offer(made->rid, manual(400), 9, std::nullopt));
    EXPECT_EQ(*value_of(*store, key),
              R"({"number":1,"resourceRid":"AQAAAA==","resourceLink":"dbs/AQAAAA==/",)"
              R"("requestUnits":400,"autoscale":false,"highestRequestUnits":600,)"
              R"("highestStorageKb":9,"version":3,"timestamp":1700000000})");
}

TEST_F(CatalogOffersTest, RefusesDamagedMaxima) {
    database_offer(manual(600));
    catalog_.reset();
    const auto store = must(engine_.open(0));
    const std::string key("O\0\0\0\1", 5);
    const json::Value good = must(json::Value::parse(*value_of(*store, key)));
    for (const char* name : {"highestRequestUnits", "highestStorageKb"}) {
        for (const json::Value& bad : {json::Value("x"), json::Value(-1), json::Value()}) {
            json::Value spoilt = good;
            spoilt.set(name, bad);
            put(*store, key, spoilt.text());
            EXPECT_FALSE(Catalog::open(must(faulty_.open(0)), clock_, random_)) << spoilt.text();
        }
    }
}

TEST_F(CatalogOffersTest, FewContainersShareTheThroughputOfADatabase) {
    database_offer(manual(400));
    for (std::size_t i = 0; i < model::limits::kSharingContainersMax; ++i) {
        ASSERT_TRUE(create("c" + std::to_string(i)));
    }
    const auto refused = create("more");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code(), ErrorCode::kForbidden);
    EXPECT_EQ(refused.error().sub_status(), 1019U);
    EXPECT_EQ(create("c0").error().code(), ErrorCode::kConflict);
    EXPECT_TRUE(create("own", manual(400)));
    const model::DatabaseRid parent = catalog_->find_database("d")->rid;
    EXPECT_EQ(catalog_->containers_without_offer(parent).size(), 25U);
    ASSERT_TRUE(catalog_->remove_container(catalog_->find_container(parent, "c7")->rid, {}));
    EXPECT_TRUE(create("more"));
}

}  // namespace catalog_offers_test
}  // namespace orrery::catalog
