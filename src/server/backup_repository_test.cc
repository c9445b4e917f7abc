#include "server/backup_repository.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "base/files.h"
#include "server/backups.h"
#include "server/engine.h"
#include "storage/engine_test_support.h"
#include "storage/temporary_directory.h"

namespace orrery::server {
namespace backup_repository_test {

namespace fs = std::filesystem;
using storage::testing_support::put;
using storage::testing_support::value_of;

class Repository : public testing::Test {
protected:
    void SetUp() override {
        auto opened = storage::open_data_directory(data_);
        ASSERT_TRUE(opened);
        directory_.emplace(std::move(opened).take());
        EngineSettings settings = kSmallEngine;
        settings.log_retention = std::chrono::hours(1);
        auto engine = open_engine(*directory_, settings);
        ASSERT_TRUE(engine);
        engine_ = std::move(engine).take();
        store_ = *engine_->open(1);
        ASSERT_TRUE(write_private_file(data_ + "/account.key", "key"));
    }

    BackupRecord back_up() {
        auto repository = BackupRepository::open_to_write(backups_);
        EXPECT_TRUE(repository) << repository.error().message();
        auto made = repository->add({.engine = *engine_, .data_directory = data_, .now_micros = 7},
                                    nullptr);
        EXPECT_TRUE(made) << made.error().message();
        return std::move(made).take();
    }

    // The value that the restored partition has, or the error.
    std::string restored(const BackupRepository::Wanted& wanted) {
        const std::string target = scratch_ / "restored";
        fs::remove_all(target);
        const auto repository = BackupRepository::open_to_read(backups_);
        EXPECT_TRUE(repository);
        const auto done = repository->restore(wanted, target);
        if (!done) return done.error().message();
        auto directory = storage::open_data_directory(target);
        EXPECT_TRUE(directory && !directory->fresh());
        EXPECT_EQ(*read_file(target + "/account.key"), "key");
        const auto engine = open_engine(*directory, kSmallEngine);
        EXPECT_TRUE(engine);
        return value_of(**(*engine)->open(1), "n").value_or("nothing");
    }

