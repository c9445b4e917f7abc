#include "model/etag.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery::model {
namespace etag_test {

std::string etag(const EtagParts& parts) {
    std::string out;
    append_etag(out, parts);
    return out;
}

TEST(Etag, LooksLikeAQuotedGuid) {
    EXPECT_EQ(etag({.lsn = 0xd826, .partition = 7, .ordinal = 0, .unix_seconds = 0x5b7d0d8a}),
              "\"00000000-d826-0007-0000-5b7d0d8a0000\"");
    EXPECT_EQ(etag({.lsn = 0x123456789abc,
                    .partition = 0xfffe1234,
                    .ordinal = 0xabcd,
                    .unix_seconds = 0x1'5b7d0d8a}),
              "\"12345678-9abc-1234-abcd-5b7d0d8a0000\"");
    EXPECT_EQ(etag({}), "\"00000000-0000-0000-0000-000000000000\"");
    EXPECT_EQ(etag({.lsn = 5, .stamped = true}), "\"00000000-0005-0000-0000-000000000001\"");
}

TEST(Etag, AppendKeepsExistingContent) {
    std::string out = "etag: ";
    append_etag(out, {.lsn = 1});
    EXPECT_EQ(out, "etag: \"00000000-0001-0000-0000-000000000000\"");
}

TEST(Etag, EveryPartDistinguishesWrites) {
    const std::string base = etag({.lsn = 5, .partition = 5, .ordinal = 5, .unix_seconds = 5});
    EXPECT_NE(base, etag({.lsn = 6, .partition = 5, .ordinal = 5, .unix_seconds = 5}));
    EXPECT_NE(base, etag({.lsn = 5, .partition = 6, .ordinal = 5, .unix_seconds = 5}));
    EXPECT_NE(base, etag({.lsn = 5, .partition = 5, .ordinal = 6, .unix_seconds = 5}));
    EXPECT_NE(base, etag({.lsn = 5, .partition = 5, .ordinal = 5, .unix_seconds = 6}));
}

TEST(EtagMatches, AcceptsTheFormsClientsUse) {
    const std::string tag = "\"00000000-d826-0007-0000-5b7d0d8a0000\"";
    for (const char* header : {"\"00000000-d826-0007-0000-5b7d0d8a0000\"",
                               "00000000-d826-0007-0000-5b7d0d8a0000",
                               "W/\"00000000-d826-0007-0000-5b7d0d8a0000\"",
                               "  \"00000000-d826-0007-0000-5b7d0d8a0000\"\t",
                               "*",
                               " * ",
                               "\"a\",\"00000000-d826-0007-0000-5b7d0d8a0000\"",
                               "\"a\" , W/\"00000000-d826-0007-0000-5b7d0d8a0000\" , \"b\"",
                               "a,00000000-d826-0007-0000-5b7d0d8a0000"}) {
        EXPECT_TRUE(etag_matches(header, tag)) << header;
    }
}

TEST(EtagMatches, NothingElse) {
    const std::string tag = "\"00000000-d826-0007-0000-5b7d0d8a0000\"";
    for (const char* header : {"",
                               " ",
                               ",",
                               "\"\"",
                               "\"",
                               "W/",
                               "W/*",
                               "\"*\"",
                               "a,*",
                               "\"00000000-d826-0007-0000-5b7d0d8a0001\"",
                               "00000000-d826-0007-0000-5b7d0d8a000",
                               "00000000-D826-0007-0000-5B7D0D8A0000",
                               "\"00000000-d826-0007-0000-5b7d0d8a0000",
                               "\"a,00000000-d826-0007-0000-5b7d0d8a0000,b\"",
                               "w/\"00000000-d826-0007-0000-5b7d0d8a0000\""}) {
        EXPECT_FALSE(etag_matches(header, tag)) << header;
    }
}

}  // namespace etag_test
}  // namespace orrery::model
