#include "model/effective_partition_key.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace orrery::model {
namespace effective_partition_key_test {

using Component = PartitionKeyValue::Component;

std::string hex_epk(const PartitionKeyValue& key, HashKind kind) {
    return to_hex_upper(effective_partition_key(key, kind));
}

std::string repeat(std::string_view text, int count) {
    std::string out;
    for (int i = 0; i < count; ++i) {
        out += text;
    }
    return out;
}

// V1 hashes only 100 characters, so every longer run of 'a' has this EPK.
std::string long_a_v1() { return "05C1EB5921F70608" + repeat("62", 100) + "00"; }

struct Vector {
    Component value;
    std::string v1;
    std::string v2;
};

// Values that the official SDKs' unit tests assert, and values computed with an independent
// implementation that reproduces all of those.
std::vector<Vector> vectors() {
    return {
        {PartitionKeyValue::Undefined{}, "05C1D529E345DC00", "11622DAA78F835834610ABE56EFF5CB5"},
        {PartitionKeyValue::Null{}, "05C1ED45D7475601", "378867E4430E67857ACE5C908374FE16"},
        {true, "05C1D7C5A903D803", "0E711127C5B5A8E4726AC6DD306A3E59"},
        {false, "05C1DB857D857C02", "2FE1BE91E90A3439635E0E9E37361EF2"},
        {std::string(""), "05C1CF33970FF80800", "32E9366E637A71B4E710384B2F4970A0"},
        {std::string("partitionKey"),
         "05C1E1B3D9CD2608716273756A756A706F4C667A00",
         "013AEFCF77FA271571CF665A58C933F1"},
        {std::string("redmond"),
         "05C1EFE313830C087366656E706F6500",
         "22E342F38A486A088463DFF7838A5963"},
        {std::string("XMS-0001"),
         "05C1E761BBE54C08594E542E3131313200",
         "1AAACCCA8C7163828531710B19530F81"},
        {std::string("Marketing"),
         "05C1D317A3BFA8084E62736C66756A6F6800",
         "1BBB8A2EEEC3D866146CB22D4A4CFB36"},
        {std::string("\u00e9"), "05C1B3CD91912008C4AA00", "007199F104E04116EE25AF912CA4889B"},
        {std::string("\u65e5\u672c"),
         "05C1DB17971FC408E798A6E79DAD00",
         "2F64A78CFF1F1D412A8B6220090E9767"},
        {std::string(100, 'a'), long_a_v1(), "0DBD7D229437BB665DE6417747994D57"},
        {std::string(101, 'a'), long_a_v1(), "08042541D30C8BF90D7092B1519AE0BC"},
        {std::string(1024, 'a'), long_a_v1(), "332BDF5512AE49615F32C7D98C2DB86C"},
        {0.0, "05C1BF6DA11560058000", "155B95BEDAC4B1E9EC1CDC9BB0DDDE58"},
        {1.0, "05C1ED172B6B2605BFF0", "20CD98B339BA78A5D0CF6953B87070B0"},
        {-1.0, "05C1D1A5BDDF9C054010", "19938E7A936C1C5B9E3AE842BBC16839"},
        {5.0, "05C1D9C1C5517C05C014", "19C08621B135968252FB34B4CF66F811"},
        {42.0, "05C1E75FCB273A05C04580", "08E6D561F6FD951DCC25E7E4EA2884B5"},
        {100.0, "05C1E30371BF2005C05980", "34235CFA9F2448C372F53E4119DBB9AB"},
        {0.5, "05C1EF2577DF1805BFE0", "216489229658E4F310F4D80B7076D562"},
        {-128.0, "05C1D73349F54C053FA0", "01DAEDABF913540367FE219B2AD06148"},
        {127.0, "05C1DD539DDFCC05C05FE0", "0C507ACAC853ECA7977BF4CEFB562A25"},
        {5.123124190509124,
         "05C1CD6757FB7805C0153F858949735550",
         "0EF2E2D82460884AF0F6440BE4F726A8"},
        {2147483647.0, "05C1E1F503DFB205C1DFFFFFFFFC", "2D9349D64712AEB5EB1406E2F0BE2725"},
        {-2147483648.0, "05C1DFBF252BCC053E20", "0B1660D5233C3171725B30D4A5F4CC1F"},
        {9007199254740991.0,
         "05C1B3FBA771A005C33FFFFFFFFFFFFFFE",
         "12C221C7032CED1F9E6693CE1428E6CF"},
        {1e+300, "05C1AB5FCFAF8005FE37F30F918103D738", "1234CB21048B20039B22F11DBB13CD7B"},
        {5e-324, "05C1E5C91F4D3005800101010101010102", "0E6CBA63A280927DE485DEF865800139"},
        {std::string("asdf"), "05C1E7035DAF84086274656700", "208BF1D598F5B63AD5520F04FE58C5E8"},
        {std::string("/path1"),
         "05C1E56D31A7140830716275693200",
         "3499FD5198AE0F1EB6B77F6E428D2FF0"},
        {std::string("Hello World"),
         "05C1C5D58F13B00849666D6D70215870736D6500",
         "306C52B42DECB3AE9D3C7586975E30B9"},
        {std::string("\u4f60\u597d"),
         "05C1D37361259408E5BEA1E6A6BE00",
         "004DC6466F1ECD29F3606AEBC7AFC317"},
        {-9223372036854775808.0, "05C1DB35F33D1C053C20", "23D5C6395512BDFEAFADAD15328AD2BB"},
        {9223372036854775807.0, "05C1B799AB2DD005C3E0", "2EDB959178DFCCA18983F89384D1629B"},
        {std::numeric_limits<double>::max(),
         "05C1CBE367C53005FFEFFFFFFFFFFFFFFE",
         "31424D996457102634591FF245DBCC4D"},
    };
}

TEST(EffectivePartitionKey, HashV1) {
    for (const Vector& vector : vectors()) {
        const PartitionKeyValue key{vector.value};
        EXPECT_EQ(hex_epk(key, HashKind::kHashV1), vector.v1) << key.to_json();
    }
}

TEST(EffectivePartitionKey, HashV2) {
    for (const Vector& vector : vectors()) {
        const PartitionKeyValue key{vector.value};
        EXPECT_EQ(hex_epk(key, HashKind::kHashV2), vector.v2) << key.to_json();
        EXPECT_EQ(hex_epk(key, HashKind::kMultiHash), vector.v2) << key.to_json();
    }
}

TEST(EffectivePartitionKey, MultiHash) {
    const std::pair<PartitionKeyValue, std::string> keys[] = {
        {{std::string("redmond"), 5.0},
         "22E342F38A486A088463DFF7838A596319C08621B135968252FB34B4CF66F811"},
        {{std::string("tenant"), std::string("user")},
         "3B67F777541374F849FC7793DE5DF9150B6EF6150874C10CFFB0A77F53F6B0A3"},
        {{std::string("tenant"), std::string("user"), std::string("session")},
         "3B67F777541374F849FC7793DE5DF9150B6EF6150874C10CFFB0A77F53F6B0A3"
         "3B1E49B1E77F500C7135E98044336BAA"},
        {{std::string("a"), PartitionKeyValue::Null{}, true},
         "3A5381E1114EB8D3FCC90795045B49B7378867E4430E67857ACE5C908374FE16"
         "0E711127C5B5A8E4726AC6DD306A3E59"},
        {{std::string("tenant1"), std::string("user1"), std::string("session1")},
         "0DAE0B8467B011E957BC0B8B0DEB5ACA236A5BE3329A7AD57D4B998E8602BD7B"
         "3968A88FC4D9F7E8A7CC60434EE850D5"},
    };
    for (const auto& [key, epk] : keys) {
        EXPECT_EQ(hex_epk(key, HashKind::kMultiHash), epk) << key.to_json();
    }
}

TEST(EffectivePartitionKey, HashV2CoversAllComponentsTogether) {
    const PartitionKeyValue key{5.0, std::string("redmond"), true};
    EXPECT_EQ(hex_epk(key, HashKind::kHashV2), "078C04C2EC9EFA9A859ECE8C70A2308B");
    EXPECT_EQ(hex_epk(key, HashKind::kHashV1), "05C1D959BF038C05C014087366656E706F650003");
}

TEST(EffectivePartitionKey, EmptyKeyIsTheStartOfTheSpace) {
    for (const HashKind kind : {HashKind::kHashV1, HashKind::kHashV2, HashKind::kMultiHash}) {
        EXPECT_EQ(effective_partition_key({}, kind), "");
    }
}

TEST(EffectivePartitionKey, NegativeZeroIsZero) {
    EXPECT_EQ(hex_epk({-0.0}, HashKind::kHashV2), "155B95BEDAC4B1E9EC1CDC9BB0DDDE58");
    EXPECT_EQ(hex_epk({-0.0}, HashKind::kHashV1), "05C1BF6DA11560058000");
}

// Strings of more than 100 bytes within 100 characters: 101 bytes and no terminator.
TEST(EffectivePartitionKey, V1TruncatesLongUtf8At101Bytes) {
    EXPECT_EQ(hex_epk({repeat("\u00e9", 100)}, HashKind::kHashV1),
              "05C1D9C91DF1D808" + repeat("C4AA", 50) + "C4");
}

// Expected values: the independent implementation, given what .NET's Substring(0, 100) and UTF-8
// encoding make of each text.
TEST(EffectivePartitionKey, V1CountsUtf16Units) {
    const std::string smile = "\U0001F600";
    EXPECT_EQ(hex_epk({repeat(smile, 60)}, HashKind::kHashV1),
              "05C1DDEBD72DF008" + repeat("F1A09981", 25) + "F1");
    EXPECT_EQ(hex_epk({repeat(smile, 60)}, HashKind::kHashV1),
              hex_epk({repeat(smile, 50)}, HashKind::kHashV1));
    EXPECT_EQ(hex_epk({repeat("a", 98) + smile + "b"}, HashKind::kHashV1),
              "05C1DD87B7E74C08" + repeat("62", 98) + "F1A099");
}

TEST(EffectivePartitionKey, V1ReplacesHalfASurrogatePair) {
    const std::string smile = "\U0001F600";
    EXPECT_EQ(hex_epk({repeat("a", 99) + smile}, HashKind::kHashV1),
              "05C1E153DB455808" + repeat("62", 99) + "F0C0");
    EXPECT_EQ(hex_epk({"a" + repeat(smile, 60)}, HashKind::kHashV1),
              "05C1DF7F53E53C0862" + repeat("F1A09981", 25));
}

TEST(EffectivePartitionKey, AppendKeepsExistingContent) {
    std::string out = "K";
    append_effective_partition_key(out, {true}, HashKind::kHashV2);
    EXPECT_EQ(out, "K" + effective_partition_key({true}, HashKind::kHashV2));
}

TEST(UniqueEpk, DependsOnTheLengthOfV1Strings) {
    const auto text = [](std::size_t size) { return PartitionKeyValue{std::string(size, 'x')}; };
    EXPECT_TRUE(has_unique_epk({5.0}, HashKind::kHashV1));
    EXPECT_TRUE(has_unique_epk(text(99), HashKind::kHashV1));
    EXPECT_EQ(hex_epk(text(100), HashKind::kHashV1), hex_epk(text(101), HashKind::kHashV1));
    EXPECT_FALSE(has_unique_epk(text(100), HashKind::kHashV1));
    EXPECT_FALSE(has_unique_epk(text(101), HashKind::kHashV1));
    EXPECT_TRUE(has_unique_epk(text(2000), HashKind::kHashV2));
    EXPECT_TRUE(has_unique_epk(text(2000), HashKind::kMultiHash));
}

TEST(PrefixRange, ContainsExactlyTheKeysWithThePrefix) {
    const EpkRange range = prefix_range({std::string("tenant")});
    EXPECT_EQ(to_hex_upper(range.min_inclusive), "3B67F777541374F849FC7793DE5DF915");
    EXPECT_EQ(to_hex_upper(range.max_exclusive), "3B67F777541374F849FC7793DE5DF915FF");
    const auto holds = [&](const PartitionKeyValue& key) {
        const std::string epk = effective_partition_key(key, HashKind::kMultiHash);
        return range.min_inclusive <= epk && epk < range.max_exclusive;
    };
    EXPECT_TRUE(holds({std::string("tenant"), std::string("user")}));
    EXPECT_TRUE(holds({std::string("tenant"), PartitionKeyValue::Null{}, 5.0}));
    EXPECT_FALSE(holds({std::string("other"), std::string("user")}));
    EXPECT_EQ(prefix_range({}), (EpkRange{.min_inclusive = "", .max_exclusive = "\xFF"}));
}

std::vector<std::string> hex_boundaries(HashKind kind, unsigned count) {
    std::vector<std::string> out;
    for (const std::string& boundary : initial_boundaries(kind, count)) {
        out.push_back(to_hex_upper(boundary));
    }
    return out;
}

TEST(InitialBoundaries, MatchTheService) {
    using Texts = std::vector<std::string>;
    const std::string ones = repeat("F", 30);
    for (const HashKind kind : {HashKind::kHashV2, HashKind::kMultiHash}) {
        EXPECT_EQ(hex_boundaries(kind, 1), Texts{});
        EXPECT_EQ(hex_boundaries(kind, 2), (Texts{"1F" + ones}));
        EXPECT_EQ(hex_boundaries(kind, 4),
                  (Texts{"0F" + ones, "1F" + repeat("F", 29) + "E", "2F" + repeat("F", 29) + "D"}));
    }
    EXPECT_EQ(hex_boundaries(HashKind::kHashV1, 1), Texts{});
    EXPECT_EQ(hex_boundaries(HashKind::kHashV1, 2), Texts{"05C1DFFFFFFFFC"});
    EXPECT_EQ(hex_boundaries(HashKind::kHashV1, 4),
              (Texts{"05C1CFFFFFFFF8", "05C1DFFFFFFFF8", "05C1E7FFFFFFFA"}));
}

TEST(InitialBoundaries, AscendWithinTheSpace) {
    for (const HashKind kind : {HashKind::kHashV1, HashKind::kHashV2, HashKind::kMultiHash}) {
        std::string last;
        for (const std::string& boundary : initial_boundaries(kind, 1000)) {
            EXPECT_LT(last, boundary);
            last = boundary;
        }
        EXPECT_LT(last, kEpkEnd);
    }
}

TEST(ParseEpk, ReadsHexOfEitherCase) {
    EXPECT_EQ(parse_epk(""), "");
    EXPECT_EQ(parse_epk("FF"), "\xFF");
    EXPECT_EQ(parse_epk("05c1DfFf"), "\x05\xC1\xDF\xFF");
    for (const char* text : {"F", "FFF", "0g", "g0", " 1", "-1", "0x"}) {
        EXPECT_EQ(parse_epk(text), std::nullopt) << text;
    }
}

}  // namespace effective_partition_key_test
}  // namespace orrery::model