    const storage::TemporaryDirectory scratch_;
    const std::string data_ = scratch_ / "data";
    const std::string backups_ = scratch_ / "backups";
    std::optional<storage::DataDirectory> directory_;
    std::unique_ptr<storage::DurableEngine> engine_;
    std::shared_ptr<storage::PartitionStore> store_;
};

TEST_F(Repository, RestoresBackupsAndMomentsBetween) {
    put(*store_, "n", "1");
    const BackupRecord first = back_up();
    put(*store_, "n", "2");
    const std::int64_t between = std::chrono::microseconds(SystemClock().now()).count() + 1000;
    while (std::chrono::microseconds(SystemClock().now()).count() <= between + 1000) {
    }
    put(*store_, "n", "3");
    const BackupRecord second = back_up();
    EXPECT_TRUE(second.continues(first));
    EXPECT_EQ(restored({}), "3");
    EXPECT_EQ(restored({.id = first.id(), .until_micros = std::nullopt}), "1");
    EXPECT_EQ(restored({.id = std::nullopt, .until_micros = between}), "2");
    EXPECT_EQ(restored({.id = std::nullopt, .until_micros = second.outcome.reached.micros}), "3");
    EXPECT_NE(restored({.id = 9, .until_micros = std::nullopt}).find("no backup 9"),
              std::string::npos);
}

TEST_F(Repository, SweepsWhatIsLeftOfABackupWithoutARecord) {
    put(*store_, "n", "1");
    back_up();
    back_up();
    // As if the process had been killed before the last step.
    fs::remove(backups_ + "/000002.backup");
    EXPECT_EQ(BackupRepository::list(backups_)->size(), 1U);
    const BackupRecord next = back_up();
    EXPECT_EQ(next.id(), 2U);
    const auto repository = BackupRepository::open_to_read(backups_);
    for (const BackupRecord& backup : repository->backups())
        EXPECT_TRUE(repository->verify(backup));
}

TEST_F(Repository, LeavesABackupWithADamagedRecordAlone) {
    put(*store_, "n", "1");
    const BackupRecord first = back_up();
    ASSERT_TRUE(write_private_file(backups_ + "/000001.backup", "{}"));
    back_up();
    const auto repository = BackupRepository::open_to_read(backups_);
    EXPECT_EQ(repository->damaged(), std::vector<std::uint32_t>{1});
    ASSERT_TRUE(write_private_file(backups_ + "/000001.backup", first.encode()));
    EXPECT_EQ(restored({.id = 1, .until_micros = std::nullopt}), "1");
}

TEST_F(Repository, HasOneWriter) {
    back_up();
    const auto writer = BackupRepository::open_to_write(backups_);
    ASSERT_TRUE(writer);
    EXPECT_EQ(BackupRepository::open_to_write(backups_).error().code(), ErrorCode::kConflict);
    EXPECT_EQ(BackupRepository::open_to_read(backups_).error().code(), ErrorCode::kConflict);
    EXPECT_EQ(BackupRepository::list(backups_)->size(), 1U);
}

TEST_F(Repository, RefusesOtherDirectories) {
    EXPECT_EQ(BackupRepository::open_to_write(data_).error().code(), ErrorCode::kBadRequest);
    back_up();
    ASSERT_TRUE(write_private_file(backups_ + "/ORRERY-BACKUPS", "format = 2\n"));
    EXPECT_EQ(BackupRepository::open_to_write(backups_).error().code(), ErrorCode::kNotImplemented);
}

TEST_F(Repository, BackupsOfAnotherDatabaseDoNotContinue) {
    put(*store_, "n", "1");
    const BackupRecord first = back_up();
    store_.reset();
    engine_.reset();
    ASSERT_EQ(restored({}), "1");
    auto directory = storage::open_data_directory(scratch_ / "restored");
    auto opened = open_engine(*directory, kSmallEngine);
    ASSERT_TRUE(opened);
    engine_ = std::move(opened).take();
    store_ = *engine_->open(1);
    put(*store_, "n", "2");
    const BackupRecord second = back_up();
    EXPECT_FALSE(second.continues(first));
    EXPECT_GE(second.outcome.reached.position, first.outcome.reached.position);
    store_.reset();
    engine_.reset();
    EXPECT_EQ(restored({.id = 2, .until_micros = std::nullopt}), "2");
}

TEST(BackupRecord, ReadsOnlyWhatItWrites) {
    BackupRecord record;
    record.begun_micros = 5;
    record.data_format = 4;
    record.outcome = {.id = 12,
                      .history = "h",
                      .log_after = 1,
                      .reached = {.position = 9, .micros = 8},
                      .bytes = 2,
                      .new_bytes = 1,
                      .log_bytes = 4};
    record.files = {{.name = "tls/key.pem", .content = std::string("a\0b", 3)}};
    const std::string text = record.encode();
    const auto read = BackupRecord::decode(text);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->encode(), text);
    EXPECT_EQ(read->files[0].content, record.files[0].content);
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        std::string damaged = text;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        EXPECT_FALSE(BackupRecord::decode(damaged)) << damaged;
    }
    record.files[0].name = "../key.pem";
    EXPECT_FALSE(BackupRecord::decode(record.encode()));
}

TEST_F(Repository, TheServerChecksRequests) {
    const SystemClock clock;
    Backups nowhere(*engine_, clock, {.directory = "", .data_directory = data_});
    EXPECT_EQ(nowhere.begin("{}").error().code(), ErrorCode::kForbidden);
    Backups backups(*engine_, clock, {.directory = backups_, .data_directory = data_});
    for (const char* bad : {"[]",
                            "x",
                            R"({"directory":"../x"})",
                            R"({"directory":"/x"})",
                            R"({"directory":1})",
                            R"({"keep":0})",
                            R"({"keep":1.5})",
                            R"({"other":1})"}) {
        const Status refused = backups.begin(bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_EQ(refused.error().code(), ErrorCode::kBadRequest) << bad;
    }
}

}  // namespace backup_repository_test
}  // namespace orrery::server
