// Full disks and I/O errors: a failed commit has no effect, reads continue, and commits work again
// once the medium does; a process that stops at any point finds exactly what was acknowledged.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine_test_support.h"
#include "storage/rocksdb/faulty_file_system.h"
#include "storage/rocksdb/file_copies.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::storage {
namespace rocks_fault_test {

using namespace testing_support;  // NOLINT: test vocabulary
using namespace std::chrono_literals;

const std::string kPath = "/db";

std::set<std::string> key_set(const Reader& reader) {
    std::set<std::string> found;
    for (const auto& [key, value] : entries(reader, everything(), Direction::kForward)) {
        found.insert(key);
    }
    return found;
}

// Reports unexpected and missing keys instead of printing hundreds.
void expect_exactly(const Reader& reader, const std::set<std::string>& expected) {
    const std::set<std::string> found = key_set(reader);
    std::vector<std::string> lost;
    std::vector<std::string> unacknowledged;
    std::set_difference(
        expected.begin(), expected.end(), found.begin(), found.end(), std::back_inserter(lost));
    std::set_difference(found.begin(),
                        found.end(),
                        expected.begin(),
                        expected.end(),
                        std::back_inserter(unacknowledged));
    EXPECT_THAT(lost, testing::IsEmpty());
    EXPECT_THAT(unacknowledged, testing::IsEmpty());
}

class RocksFault : public testing::Test {
protected:
    void open(std::chrono::milliseconds recovery_interval = 0ms) {
        auto engine = open_shared_rocks({.path = kPath,
                                         .create = true,
                                         .file_system = file_system_,
                                         .write_buffer_bytes = 64 << 10,
                                         .recovery_interval = recovery_interval});
        ASSERT_TRUE(engine) << engine.error().message();
        engine_ = std::move(engine).take();
        store_ = *engine_->open(1);
    }

    // Commits two keys atomically.
    Status commit(const std::string& key, std::size_t value_size = 30) {
        WriteBatch batch;
        batch.put(key, std::string(value_size, 'v'));
        batch.put(key + "'", "");
        Status status = store_->commit(batch);
        if (status) {
            acknowledged_.insert(key);
            acknowledged_.insert(key + "'");
        }
        return status;
    }

    void expect_refused(const std::string& key) {
        const Status status = commit(key);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable) << status.error().message();
    }

    // Readers see exactly the acknowledged keys ...
    void expect_acknowledged() { expect_exactly(*store_, acknowledged_); }

    // ... and so does the next process if this one stopped now.
    void expect_acknowledged_after_crash() {
        std::shared_ptr<rocksdb::FileSystem> left;
        {
            const std::unique_lock still(faults().changes);
            left = file_system_with(copy_files(*file_system_, kPath), kPath);
        }
        const auto engine = open_shared_rocks({.path = kPath, .file_system = std::move(left)});
        ASSERT_TRUE(engine) << engine.error().message();
        expect_exactly(**(*engine)->open(1), acknowledged_);
    }

    FileFaults& faults() { return file_system_->faults(); }

    std::shared_ptr<FaultyFileSystem> file_system_ =
        std::make_shared<FaultyFileSystem>(make_memory_file_system());
    std::unique_ptr<Engine> engine_;
    std::shared_ptr<PartitionStore> store_;
    std::set<std::string> acknowledged_;
};

TEST_F(RocksFault, FullDiskRefusesWritesUntilThereIsSpace) {
    open();
    ASSERT_TRUE(commit("before"));
    faults().space = 0;
    for (int i = 0; i < 5; ++i) {
        expect_refused("full " + std::to_string(i));
        expect_acknowledged();
    }
    expect_acknowledged_after_crash();
    faults().space = FileFaults::kUnlimited;
    EXPECT_TRUE(commit("after"));
    EXPECT_TRUE(commit("after 2"));
    expect_acknowledged();
    expect_acknowledged_after_crash();
}

// At the very first commit the memtable is empty, a case that RocksDB's own recovery does not
// survive.
TEST_F(RocksFault, SurvivesAFullDiskAtTheFirstCommit) {
    for (std::int64_t space = 0; space < 70; space += 5) {
        SCOPED_TRACE(space);
        file_system_ = std::make_shared<FaultyFileSystem>(make_memory_file_system());
        acknowledged_.clear();
        open();
        faults().space = space;
        expect_refused("first");
        expect_acknowledged_after_crash();
        expect_refused("second");
        faults().space = FileFaults::kUnlimited;
        ASSERT_TRUE(commit("third"));
        ASSERT_TRUE(commit("fourth"));
        expect_acknowledged();
        expect_acknowledged_after_crash();
        store_.reset();
        engine_.reset();
        open();
        expect_acknowledged();
        store_.reset();
        engine_.reset();
    }
}

