#include "service/repartitioning.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <thread>

#include <gtest/gtest.h>

#include "service/test_support.h"

namespace orrery::service {
namespace repartitioning_test {

using testing::UnorderedElementsAreArray;
using testing_support::Asked;
using testing_support::code_of;
using testing_support::ids_of;
using testing_support::item;
using testing_support::must;
using testing_support::ServiceTest;

class RepartitioningTest : public ServiceTest {
protected:
    catalog::ContainerPtr newest() const { return services_.catalog->find_container(rid_); }

    void add_items(int count) {
        for (int i = 0; i < count; ++i, ++made_) {
            ids_.push_back("item " + std::to_string(made_));
            const std::string key = "key " + std::to_string(made_ % 20);
            for (;;) {  // as the gateway does it
                const auto outcome = services_.create(newest(), item(ids_.back(), key));
                if (outcome.answer || outcome.answer.error().code() != ErrorCode::kGone) {
                    ASSERT_TRUE(outcome.answer);
                    break;
                }
            }
        }
    }

    // Until the number of ranges is that, or a few seconds have passed.
    void wait_for_ranges(std::size_t count) const {
        for (int i = 0; i < 1000 && newest()->ranges.size() != count; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ASSERT_EQ(newest()->ranges.size(), count);
    }

    Status split(std::uint32_t id, std::optional<std::string> at = std::nullopt) {
        return services_.repartitioning->split(*newest(), id, std::move(at));
    }
    Status merge(std::uint32_t id) { return services_.repartitioning->merge(*newest(), id); }

    std::vector<std::string> all_ids() {
        std::vector<std::string> out;
        std::optional<std::string> token;
        do {
            Request request;
            if (token) request.continuation = *token;
            const Page page = must(services_.feed->read(Asked(request), *newest()));
            const std::vector<std::string> ids = ids_of(page);
            out.insert(out.end(), ids.begin(), ids.end());
            token = page.continuation;
        } while (token);
        return out;
    }

    void expect_all_there() {
        EXPECT_THAT(all_ids(), UnorderedElementsAreArray(ids_));
        EXPECT_EQ(services_.problems(), "");
    }

    model::ContainerRid rid_ = services_.container()->rid;
    std::vector<std::string> ids_;
    int made_ = 0;
};

TEST_F(RepartitioningTest, SplitsAndMerges) {
    add_items(200);
    ASSERT_TRUE(split(0));
    wait_for_ranges(2);
    expect_all_there();
    const auto ranges = newest()->ranges;
    EXPECT_EQ(ranges[0].id, 1U);
    EXPECT_EQ(ranges[1].id, 2U);
    EXPECT_EQ(ranges[0].parents, std::vector<std::uint32_t>{0});
    for (std::size_t i = 0; i < 2; ++i) {
        const auto part = must(services_.partitions->open(*newest(), i));
        EXPECT_NEAR(static_cast<double>(part->item_count()), 100, 40);
    }
    add_items(50);
    ASSERT_TRUE(split(1));
    wait_for_ranges(3);
    ASSERT_TRUE(merge(4));
    wait_for_ranges(2);
    EXPECT_EQ(newest()->ranges[1].id, 5U);
    EXPECT_EQ(newest()->ranges[1].parents, (std::vector<std::uint32_t>{0, 1, 2, 4}));
    add_items(50);
    expect_all_there();
}

TEST_F(RepartitioningTest, GoesOnWithWritesMeanwhile) {
    std::thread splitter([this] {
        for (int i = 0; i < 5; ++i) {
            EXPECT_TRUE(split(newest()->ranges.back().id));
            wait_for_ranges(2 + static_cast<std::size_t>(i));
        }
    });
    add_items(2000);
    splitter.join();
    expect_all_there();
}

// Calls back before every commit of the catalog that changes a container.
class WatchedEngine final : public storage::Engine {
public:
    explicit WatchedEngine(storage::Engine& inner) : inner_(inner) {}

    Result<std::shared_ptr<storage::PartitionStore>> open(storage::PartitionId id) override {
        auto store = TRY(inner_.open(id));
        if (id != 0) return store;
        return std::shared_ptr<storage::PartitionStore>(
            std::make_shared<Store>(std::move(store), *this));
    }
    Status drop(storage::PartitionId id) override { return inner_.drop(id); }
    std::uint64_t size_on_disk() const override { return inner_.size_on_disk(); }
    storage::EngineStats stats() const override { return inner_.stats(); }

