#include "storage/rados/file_entry.h"

#include <vector>

#include <gtest/gtest.h>

namespace orrery::storage {
namespace file_entry_test {

FileEntry log_entry() {
    return {.kind = FileEntry::Kind::kLog,
            .sealed = true,
            .id = {.epoch = 5, .number = 1},
            .size = 300,
            .modified_seconds = 7,
            .content = {}};
}

TEST(FileEntry, HasTheBytesOfTheDocument) {
    EXPECT_EQ(encode(log_entry()), std::string("\x01\x01\x01\x05\x01\xac\x02\x07"));
    const FileEntry small{.kind = FileEntry::Kind::kInline,
                          .sealed = true,
                          .id = {.epoch = 5, .number = 2},
                          .size = 3,
                          .modified_seconds = 7,
                          .content = "abc"};
    EXPECT_EQ(encode(small), std::string("\x01\x03\x01\x05\x02\x03\x07") + "abc");
}

TEST(FileEntry, SurvivesEncoding) {
    FileEntry entry = log_entry();
    entry.sealed = false;
    entry.id.epoch = 1'700'000'000'000'000;
    const auto decoded = decode_entry(encode(entry));
    ASSERT_TRUE(decoded);
    EXPECT_EQ(decoded->kind, FileEntry::Kind::kLog);
    EXPECT_FALSE(decoded->sealed);
    EXPECT_EQ(decoded->id, entry.id);
    EXPECT_EQ(decoded->size, 300U);
    EXPECT_EQ(decoded->modified_seconds, 7);
}

TEST(FileEntry, RefusesWhatIsNoEntry) {
    const std::string good = encode(log_entry());
    std::vector<std::string> bad{"", "\x01", good + "x", good.substr(0, 5)};
    bad.push_back("\x02" + good.substr(1));      // a later format
    bad.push_back("\x01\x09" + good.substr(2));  // no such kind
    bad.push_back("\x01\x03" + good.substr(2));  // inline, without the content
    for (const std::string& bytes : bad) {
        const auto decoded = decode_entry(bytes);
        ASSERT_FALSE(decoded);
        EXPECT_EQ(decoded.error().code(), ErrorCode::kCorrupted);
    }
}

TEST(FileEntry, KeysNameFilesAndTrash) {
    EXPECT_EQ(file_key("000012.log"), "f/000012.log");
    EXPECT_EQ(file_of_key("f/000012.log"), "000012.log");
    EXPECT_EQ(file_of_key("t/0000000000000007/5.1"), std::nullopt);
    const FileId id{.epoch = 0xab, .number = 0x10};
    EXPECT_EQ(trash_key(0x2a, id), "t/000000000000002a/ab.10");
    EXPECT_EQ(removed_seconds_of_key(trash_key(42, id)), 42);
    EXPECT_EQ(removed_seconds_of_key("f/CURRENT"), std::nullopt);
    EXPECT_EQ(removed_seconds_of_key("t/"), std::nullopt);
    EXPECT_LT(trash_key(9, id), trash_key(10, id));
}

TEST(FileEntry, ObjectsAreNamedAfterTheirDirectory) {
    const FileId id{.epoch = 0xab, .number = 0x10};
    EXPECT_EQ(object_name("p00000007", id), "p00000007.ab.10");
    EXPECT_EQ(chunk_name("p00000007", id, 26), "p00000007.ab.10.1a");
}

TEST(FileEntry, HexadecimalSortsLikeTheNumber) {
    EXPECT_EQ(to_hex(42), "000000000000002a");
    EXPECT_EQ(from_hex(to_hex(UINT64_MAX)), UINT64_MAX);
    for (const char* const bad : {"", "2a", "00000000000000zz", "000000000000002a0"})
        EXPECT_EQ(from_hex(bad), std::nullopt) << bad;
}

}  // namespace file_entry_test
}  // namespace orrery::storage
