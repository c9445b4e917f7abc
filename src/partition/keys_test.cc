#include "partition/keys.h"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"
#include "storage/engine_test_support.h"

namespace orrery::partition {
namespace keys_test {

using storage::testing_support::random_key;
using storage::testing_support::test_seed;

std::string hex(std::string_view key) { return to_hex_upper(key); }

bool within(const storage::Range& range, std::string_view key) {
    return key >= range.from && (!range.until || key < *range.until);
}

// On disk: these bytes must never change.
TEST(PartitionKeys, WorkedExamples) {
    EXPECT_EQ(hex(item_key(0x0000030000000005)), "440000030000000005");
    EXPECT_EQ(hex(id_key("AB", "x")),
              "4B"
              "4142"
              "0000"
              "78");
    EXPECT_EQ(hex(id_key(std::string_view("A\0B", 3), "")),
              "4B"
              "4100FF42"
              "0000");
    EXPECT_EQ(hex(member_key("AB", 1)),
              "50"
              "4142"
              "0000"
              "0000000000000001");
    const LogPlace place{.lsn = 2, .ordinal = 0x104, .docnum = 3};
    EXPECT_EQ(hex(log_key(place)),
              "4C"
              "0000000000000002"
              "0104"
              "0000000000000003");
    EXPECT_EQ(hex(plain_log_key(2, 3)),
              "4C"
              "0000000000000002"
              "0000000000000003");
    EXPECT_EQ(hex(removal_key(place)),
              "56"
              "0000000000000002"
              "0104"
              "0000000000000003");
    EXPECT_EQ(hex(expiry_key(0x6553f100, 3)),
              "54"
              "000000006553F100"
              "0000000000000003");
    EXPECT_EQ(hex(unique_key("A", 2, std::string(16, '\x11'))),
              "55"
              "41"
              "0000"
              "02"
              "11111111111111111111111111111111");
    EXPECT_EQ(hex(state_key()), "4D");
    EXPECT_EQ(hex(docnum_value(0x0102)), "0000000000000102");
}

TEST(PartitionKeys, NumbersReadBack) {
    for (const Docnum docnum : {Docnum{0}, Docnum{1}, Docnum{0x0fffffffffffffff}}) {
        EXPECT_EQ(*docnum_of_key(item_key(docnum)), docnum);
        EXPECT_EQ(*docnum_of_key(member_key(std::string(48, '\0'), docnum)), docnum);
        EXPECT_EQ(*docnum_of_value(docnum_value(docnum)), docnum);
        EXPECT_EQ(numbers_of(expiry_key(9, docnum))->number, 9U);
        EXPECT_EQ(numbers_of(expiry_key(1, docnum))->docnum, docnum);
        const LogPlace place{.lsn = 9, .ordinal = 0xffff, .docnum = docnum};
        EXPECT_EQ(*place_of(log_key(place)), place);
        EXPECT_EQ(*place_of(removal_key(place)), place);
        EXPECT_EQ(*place_of(plain_log_key(9, docnum)),
                  (LogPlace{.lsn = 9, .ordinal = 0, .docnum = docnum}));
    }
}

TEST(PartitionKeys, InvalidKeysAreCorrupted) {
    const auto corrupted = [](const auto& result) {
        return !result && result.error().code() == ErrorCode::kCorrupted;
    };
    const std::string item = item_key(1);
    const std::string log = log_key({.lsn = 9, .ordinal = 1, .docnum = 1});
    const std::string plain = plain_log_key(9, 1);
    const std::string expiry = expiry_key(9, 1);
    for (std::size_t size = 0; size < item.size(); ++size) {
        EXPECT_TRUE(corrupted(docnum_of_key(item.substr(0, size)))) << size;
    }
    for (std::size_t size = 0; size < log.size(); ++size) {
        if (size == plain.size()) continue;
        EXPECT_TRUE(corrupted(place_of(log.substr(0, size)))) << size;
    }
    EXPECT_TRUE(corrupted(place_of(log + "x")));
    for (std::size_t size = 0; size < expiry.size(); ++size) {
        EXPECT_TRUE(corrupted(numbers_of(expiry.substr(0, size)))) << size;
    }
    EXPECT_TRUE(corrupted(numbers_of(expiry + "x")));
    for (const char* value : {"", "1234567", "123456789"}) {
        EXPECT_TRUE(corrupted(docnum_of_value(value))) << value;
    }
    // Does not fit into a rid.
    constexpr Docnum kTooLarge = Docnum{1} << 60;
    EXPECT_TRUE(corrupted(docnum_of_value(docnum_value(kTooLarge))));
    EXPECT_TRUE(corrupted(docnum_of_key(item_key(kTooLarge))));
    EXPECT_TRUE(corrupted(numbers_of(expiry_key(1, kTooLarge))));
}

TEST(PartitionKeys, SortLikeTheirContents) {
    EXPECT_LT(item_key(0xff), item_key(0x100));
    EXPECT_LT(log_key({0xff, 9, 9}), log_key({0x100, 1, 1}));
    EXPECT_LT(log_key({5, 1, 9}), log_key({5, 2, 1}));
    EXPECT_LT(plain_log_key(4, ~Docnum{0}), log_key({5, 0, 0}));
    EXPECT_LT(log_key({4, 0xffff, ~Docnum{0}}), log_key({5, 0, 0}));
    EXPECT_LT(expiry_key(0xff, 9), expiry_key(0x100, 1));
    EXPECT_LT(member_key("A", 0xff), member_key("A", 0x100));
    EXPECT_LT(id_key("A", "a"), id_key("A", "ab"));
}

// An EPK may contain any bytes, including those of the terminator.
TEST(PartitionKeys, EpksKeepTheirOrder) {
    std::mt19937 random(test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::string a = random_key(random);
        const std::string b = random_key(random);
        const Docnum first = random();
        const Docnum second = random();
        if (a == b) continue;
        ASSERT_EQ(member_key(a, first) < member_key(b, second), a < b) << hex(a) << " " << hex(b);
        ASSERT_EQ(id_key(a, random_key(random)) < id_key(b, random_key(random)), a < b);
    }
}

TEST(PartitionKeys, IdKeysOfTwoItemsAreNeverEqual) {
    std::mt19937 random(test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::pair a(random_key(random), random_key(random));
        const std::pair b(random_key(random), random_key(random));
        ASSERT_EQ(id_key(a.first, a.second) == id_key(b.first, b.second), a == b);
    }
}

TEST(PartitionKeys, MembersOfOneEpk) {
    std::mt19937 random(test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const std::string wanted = random_key(random);
        const std::string other = random_key(random);
        const Docnum docnum = (Docnum{random()} << 32) | random();
        ASSERT_EQ(within(members_of(wanted), member_key(other, docnum)), wanted == other)
            << hex(wanted) << " " << hex(other);
    }
    EXPECT_TRUE(within(members_of("A"), member_key("A", ~Docnum{0})));
}

TEST(PartitionKeys, MembersOfARange) {
    std::mt19937 random(test_seed());
    for (int i = 0; i < 20'000; ++i) {
        const model::EpkRange range{.min_inclusive = random_key(random),
                                    .max_exclusive = random_key(random)};
        const std::string epk = random_key(random);
        const bool inside = epk >= range.min_inclusive && epk < range.max_exclusive;
        ASSERT_EQ(within(members_of(range), member_key(epk, random())), inside)
            << hex(epk) << " in " << hex(range.min_inclusive) << "-" << hex(range.max_exclusive);
    }
}

TEST(PartitionKeys, EachLetterHasItsOwnRange) {
    const std::vector<std::string> all = {item_key(~Docnum{0}),
                                          id_key("\xff", "\xff"),
                                          member_key("\xff", ~Docnum{0}),
                                          log_key({-1, 0xffff, ~Docnum{0}}),
                                          plain_log_key(-1, ~Docnum{0}),
                                          removal_key({-1, 0xffff, ~Docnum{0}}),
                                          expiry_key(-1, ~Docnum{0}),
                                          unique_key("\xff", 255, std::string(16, '\xff')),
                                          state_key()};
    for (const std::string& key : all) {
        for (const char letter : std::string_view("DKPLTUVM")) {
            EXPECT_EQ(within(all_of(letter), key), key[0] == letter) << hex(key) << " " << letter;
        }
    }
}

}  // namespace keys_test
}  // namespace orrery::partition
