// Backups of an open database, restored to the moment of the backup and to moments between two.

#include "storage/rocksdb/rocks_backup.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>

#include "storage/engine_test_support.h"
#include "storage/rocksdb/backup_files.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/temporary_directory.h"

namespace orrery::storage {
namespace rocks_backup_test {

using namespace testing_support;  // NOLINT: test vocabulary

constexpr std::chrono::hours kKeep{1};

class RocksBackup : public testing::Test {
protected:
    void open(std::optional<std::chrono::seconds> retention = kKeep) {
        engine_.reset();
        auto opened = open_durable_rocks({.path = database_,
                                          .create = !std::filesystem::exists(database_),
                                          .write_buffer_bytes = 64 << 10,
                                          .flush_at_end = true,
                                          .log_retention = retention});
        ASSERT_TRUE(opened) << opened.error().message();
        engine_ = std::move(opened).take();
    }

    std::shared_ptr<PartitionStore> store(PartitionId id) { return *engine_->open(id); }

    BackupOutcome back_up() {
        auto made = engine_->back_up(
            {.files_directory = files_,
             .log_file = log_of(made_.size()),
             .history = made_.empty() ? "" : made_.back().history,
             .log_after =
                 made_.empty() ? std::nullopt : std::optional(made_.back().reached.position),
             .proceed = {}});
        EXPECT_TRUE(made) << made.error().message();
        made_.push_back(std::move(made).take());
        return made_.back();
    }

    std::string log_of(std::size_t number) const {
        return directory_ / ("log" + std::to_string(number));
    }

    // From that backup on, up to that time or to the end of the last of these logs.
    Result<LogMoment> restore(std::size_t backup,
                              std::size_t last_log,
                              std::optional<std::int64_t> until = std::nullopt) {
        std::filesystem::remove_all(restored_);
        RestoreRequest request{.files_directory = files_,
                               .id = made_[backup].id,
                               .log_files = {},
                               .log_until = made_[last_log].reached.position,
                               .until_micros = until};
        for (std::size_t i = backup; i <= last_log; ++i)
            request.log_files.push_back(log_of(i));
        return restore_rocks(request, {.path = restored_});
    }

    Entries restored(PartitionId id) {
        const auto engine = open_durable_rocks({.path = restored_});
        EXPECT_TRUE(engine) << engine.error().message();
        if (!engine) return {};
        return entries(**(*engine)->open(id), everything(), Direction::kForward);
    }

    const TemporaryDirectory directory_;
    const std::string database_ = directory_ / "db";
    const std::string files_ = directory_ / "files";
    const std::string restored_ = directory_ / "restored";
    std::unique_ptr<DurableEngine> engine_;
    std::vector<BackupOutcome> made_;
};

TEST_F(RocksBackup, RestoresTheStateOfEveryBackup) {
    open();
    std::vector<Entries> states;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 200; ++i) {
            put(*store(1),
                std::to_string(round * 100 + i),
                std::string(1000, static_cast<char>('a' + round)));
        }
        put(*store(7), "round", std::to_string(round));
        states.push_back(entries(*store(1), everything(), Direction::kForward));
        back_up();
        put(*store(1), "later", "x");
    }
    engine_.reset();
    for (std::size_t i = 0; i < made_.size(); ++i) {
        SCOPED_TRACE(i);
        const auto reached = restore(i, i);
        ASSERT_TRUE(reached) << reached.error().message();
        EXPECT_EQ(reached->position, made_[i].reached.position);
        EXPECT_EQ(restored(1), states[i]);
        EXPECT_EQ(restored(7), (Entries{{"round", std::to_string(i)}}));
    }
}

TEST_F(RocksBackup, CopiesOnlyWhatIsNew) {
    open();
    for (int i = 0; i < 2000; ++i)
        put(*store(1), std::to_string(i), std::string(500, static_cast<char>('a' + i % 26)));
    const BackupOutcome first = back_up();
    put(*store(1), "one more", "x");
    const BackupOutcome second = back_up();
    EXPECT_EQ(first.new_bytes, first.bytes);
    EXPECT_LT(second.new_bytes, second.bytes / 2);
    const BackupOutcome third = back_up();
    EXPECT_EQ(third.reached.position, second.reached.position);
}

