#include "service/placement.h"

#include <gtest/gtest.h>

namespace orrery::service {
namespace placement_test {

TEST(ElsewhereTest, NamesThePartitionAndPerhapsTheNode) {
    const Error without = elsewhere(7);
    EXPECT_EQ(without.code(), ErrorCode::kElsewhere);
    auto place = parse_elsewhere(without.info());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->partition, 7U);
    EXPECT_EQ(place->node, "");
    place = parse_elsewhere(elsewhere(4'000'000'000, "n1").info());
    ASSERT_TRUE(place);
    EXPECT_EQ(place->partition, 4'000'000'000U);
    EXPECT_EQ(place->node, "n1");
    for (const char* const other : {"", "x", "7x", " n1"})
        EXPECT_FALSE(parse_elsewhere(other)) << other;
}

TEST(RangeReportTest, IsReadAsWritten) {
    RangeReport report{.range_id = 3, .item_count = 5, .item_bytes = 1000, .lsn = 12};
    report.budget.rate = 400.5;
    report.budget.refused = 2;
    report.hottest_keys = {{.key = "[\"a\"]", .share = 0.25}};
    report.index_built = false;
    report.items_to_index = 9;
    std::string bytes;
    report.append_to(bytes);
    report.append_to(bytes);
    const auto read = decode_reports(bytes);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->size(), 2U);
    const RangeReport& second = read->back();
    EXPECT_EQ(second.range_id, 3U);
    EXPECT_EQ(second.lsn, 12);
    EXPECT_EQ(second.budget.rate, 400.5);
    EXPECT_EQ(second.hottest_keys.front().key, "[\"a\"]");
    EXPECT_EQ(second.hottest_keys.front().share, 0.25);
    EXPECT_FALSE(second.index_built);
    EXPECT_EQ(second.items_to_index, 9U);
    for (std::size_t size = 1; size < bytes.size() / 2; ++size)
        EXPECT_FALSE(decode_reports(std::string_view(bytes).substr(0, size))) << size;
}

}  // namespace placement_test
}  // namespace orrery::service
