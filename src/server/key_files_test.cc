#include "server/key_files.h"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/files.h"
#include "model/test_support.h"
#include "storage/temporary_directory.h"

namespace orrery::server {
namespace key_files_test {

using auth::KeySlot;
using model::testing_support::must;

std::string key_of(char letter) { return base64_encode(std::string(64, letter)); }

class KeyFilesTest : public testing::Test {
protected:
    KeyFilesTest() {
        config_.address = "10.0.0.1";
        config_.data_directory = directory_.path().string();
    }
    std::string file(const std::string& name, const std::string& content) const {
        std::string path = directory_ / name;
        // As mounted secrets change: by another file of the same name.
        std::ofstream(path + ".new") << content;
        std::filesystem::rename(path + ".new", path);
        return path;
    }
    static bool eventually(const std::function<bool()>& holds) {
        for (int i = 0; i < 3000 && !holds(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        return holds();
    }

    const storage::TemporaryDirectory directory_;
    ServeConfig config_;
    SecureRandom random_;
    auth::AccountKeys keys_;
};

TEST_F(KeyFilesTest, OfAnEarlierVersionHasOnlyItsKey) {
    file("account.key", key_of('p') + "\n");
    KeyFiles files(config_, keys_, random_);
    EXPECT_EQ(must(files.load()).base64, key_of('p'));
    EXPECT_EQ(keys_.text(KeySlot::kPrimary), key_of('p'));
    EXPECT_EQ(keys_.text(KeySlot::kSecondary), "");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "keys"));
}

TEST_F(KeyFilesTest, RegeneratedKeysAreKept) {
    KeyFiles files(config_, keys_, random_);
    const std::string first = must(files.load()).base64;
    for (const KeySlot slot : auth::kKeySlots) {
        ASSERT_TRUE(files.regenerate(slot));
        struct stat found {};
        const std::string path = directory_ / ("keys/" + std::string(name_of(slot)) + ".key");
        ASSERT_EQ(stat(path.c_str(), &found), 0);
        EXPECT_EQ(found.st_mode & 0777, 0600U);
    }
    EXPECT_NE(keys_.text(KeySlot::kPrimary), first);
    auth::AccountKeys again;
    KeyFiles reopened(config_, again, random_);
    ASSERT_TRUE(reopened.load());
    for (const KeySlot slot : auth::kKeySlots)
        EXPECT_EQ(again.text(slot), keys_.text(slot));
}

TEST_F(KeyFilesTest, OnLoopbackARegeneratedKeyReplacesThePublicOne) {
    config_.address = "127.0.0.1";
    KeyFiles files(config_, keys_, random_);
    EXPECT_EQ(must(files.load()).origin, "");
    ASSERT_TRUE(files.regenerate(KeySlot::kPrimary));
    auth::AccountKeys again;
    EXPECT_EQ(must(KeyFiles(config_, again, random_).load()).base64, keys_.text(KeySlot::kPrimary));
}

TEST_F(KeyFilesTest, KeysOfSettingsAreNotRegenerated) {
    config_.key_file = file("p.key", key_of('p'));
    config_.secondary_key_file = file("s.key", key_of('s'));
    config_.readonly_key_file = file("r.key", key_of('r'));
    config_.secondary_readonly_key_file = file("t.key", key_of('t'));
    KeyFiles files(config_, keys_, random_);
    ASSERT_TRUE(files.load());
    EXPECT_EQ(keys_.text(KeySlot::kSecondaryReadOnly), key_of('t'));
    for (const KeySlot slot : auth::kKeySlots) {
        const Status done = files.regenerate(slot);
        ASSERT_FALSE(done);
        EXPECT_EQ(done.error().code(), ErrorCode::kConflict);
    }
    config_.readonly_key_file = file("r.key", "short");
    EXPECT_FALSE(KeyFiles(config_, keys_, random_).load());
}

TEST_F(KeyFilesTest, AnEphemeralServerKeepsThemInMemory) {
    config_.address = "127.0.0.1";
    config_.ephemeral = true;
    KeyFiles files(config_, keys_, random_);
    ASSERT_TRUE(files.load());
    ASSERT_TRUE(files.regenerate(KeySlot::kSecondary));
    EXPECT_NE(keys_.text(KeySlot::kSecondary), "");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "keys"));
}

TEST_F(KeyFilesTest, ChangedFilesAreReadAgain) {
    config_.key_file = file("p.key", key_of('p'));
    KeyFiles files(config_, keys_, random_);
    ASSERT_TRUE(files.load());
    FileWatch watch(std::chrono::milliseconds(10));
    files.watch(watch);
    std::atomic<int> other_changes = 0;
    watch.add(file("other", "1"), [&] { ++other_changes; });
    watch.start();
    file("p.key", key_of('q'));
    EXPECT_TRUE(eventually([&] { return keys_.text(KeySlot::kPrimary) == key_of('q'); }));
    // What is not a key changes nothing.
    file("p.key", "not a key");
    file("other", "22");
    EXPECT_TRUE(eventually([&] { return other_changes == 1; }));
    EXPECT_EQ(keys_.text(KeySlot::kPrimary), key_of('q'));
    std::filesystem::remove(directory_ / "p.key");
    file("other", "333");
    EXPECT_TRUE(eventually([&] { return other_changes == 2; }));
    EXPECT_EQ(keys_.text(KeySlot::kPrimary), key_of('q'));
    file("p.key", key_of('r'));
    EXPECT_TRUE(eventually([&] { return keys_.text(KeySlot::kPrimary) == key_of('r'); }));
}

}  // namespace key_files_test
}  // namespace orrery::server
