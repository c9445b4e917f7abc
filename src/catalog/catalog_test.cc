#include "catalog/catalog.h"

#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "model/test_support.h"
#include "storage/engine_test_support.h"
#include "storage/faulty_engine.h"
#include "storage/memory/memory_engine.h"

namespace orrery::catalog {
namespace catalog_test {

using model::testing_support::container_definition;
using model::testing_support::must;
using storage::testing_support::Entries;
using storage::testing_support::put;
using storage::testing_support::value_of;
using testing::ElementsAre;
using testing::IsEmpty;

const model::Throughput kManual{.request_units = 400, .autoscale = false};
const model::Throughput kAutoscale{.request_units = 4000, .autoscale = true};

class CatalogTest : public testing::Test {
protected:
    void SetUp() override { reopen(); }

    void reopen() { catalog_ = must(open()); }
    Result<std::unique_ptr<Catalog>> open() {
        return Catalog::open(must(faulty_.open(0)), clock_, random_);
    }
    storage::PartitionStore& store() { return *store_; }

    DatabasePtr database(const std::string& name) {
        return must(catalog_->create_database(name, std::nullopt));
    }
    Result<ContainerPtr> try_container(model::DatabaseRid database,
                                       const std::string& name,
                                       std::uint32_t partitions = 1) {
        return catalog_->create_container(
            database,
            {.definition = container_definition("{\"id\":\"" + name + "\"}"),
             .throughput = kManual,
             .partition_count = partitions});
    }
    ContainerPtr container(model::DatabaseRid database,
                           const std::string& name,
                           std::uint32_t partitions = 1) {
        return must(try_container(database, name, partitions));
    }
    void add_trigger(const Container& owner) {
        must(catalog_->create_script(
            owner.rid,
            model::ScriptKind::kTrigger,
            must(model::parse_script_definition(
                model::ScriptKind::kTrigger,
                model::testing_support::parsed(
                    R"({"id":"t","body":"b","triggerType":"Pre","triggerOperation":"All"})")))));
    }
    // Damages each member of each entry in turn, in a catalog with one resource of each kind.
    void expect_refused(
        const std::function<std::vector<json::Value>(json::Value, const std::string&)>& spoil) {
        const DatabasePtr parent = must(catalog_->create_database("d", kManual));
        add_trigger(*container(parent->rid, "c", 2));
        catalog_.reset();
        for (const auto& [key, value] :
             storage::testing_support::entries(store(), {}, storage::Direction::kForward)) {
            const json::Value whole = must(json::Value::parse(value));
            for (const auto& member : whole.object()) {
                for (const json::Value& spoilt : spoil(whole, member.name)) {
                    put(store(), key, spoilt.text());
                    const auto opened = open();
                    ASSERT_FALSE(opened) << spoilt.text();
                    EXPECT_EQ(opened.error().code(), ErrorCode::kCorrupted) << spoilt.text();
                }
            }
            put(store(), key, value);
        }
        EXPECT_TRUE(open());
    }
    // The whole content of the catalog as text.
    std::string described() const {
        std::string out;
        for (const DatabasePtr& database : catalog_->databases()) {
            out += encode(*database) + "\n";
            for (const ContainerPtr& container : catalog_->containers(database->rid)) {
                out += "  " + encode(*container) + "\n";
            }
        }
        for (const OfferPtr& offer : catalog_->offers()) {
            out += encode(*offer) + "\n";
        }
        for (const storage::PartitionId partition : catalog_->partitions_to_drop()) {
            out += "drop " + std::to_string(partition) + "\n";
        }
        return out;
    }
    void expect_same_after_reopen() {
        const std::string before = described();
        reopen();
        EXPECT_EQ(described(), before);
    }

