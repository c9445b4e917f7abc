#include "storage/rocksdb/rocks_engine.h"

#include <filesystem>

#include "storage/engine_commit_conformance.h"
#include "storage/rocksdb/faulty_file_system.h"
#include "storage/temporary_directory.h"

namespace orrery::storage {
namespace rocks_engine_test {

using OpenFunction = Result<std::unique_ptr<Engine>>(const RocksOptions&);

// Small memtables, so that the suite also reads from files.
constexpr std::size_t kWriteBufferBytes = 64 << 10;

template <OpenFunction* open_engine, bool in_memory>
class RocksHarness {
public:
    RocksHarness() {
        auto target = in_memory ? make_memory_file_system() : rocksdb::FileSystem::Default();
        file_system_ = std::make_shared<FaultyFileSystem>(target);
        open(true);
    }

    Engine& engine() { return *engine_; }

    void reopen() {
        engine_.reset();
        open(false);
    }

    void fence(PartitionId /*id*/) { file_system_->faults().fenced = true; }

private:
    void open(bool create) {
        auto opened = open_engine({.path = in_memory ? "/data" : directory_ / "db",
                                   .create = create,
                                   .file_system = file_system_,
                                   .write_buffer_bytes = kWriteBufferBytes});
        ASSERT_TRUE(opened) << opened.error().message();
        engine_ = std::move(opened).take();
    }

    TemporaryDirectory directory_;
    std::shared_ptr<FaultyFileSystem> file_system_;
    std::unique_ptr<Engine> engine_;
};

}  // namespace rocks_engine_test

namespace conformance {
namespace rocks_engine_test {

using storage::rocks_engine_test::kWriteBufferBytes;
using storage::rocks_engine_test::RocksHarness;

using OnDisk =
    testing::Types<RocksHarness<open_shared_rocks, false>, RocksHarness<open_split_rocks, false>>;
using InMemory =
    testing::Types<RocksHarness<open_shared_rocks, true>, RocksHarness<open_split_rocks, true>>;

INSTANTIATE_TYPED_TEST_SUITE_P(RocksOnDisk, EngineConformance, OnDisk);
INSTANTIATE_TYPED_TEST_SUITE_P(RocksOnDisk, EngineWithoutWaiting, OnDisk);
INSTANTIATE_TYPED_TEST_SUITE_P(RocksInMemory, EngineConformance, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(RocksInMemory, EngineWithoutWaiting, InMemory);
INSTANTIATE_TYPED_TEST_SUITE_P(RocksInMemory, EngineFencing, InMemory);

std::unique_ptr<Engine> opened(Result<std::unique_ptr<Engine>> result) {
    EXPECT_TRUE(result) << (result ? "" : result.error().message());
    return result ? std::move(result).take() : nullptr;
}

TEST(RocksEngine, RefusesASecondOpenOfTheSamePath) {
    const TemporaryDirectory directory;
    const auto first = opened(open_shared_rocks({.path = directory / "db", .create = true}));
    const auto second = open_shared_rocks({.path = directory / "db"});
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(second.error().message(),
              "data directory " + (directory / "db") + " is in use by another process");
}

TEST(RocksEngine, MissingDatabaseIsAnErrorUnlessItMayBeCreated) {
    const TemporaryDirectory directory;
    for (const auto open : {open_shared_rocks, open_split_rocks}) {
        const auto missing = open({.path = directory / "db"});
        ASSERT_FALSE(missing);
        EXPECT_EQ(missing.error().code(), ErrorCode::kCorrupted);
        EXPECT_FALSE(std::filesystem::exists(directory / "db"));
    }
}

TEST(RocksEngine, SplitPartitionsLiveInTheirOwnDirectories) {
    const TemporaryDirectory directory;
    const auto engine = opened(open_split_rocks({.path = directory / "db", .create = true}));
    put(**engine->open(7), "a", "1");
    put(**engine->open(0xabcdef01), "a", "1");
    EXPECT_TRUE(std::filesystem::exists(directory / "db/p00000007/CURRENT"));
    EXPECT_TRUE(std::filesystem::exists(directory / "db/pabcdef01/CURRENT"));
    ASSERT_TRUE(engine->drop(7));
    EXPECT_FALSE(std::filesystem::exists(directory / "db/p00000007"));
    EXPECT_TRUE(std::filesystem::exists(directory / "db/pabcdef01"));
}

TEST(RocksEngine, InMemoryDoesNotTouchTheDisk) {
    const std::string path = "/orrery-ephemeral-test";
    const auto engine = opened(open_shared_rocks(
        {.path = path, .create = true, .file_system = make_memory_file_system()}));
    put(**engine->open(1), "a", "1");
    EXPECT_EQ(value_of(**engine->open(1), "a"), "1");
    EXPECT_FALSE(std::filesystem::exists(path));
}

// Values that were read before a drop must not be found after it.
TEST(RocksEngine, DropRemovesCachedValues) {
    const TemporaryDirectory directory;
    const std::string path = directory / "db";
    {
        const auto engine =
            opened(open_shared_rocks({.path = path, .create = true, .flush_at_end = true}));
        put(**engine->open(1), "a", "1");
        put(**engine->open(1), "b", "2");
    }
    const auto engine = opened(open_shared_rocks({.path = path}));
    std::string value;
    for (const char* key : {"a", "b"}) {
        const auto found = (*engine->open(1))->get(key, value);
        ASSERT_TRUE(found && *found);
    }
    ASSERT_TRUE(engine->drop(1));
    for (const char* key : {"a", "b"}) {
        const auto found = (*engine->open(1))->get(key, value);
        ASSERT_TRUE(found);
        EXPECT_FALSE(*found) << key;
    }
}

TEST(RocksEngine, DropFreesSpace) {
    const TemporaryDirectory directory;
    const auto engine = opened(open_shared_rocks(
        {.path = directory / "db", .create = true, .write_buffer_bytes = kWriteBufferBytes}));
    std::mt19937 random(test_seed());
    for (PartitionId id = 1; id <= 2; ++id) {
        const auto store = engine->open(id);
        for (int i = 0; i < 200; ++i) {
            std::string value(16 << 10, '\0');
            for (char& c : value) {
                c = static_cast<char>(random());
            }
            put(**store, std::to_string(i), value);
        }
    }
    ASSERT_TRUE(engine->drop(1));
    EXPECT_EQ(keys(**engine->open(1), everything()), "");
    EXPECT_EQ(entries(**engine->open(2), everything(), Direction::kForward).size(), 200U);
}

}  // namespace rocks_engine_test
}  // namespace conformance
}  // namespace orrery::storage