// Every single commit is a moment.
TEST_F(RocksBackup, RestoresToAnyCommit) {
    open();
    put(*store(1), "start", "x");
    back_up();
    std::vector<std::int64_t> times;
    for (int i = 0; i < 150; ++i) {
        put(*store(1), "counter", std::to_string(i));
        put(*store(2), "copy", std::to_string(i));
        if (i == 60) back_up();
        if (i == 100) open();  // a restart
    }
    back_up();
    engine_.reset();
    std::int64_t at = made_[0].reached.micros;
    const std::int64_t end = made_[2].reached.micros;
    std::optional<int> last;
    for (int step = 0; step <= 12; ++step) {
        const std::int64_t until = at + (end - at) * step / 12;
        const std::size_t base = until >= made_[1].reached.micros ? 1 : 0;
        const auto reached = restore(base, 2, until);
        ASSERT_TRUE(reached) << reached.error().message();
        EXPECT_LE(reached->micros, until);
        const Entries counter = restored(1);
        const Entries copy = restored(2);
        const int n = counter.size() == 2 ? std::stoi(counter[0].second) : -1;
        const int m = copy.empty() ? -1 : std::stoi(copy[0].second);
        // The second is written after the first.
        EXPECT_TRUE(m == n || m == n - 1) << n << " " << m;
        EXPECT_GE(n, last.value_or(-1));
        last = n;
    }
    EXPECT_EQ(last, 149);
}

TEST_F(RocksBackup, HoldsEverythingAcknowledgedBeforeIt) {
    open();
    std::atomic<bool> stop = false;
    std::atomic<int> acknowledged = -1;
    std::thread writer([&] {
        const auto mine = store(1);
        for (int i = 0; !stop; ++i) {
            put(*mine, "counter", std::to_string(i));
            put(*mine, "k" + std::to_string(i % 1000), std::string(900, 'x'));
            acknowledged = i;
        }
    });
    std::vector<int> before;
    std::vector<int> after;
    for (int i = 0; i < 5; ++i) {
        while (acknowledged < 50 * (i + 1))
            std::this_thread::yield();
        before.push_back(acknowledged);
        back_up();
        after.push_back(acknowledged + 1);
    }
    stop = true;
    writer.join();
    engine_.reset();
    for (std::size_t i = 0; i < made_.size(); ++i) {
        const auto reached = restore(i, i);
        ASSERT_TRUE(reached) << reached.error().message();
        const int counter = std::stoi(restored(1).front().second);
        EXPECT_GE(counter, before[i]);
        EXPECT_LE(counter, after[i]);
    }
}

TEST_F(RocksBackup, WithoutRetentionTheLogBeginsAnew) {
    open(std::chrono::seconds(0));
    for (int i = 0; i < 300; ++i)
        put(*store(1), std::to_string(i), std::string(1000, 'x'));
    const BackupOutcome first = back_up();
    for (int i = 0; i < 300; ++i)
        put(*store(1), std::to_string(i), std::string(1000, 'y'));
    const BackupOutcome second = back_up();
    EXPECT_GT(second.log_after, first.reached.position);
    EXPECT_TRUE(restore(1, 1));
    const auto across = restore(0, 1);
    ASSERT_FALSE(across);
    EXPECT_EQ(across.error().code(), ErrorCode::kCorrupted);
    EXPECT_FALSE(std::filesystem::exists(database_ + "/archive"));
}

TEST_F(RocksBackup, LogsAreKeptAsLongAsTheSettingSays) {
    open();
    for (int i = 0; i < 300; ++i)
        put(*store(1), std::to_string(i), std::string(1000, 'x'));
    back_up();
    const auto kept = [&] {
        const std::filesystem::directory_iterator files(database_ + "/archive");
        return std::distance(begin(files), end(files));
    };
    const auto before = kept();
    EXPECT_GT(before, 1);
    // A tool does not remove them.
    open(std::nullopt);
    EXPECT_GE(kept(), before);
    open(std::chrono::seconds(0));
    EXPECT_FALSE(std::filesystem::exists(database_ + "/archive"));
}