    std::function<void()> on_container_change = [] {};

private:
    class Store final : public storage::PartitionStore {
    public:
        Store(std::shared_ptr<storage::PartitionStore> inner, WatchedEngine& engine)
            : inner_(std::move(inner)), engine_(engine) {}

        Result<bool> get(std::string_view key, std::string& value) const override {
            return inner_->get(key, value);
        }
        Result<std::vector<std::optional<std::string>>> get_many(
            std::span<const std::string> keys) const override {
            return inner_->get_many(keys);
        }
        std::unique_ptr<storage::Cursor> scan(const storage::Range& range,
                                              storage::Direction direction) const override {
            return inner_->scan(range, direction);
        }
        std::shared_ptr<const storage::Reader> snapshot() const override {
            return inner_->snapshot();
        }
        void start_commit(const storage::WriteBatch& batch, Done done) override {
            for (std::size_t i = 0; i < batch.size(); ++i) {
                if (batch.operation(i).key.starts_with('C')) engine_.on_container_change();
            }
            inner_->start_commit(batch, std::move(done));
        }

    private:
        const std::shared_ptr<storage::PartitionStore> inner_;
        WatchedEngine& engine_;
    };

    storage::Engine& inner_;
};

// Another partition on the same data would assign the same numbers again: whoever sees the new
// ranges must find the partitions that were filled.
TEST_F(RepartitioningTest, HandsOverThePartitionsBeforeTheSwitch) {
    WatchedEngine watched(engine_);
    testing_support::Services services(watched, clock_);
    ASSERT_TRUE(services.start());
    const auto container = services.container(R"({"id":"watched"})");
    ASSERT_TRUE(services.create(container, item("1", "a")).answer);
    std::atomic<std::size_t> open_at_switch = 0;
    watched.on_container_change = [&] { open_at_switch = services.partitions->open_count(); };
    ASSERT_TRUE(services.repartitioning->split(*container, 0, std::nullopt));
    for (int i = 0; i < 1000 && open_at_switch == 0; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    services.repartitioning.reset();
    EXPECT_EQ(open_at_switch, 3U);  // the parent and its children
}

TEST_F(RepartitioningTest, DropsWhatWasReplaced) {
    add_items(10);
    const storage::PartitionId parent = newest()->ranges[0].partition;
    ASSERT_TRUE(split(0));
    wait_for_ranges(2);
    ASSERT_TRUE(services_.drop_removed());
    EXPECT_TRUE(services_.catalog->partitions_to_drop().empty());
    EXPECT_FALSE(must(services_.partitions->is_written(parent)));
    expect_all_there();
}

TEST_F(RepartitioningTest, KeepsSessionsAcrossRanges) {
    add_items(20);
    Asked asked;
    asked.context.request.session_token = "0:-1#20";
    ASSERT_TRUE(split(0));
    wait_for_ranges(2);
    EXPECT_EQ(ids_of(must(services_.feed->read(asked, *newest()))).size(), 20U);
    asked.context.request.session_token = "0:-1#21";
    EXPECT_EQ(code_of(services_.feed->read(asked, *newest())), "404/1002");
}

TEST_F(RepartitioningTest, SplitsWhereItIsTold) {
    add_items(20);
    const std::string at = "\x20";
    ASSERT_TRUE(split(0, at));
    wait_for_ranges(2);
    EXPECT_EQ(newest()->ranges[1].epks.min_inclusive, at);
    expect_all_there();
}

TEST_F(RepartitioningTest, SplitsAnEmptyPartitionInTheMiddle) {
    ASSERT_TRUE(split(0));
    wait_for_ranges(2);
    EXPECT_EQ(newest()->ranges[1].epks.min_inclusive.substr(0, 2), "\x1F\xFF");
    add_items(20);
    expect_all_there();
}

TEST_F(RepartitioningTest, RefusesWhatCannotBe) {
    EXPECT_EQ(code_of(split(7)), "410/1002");
    EXPECT_EQ(code_of(merge(0)), "400");
    EXPECT_EQ(code_of(split(0, "\xFF")), "400");
    EXPECT_EQ(code_of(split(0, "")), "400");
}

TEST_F(RepartitioningTest, GivesUpWhenTheContainerIsRemoved) {
    add_items(100);
    ASSERT_TRUE(split(0));
    ASSERT_TRUE(services_.catalog->remove_container(rid_, std::nullopt));
    services_.repartitioning.reset();
    ASSERT_TRUE(services_.drop_removed());
    EXPECT_TRUE(services_.catalog->partitions_to_drop().empty());
}

}  // namespace repartitioning_test
}  // namespace orrery::service