    storage::MemoryEngine engine_;
    storage::FaultyEngine faulty_{engine_};
    std::shared_ptr<storage::PartitionStore> store_ = must(engine_.open(0));
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    SeededRandom random_{1};
    std::unique_ptr<Catalog> catalog_;
};

template <typename T>
ErrorCode code_of(const Result<T>& result) {
    EXPECT_FALSE(result);
    return result ? ErrorCode::kInternal : result.error().code();
}

TEST_F(CatalogTest, StartsEmptyWithItsOwnSecret) {
    EXPECT_EQ(described(), "");
    const std::string secret = catalog_->secret();
    EXPECT_EQ(secret.size(), 32U);
    reopen();
    EXPECT_EQ(catalog_->secret(), secret);
    storage::MemoryEngine other;
    const auto elsewhere = must(Catalog::open(must(other.open(0)), clock_, random_));
    EXPECT_NE(elsewhere->secret(), secret);
}

TEST_F(CatalogTest, FindsDatabasesByNameAndRid) {
    const DatabasePtr made = database("sales");
    EXPECT_EQ(made->rid.text(), "AQAAAA==");
    EXPECT_EQ(made->self_link(), "dbs/AQAAAA==/");
    EXPECT_EQ(made->revision.timestamp, 1'700'000'000);
    EXPECT_EQ(catalog_->find_database("sales"), made);
    EXPECT_EQ(catalog_->find_database(made->rid), made);
    EXPECT_EQ(catalog_->find_database("Sales"), nullptr);
    EXPECT_EQ(catalog_->find_database(model::DatabaseRid{9}), nullptr);
    expect_same_after_reopen();
}

TEST_F(CatalogTest, ListsAreInCreationOrder) {
    for (int i = 0; i < 300; ++i) {
        database("d" + std::to_string(i));
    }
    const auto all = catalog_->databases();
    ASSERT_EQ(all.size(), 300U);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i]->name, "d" + std::to_string(i));
    }
    expect_same_after_reopen();
}

TEST_F(CatalogTest, NamesAreUnique) {
    const DatabasePtr first = database("one");
    EXPECT_EQ(code_of(catalog_->create_database("one", std::nullopt)), ErrorCode::kConflict);
    const DatabasePtr second = database("two");
    container(first->rid, "c");
    EXPECT_EQ(code_of(try_container(first->rid, "c")), ErrorCode::kConflict);
    container(second->rid, "c");
    EXPECT_EQ(code_of(try_container(model::DatabaseRid{99}, "c")), ErrorCode::kNotFound);
    expect_same_after_reopen();
}

TEST_F(CatalogTest, FindsContainersByNameAndRid) {
    const DatabasePtr parent = database("d");
    const ContainerPtr made = container(parent->rid, "c");
    EXPECT_EQ(made->rid.text(), "AQAAAIAAAAE=");
    EXPECT_EQ(made->self_link(), "dbs/AQAAAA==/colls/AQAAAIAAAAE=/");
    EXPECT_EQ(catalog_->find_container(parent->rid, "c"), made);
    EXPECT_EQ(catalog_->find_container(made->rid), made);
    EXPECT_EQ(catalog_->find_container(parent->rid, "x"), nullptr);
    EXPECT_EQ(catalog_->find_container(model::DatabaseRid{9}, "c"), nullptr);
    EXPECT_THAT(catalog_->containers(parent->rid), ElementsAre(made));
    EXPECT_THAT(catalog_->all_containers(), ElementsAre(made));
}

TEST_F(CatalogTest, RangesCoverTheHashSpaceWithOwnPartitions) {
    const DatabasePtr parent = database("d");
    const ContainerPtr seven = container(parent->rid, "seven", 7);
    ASSERT_EQ(seven->ranges.size(), 7U);
    EXPECT_EQ(seven->ranges.front().epks.min_inclusive, "");
    EXPECT_EQ(seven->ranges.back().epks.max_exclusive, model::kEpkEnd);
    for (std::size_t i = 0; i < 7; ++i) {
        EXPECT_EQ(seven->ranges[i].id, i);
        EXPECT_EQ(seven->ranges[i].partition, i + 1);
        EXPECT_EQ(seven->range_of(seven->ranges[i].epks.min_inclusive), i);
        if (i > 0) {
            EXPECT_EQ(seven->ranges[i].epks.min_inclusive, seven->ranges[i - 1].epks.max_exclusive);
        }
    }
    EXPECT_EQ(seven->range_of("\xfe"), 6U);
    EXPECT_EQ(container(parent->rid, "next")->ranges[0].partition, 8U);
    expect_same_after_reopen();
}