// The disk fills up at every byte of a series of commits, including a memtable switch and flush.
TEST_F(RocksFault, DiskMayFillUpAtAnyByte) {
    for (std::int64_t space = 50; space < 200'000; space += 39'973) {
        SCOPED_TRACE(space);
        file_system_ = std::make_shared<FaultyFileSystem>(make_memory_file_system());
        acknowledged_.clear();
        open();
        faults().space = space;
        int refused = 0;
        for (int i = 0; i < 400 && refused < 3; ++i) {
            if (!commit(std::to_string(i), 1000)) ++refused;
        }
        ASSERT_EQ(refused, 3);
        expect_acknowledged();
        expect_acknowledged_after_crash();
        faults().space = FileFaults::kUnlimited;
        for (int i = 0; i < 20; ++i) {
            const Status status = commit("after " + std::to_string(i), 1000);
            ASSERT_TRUE(status) << status.error().message();
        }
        expect_acknowledged();
        expect_acknowledged_after_crash();
        store_.reset();
        engine_.reset();
    }
}

struct ErrorCase {
    const char* name;
    const char* files;
    std::atomic<bool> FileFaults::*fault;
    bool truncate_fails;
};

class RocksFaultKinds : public RocksFault, public testing::WithParamInterface<ErrorCase> {};

TEST_P(RocksFaultKinds, RecoversWhenTheMediumDoes) {
    faults().only = GetParam().files;
    open();
    for (int round = 0; round < 2; ++round) {
        SCOPED_TRACE(round);
        const std::string name = "round " + std::to_string(round) + " commit ";
        ASSERT_TRUE(commit(name + "before"));
        faults().fail_truncates = GetParam().truncate_fails;
        faults().*GetParam().fault = true;
        // Enough to fill a memtable, so that tables and manifest are written too.
        int refused = 0;
        for (int i = 0; i < 1000 && refused < 3; ++i) {
            if (!commit(name + std::to_string(i), 1000)) ++refused;
        }
        ASSERT_EQ(refused, 3);
        expect_acknowledged();
        faults().*GetParam().fault = false;
        faults().fail_truncates = false;
        const Status status = commit(name + "after");
        ASSERT_TRUE(status) << status.error().message();
        expect_acknowledged();
        expect_acknowledged_after_crash();
    }
    store_.reset();
    engine_.reset();
    open();
    expect_acknowledged();
}

INSTANTIATE_TEST_SUITE_P(
    All,
    RocksFaultKinds,
    testing::Values(ErrorCase{"LogWrites", ".log", &FileFaults::fail_writes, false},
                    ErrorCase{"LogSyncs", ".log", &FileFaults::fail_syncs, false},
                    ErrorCase{"LogWritesAndCuts", ".log", &FileFaults::fail_writes, true},
                    ErrorCase{"LogSyncsAndCuts", ".log", &FileFaults::fail_syncs, true},
                    ErrorCase{"LogListWrites", "WALS", &FileFaults::fail_writes, false},
                    ErrorCase{"LogListSyncs", "WALS", &FileFaults::fail_syncs, false},
                    ErrorCase{"TableWrites", ".sst", &FileFaults::fail_writes, false},
                    ErrorCase{"TableSyncs", ".sst", &FileFaults::fail_syncs, false},
                    ErrorCase{"ManifestWrites", "MANIFEST", &FileFaults::fail_writes, false},
                    ErrorCase{"ManifestSyncs", "MANIFEST", &FileFaults::fail_syncs, false},
                    ErrorCase{"AllWrites", "", &FileFaults::fail_writes, false},
                    ErrorCase{"AllSyncs", "", &FileFaults::fail_syncs, false}),
    [](const testing::TestParamInfo<ErrorCase>& tested) { return std::string(tested.param.name); });

// A full disk often accepts new files but no data, and recovery retries many times.
TEST_F(RocksFault, FailedRecoveryLeavesNoLogs) {
    faults().only = "WALS";
    open();
    faults().space = 0;
    for (int i = 0; commit(std::to_string(i), 1000); ++i) {
        ASSERT_LT(i, 1000);
    }
    const std::size_t logs = names_with(copy_files(*file_system_, kPath), ".log").size();
    for (int i = 0; i < 20; ++i) {
        expect_refused("full");
    }
    EXPECT_EQ(names_with(copy_files(*file_system_, kPath), ".log").size(), logs);
    faults().space = FileFaults::kUnlimited;
    ASSERT_TRUE(commit("after"));
    expect_acknowledged();
    expect_acknowledged_after_crash();
}