TEST_F(RocksBackup, CanBeStopped) {
    open();
    std::minstd_rand random;
    std::string value(std::size_t{1} << 20, '\0');
    for (int i = 0; i < 20; ++i) {
        for (char& byte : value)
            byte = static_cast<char>(random());
        put(*store(1), std::to_string(i), value);
    }
    const auto stopped = engine_->back_up({.files_directory = files_,
                                           .log_file = log_of(0),
                                           .history = "",
                                           .log_after = std::nullopt,
                                           .proceed = [](std::uint64_t) { return false; }});
    EXPECT_FALSE(stopped);
    back_up();
    EXPECT_TRUE(restore(0, 0));
}

void damage(const std::string& path, std::uint64_t at) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(at));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(at));
    file.put(byte);
}

TEST_F(RocksBackup, NoticesDamagedFiles) {
    open();
    for (int i = 0; i < 100; ++i)
        put(*store(1), std::to_string(i), std::string(1000, 'x'));
    back_up();
    engine_.reset();
    ASSERT_TRUE(BackupFiles::open(files_)->verify(1));
    int damaged = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(files_)) {
        if (!entry.is_regular_file() || entry.path().string().find("/meta/") != std::string::npos) {
            continue;
        }
        SCOPED_TRACE(entry.path());
        const std::uint64_t at = entry.file_size() / 2;
        damage(entry.path(), at);
        const Status verified = BackupFiles::open(files_)->verify(1);
        ASSERT_FALSE(verified);
        EXPECT_EQ(verified.error().code(), ErrorCode::kCorrupted);
        EXPECT_FALSE(restore(0, 0));
        damage(entry.path(), at);
        ++damaged;
    }
    EXPECT_GT(damaged, 3);
    EXPECT_TRUE(restore(0, 0));
}

TEST_F(RocksBackup, NoticesADamagedLog) {
    open();
    back_up();
    for (int i = 0; i < 20; ++i)
        put(*store(1), std::to_string(i), "x");
    back_up();
    engine_.reset();
    ASSERT_TRUE(restore(0, 1));
    const std::uint64_t size = std::filesystem::file_size(log_of(1));
    for (const std::uint64_t at : {std::uint64_t{3}, size / 3, size - 1}) {
        damage(log_of(1), at);
        EXPECT_FALSE(restore(0, 1)) << at;
        damage(log_of(1), at);
    }
    std::filesystem::resize_file(log_of(1), size - 1);
    EXPECT_FALSE(restore(0, 1));
}

TEST_F(RocksBackup, RemovesOnlyWhatNoOtherBackupNeeds) {
    open();
    for (int round = 0; round < 3; ++round) {
        put(*store(1), std::to_string(round), std::string(1000, 'x'));
        back_up();
    }
    engine_.reset();
    auto files = BackupFiles::open(files_);
    ASSERT_TRUE(files->keep_only({2}));
    EXPECT_EQ(files->ids(), std::vector<std::uint32_t>{2});
    EXPECT_TRUE(files->verify(2));
    EXPECT_TRUE(restore(1, 1));
    EXPECT_EQ(restored(1).size(), 2U);
    EXPECT_FALSE(restore(0, 0));
}

TEST_F(RocksBackup, ListsAndChecksTheMedium) {
    open();
    put(*store(5), "a", "x");
    put(*store(0x01020304), "a", "x");
    EXPECT_EQ(*engine_->partitions(), (std::vector<PartitionId>{5, 0x01020304}));
    EXPECT_TRUE(engine_->verify_medium());
    open();  // flushes
    engine_.reset();
    for (const auto& entry : std::filesystem::directory_iterator(database_)) {
        if (entry.path().extension() == ".sst") damage(entry.path(), 20);
    }
    open();
    const Status checked = engine_->verify_medium();
    ASSERT_FALSE(checked);
    EXPECT_EQ(checked.error().code(), ErrorCode::kCorrupted);
}

}  // namespace rocks_backup_test
}  // namespace orrery::storage