TEST_F(CatalogTest, NumbersAreNeverReused) {
    const DatabasePtr first = database("d");
    container(first->rid, "c", 2);
    ASSERT_TRUE(catalog_->remove_database(first->rid, std::nullopt));
    reopen();
    const DatabasePtr second = database("d");
    EXPECT_EQ(second->rid.number, 2U);
    const ContainerPtr again = container(second->rid, "c", 2);
    EXPECT_EQ(again->rid.number, 2U);
    EXPECT_EQ(again->ranges[0].partition, 3U);
    EXPECT_EQ(catalog_->offers()[0]->rid.number, 2U);
}

TEST_F(CatalogTest, OffersFollowTheirResources) {
    const DatabasePtr shared = must(catalog_->create_database("shared", kAutoscale));
    const OfferPtr of_database = catalog_->find_offer_of(shared->rid.text());
    ASSERT_NE(of_database, nullptr);
    EXPECT_EQ(of_database->throughput, kAutoscale);
    EXPECT_EQ(of_database->resource_link, shared->self_link());
    EXPECT_EQ(catalog_->find_offer(of_database->rid), of_database);
    const ContainerPtr own = container(shared->rid, "own");
    EXPECT_EQ(catalog_->find_offer_of(own->rid.text())->throughput, kManual);
    const auto sharing =
        must(catalog_->create_container(shared->rid,
                                        {.definition = container_definition(R"({"id":"sharing"})"),
                                         .throughput = std::nullopt,
                                         .partition_count = 1}));
    EXPECT_EQ(catalog_->find_offer_of(sharing->rid.text()), nullptr);
    const model::Throughput level{
        .request_units = 250, .autoscale = false, .level = model::PerformanceLevel::kS1};
    const DatabasePtr old = must(catalog_->create_database("old", level));
    expect_same_after_reopen();
    EXPECT_EQ(catalog_->find_offer_of(old->rid.text())->throughput, level);
    ASSERT_TRUE(catalog_->remove_database(old->rid, std::nullopt));
    ASSERT_TRUE(catalog_->remove_container(own->rid, std::nullopt));
    EXPECT_EQ(catalog_->offers().size(), 1U);
    ASSERT_TRUE(catalog_->remove_database(shared->rid, std::nullopt));
    EXPECT_THAT(catalog_->offers(), IsEmpty());
    expect_same_after_reopen();
}

TEST_F(CatalogTest, ReplaceChangesPoliciesAndTheEtag) {
    const DatabasePtr parent = database("d");
    const ContainerPtr old = container(parent->rid, "c", 2);
    clock_.advance(std::chrono::seconds(5));
    const auto replaced = must(catalog_->replace_container(
        old->rid, container_definition(R"({"defaultTtl":60})"), std::nullopt));
    EXPECT_EQ(replaced->definition.default_ttl, 60);
    EXPECT_EQ(replaced->ranges.size(), 2U);
    EXPECT_NE(replaced->revision.etag(), old->revision.etag());
    EXPECT_EQ(replaced->revision.timestamp, old->revision.timestamp + 5);
    EXPECT_EQ(old->definition.default_ttl, std::nullopt) << "holders of the old one keep it";
    EXPECT_EQ(catalog_->find_container(parent->rid, "c"), replaced);
    expect_same_after_reopen();
    EXPECT_EQ(code_of(catalog_->replace_container(
                  old->rid, container_definition(R"({"id":"other"})"), std::nullopt)),
              ErrorCode::kBadRequest);
    EXPECT_EQ(code_of(catalog_->replace_container(
                  model::ContainerRid{1, 99}, container_definition(), std::nullopt)),
              ErrorCode::kNotFound);
}

