// Opens databases whose files were cut, changed or lost: damage is refused, and only what a crash
// can do to the end of a log is accepted.

#include <gmock/gmock.h>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "storage/engine_test_support.h"
#include "storage/rocksdb/file_copies.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/rocksdb/rocks_files.h"

namespace orrery::storage {
namespace rocks_damage_test {

using namespace testing_support;  // NOLINT: test vocabulary

const std::string kPath = "/db";

RocksOptions options_on(std::shared_ptr<rocksdb::FileSystem> file_system, bool create) {
    return {.path = kPath,
            .create = create,
            .file_system = std::move(file_system),
            .write_buffer_bytes = 1 << 20};
}

std::string key_of(int i) { return "key " + std::to_string(1000 + i); }

// The files of a database after `count` commits of one key each.
FileCopies files_after(int count, std::size_t value_size) {
    const auto file_system = make_memory_file_system();
    std::mt19937 random(1);
    {
        const auto engine = open_shared_rocks(options_on(file_system, true));
        EXPECT_TRUE(engine);
        for (int i = 0; i < count; ++i) {
            std::string value(value_size, '\0');
            for (char& c : value) {
                c = static_cast<char>(random());
            }
            put(**(*engine)->open(1), key_of(i), value);
        }
    }
    return copy_files(*file_system, kPath);
}

constexpr int kManyKeys = 200;

// More than a memtable holds, so that replaying the log writes tables.
FileCopies files_with_tables() {
    const auto file_system = file_system_with(files_after(kManyKeys, 10'000), kPath);
    { EXPECT_TRUE(open_shared_rocks(options_on(file_system, false))); }
    FileCopies files = copy_files(*file_system, kPath);
    EXPECT_FALSE(names_with(files, ".sst").empty());
    return files;
}

// The number of keys up to the first missing one, or the error.
Result<int> keys_found(const FileCopies& files) {
    auto engine = TRY(open_shared_rocks(options_on(file_system_with(files, kPath), false)));
    const auto store = TRY(engine->open(1));
    const auto all = entries(*store, everything(), Direction::kForward);
    for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i].first, key_of(static_cast<int>(i)));
    }
    return static_cast<int>(all.size());
}

void expect_refused(const FileCopies& files, const std::string& text = {}) {
    const Result<int> found = keys_found(files);
    ASSERT_FALSE(found) << "opened with " << *found << " keys";
    EXPECT_EQ(found.error().code(), ErrorCode::kCorrupted) << found.error().message();
    EXPECT_THAT(found.error().message(), testing::HasSubstr(text));
}

std::string& only_log(FileCopies& files) {
    const std::vector<std::string> logs = names_with(files, ".log");
    EXPECT_EQ(logs.size(), 1U);
    return files[logs.at(0)];
}

// The start of each record of a log that fits into one block.
std::vector<std::size_t> record_starts(const std::string& log) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at + 7 <= log.size();) {
        starts.push_back(at);
        at += 7 + static_cast<unsigned char>(log[at + 4]) +
              256 * static_cast<unsigned char>(log[at + 5]);
    }
    return starts;
}

TEST(RocksDamage, UndamagedCopyIsComplete) { EXPECT_EQ(*keys_found(files_after(10, 20)), 10); }

TEST(RocksDamage, LogCutInItsLastRecordLosesOnlyThatRecord) {
    FileCopies files = files_after(10, 20);
    const std::string whole = only_log(files);
    for (std::size_t size = record_starts(whole).back(); size < whole.size(); ++size) {
        SCOPED_TRACE(size);
        only_log(files) = whole.substr(0, size);
        const Result<int> found = keys_found(files);
        ASSERT_TRUE(found) << found.error().message();
        EXPECT_EQ(*found, 9);
    }
}

