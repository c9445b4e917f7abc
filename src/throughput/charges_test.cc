#include "throughput/charges.h"

#include <gtest/gtest.h>

namespace orrery::throughput {
namespace charges_test {

constexpr std::size_t kKilobyte = 1024;

struct Published {
    std::size_t kilobytes;
    double read;
    double write;
};

// The service's table of April 2026, see docs/request-units.md.
constexpr Published kPublished[] = {{1, 1.00, 4.95},
                                    {2, 1.04, 6.29},
                                    {4, 1.14, 6.67},
                                    {8, 1.33, 7.04},
                                    {16, 1.67, 9.52},
                                    {32, 2.19, 11.23},
                                    {64, 4.76, 22.67},
                                    {128, 9.95, 48.19},
                                    {256, 20.28, 98.29},
                                    {512, 40.95, 184.57},
                                    {1024, 145.90, 625.00},
                                    {2048, 291.80, 1250.00}};

TEST(ChargesTest, PublishedSizes) {
    for (const Published& row : kPublished) {
        SCOPED_TRACE(row.kilobytes);
        EXPECT_NEAR(read_charge(row.kilobytes * kKilobyte), row.read, 0.01 + row.read / 1000);
        EXPECT_NEAR(write_charge({.new_bytes = row.kilobytes * kKilobyte}),
                    row.write,
                    0.01 + row.write / 1000);
    }
}

// The worked examples of the service's documentation, which rounds to 5 and 0.2.
TEST(ChargesTest, PublishedExamples) {
    EXPECT_NEAR(write_charge({.new_bytes = kKilobyte, .terms_added = 10}), 7.0, 0.2);
    EXPECT_NEAR(
        write_charge(
            {.old_bytes = kKilobyte, .new_bytes = kKilobyte, .terms_removed = 2, .terms_added = 2}),
        10.8,
        0.2);
    EXPECT_NEAR(write_charge({.old_bytes = kKilobyte,
                              .new_bytes = kKilobyte,
                              .terms_removed = 2,
                              .terms_added = 2,
                              .properties_patched = 2}),
                11.6,
                0.2);
    EXPECT_NEAR(write_charge({.old_bytes = kKilobyte, .terms_removed = 10}), 7.0, 0.2);
    EXPECT_NEAR(feed_charge(5, 5 * kKilobyte), 5, 0.01);
}

TEST(ChargesTest, SmallItemsCostAsOneKilobyte) {
    EXPECT_EQ(read_charge(0), 1);
    EXPECT_EQ(read_charge(10), 1);
    EXPECT_EQ(write_charge({.new_bytes = 10}), write_charge({.new_bytes = kKilobyte}));
}

TEST(ChargesTest, GrowWithSize) {
    for (std::size_t bytes = 0; bytes < 3000 * kKilobyte; bytes += 777) {
        EXPECT_LE(read_charge(bytes), read_charge(bytes + 777));
        EXPECT_LE(write_charge({.new_bytes = bytes + 1}), write_charge({.new_bytes = bytes + 778}));
    }
}

// Queries that the service's documentation and its users have measured.
TEST(ChargesTest, MeasuredQueries) {
    EXPECT_NEAR(query_charge({.partitions = 1,
                              .index_entries = 1,
                              .items_loaded = 1,
                              .bytes_loaded = kKilobyte,
                              .result_bytes = kKilobyte}),
                2.35,
                0.24);
    constexpr std::uint64_t kBytes = std::uint64_t{400} << 20;
    EXPECT_NEAR(query_charge({.partitions = 1, .items_loaded = 60'951, .bytes_loaded = kBytes}),
                4059.95,
                406);
    EXPECT_NEAR(query_charge({.partitions = 2}) - query_charge({.partitions = 1}), 2.5, 0.25);
}

TEST(ChargesTest, ShortScriptsCostTheSame) {
    using std::chrono::milliseconds;
    EXPECT_EQ(script_charge(milliseconds(1)), script_charge(milliseconds(90)));
    EXPECT_NEAR(script_charge(milliseconds(1)), 5, 0.5);
    EXPECT_GT(script_charge(milliseconds(250)), script_charge(milliseconds(90)));
}

}  // namespace charges_test
}  // namespace orrery::throughput