TEST_F(CatalogTest, EveryChangeChecksTheEtag) {
    const DatabasePtr parent = database("d");
    const ContainerPtr first = container(parent->rid, "c");
    const std::string old = first->revision.etag();
    const auto second = must(catalog_->replace_container(first->rid, container_definition(), old));
    EXPECT_EQ(code_of(catalog_->replace_container(first->rid, container_definition(), old)),
              ErrorCode::kPreconditionFailed);
    EXPECT_EQ(code_of(catalog_->remove_container(first->rid, old)), ErrorCode::kPreconditionFailed);
    EXPECT_EQ(code_of(catalog_->remove_database(parent->rid, "\"x\"")),
              ErrorCode::kPreconditionFailed);
    EXPECT_TRUE(catalog_->remove_container(first->rid, second->revision.etag()));
    EXPECT_TRUE(catalog_->remove_database(parent->rid, "*"));
    EXPECT_EQ(code_of(catalog_->remove_database(parent->rid, std::nullopt)), ErrorCode::kNotFound);
    EXPECT_EQ(code_of(catalog_->remove_container(first->rid, std::nullopt)), ErrorCode::kNotFound);
}

TEST_F(CatalogTest, RemovalListsPartitionsUntilDropped) {
    const DatabasePtr parent = database("d");
    const ContainerPtr one = container(parent->rid, "one");
    const ContainerPtr two = container(parent->rid, "two", 2);
    ASSERT_TRUE(catalog_->remove_container(one->rid, std::nullopt));
    EXPECT_THAT(catalog_->partitions_to_drop(), ElementsAre(1));
    expect_same_after_reopen();
    ASSERT_TRUE(catalog_->remove_database(parent->rid, std::nullopt));
    EXPECT_THAT(catalog_->partitions_to_drop(), ElementsAre(1, 2, 3));
    EXPECT_THAT(catalog_->all_containers(), IsEmpty());
    EXPECT_EQ(catalog_->find_container(parent->rid, "two"), nullptr);
    expect_same_after_reopen();
    ASSERT_TRUE(catalog_->forget_dropped(2));
    EXPECT_THAT(catalog_->partitions_to_drop(), ElementsAre(1, 3));
    expect_same_after_reopen();
    ASSERT_TRUE(catalog_->forget_dropped(1));
    ASSERT_TRUE(catalog_->forget_dropped(3));
    ASSERT_TRUE(catalog_->forget_dropped(3));
    EXPECT_EQ(described(), "");
    expect_same_after_reopen();
}

TEST_F(CatalogTest, FailedCommitChangesNothing) {
    const DatabasePtr parent = database("d");
    const ContainerPtr made = container(parent->rid, "c");
    const std::string before = described();
    const auto fail_next = [&] { faulty_.inject(storage::Fault::kFail, 1); };
    fail_next();
    EXPECT_EQ(code_of(catalog_->create_database("e", kManual)), ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(try_container(parent->rid, "e")), ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(catalog_->replace_container(
                  made->rid, container_definition(R"({"defaultTtl":1})"), std::nullopt)),
              ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(catalog_->remove_container(made->rid, std::nullopt)),
              ErrorCode::kUnavailable);
    fail_next();
    EXPECT_EQ(code_of(catalog_->remove_database(parent->rid, std::nullopt)),
              ErrorCode::kUnavailable);
    EXPECT_EQ(described(), before);
    expect_same_after_reopen();
    EXPECT_EQ(database("e")->rid.number, 2U);
}

TEST_F(CatalogTest, RefusesDamagedEntries) {
    const DatabasePtr parent = must(catalog_->create_database("d", kManual));
    add_trigger(*container(parent->rid, "c", 2));
    catalog_->remove_container(container(parent->rid, "gone")->rid, std::nullopt).take();
    catalog_.reset();
    const Entries entries =
        storage::testing_support::entries(store(), {}, storage::Direction::kForward);
    ASSERT_EQ(entries.size(),
              7U);  // database, container, script, two offers, a partition to drop, counters
    for (const auto& [key, value] : entries) {
        if (key[0] == 'X') continue;
        for (const std::string bad : {"", "{}", "[]", "nonsense"}) {
            put(store(), key, bad);
            EXPECT_EQ(code_of(open()), ErrorCode::kCorrupted) << key[0] << " " << bad;
        }
        put(store(), key, value);
        ASSERT_TRUE(open());
    }
}

