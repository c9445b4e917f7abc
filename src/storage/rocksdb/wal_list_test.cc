// The list of logs keeps its invariant wherever the process or machine stops and whichever step
// fails: listed logs exist, and logs that hold data are listed.

#include "storage/rocksdb/wal_list.h"

#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine_test_support.h"
#include "storage/rocksdb/faulty_file_system.h"
#include "storage/rocksdb/file_copies.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_files.h"
#include "storage/rocksdb/wal_guard_file_system.h"

namespace orrery::storage {
namespace wal_list_test {

using namespace testing_support;  // NOLINT: test vocabulary

const std::string kPath = "/db";

enum class Outcome : std::uint8_t { kGood, kNotDone, kDoneButReportedAsFailed };

// Called before every change to the set of files, such as "rename WALS.new WALS".
using Observer = std::function<Outcome(const std::string& step)>;

rocksdb::IOStatus perform(const Observer& observer,
                          const std::string& step,
                          const std::function<rocksdb::IOStatus()>& action) {
    const Outcome outcome = observer(step);
    if (outcome == Outcome::kNotDone) return rocksdb::IOStatus::IOError("injected: not done");
    rocksdb::IOStatus status = action();
    if (outcome == Outcome::kGood) return status;
    return rocksdb::IOStatus::IOError("injected: done");
}

class SteppedDirectory final : public rocksdb::FSDirectoryWrapper {
public:
    SteppedDirectory(std::unique_ptr<rocksdb::FSDirectory> target, const Observer& observer)
        : FSDirectoryWrapper(std::move(target)), observer_(observer) {}

    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* debug) override {
        return perform(
            observer_, "sync", [&] { return FSDirectoryWrapper::Fsync(options, debug); });
    }

    rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options,
                                          rocksdb::IODebugContext* debug,
                                          const rocksdb::DirFsyncOptions& /*why*/) override {
        return Fsync(options, debug);
    }

private:
    const Observer& observer_;
};

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

class SteppedFileSystem final : public rocksdb::FileSystemWrapper {
public:
    SteppedFileSystem(const std::shared_ptr<rocksdb::FileSystem>& target, Observer observer)
        : FileSystemWrapper(target), observer_(std::move(observer)) {}

    const char* Name() const override { return "Stepped"; }