TEST_F(RocksFault, RefusedCommitIsNotInTheLogAfterACrash) {
    open();
    ASSERT_TRUE(commit("before"));
    faults().fail_syncs = true;
    expect_refused("not synced");
    expect_acknowledged_after_crash();
}

TEST_F(RocksFault, RecoveryIsRateLimited) {
    open(std::chrono::hours(1));
    ASSERT_TRUE(commit("before"));
    faults().space = 0;
    expect_refused("finds out");
    expect_refused("tries to recover");
    faults().space = FileFaults::kUnlimited;
    expect_refused("too early to try again");
    expect_acknowledged();
}

TEST_F(RocksFault, ReadersContinueThroughFailureAndRecovery) {
    open();
    for (int i = 0; i < 200; ++i) {
        ASSERT_TRUE(commit("old " + std::to_string(i), 1000));
    }
    const std::set<std::string> then = acknowledged_;
    auto snapshot = store_->snapshot();
    auto cursor = store_->scan(everything(), Direction::kForward);
    faults().space = 0;
    expect_refused("full");
    expect_refused("still full");
    expect_exactly(*snapshot, then);
    expect_acknowledged();
    faults().space = FileFaults::kUnlimited;
    // Enough for the tables that the snapshot reads to be compacted away.
    for (int i = 0; i < 1000; ++i) {
        ASSERT_TRUE(commit("new " + std::to_string(i), 1000));
    }
    expect_exactly(*snapshot, then);
    std::size_t seen = 0;
    for (; cursor->valid(); cursor->next()) {
        ++seen;
    }
    EXPECT_TRUE(cursor->status());
    EXPECT_EQ(seen, then.size());
    expect_acknowledged();
    // The last readers of the old instance close it, which must not remove the new one's files.
    cursor.reset();
    snapshot.reset();
    expect_acknowledged();
    ASSERT_TRUE(commit("after"));
    expect_acknowledged_after_crash();
    store_.reset();
    engine_.reset();
    open();
    expect_acknowledged();
}

TEST_F(RocksFault, RefusedDropChangesNothing) {
    open();
    ASSERT_TRUE(commit("a"));
    faults().space = 0;
    const Status status = engine_->drop(1);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code(), ErrorCode::kUnavailable);
    expect_acknowledged();
    faults().space = FileFaults::kUnlimited;
    EXPECT_TRUE(engine_->drop(1));
    acknowledged_.clear();
    expect_acknowledged();
    expect_acknowledged_after_crash();
}

TEST_F(RocksFault, FullDiskWhileOpeningIsNotDamage) {
    faults().space = 0;
    const auto engine =
        open_shared_rocks({.path = kPath, .create = true, .file_system = file_system_});
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code(), ErrorCode::kUnavailable) << engine.error().message();
    faults().space = FileFaults::kUnlimited;
    open();
    EXPECT_TRUE(commit("after"));
}

TEST_F(RocksFault, ManyWritersThroughManyFailuresLoseNothingAcknowledged) {
    open();
    std::atomic<bool> done{false};
    std::vector<std::set<std::string>> acknowledged(4);
    std::vector<std::thread> writers;
    for (PartitionId id = 0; id < acknowledged.size(); ++id) {
        writers.emplace_back([this, id, &done, &mine = acknowledged[id]] {
            const auto store = engine_->open(id);
            for (int i = 0; !done; ++i) {
                WriteBatch batch;
                const std::string key = std::to_string(i);
                batch.put(key, std::string(500, 'v'));
                if ((*store)->commit(batch)) mine.insert(key);
            }
        });
    }
    for (int round = 0; round < 15; ++round) {
        std::this_thread::sleep_for(5ms);
        (round % 2 == 0 ? faults().fail_syncs : faults().fail_writes) = true;
        std::this_thread::sleep_for(2ms);
        faults().fail_syncs = false;
        faults().fail_writes = false;
    }
    done = true;
    for (std::thread& writer : writers) {
        writer.join();
    }
    for (PartitionId id = 0; id < acknowledged.size(); ++id) {
        expect_exactly(**engine_->open(id), acknowledged[id]);
    }
    store_.reset();
    engine_.reset();
    open();
    for (PartitionId id = 0; id < acknowledged.size(); ++id) {
        expect_exactly(**engine_->open(id), acknowledged[id]);
        EXPECT_FALSE(acknowledged[id].empty());
    }
}

}  // namespace rocks_fault_test
}  // namespace orrery::storage
