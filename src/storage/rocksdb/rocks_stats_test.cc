#include "storage/rocksdb/rocks_stats.h"

#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "base/stopwatch.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::storage {
namespace rocks_stats_test {

constexpr std::size_t kValueBytes = std::size_t{16} << 10;
constexpr int kValues = 64;

// Memtables of 64 KB, so that the values end up in files.
std::unique_ptr<Engine> open_with_values(
    Result<std::unique_ptr<Engine>> (*open)(const RocksOptions&)) {
    auto engine = open({.path = "/data",
                        .create = true,
                        .file_system = make_memory_file_system(),
                        .write_buffer_bytes = std::size_t{64} << 10})
                      .take();
    const auto store = engine->open(7).take();
    for (int i = 0; i < kValues; ++i) {
        WriteBatch batch;
        batch.put("k" + std::to_string(i), std::string(kValueBytes, 'v'));
        EXPECT_TRUE(store->commit(batch));
    }
    return engine;
}

class RocksStatsTest
    : public testing::TestWithParam<Result<std::unique_ptr<Engine>> (*)(const RocksOptions&)> {};

TEST_P(RocksStatsTest, CountsCommitsAndFlushes) {
    const auto engine = open_with_values(GetParam());
    const EngineStats stats = engine->stats();
    EXPECT_EQ(stats.committed_batches, static_cast<std::uint64_t>(kValues));
    EXPECT_GE(stats.commits, 1U);
    EXPECT_LE(stats.commits, stats.committed_batches);
    EXPECT_GE(stats.committed_bytes, kValues * kValueBytes);
    EXPECT_GE(stats.syncs.count(), stats.commits);
    EXPECT_GT(stats.syncs.sum.count(), 0);
    EXPECT_GE(stats.flushes, 1U);
    EXPECT_GT(stats.memtable_bytes, 0U);
    EXPECT_GE(stats.files, 1U);
    EXPECT_GT(stats.blocks.max_bytes, 0U);
}

TEST_P(RocksStatsTest, CountsWhatTheCachesHave) {
    const auto engine = open_with_values(GetParam());
    const auto store = engine->open(7).take();
    std::string value;
    const auto read_all = [&] {
        for (int i = 0; i < kValues; ++i) {
            EXPECT_TRUE(store->get("k" + std::to_string(i), value).take());
        }
    };
    read_all();
    const EngineStats before = engine->stats();
    EXPECT_GT(before.values.misses, 0U);
    EXPECT_GT(before.blocks.misses, 0U);
    // Values are cached by file, so a compaction in between makes them unknown once more.
    constexpr std::chrono::seconds kPatience(60);
    const auto until = monotonic_now() + kPatience;
    EngineStats after;
    do {
        read_all();
        after = engine->stats();
    } while (after.values.hits == before.values.hits && monotonic_now() < until);
    EXPECT_GT(after.values.hits, before.values.hits);
    EXPECT_GT(after.values.used_bytes, kValueBytes);
}

INSTANTIATE_TEST_SUITE_P(Engines,
                         RocksStatsTest,
                         testing::Values(&open_shared_rocks, &open_split_rocks));

}  // namespace rocks_stats_test
}  // namespace orrery::storage
