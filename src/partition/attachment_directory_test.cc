#include "partition/attachment_directory.h"

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::partition {
namespace attachment_directory_test {

using model::testing_support::must;

AttachmentDirectory example() {
    AttachmentDirectory out{.lsn = 300, .last_number = 9, .entries = {}};
    out.put({.number = 7, .lsn = 300, .json_bytes = 20, .media_bytes = 0, .id = "b"});
    out.put({.number = 2, .lsn = 4, .json_bytes = 10, .media_bytes = std::nullopt, .id = "a"});
    return out;
}

TEST(AttachmentDirectory, FindsByIdAndNumber) {
    const AttachmentDirectory directory = example();
    EXPECT_EQ(directory.find({.id = "a", .number = {}})->number, 2U);
    EXPECT_EQ(directory.find({.id = "a", .number = 7})->id, "b");
    EXPECT_EQ(directory.find({.id = "c", .number = {}}), nullptr);
    EXPECT_EQ(directory.find({.id = "a", .number = 3}), nullptr);
    EXPECT_EQ(directory.find({.id = "a", .number = {}, .with_media = true}), nullptr);
    EXPECT_NE(directory.find({.id = "b", .number = {}, .with_media = true}), nullptr);
}

TEST(AttachmentDirectory, PutsAndRemovesByNumber) {
    AttachmentDirectory directory = example();
    EXPECT_EQ(directory.bytes(), 30U);
    directory.put({.number = 2, .lsn = 5, .json_bytes = 1, .media_bytes = 5, .id = "c"});
    EXPECT_EQ(directory.entries.size(), 2U);
    EXPECT_EQ(directory.bytes(), 26U);
    directory.remove(7);
    directory.remove(8);
    EXPECT_EQ(directory.entries.size(), 1U);
    EXPECT_EQ(directory.bytes(), 6U);
}

// On disk.
TEST(AttachmentDirectory, Layout) {
    const std::string bytes = example().encode();
    EXPECT_EQ(bytes,
              std::string("\x01"
                          "\0\0\0\0\0\0\x01\x2c"
                          "\0\0\0\x09"
                          "\x02\x04\x0a\x00\x01"
                          "a"
                          "\x07\xac\x02\x14\x01\x01"
                          "b",
                          26));
    EXPECT_EQ(must(AttachmentDirectory::decode(bytes)), example());
}

TEST(AttachmentDirectory, DamageIsDetected) {
    const std::string bytes = example().encode();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto decoded = AttachmentDirectory::decode(std::string_view(bytes).substr(0, size));
        // Whole entries may be cut off.
        if (decoded) EXPECT_LT(decoded->entries.size(), 2U) << size;
    }
    EXPECT_FALSE(AttachmentDirectory::decode("\x02" + bytes.substr(1)));
    EXPECT_FALSE(AttachmentDirectory::decode(bytes + bytes.substr(13, 6))) << "out of order";
    EXPECT_FALSE(AttachmentDirectory::decode(bytes + "\x0a\x01\x01\x01\x01"
                                                     "c"))
        << "number";
    EXPECT_FALSE(AttachmentDirectory::decode(bytes + "\x08\xff\x7f\x01\x01\x01"
                                                     "c"))
        << "lsn";
}

}  // namespace attachment_directory_test
}  // namespace orrery::partition