TEST(RocksDamage, LargeRecordCutAnywhereIsAnIncompleteLastRecord) {
    FileCopies files = files_after(2, 100'000);
    const std::string whole = only_log(files);
    for (std::size_t size = 100'100; size < whole.size(); size += 9'973) {
        SCOPED_TRACE(size);
        only_log(files) = whole.substr(0, size);
        EXPECT_EQ(*keys_found(files), 1);
    }
}

TEST(RocksDamage, RefusesAnyChangedByteBeforeTheLastRecord) {
    FileCopies files = files_after(6, 20);
    const std::string whole = only_log(files);
    const std::size_t end = record_starts(whole).back();
    for (std::size_t at = 0; at < end; ++at) {
        for (const int flip : {0x01, 0x40, 0xff}) {
            SCOPED_TRACE(testing::Message() << "byte " << at << " flip " << flip);
            only_log(files) = whole;
            only_log(files)[at] = static_cast<char>(whole[at] ^ flip);
            expect_refused(files);
            if (HasFatalFailure()) return;
        }
    }
}

TEST(RocksDamage, ChangedByteInTheLastRecordCostsAtMostThatRecord) {
    FileCopies files = files_after(6, 20);
    const std::string whole = only_log(files);
    for (std::size_t at = record_starts(whole).back(); at < whole.size(); ++at) {
        SCOPED_TRACE(at);
        only_log(files)[at] = static_cast<char>(whole[at] ^ 0x40);
        const Result<int> found = keys_found(files);
        EXPECT_TRUE(!found || *found == 5);
        only_log(files) = whole;
    }
}

TEST(RocksDamage, RefusesAHoleInALogOfManyBlocks) {
    FileCopies files = files_after(100, 1500);
    const std::string whole = only_log(files);
    for (std::size_t at = 3'000; at + 40'000 < whole.size(); at += 9'001) {
        SCOPED_TRACE(at);
        only_log(files) = whole;
        only_log(files)[at] = static_cast<char>(whole[at] ^ 0x10);
        expect_refused(files);
        only_log(files) = whole;
        only_log(files).replace(at, 4096, 4096, '\0');
        expect_refused(files);
    }
}

// After a restart the old log remains until its content is in a table, so there are several.
FileCopies files_with_three_logs() {
    const auto file_system = make_memory_file_system();
    for (int i = 0; i < 3; ++i) {
        const auto engine = open_shared_rocks(options_on(file_system, i == 0));
        EXPECT_TRUE(engine);
        put(**(*engine)->open(1), key_of(2 * i), "v");
        put(**(*engine)->open(1), key_of(2 * i + 1), "v");
    }
    FileCopies files = copy_files(*file_system, kPath);
    EXPECT_EQ(names_with(files, ".log").size(), 3U);
    return files;
}

TEST(RocksDamage, RefusesATruncatedEarlierLog) {
    const FileCopies whole = files_with_three_logs();
    ASSERT_EQ(*keys_found(whole), 6);
    const std::vector<std::string> logs = names_with(whole, ".log");
    for (const std::string& log : {logs.at(0), logs.at(1)}) {
        FileCopies files = whole;
        files[log].resize(record_starts(files[log]).at(1));
        expect_refused(files);
        files[log].clear();
        if (log != logs[0]) expect_refused(files);
    }
}

TEST(RocksDamage, RefusesAndNamesAnyMissingLog) {
    const FileCopies whole = files_with_three_logs();
    for (const std::string& log : names_with(whole, ".log")) {
        FileCopies files = whole;
        files.erase(log);
        expect_refused(files, "write-ahead log " + log + " is missing");
    }
    FileCopies files = whole;
    for (const std::string& log : names_with(whole, ".log")) {
        files.erase(log);
    }
    expect_refused(files, "write-ahead log " + names_with(whole, ".log").at(0) + " is missing");
    // Not mistaken for an interrupted creation either.
    expect_refused({{"WALS", whole.at("WALS")}}, "is missing");
}

TEST(RocksDamage, RefusesAMissingLogInASplitDatabase) {
    const std::string partition = kPath + "/p00000001";
    const auto file_system = make_memory_file_system();
    for (int i = 0; i < 3; ++i) {
        const auto engine = open_split_rocks(options_on(file_system, true));
        ASSERT_TRUE(engine);
        put(**(*engine)->open(1), key_of(i), "v");
    }
    const FileCopies whole = copy_files(*file_system, partition);
    ASSERT_EQ(names_with(whole, ".log").size(), 3U);
    for (const std::string& log : names_with(whole, ".log")) {
        FileCopies files = whole;
        files.erase(log);
        const auto damaged = file_system_with(files, partition);
        const auto engine = open_split_rocks(options_on(damaged, true));
        ASSERT_TRUE(engine);
        const auto store = (*engine)->open(1);
        ASSERT_FALSE(store);
        EXPECT_EQ(store.error().code(), ErrorCode::kCorrupted);
        EXPECT_THAT(store.error().message(), testing::HasSubstr(log + " is missing"));
        EXPECT_EQ(copy_files(*damaged, partition), files);
    }
}

TEST(RocksDamage, RefusesAMissingOrDamagedListOfLogs) {
    const FileCopies whole = files_with_three_logs();
    FileCopies files = whole;
    files.erase("WALS");
    expect_refused(files, "WALS, is missing");
    for (std::size_t at = 0; at < whole.at("WALS").size(); ++at) {
        SCOPED_TRACE(at);
        files["WALS"] = whole.at("WALS").substr(0, at);
        expect_refused(files, "WALS, is not valid");
        files["WALS"] = whole.at("WALS");
        files["WALS"][at] ^= 0x01;
        expect_refused(files);
    }
}

TEST(RocksDamage, RefusesAMissingTableOrManifest) {
    const FileCopies whole = files_with_tables();
    ASSERT_EQ(*keys_found(whole), kManyKeys);
    for (const char* part : {"CURRENT", "MANIFEST", ".sst"}) {
        for (const std::string& name : names_with(whole, part)) {
            SCOPED_TRACE(name);
            FileCopies files = whole;
            files.erase(name);
            expect_refused(files);
        }
    }
}

TEST(RocksDamage, DoesNotRecreateADatabaseThatLostItsFiles) {
    FileCopies files = files_with_tables();
    files.erase("CURRENT");
    const auto file_system = file_system_with(files, kPath);
    const auto engine = open_shared_rocks(options_on(file_system, true));
    ASSERT_FALSE(engine);
    EXPECT_EQ(engine.error().code(), ErrorCode::kCorrupted);
    EXPECT_THAT(engine.error().message(), testing::HasSubstr("CURRENT"));
    EXPECT_EQ(copy_files(*file_system, kPath), files);
}

TEST(RocksDamage, RefusesALostLogThatHeldAllData) {
    FileCopies files = files_after(3, 10);
    const std::string log = names_with(files, ".log").at(0);
    files.erase(log);
    expect_refused(files, "write-ahead log " + log + " is missing");
}

TEST(RocksDamage, RefusesATruncatedTable) {
    FileCopies files = files_with_tables();
    files[names_with(files, ".sst").at(0)].pop_back();
    expect_refused(files);
}

TEST(RocksDamage, DetectsAChangedTableOnRead) {
    FileCopies files = files_with_tables();
    files[names_with(files, ".sst").at(0)][500] ^= 1;
    auto engine = open_shared_rocks(options_on(file_system_with(files, kPath), false));
    if (!engine) {
        EXPECT_EQ(engine.error().code(), ErrorCode::kCorrupted);
        return;
    }
    const auto store = (*engine)->open(1);
    std::string value;
    const Result<bool> found = (*store)->get(key_of(0), value);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code(), ErrorCode::kCorrupted);
    const auto cursor = (*store)->scan(everything(), Direction::kForward);
    EXPECT_FALSE(cursor->valid());
    ASSERT_FALSE(cursor->status());
    EXPECT_EQ(cursor->status().error().code(), ErrorCode::kCorrupted);
}