    rocksdb::IOStatus NewWritableFile(const std::string& name,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override {
        return perform(observer_, "create " + base_name(name), [&] {
            return target()->NewWritableFile(name, options, file, debug);
        });
    }

    rocksdb::IOStatus DeleteFile(const std::string& name,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override {
        return perform(observer_, "delete " + base_name(name), [&] {
            return target()->DeleteFile(name, options, debug);
        });
    }

    rocksdb::IOStatus RenameFile(const std::string& from,
                                 const std::string& to,
                                 const rocksdb::IOOptions& options,
                                 rocksdb::IODebugContext* debug) override {
        return perform(observer_, "rename " + base_name(from) + " " + base_name(to), [&] {
            return target()->RenameFile(from, to, options, debug);
        });
    }

    rocksdb::IOStatus NewDirectory(const std::string& name,
                                   const rocksdb::IOOptions& options,
                                   std::unique_ptr<rocksdb::FSDirectory>* directory,
                                   rocksdb::IODebugContext* debug) override {
        rocksdb::IOStatus status = target()->NewDirectory(name, options, directory, debug);
        if (status.ok()) {
            *directory = std::make_unique<SteppedDirectory>(std::move(*directory), observer_);
        }
        return status;
    }

private:
    const Observer observer_;
};

// The possible states after a power failure: each change to the list and to the set of logs since
// the last directory sync may or may not have reached the disk.
std::vector<FileCopies> after_power_cut(const FileCopies& synced, const FileCopies& now) {
    std::vector<FileCopies> possible{now};
    FileCopies either = synced;
    either.insert(now.begin(), now.end());
    for (const auto& [name, content] : either) {
        const bool is_list = name == kWalListName;
        if (!is_list && !log_number(name)) continue;
        const auto before = synced.find(name);
        const auto after = now.find(name);
        const bool in_both = before != synced.end() && after != now.end();
        if (in_both && (!is_list || before->second == after->second)) continue;
        const std::size_t count = possible.size();
        for (std::size_t i = 0; i < count; ++i) {
            FileCopies other = possible[i];
            other.erase(name);
            if (before != synced.end()) other.insert(*before);
            possible.push_back(std::move(other));
        }
    }
    return possible;
}

TEST(WalList, LogNamesMatchRocksDb) {
    EXPECT_EQ(log_name(12), "000012.log");
    EXPECT_EQ(log_name(12'345'678), "12345678.log");
    EXPECT_EQ(log_number("000012.log"), 12U);
    EXPECT_EQ(log_number("12345678.log"), 12'345'678U);
    for (const char* other : {"", ".log", "LOG", "000012.sst", "x12.log", "12x.log", "-1.log"}) {
        EXPECT_EQ(log_number(other), std::nullopt) << other;
    }
}

// Creates and removes logs as RocksDB does, but step by step, and checks the invariant at each
// step.
class WalListSteps : public testing::Test {
protected:
    void start() {
        memory_ = file_system_with({}, kPath);
        const auto observed = [this](const std::string& step) { return observe(step); };
        guard_ = std::make_unique<WalGuardFileSystem>(
            std::make_shared<SteppedFileSystem>(memory_, observed));
        synced_.clear();
        steps_.clear();
        in_use_.clear();
        next_ = 4;
        const bool opened = guard_->open_wal_list(kPath) || guard_->open_wal_list(kPath);
        ASSERT_TRUE(opened);
    }

    // RocksDB never retries the same number.
    void create_log() {
        for (int attempt = 0; attempt < 2; ++attempt) {
            const std::uint64_t number = next_++;
            const std::string name = kPath + "/" + log_name(number);
            std::unique_ptr<rocksdb::FSWritableFile> file;
            if (!guard_->NewWritableFile(name, {}, &file, nullptr).ok()) continue;
            in_use_.insert(number);
            ASSERT_TRUE(file->Append("record", {}, nullptr).ok());
            ASSERT_TRUE(file->Sync({}, nullptr).ok());
            return;
        }
        FAIL() << "two attempts failed";
    }

    void delete_log(std::uint64_t number) {
        in_use_.erase(in_use_.begin(), in_use_.upper_bound(number));
        const std::string name = kPath + "/" + log_name(number);
        if (!guard_->DeleteFile(name, {}, nullptr).ok()) {
            guard_->DeleteFile(name, {}, nullptr).PermitUncheckedError();
        }
    }

    void play() {
        start();
        create_log();
        create_log();
        create_log();
        const LogNumbers logs = in_use_;
        delete_log(*std::next(logs.begin()));
        delete_log(*logs.begin());
        create_log();
        // A restart, in this process or the next.
        ASSERT_TRUE(guard_->open_wal_list(kPath));
        create_log();
        for (const std::uint64_t log : LogNumbers(in_use_.begin(), std::prev(in_use_.end()))) {
            delete_log(log);
        }
        check();
    }

    void check() {
        const FileCopies now = copy_files(*memory_, kPath);
        for (const FileCopies& files : after_power_cut(synced_, now)) {
            const auto left = file_system_with(files, kPath);
            const Result<std::optional<LogNumbers>> list = read_wal_list(*left, kPath);
            ASSERT_TRUE(list) << list.error().message();
            const LogNumbers listed = list->value_or(LogNumbers());
            for (const std::uint64_t log : listed) {
                EXPECT_TRUE(files.contains(log_name(log))) << log << " is listed but missing";
            }
            for (const std::uint64_t log : in_use_) {
                EXPECT_TRUE(listed.contains(log)) << log << " is in use but not listed";
            }
        }
    }

    Outcome observe(const std::string& step) {
        SCOPED_TRACE(testing::Message() << "before step " << steps_.size() << ", " << step);
        check();
        const bool fails = steps_.size() == failing_step_;
        if (step == "sync" && (!fails || outcome_ != Outcome::kNotDone)) {
            synced_ = copy_files(*memory_, kPath);
        }
        steps_.push_back(step);
        return fails ? outcome_ : Outcome::kGood;
    }

    std::shared_ptr<rocksdb::FileSystem> memory_;
    std::unique_ptr<WalGuardFileSystem> guard_;
    FileCopies synced_;
    std::vector<std::string> steps_;
    LogNumbers in_use_;
    std::uint64_t next_ = 4;
    std::size_t failing_step_ = SIZE_MAX;
    Outcome outcome_ = Outcome::kGood;
};

TEST_F(WalListSteps, AreInASafeOrder) {
    start();
    const std::vector<std::string> replaced = {"create WALS.new", "rename WALS.new WALS", "sync"};
    EXPECT_EQ(steps_, replaced);
    steps_.clear();
    create_log();
    EXPECT_THAT(
        steps_,
        testing::ElementsAre(
            "create 000004.log", "sync", "create WALS.new", "rename WALS.new WALS", "sync"));
    create_log();
    create_log();
    steps_.clear();
    delete_log(5);
    delete_log(4);
    EXPECT_THAT(steps_,
                testing::ElementsAre("create WALS.new",
                                     "rename WALS.new WALS",
                                     "sync",
                                     "delete 000005.log",
                                     "delete 000004.log"));
}

TEST_F(WalListSteps, MayEndAnywhere) { play(); }

TEST_F(WalListSteps, MayFailAnywhere) {
    for (const Outcome outcome : {Outcome::kNotDone, Outcome::kDoneButReportedAsFailed}) {
        outcome_ = outcome;
        for (failing_step_ = 0; failing_step_ <= steps_.size(); ++failing_step_) {
            SCOPED_TRACE(testing::Message() << "failing step " << failing_step_);
            play();
            if (HasFailure()) return;
        }
        EXPECT_GT(failing_step_, 30U);
        steps_.clear();
    }
}

TEST(WalListSpace, FreesAnUnneededLogOnAFullDisk) {
    const auto disk = std::make_shared<FaultyFileSystem>(file_system_with({}, kPath));
    WalGuardFileSystem guard(disk);
    ASSERT_TRUE(guard.open_wal_list(kPath));
    for (const char* name : {"/db/000004.log", "/db/000007.log"}) {
        std::unique_ptr<rocksdb::FSWritableFile> file;
        ASSERT_TRUE(guard.NewWritableFile(name, {}, &file, nullptr).ok());
        ASSERT_TRUE(file->Append("record", {}, nullptr).ok());
    }
    disk->faults().space = 0;
    EXPECT_FALSE(guard.DeleteFile("/db/000004.log", {}, nullptr).ok());
    FileCopies files = copy_files(*disk, kPath);
    EXPECT_EQ(files.at("000004.log"), "");
    EXPECT_EQ(files.at("000007.log"), "record");
    EXPECT_EQ(files.at("WALS"), "000004.log\n000007.log\nend\n");
    disk->faults().space = FileFaults::kUnlimited;
    EXPECT_TRUE(guard.DeleteFile("/db/000004.log", {}, nullptr).ok());
    files = copy_files(*disk, kPath);
    EXPECT_FALSE(files.contains("000004.log"));
    EXPECT_EQ(files.at("WALS"), "000007.log\nend\n");
}

// A whole database through creation, memtable switches, a restart and a flush: whatever a power
// failure leaves of its logs and list at any step opens with everything acknowledged.
class WalListCrash : public testing::Test {
protected:
    struct Moment {
        std::string before;
        FileCopies files;
        int acknowledged;
    };

    Outcome observe(const std::string& step) {
        const std::unique_lock still(disk_->faults().changes);
        const int acknowledged = acknowledged_;
        const FileCopies now = copy_files(*disk_, kPath);
        const std::lock_guard lock(mutex_);
        for (FileCopies& files : after_power_cut(synced_, now)) {
            moments_.push_back(
                {.before = step, .files = std::move(files), .acknowledged = acknowledged});
        }
        if (step == "sync") synced_ = now;
        return Outcome::kGood;
    }

    void write(int count) {
        const auto engine = open_shared_rocks(
            {.path = kPath,
             .create = true,
             .file_system = std::make_shared<SteppedFileSystem>(
                 disk_, [this](const std::string& step) { return observe(step); }),
             .write_buffer_bytes = 64 << 10,
             .flush_at_end = true});
        ASSERT_TRUE(engine) << engine.error().message();
        const auto store = *(*engine)->open(1);
        for (int i = 0; i < count; ++i) {
            put(*store, std::to_string(1000 + acknowledged_), std::string(1000, 'v'));
            ++acknowledged_;
        }
    }

    static void expect_whole(const Moment& moment) {
        SCOPED_TRACE(testing::Message()
                     << "before " << moment.before << ", list:\n"
                     << (moment.files.contains("WALS") ? moment.files.at("WALS") : "none"));
        const auto engine = open_shared_rocks(
            {.path = kPath, .create = true, .file_system = file_system_with(moment.files, kPath)});
        ASSERT_TRUE(engine) << engine.error().message();
        const auto found = entries(**(*engine)->open(1), everything(), Direction::kForward);
        EXPECT_GE(static_cast<int>(found.size()), moment.acknowledged);
        // One commit may be in progress.
        EXPECT_LE(static_cast<int>(found.size()), moment.acknowledged + 1);
    }

    std::shared_ptr<FaultyFileSystem> disk_ =
        std::make_shared<FaultyFileSystem>(file_system_with({}, kPath));
    std::atomic<int> acknowledged_{0};
    std::mutex mutex_;
    FileCopies synced_;
    std::vector<Moment> moments_;
};

TEST_F(WalListCrash, OpensWithEverythingAcknowledged) {
    write(150);
    write(100);
    ASSERT_GT(moments_.size(), 60U);
    for (const Moment& moment : moments_) {
        expect_whole(moment);
        if (HasFailure()) return;
    }
}

}  // namespace wal_list_test
}  // namespace orrery::storage
