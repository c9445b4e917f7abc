#include "partition/snapshot.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "partition/test_support.h"

namespace orrery::partition {
namespace snapshot_test {

using testing_support::item;
using testing_support::must;
using testing_support::PartitionBench;

// An existing item is found whatever was loaded before.
TEST(Snapshot, LoadsInAnyOrder) {
    PartitionBench bench;
    constexpr int kItems = 80;
    for (int i = 0; i < kItems; ++i) {
        ASSERT_TRUE(bench.create(item(std::to_string(i), "p")));
    }
    for (const int gone : {3, 4, 5, 20, 41, 42, 79}) {
        ASSERT_TRUE(bench.remove({"p"}, std::to_string(gone)));
    }
    const Snapshot snapshot = must(Snapshot::take(*bench.partition, {}, std::nullopt));
    std::vector<Docnum> numbers;
    const Docnum first = Docnum{testing_support::identity().range_id} << model::kItemCounterBits;
    for (Docnum number = 0; number <= kItems + 2; ++number) {
        numbers.push_back(first | number);
    }
    std::vector<Docnum> order = numbers;
    order.insert(order.end(), numbers.rbegin(), numbers.rend());
    std::mt19937 random(7);
    for (int step = 0; step < 2'000; ++step) {
        const auto last = static_cast<int>(order.back() - first);
        const int next = last + static_cast<int>(random() % 9) - 4;
        order.push_back(first | static_cast<Docnum>(std::clamp(next, 0, kItems + 2)));
    }
    Snapshot::Loader loader(snapshot);
    std::size_t seen = 0;
    for (const Docnum number : order) {
        Snapshot::Loader alone(snapshot);
        const auto expected = must(alone.load(number));
        const auto found = must(loader.load(number));
        ASSERT_EQ(found.has_value(), expected.has_value()) << number;
        if (!found) continue;
        ASSERT_EQ(found->id, expected->id) << number;
        ++seen;
    }
    EXPECT_GT(seen, 1'000U);
}

TEST(Snapshot, SortsTheItemsOfARangeInSteps) {
    PartitionBench bench;
    std::string all;
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(bench.create(item(std::to_string(i), "p" + std::to_string(i % 50))));
        all += std::to_string(i) + " ";
    }
    const FeedScope scope{.epks = model::EpkRange{.min_inclusive = "", .max_exclusive = "FF"}};
    const Snapshot snapshot = must(Snapshot::take(*bench.partition, scope, std::nullopt));
    for (const std::size_t sorted_max : {std::size_t{1}, std::size_t{7}, Snapshot::kSortedMax}) {
        const auto walk = snapshot.items(0, sorted_max);
        std::string ids;
        Docnum last = 0;
        while (const auto found = must(walk->next())) {
            ASSERT_GE(found->docnum, last);
            last = found->docnum;
            if (found->item) ids += std::string(found->item->id) + " ";
        }
        EXPECT_EQ(ids, all) << sorted_max;
    }
}

}  // namespace snapshot_test
}  // namespace orrery::partition