// Every member of every entry is required: if it is missing or of another type, the entry is
// refused.
TEST_F(CatalogTest, RefusesEntriesThatLackAMember) {
    expect_refused([](json::Value entry, const std::string& name) {
        json::Value null = entry;
        null.set(name, json::Value());
        entry.remove(name);
        return std::vector{null, entry};
    });
}

// Numbers above the catalog's limits would have no rid or etag.
TEST_F(CatalogTest, RefusesImpossibleNumbers) {
    expect_refused([](json::Value entry, const std::string& name) {
        std::vector<json::Value> spoilt;
        if (!entry.find(name)->is_number()) return spoilt;
        entry.set(name, std::int64_t{-1});
        spoilt.push_back(entry);
        if (name == "timestamp" || name == "requestUnits") return spoilt;
        entry.set(name, std::int64_t{1} << 48);
        spoilt.push_back(entry);
        return spoilt;
    });
}

TEST_F(CatalogTest, CreatesNothingWhenNumbersAreExhausted) {
    const DatabasePtr parent = must(catalog_->create_database("d", kManual));
    catalog_.reset();
    const json::Value counters = must(json::Value::parse(*value_of(store(), "M")));
    const std::vector<std::pair<const char*, std::int64_t>> last = {{"database", 0xFFFF'FFFF},
                                                                    {"container", 0x7FFF'FFFF},
                                                                    {"offer", 0xFF'FFFF},
                                                                    {"partition", 0xFFFF'FFFE}};
    for (const auto& [name, number] : last) {
        json::Value exhausted = counters;
        exhausted.set(name, number);
        put(store(), "M", exhausted.text());
        reopen();
        EXPECT_EQ(code_of(try_container(parent->rid, "c", 2)), ErrorCode::kForbidden) << name;
    }
}

TEST_F(CatalogTest, RefusesRangesThatDoNotCoverTheHashSpace) {
    const DatabasePtr parent = database("d");
    const ContainerPtr made = container(parent->rid, "c", 3);
    catalog_.reset();
    std::string key = "C";
    append_big_endian(key, made->rid.database);
    append_big_endian(key, made->rid.number);
    const std::string good = *value_of(store(), key);
    const auto refused = [&](const std::vector<PartitionRange>& ranges) {
        Container changed(made->rid, made->definition);
        changed.ranges = ranges;
        changed.revision = made->revision;
        put(store(), key, encode(changed));
        return !open();
    };
    const auto& r = made->ranges;
    EXPECT_FALSE(refused({r[0], r[1], r[2]}));
    EXPECT_TRUE(refused({}));
    EXPECT_TRUE(refused({r[0], r[1]}));
    EXPECT_TRUE(refused({r[1], r[2]}));
    EXPECT_TRUE(refused({r[0], r[2]}));
    EXPECT_TRUE(refused({r[1], r[0], r[2]}));
    EXPECT_TRUE(refused({r[0], r[1], r[1], r[2]}));
}

TEST_F(CatalogTest, RefusesEntriesOfUnknownKind) {
    put(store(), "Z", "{}");
    EXPECT_EQ(code_of(open()), ErrorCode::kCorrupted);
}

// Partition 0 is the catalog itself: a damaged key must not cause it to be dropped.
TEST_F(CatalogTest, RefusesADamagedListOfPartitionsToDrop) {
    for (const std::string& key : {std::string("X"),
                                   std::string("X\0\0", 3),
                                   std::string("X\0\0\0\1\1", 6),
                                   std::string("X\0\0\0\0", 5)}) {
        put(store(), key, "");
        EXPECT_EQ(code_of(open()), ErrorCode::kCorrupted) << to_hex_upper(key);
        storage::WriteBatch batch;
        batch.remove(key);
        ASSERT_TRUE(store().commit(batch));
    }
}

TEST_F(CatalogTest, RefusesEntriesWithoutCounters) {
    database("d");
    catalog_.reset();
    storage::WriteBatch batch;
    batch.remove("M");
    ASSERT_TRUE(store().commit(batch));
    EXPECT_EQ(code_of(open()), ErrorCode::kCorrupted);
}

}  // namespace catalog_test
}  // namespace orrery::catalog
