#include "partition/item_record.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery::partition {
namespace item_record_test {

std::string record_of(const ItemHeader& header, const ItemNames& names, std::string_view json) {
    std::string record;
    append_item_head(record, header, names);
    record.append(json);
    return record;
}

std::string example() {
    const std::vector<std::string> digests = {std::string(16, 'u'), std::string(16, 'v')};
    return record_of({.lsn = 5, .timestamp = 0x6553f100, .ordinal = 2, .ttl = -1, .origin = 0x107},
                     {.epk = "EPK", .partition_key = "key", .id = "i", .unique_digests = digests},
                     R"({"id":"i"})");
}

// On disk: these bytes must never change.
TEST(ItemRecord, WorkedExamples) {
    struct Case {
        std::uint64_t stamp;
        std::optional<std::uint16_t> origin;
        bool sole_change;
        json::NumberForm numbers;
        std::string format;
        std::string added;
    };
    constexpr auto kUnknown = json::NumberForm::kUnknown;
    constexpr auto kAsPrinted = json::NumberForm::kAsPrinted;
    // Those without origin are no longer written, but read.
    for (const auto& [stamp, origin, sole_change, numbers, format, added] :
         {Case{0, 0x107, false, kUnknown, "0600", "0107"},
          Case{9, 0x107, false, kUnknown, "0601", "00000000000000090107"},
          Case{0, 0x107, true, kUnknown, "0602", "0107"},
          Case{0, 0x107, false, kAsPrinted, "0604", "0107"},
          Case{9, 0x107, true, kAsPrinted, "0607", "00000000000000090107"},
          Case{0, std::nullopt, false, kUnknown, "02", ""},
          Case{9, std::nullopt, false, kUnknown, "03", "0000000000000009"}}) {
        const std::string record =
            record_of({.lsn = 5,
                       .timestamp = 0x6553f100,
                       .ordinal = 2,
                       .ttl = -1,
                       .stamp = stamp,
                       .origin = origin,
                       .sole_change = sole_change,
                       .numbers = numbers},
                      {.epk = "E", .partition_key = "k", .id = "i", .unique_digests = {}},
                      "{}");
        EXPECT_EQ(to_hex_upper(record),
                  format +
                      "0000000000000005"
                      "000000006553F100"
                      "0002"
                      "FFFFFFFF"
                      "00" +
                      added +
                      "00"
                      "0145"
                      "016B"
                      "0169"
                      "7B7D");
        const auto item = StoredItem::decode(9, record);
        ASSERT_TRUE(item);
        EXPECT_EQ(item->header().stamp, stamp);
        EXPECT_EQ(item->header().origin, origin);
        EXPECT_EQ(item->header().sole_change, sole_change);
        EXPECT_EQ(item->header().numbers, numbers);
        EXPECT_EQ(item->id(), "i");
        EXPECT_EQ(is_sole_change(record, 5), sole_change);
        EXPECT_FALSE(is_sole_change(record, 6));
    }
}

// As format 3 of data directories has them.
TEST(ItemRecord, WithoutFlags) {
    for (const std::uint64_t stamp : {0U, 9U}) {
        std::string record = record_of(
            {.lsn = 5, .timestamp = 0x6553f100, .ordinal = 2, .stamp = stamp, .origin = 0x107},
            {.epk = "E", .partition_key = "k", .id = "i", .unique_digests = {}},
            "{}");
        record.replace(0, 2, stamp == 0 ? "\4" : "\5");
        const auto item = StoredItem::decode(9, record);
        ASSERT_TRUE(item);
        EXPECT_EQ(item->header().stamp, stamp);
        EXPECT_EQ(item->header().origin, 0x107);
        EXPECT_EQ(item->header().lsn, 5);
        EXPECT_EQ(item->id(), "i");
        EXPECT_FALSE(item->header().sole_change);
        EXPECT_EQ(item->header().numbers, json::NumberForm::kUnknown);
        EXPECT_FALSE(is_sole_change(record, 5));
    }
    EXPECT_FALSE(is_sole_change("\6\2", 0));
}

TEST(ItemRecord, ReadsBack) {
    const auto item = StoredItem::decode(9, example());
    ASSERT_TRUE(item);
    EXPECT_EQ(item->docnum(), 9U);
    EXPECT_EQ(item->header().lsn, 5);
    EXPECT_EQ(item->header().timestamp, 0x6553f100);
    EXPECT_EQ(item->header().ordinal, 2);
    EXPECT_EQ(item->header().ttl, -1);
    EXPECT_EQ(item->header().origin, 0x107);
    EXPECT_EQ(item->epk(), "EPK");
    EXPECT_EQ(item->partition_key(), "key");
    EXPECT_EQ(item->id(), "i");
    ASSERT_EQ(item->unique_count(), 2U);
    EXPECT_EQ(item->unique_digest(0), std::string(16, 'u'));
    EXPECT_EQ(item->unique_digest(1), std::string(16, 'v'));
    EXPECT_EQ(item->json(), R"({"id":"i"})");
    EXPECT_EQ(item->record().substr(item->json_offset()), item->json());
}

TEST(ItemRecord, CanBeMovedAndReleasesItsRecord) {
    auto decoded = StoredItem::decode(9, example());
    ASSERT_TRUE(decoded);
    StoredItem moved = std::move(decoded).take();
    const StoredItem again = std::move(moved);
    EXPECT_EQ(again.epk(), "EPK");
    EXPECT_EQ(again.json(), R"({"id":"i"})");
    EXPECT_EQ(StoredItem(again).take_record(), example());
}

TEST(ItemRecord, NamesMayBeEmptyOrHoldAnyBytes) {
    const std::string odd("\0\xff{}", 4);
    const auto item = StoredItem::decode(
        1, record_of({}, {.epk = "", .partition_key = odd, .id = odd, .unique_digests = {}}, ""));
    ASSERT_TRUE(item);
    EXPECT_EQ(item->epk(), "");
    EXPECT_EQ(item->partition_key(), odd);
    EXPECT_EQ(item->id(), odd);
    EXPECT_EQ(item->json(), "");
}

TEST(ItemRecord, TruncatedRecordIsCorrupted) {
    const std::string whole = example();
    const std::size_t head = whole.size() - std::string(R"({"id":"i"})").size();
    for (std::size_t size = 0; size < head; ++size) {
        const auto item = StoredItem::decode(9, whole.substr(0, size));
        ASSERT_FALSE(item) << size;
        EXPECT_EQ(item.error().code(), ErrorCode::kCorrupted);
    }
    EXPECT_TRUE(StoredItem::decode(9, whole.substr(0, head)));
}

TEST(ItemRecord, UnknownFormatIsCorrupted) {
    std::string bytes = example();
    for (const char format : {'\0', '\1', '\7', '\xff'}) {
        bytes[0] = format;
        const auto item = StoredItem::decode(9, bytes);
        ASSERT_FALSE(item);
        EXPECT_EQ(item.error().code(), ErrorCode::kCorrupted);
    }
    bytes[0] = '\6';
    bytes[1] = '\x08';
    EXPECT_FALSE(StoredItem::decode(9, bytes)) << "an unknown flag";
}

TEST(ItemRecord, LengthsBeyondTheEndAreCorrupted) {
    constexpr std::size_t kFirstLength = 2 + 8 + 8 + 2 + 4 + 1 + 2;
    std::string bytes = example();
    bytes[kFirstLength] = '\x7f';
    EXPECT_FALSE(StoredItem::decode(9, bytes));
    bytes.replace(kFirstLength, 1, std::string(9, '\xff') + "\x01");
    EXPECT_FALSE(StoredItem::decode(9, bytes));
    bytes.replace(kFirstLength, 10, std::string(20, '\xff'));
    EXPECT_FALSE(StoredItem::decode(9, bytes));
}

// All digests have the same length; any other total length is damage.
TEST(ItemRecord, HalfADigestIsCorrupted) {
    std::string record;
    append_item_head(record, {}, {.epk = "", .partition_key = "", .id = "", .unique_digests = {}});
    ASSERT_TRUE(StoredItem::decode(9, record));
    record.resize(record.size() - 4);  // the four empty lists
    append_varint(record, 15);
    record.append(15, 'u').append(3, '\0');
    EXPECT_FALSE(StoredItem::decode(9, record));
}

// The etag of such an LSN, or the expiry of such a time, would be out of range.
TEST(ItemRecord, ImpossibleLsnsAndTimesAreCorrupted) {
    const auto read = [](Lsn lsn, std::int64_t timestamp) {
        std::string record;
        append_item_head(record,
                         {.lsn = lsn, .timestamp = timestamp},
                         {.epk = "", .partition_key = "", .id = "", .unique_digests = {}});
        return static_cast<bool>(StoredItem::decode(9, record));
    };
    constexpr Lsn kLarge = Lsn{1} << 48;
    EXPECT_TRUE(read(0, 0));
    EXPECT_TRUE(read(kLarge / 2 - 1, 253'402'300'799));
    EXPECT_FALSE(read(-1, 0));
    EXPECT_FALSE(read(kLarge, 0));
    EXPECT_FALSE(read(0, -1));
    EXPECT_FALSE(read(0, 253'402'300'800));
}

// Any changed byte is either detected or read without touching other memory.
TEST(ItemRecord, AnyChangedByteIsReadSafely) {
    const std::string whole = example();
    for (std::size_t at = 0; at < whole.size(); ++at) {
        for (const int change : {1, 0x80, 0xff}) {
            std::string bytes = whole;
            bytes[at] = static_cast<char>(bytes[at] ^ change);
            const auto item = StoredItem::decode(9, bytes);
            if (!item) continue;
            std::size_t total = item->epk().size() + item->id().size() + item->json().size();
            for (std::size_t i = 0; i < item->unique_count(); ++i) {
                total += item->unique_digest(i).size();
            }
            EXPECT_LE(total, bytes.size());
        }
    }
}

TEST(Expiry, FollowsTheServicesRules) {
    const auto expired = [](std::optional<std::int32_t> default_ttl, std::int32_t own, int age) {
        const ItemHeader header{.lsn = 1, .timestamp = 1000, .ordinal = 0, .ttl = own};
        return Expiry{default_ttl, 1000 + age}.expired(header);
    };
    for (const std::int32_t own : {0, -1, 10}) {
        EXPECT_FALSE(expired(std::nullopt, own, 1'000'000)) << own;
    }
    EXPECT_FALSE(expired(-1, 0, 1'000'000));
    EXPECT_FALSE(expired(-1, -1, 1'000'000));
    EXPECT_FALSE(expired(-1, 10, 9));
    EXPECT_TRUE(expired(-1, 10, 10));
    EXPECT_FALSE(expired(20, 0, 19));
    EXPECT_TRUE(expired(20, 0, 20));
    EXPECT_FALSE(expired(20, -1, 1'000'000));
    EXPECT_TRUE(expired(20, 10, 10));
    EXPECT_FALSE(expired(20, 30, 29));
    EXPECT_FALSE(expired(2147483647, 0, 2'000'000'000));
}

}  // namespace item_record_test
}  // namespace orrery::partition
