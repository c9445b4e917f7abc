#include "model/resource_id.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery::model {
namespace resource_id_test {

constexpr ContainerRid kContainer{.database = 1, .number = 1};

TEST(ResourceId, MatchesTheReference) {
    EXPECT_EQ(DatabaseRid{1}.text(), "AQAAAA==");
    EXPECT_EQ(kContainer.text(), "AQAAAIAAAAE=");
    EXPECT_EQ((ItemRid{kContainer, 1}.text()), "AQAAAIAAAAEBAAAAAAAAAA==");
    EXPECT_EQ((PartitionKeyRangeRid{kContainer, 1}.text()), "AQAAAIAAAAEBAAAAAAAAUA==");
    EXPECT_EQ((PartitionKeyRangeRid{kContainer, 2}.text()), "AQAAAIAAAAECAAAAAAAAUA==");
}

TEST(ResourceId, ParsesTheServicesOwnIds) {
    EXPECT_EQ(DatabaseRid::parse("XP0mAA=="), DatabaseRid{0x0026fd5c});
    const auto container = ContainerRid::parse("XP0mAJ3H-AA=");
    ASSERT_TRUE(container);
    EXPECT_EQ(container->database, 0x0026fd5cU);
    EXPECT_EQ(container->text(), "XP0mAJ3H-AA=");
    EXPECT_FALSE(UserRid::parse("XP0mAJ3H-AA="));
    const auto item = ItemRid::parse("qHVdAImeKAQBAAAAAAAAAA==");
    ASSERT_TRUE(item);
    EXPECT_EQ(item->number, 1U);
    EXPECT_EQ(item->text(), "qHVdAImeKAQBAAAAAAAAAA==");
    const auto offer = OfferRid::parse("uT2L");
    ASSERT_TRUE(offer);
    EXPECT_EQ(offer->text(), "uT2L");
}

template <typename Rid>
void expect_comes_back(const Rid& rid, std::size_t length) {
    const std::string text = rid.text();
    EXPECT_EQ(text.size(), length);
    EXPECT_EQ(text.find('/'), std::string::npos) << text;
    EXPECT_EQ(Rid::parse(text), rid) << text;
    std::string out = "dbs/";
    rid.append_text(out);
    EXPECT_EQ(out, "dbs/" + text) << "append must leave the text before it alone";
}

TEST(ResourceId, EveryKindRoundTrips) {
    constexpr std::uint32_t kTop31 = 0x7fff'ffff;
    constexpr std::uint64_t kTop60 = (std::uint64_t{1} << 60) - 1;
    for (const std::uint32_t n : {0U, 1U, 255U, 256U, 0x00ffff00U, kTop31}) {
        const ContainerRid container{.database = ~n, .number = n};
        expect_comes_back(DatabaseRid{n}, 8);
        expect_comes_back(DatabaseRid{~n}, 8);
        expect_comes_back(container, 12);
        expect_comes_back(UserRid{.database = ~n, .number = n}, 12);
        expect_comes_back(PermissionRid{.user = {.database = n, .number = n}, .number = ~0ULL}, 24);
        expect_comes_back(OfferRid{n & 0xff'ffff}, 4);
        for (const std::uint64_t child : {std::uint64_t{0}, std::uint64_t{1} << 56, kTop60}) {
            expect_comes_back(ItemRid{container, child}, 24);
            const AttachmentRid attachment{.item = {container, child}, .number = n};
            expect_comes_back(attachment, 28);
            EXPECT_EQ(AttachmentRid::parse_media_id(attachment.media_id()), attachment);
            expect_comes_back(ConflictRid{container, child}, 24);
            expect_comes_back(PartitionKeyRangeRid{container, child}, 24);
            expect_comes_back(UdfRid{container, child}, 24);
            expect_comes_back(TriggerRid{container, child}, 24);
            expect_comes_back(StoredProcedureRid{container, child}, 24);
        }
    }
}

// As SDKs take the rid of an attachment from the id of its media.
TEST(ResourceId, MediaIdIsTheAttachmentAndOneByte) {
    const auto media = AttachmentRid::parse_media_id("6hl2ALdWbYCxAgAAAAAAAC4-1VoB");
    ASSERT_TRUE(media);
    EXPECT_EQ(media->text(), "6hl2ALdWbYCxAgAAAAAAAC4-1Vo=");
    EXPECT_EQ(AttachmentRid::parse(media->text()), media);
    EXPECT_EQ((AttachmentRid{{kContainer, 1}, 1}.media_id()), "AQAAAIAAAAEBAAAAAAAAAAEAAAAB");
    for (const char* text :
         {"", "x", "AQAAAIAAAAEBAAAAAAAAAAEAAAA=", "AQAAAIAAAAEBAAAAAAAAAAEAAAAC"}) {
        EXPECT_FALSE(AttachmentRid::parse_media_id(text)) << text;
    }
}

TEST(ResourceId, KindsAreNotMixedUp) {
    const std::string item = ItemRid{kContainer, 7}.text();
    EXPECT_FALSE(PartitionKeyRangeRid::parse(item));
    EXPECT_FALSE(StoredProcedureRid::parse(item));
    EXPECT_FALSE(PermissionRid::parse(item));
    EXPECT_FALSE(ContainerRid::parse(item));
    const std::string range = PartitionKeyRangeRid{kContainer, 7}.text();
    EXPECT_FALSE(ItemRid::parse(range));
    const std::string user = UserRid{.database = 1, .number = 1}.text();
    EXPECT_FALSE(ContainerRid::parse(user));
    EXPECT_FALSE(DatabaseRid::parse(user));
    const std::string permission = PermissionRid{.user = {.database = 1, .number = 1}}.text();
    EXPECT_FALSE(ItemRid::parse(permission));
}

TEST(ResourceId, OnlyCanonicalTextIsAccepted) {
    for (const char* text : {"",
                             "AQAAAA",
                             "AQAAAA=",
                             "AQAAAB==",
                             "AQAAAA==AQAAAA==",
                             " QAAAA==",
                             "AQAA AA=",
                             "AQAAA_==",
                             "mydbname",
                             "AQAAAAAA"}) {
        EXPECT_FALSE(DatabaseRid::parse(text)) << text;
    }
    EXPECT_TRUE(ContainerRid::parse("XP0mAJ3H-AA="));
    EXPECT_FALSE(ContainerRid::parse("XP0mAJ3H/AA=")) << "the slash has to be a dash";
    EXPECT_FALSE(OfferRid::parse("uT2="));
}

// SDKs compare the last 8 bytes as a little-endian number to break ties: creation order.
TEST(ResourceId, ItemsOrderByNumber) {
    EXPECT_LT((ItemRid{kContainer, 255}), (ItemRid{kContainer, 256}));
    EXPECT_LT((ItemRid{kContainer, 300}), (ItemRid{{.database = 1, .number = 2}, 1}));
}

}  // namespace resource_id_test
}  // namespace orrery::model
