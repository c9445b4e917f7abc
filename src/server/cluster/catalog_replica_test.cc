#include "server/cluster/catalog_replica.h"

#include <future>

#include <gtest/gtest.h>

#include "storage/memory/memory_engine.h"

namespace orrery::server {
namespace catalog_replica_test {

using Place = CatalogReplica::Place;

class CatalogReplicaTest : public testing::Test {
protected:
    CatalogReplicaTest() {
        leader_.begin_serving();
        leader_.lead(engine_.open(storage::kCatalogPartition).take(), 1, [this] { return live_; });
    }

    // The outcome of a change; ready once it is known.
    std::future<Status> start_put(const std::string& key, const std::string& value) {
        auto batch = std::make_shared<storage::WriteBatch>();
        batch->put(key, value);
        const auto done = std::make_shared<std::promise<Status>>();
        leader_.start_commit(
            *batch, [batch, done](Status outcome) { done->set_value(std::move(outcome)); });
        return done->get_future();
    }

    std::future<Result<std::string>> poll(const std::string& name, const CatalogReplica& copy) {
        const auto update = std::make_shared<std::promise<Result<std::string>>>();
        leader_.next_update(name, copy.place(), [update](Result<std::string> bytes) {
            update->set_value(std::move(bytes));
        });
        return update->get_future();
    }
    void catch_up(const std::string& name, CatalogReplica& copy) {
        const auto update = poll(name, copy).get();
        ASSERT_TRUE(update);
        ASSERT_TRUE(copy.apply(*update));
    }

    static std::string value_in(const CatalogReplica& replica, std::string_view key) {
        std::string value;
        return *replica.get(key, value) ? value : "none";
    }
    static bool is_ready(const std::future<Status>& outcome) {
        return outcome.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
    }

    storage::MemoryEngine engine_;
    std::vector<std::string> live_;
    CatalogReplica leader_;
    CatalogReplica copy_;
};

TEST_F(CatalogReplicaTest, AnswersAtOnceWithoutFollowers) {
    EXPECT_TRUE(start_put("k", "v").get());
    EXPECT_EQ(value_in(leader_, "k"), "v");
}

TEST_F(CatalogReplicaTest, CopiesEverythingAndThenChanges) {
    ASSERT_TRUE(start_put("k", "1").get());
    catch_up("b", copy_);
    EXPECT_EQ(value_in(copy_, "k"), "1");
    auto waiting = poll("b", copy_);
    auto changed = start_put("l", "2");
    const auto update = waiting.get();
    ASSERT_TRUE(update);
    EXPECT_LT(update->size(), 20U);  // not everything
    EXPECT_TRUE(*copy_.apply(*update));
    EXPECT_EQ(value_in(copy_, "l"), "2");
    EXPECT_EQ(value_in(copy_, "k"), "1");
    poll("b", copy_);
    EXPECT_TRUE(changed.get());
}

// Its own catalog would never be created: nobody can ask it for updates yet.
TEST_F(CatalogReplicaTest, DoesNotWaitBeforeItServes) {
    live_ = {"b"};
    CatalogReplica starting;
    starting.lead(engine_.open(1).take(), 1, [this] { return live_; });
    storage::WriteBatch batch;
    batch.put("k", "v");
    EXPECT_TRUE(starting.commit(batch));
}

TEST_F(CatalogReplicaTest, ReportsAChangeOnceAllLiveNodesHaveIt) {
    live_ = {"b", "c"};
    CatalogReplica other;
    catch_up("b", copy_);
    auto changed = start_put("k", "1");
    catch_up("b", copy_);
    poll("b", copy_);
    EXPECT_FALSE(is_ready(changed));
    catch_up("c", other);
    EXPECT_FALSE(is_ready(changed));
    poll("c", other);
    EXPECT_TRUE(changed.get());
}

TEST_F(CatalogReplicaTest, DoesNotWaitForTheDead) {
    live_ = {"b"};
    catch_up("b", copy_);
    auto changed = start_put("k", "1");
    EXPECT_FALSE(is_ready(changed));
    live_.clear();
    EXPECT_TRUE(changed.get());
}

TEST_F(CatalogReplicaTest, WaitsForNewcomers) {
    poll("new", copy_);
    auto changed = start_put("k", "1");
    EXPECT_FALSE(is_ready(changed));
    catch_up("new", copy_);
    poll("new", copy_);
    EXPECT_TRUE(changed.get());
}

TEST_F(CatalogReplicaTest, RefusesChangesToCopies) {
    storage::WriteBatch batch;
    batch.put("k", "v");
    EXPECT_EQ(copy_.commit(batch).error().code(), ErrorCode::kElsewhere);
    copy_.next_update("b", {}, [](const Result<std::string>& update) {
        EXPECT_EQ(update.error().code(), ErrorCode::kElsewhere);
    });
}

TEST_F(CatalogReplicaTest, LeavesTheOutcomeOpenWhenItStopsLeading) {
    live_ = {"b"};
    auto changed = start_put("k", "1");
    auto waiting = poll("b", copy_);
    ASSERT_TRUE(waiting.get());
    auto idle = poll("b", copy_);
    leader_.follow();
    EXPECT_EQ(changed.get().error().code(), ErrorCode::kTimeout);
    EXPECT_FALSE(leader_.is_leading());
    idle.wait();
}

TEST_F(CatalogReplicaTest, TakesEverythingFromANewLeader) {
    ASSERT_TRUE(start_put("old", "1").get());
    catch_up("b", copy_);
    storage::MemoryEngine other_engine;
    leader_.follow();
    leader_.lead(other_engine.open(storage::kCatalogPartition).take(), 2, [this] { return live_; });
    auto changed = start_put("new", "2");
    catch_up("b", copy_);
    EXPECT_EQ(value_in(copy_, "new"), "2");
    EXPECT_EQ(value_in(copy_, "old"), "none");
    EXPECT_EQ(copy_.place(), (Place{.term = 2, .commits = 1}));
    poll("b", copy_);
    EXPECT_TRUE(changed.get());
}

TEST_F(CatalogReplicaTest, RefusesDamagedUpdates) {
    for (const char* const bytes : {"", "x", "C", "W\x01\x01P\x05k"}) {
        EXPECT_FALSE(copy_.apply(bytes)) << bytes;
    }
}

}  // namespace catalog_replica_test
}  // namespace orrery::server
