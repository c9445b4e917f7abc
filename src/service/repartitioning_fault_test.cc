// Fails every write of a split and of a merge once, in each way a write can fail. Afterwards the
// ranges are the old ones or the new ones, no item is lost or doubled, nothing is left behind, and
// the change can be made.

#include <algorithm>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "service/test_support.h"
#include "storage/faulty_engine.h"

namespace orrery::service {
namespace repartitioning_fault_test {

using storage::Fault;
using testing::UnorderedElementsAreArray;
using testing_support::Asked;
using testing_support::ids_of;
using testing_support::item;
using testing_support::must;
using testing_support::Services;

enum class Change : std::uint8_t { kSplit, kMerge };

class RepartitioningFaultTest : public testing::TestWithParam<std::tuple<Change, Fault>> {
protected:
    // False if the change has fewer writes.
    bool run_with_failure_at(std::uint64_t nth) {
        SCOPED_TRACE("write " + std::to_string(nth));
        set_up();
        const std::uint64_t writes_before = engine_->writes();
        engine_->inject(fault(), nth);
        change();
        const bool failed = engine_->crashed() || engine_->writes() >= writes_before + nth;
        if (engine_->crashed()) restart();
        engine_->clear();
        check(ranges() == ranges_after() ? ranges_after() : ranges_before());
        EXPECT_TRUE(failed || ranges() == ranges_after()) << "given up, but nothing failed";
        add_item();
        if (ranges() == ranges_before()) change();
        check(ranges_after());
        restart();
        check(ranges_after());
        return failed;
    }

private:
    static Change kind() { return std::get<Change>(GetParam()); }
    static Fault fault() { return std::get<Fault>(GetParam()); }
    static std::size_t ranges_before() { return kind() == Change::kSplit ? 1 : 2; }
    static std::size_t ranges_after() { return kind() == Change::kSplit ? 2 : 1; }

    void set_up() {
        services_.reset();
        medium_ = std::make_unique<storage::MemoryEngine>();
        engine_ = std::make_unique<storage::FaultyEngine>(*medium_);
        ids_.clear();
        restart();
        rid_ = services_->container("{}", static_cast<std::uint32_t>(ranges_before()))->rid;
        for (int i = 0; i < 20; ++i)
            add_item();
    }

    void restart() {
        services_.reset();
        if (engine_->crashed()) engine_->reopen();
        services_ = std::make_unique<Services>(*engine_, clock_);
        ASSERT_TRUE(services_->start());
    }

    catalog::ContainerPtr container() const { return services_->catalog->find_container(rid_); }
    std::size_t ranges() const { return container()->ranges.size(); }

    void add_item() {
        ids_.push_back("item " + std::to_string(ids_.size()));
        EXPECT_TRUE(
            services_->create(container(), item(ids_.back(), "key of " + ids_.back())).answer);
    }

    // Returns when it has been made or given up.
    void change() {
        const std::uint32_t first = container()->ranges.front().id;
        auto& repartitioning = *services_->repartitioning;
        ASSERT_TRUE(kind() == Change::kSplit
                        ? repartitioning.split(*container(), first, std::nullopt)
                        : repartitioning.merge(*container(), first));
        while (repartitioning.progress(rid_, first))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }

    void check(std::size_t wanted_ranges) {
        const auto now = container();
        ASSERT_EQ(now->ranges.size(), wanted_ranges);
        EXPECT_EQ(now->ranges.front().epks.min_inclusive, "");
        for (std::size_t i = 1; i < now->ranges.size(); ++i)
            EXPECT_EQ(now->ranges[i].epks.min_inclusive, now->ranges[i - 1].epks.max_exclusive);
        EXPECT_THAT(all_ids(), UnorderedElementsAreArray(ids_));
        EXPECT_EQ(services_->problems(), "");
        ASSERT_TRUE(services_->drop_removed());
        EXPECT_TRUE(services_->catalog->partitions_to_drop().empty());
        constexpr storage::PartitionId kMoreThanEver = 20;
        for (storage::PartitionId id = 1; id < kMoreThanEver; ++id) {
            const bool needed =
                std::any_of(now->ranges.begin(), now->ranges.end(), [&](const auto& range) {
                    return range.partition == id;
                });
            EXPECT_TRUE(needed || !must(services_->partitions->is_written(id))) << id;
        }
    }

    std::vector<std::string> all_ids() {
        std::vector<std::string> out;
        std::optional<std::string> token;
        do {
            Request request;
            if (token) request.continuation = *token;
            const Page page = must(services_->feed->read(Asked(request), *container()));
            const std::vector<std::string> ids = ids_of(page);
            out.insert(out.end(), ids.begin(), ids.end());
            token = page.continuation;
        } while (token);
        return out;
    }

    std::unique_ptr<storage::MemoryEngine> medium_;
    std::unique_ptr<storage::FaultyEngine> engine_;
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    std::unique_ptr<Services> services_;
    model::ContainerRid rid_;
    std::vector<std::string> ids_;
};

INSTANTIATE_TEST_SUITE_P(
    Faults,
    RepartitioningFaultTest,
    testing::Combine(testing::Values(Change::kSplit, Change::kMerge),
                     testing::Values(Fault::kFail, Fault::kCrashBefore, Fault::kCrashAfter)));

TEST_P(RepartitioningFaultTest, EveryWrite) {
    std::uint64_t nth = 1;
    while (run_with_failure_at(nth) && !HasFailure())
        ++nth;
    // Of the reservation, of each new partition, and the switch.
    EXPECT_GE(nth, 4U);
}

}  // namespace repartitioning_fault_test
}  // namespace orrery::service
