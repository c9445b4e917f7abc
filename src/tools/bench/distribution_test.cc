#include "tools/bench/distribution.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace orrery::tools::bench {
namespace distribution_test {

constexpr int kDraws = 200'000;

std::vector<int> counts(ItemChooser chooser, std::uint64_t limit, std::size_t size) {
    std::vector<int> out(size);
    for (int i = 0; i < kDraws; ++i) {
        ++out.at(chooser.next(limit));
    }
    return out;
}

// Six standard deviations of a binomial distribution.
double tolerance(double share) { return 6 * std::sqrt(kDraws * share * (1 - share)); }

TEST(DistributionTest, ZipfianHasTheSharesOfItsLaw) {
    constexpr std::uint64_t kItems = 1000;
    const Zipfian zipfian(kItems);
    RandomStream random(11);
    std::vector<int> found(kItems);
    for (int i = 0; i < kDraws; ++i) {
        ++found.at(zipfian.rank(random.unit()));
    }
    double zeta = 0;
    for (std::uint64_t i = 1; i <= kItems; ++i) {
        zeta += 1 / std::pow(static_cast<double>(i), 0.99);
    }
    // The first two are exact; the others follow a continuous approximation.
    const double first = 1 / zeta;
    const double second = std::pow(0.5, 0.99) / zeta;
    EXPECT_NEAR(found[0], kDraws * first, tolerance(first));
    EXPECT_NEAR(found[1], kDraws * second, tolerance(second));
    double share_of_ten = 0;
    for (int i = 1; i <= 10; ++i) {
        share_of_ten += 1 / std::pow(i, 0.99) / zeta;
    }
    int first_ten = 0;
    for (int i = 0; i < 10; ++i) {
        first_ten += found[static_cast<std::size_t>(i)];
    }
    EXPECT_NEAR(first_ten, kDraws * share_of_ten, kDraws * 0.05);
}

TEST(DistributionTest, GrowingIsTheSameAsStartingLarge) {
    Zipfian grown(10);
    grown.grow(500);
    const Zipfian large(500);
    RandomStream random(5);
    for (int i = 0; i < 1000; ++i) {
        const double unit = random.unit();
        EXPECT_EQ(grown.rank(unit), large.rank(unit));
    }
}

TEST(DistributionTest, FewItemsAreInRange) {
    for (const Distribution distribution :
         {Distribution::kUniform, Distribution::kZipfian, Distribution::kLatest}) {
        for (std::uint64_t items = 1; items < 5; ++items) {
            ItemChooser chooser({.distribution = distribution, .items = items, .seed = 3});
            for (int i = 0; i < 1000; ++i) {
                EXPECT_LT(chooser.next(items), items);
            }
        }
    }
}

TEST(DistributionTest, UniformIsEven) {
    const auto found = counts(ItemChooser({.items = 50, .seed = 2}), 50, 50);
    for (const int count : found) {
        EXPECT_NEAR(count, kDraws / 50.0, tolerance(1.0 / 50));
    }
}

TEST(DistributionTest, ScrambledZipfianScattersWhatIsFrequent) {
    constexpr std::size_t kItems = 1000;
    const auto found =
        counts(ItemChooser({.distribution = Distribution::kZipfian, .items = kItems, .seed = 4}),
               kItems,
               kItems);
    auto sorted = found;
    std::sort(sorted.rbegin(), sorted.rend());
    // The most frequent rank has 1 / 26.469 of all draws; its item may have others as well.
    const double top = 1 / 26.46902820178302;
    EXPECT_GE(sorted[0], kDraws * top - tolerance(top));
    EXPECT_LE(sorted[0], kDraws * (top + 0.01));
    // It is where YCSB's hash of 0 puts it.
    const auto place = std::max_element(found.begin(), found.end()) - found.begin();
    EXPECT_EQ(place, 6284781860667377211 % 1000);
    // The others are spread: half of the items do not have almost all of the draws.
    int lower_half = 0;
    for (std::size_t i = 0; i < kItems / 2; ++i) {
        lower_half += found[i];
    }
    EXPECT_GT(lower_half, kDraws / 4);
    EXPECT_LT(lower_half, kDraws * 3 / 4);
}

TEST(DistributionTest, ZipfianChoicesStayWhileItemsAreAdded) {
    const ItemChooser chooser(
        {.distribution = Distribution::kZipfian, .items = 900, .added = 100, .seed = 4});
    const auto before = counts(chooser, 900, 1000);
    const auto after = counts(chooser.with_seed(9), 1000, 1000);
    EXPECT_EQ(std::max_element(before.begin(), before.end()) - before.begin(),
              std::max_element(after.begin(), after.end()) - after.begin());
    EXPECT_EQ(std::count(before.begin() + 900, before.end(), 0), 100);
}

TEST(DistributionTest, LatestPrefersTheNewest) {
    ItemChooser chooser({.distribution = Distribution::kLatest, .items = 100, .seed = 8});
    const auto found = counts(chooser, 100, 100);
    EXPECT_EQ(std::max_element(found.begin(), found.end()) - found.begin(), 99);
    EXPECT_GT(found[99], found[90]);
    EXPECT_GT(found[90], found[10]);
    // Items that are added are the newest ones then.
    const auto later = counts(chooser, 200, 200);
    EXPECT_EQ(std::max_element(later.begin(), later.end()) - later.begin(), 199);
}

TEST(DistributionTest, SeedsRepeatDraws) {
    ItemChooser one({.distribution = Distribution::kZipfian, .items = 1000, .seed = 1});
    ItemChooser same = one.with_seed(1);
    ItemChooser other = one.with_seed(2);
    int different = 0;
    for (int i = 0; i < 100; ++i) {
        const auto drawn = one.next(1000);
        EXPECT_EQ(drawn, same.next(1000));
        different += drawn != other.next(1000) ? 1 : 0;
    }
    EXPECT_GT(different, 50);
}

}  // namespace distribution_test
}  // namespace orrery::tools::bench