TEST(RocksDamage, RestartsAnInterruptedCreation) {
    for (const char* left_behind : {"MANIFEST-000001", "IDENTITY", "000001.dbtmp", "WALS.new"}) {
        SCOPED_TRACE(left_behind);
        const auto file_system = file_system_with({{left_behind, "half"}}, kPath);
        const auto engine = open_shared_rocks(options_on(file_system, true));
        ASSERT_TRUE(engine) << engine.error().message();
        put(**(*engine)->open(1), "a", "1");
    }
}

TEST(RocksDamage, FindsRecordsAfterDamageInALogBlock) {
    FileCopies files = files_after(3, 20);
    const std::string log = only_log(files);
    const std::vector<std::size_t> starts = record_starts(log);
    EXPECT_FALSE(has_record_behind_damage(""));
    EXPECT_FALSE(has_record_behind_damage(log));
    EXPECT_FALSE(has_record_behind_damage(log.substr(0, log.size() - 1)));
    EXPECT_FALSE(has_record_behind_damage(log.substr(0, starts.back() + 3)));
    EXPECT_FALSE(has_record_behind_damage(std::string(500, '\0')));
    EXPECT_FALSE(has_record_behind_damage(log + std::string(100, '\0')));
    std::string long_length = log;
    long_length[starts[1] + 5] = '\x7f';
    EXPECT_TRUE(has_record_behind_damage(long_length));
    std::string zeroes = log;
    zeroes.replace(starts[1], starts[2] - starts[1], starts[2] - starts[1], '\0');
    EXPECT_TRUE(has_record_behind_damage(zeroes));
}

}  // namespace rocks_damage_test
}  // namespace orrery::storage
