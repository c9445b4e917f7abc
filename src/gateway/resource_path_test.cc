#include "gateway/resource_path.h"

#include <gmock/gmock.h>
#include <string>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::gateway {
namespace resource_path_test {

using model::testing_support::must;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

ErrorCode refused(std::string_view target) {
    const auto path = parse_resource_path(target);
    EXPECT_FALSE(path) << target;
    return path ? ErrorCode::kInternal : path.error().code();
}

TEST(ResourcePath, ParsesEveryResourceType) {
    const auto expect = [](std::string_view target, ResourceType type, std::string_view name) {
        for (const bool feed : {true, false}) {
            const std::string whole = std::string(target) + (feed ? "" : "/id");
            const auto path = must(parse_resource_path(whole));
            EXPECT_EQ(path.type, type) << whole;
            EXPECT_EQ(path.feed, feed) << whole;
            if (type != ResourceType::kOperation) {
                EXPECT_EQ(path.type_name, name) << whole;
            }
        }
    };
    expect("/dbs", ResourceType::kDatabase, "dbs");
    expect("/dbs/d/colls", ResourceType::kContainer, "colls");
    expect("/dbs/d/users", ResourceType::kUser, "users");
    expect("/dbs/d/users/u/permissions", ResourceType::kPermission, "permissions");
    expect(
        "/dbs/d/clientencryptionkeys", ResourceType::kClientEncryptionKey, "clientencryptionkeys");
    expect("/dbs/d/colls/c/docs", ResourceType::kItem, "docs");
    expect("/dbs/d/colls/c/docs/i/attachments", ResourceType::kAttachment, "attachments");
    expect("/dbs/d/colls/c/sprocs", ResourceType::kStoredProcedure, "sprocs");
    expect("/dbs/d/colls/c/triggers", ResourceType::kTrigger, "triggers");
    expect("/dbs/d/colls/c/udfs", ResourceType::kUdf, "udfs");
    expect("/dbs/d/colls/c/conflicts", ResourceType::kConflict, "conflicts");
    expect("/dbs/d/colls/c/pkranges", ResourceType::kRange, "pkranges");
    expect("/dbs/d/colls/c/operations", ResourceType::kOperation, "operations");
    expect("/offers", ResourceType::kOffer, "offers");
    expect("/addresses", ResourceType::kAddress, "addresses");
}

TEST(ResourcePath, RootIsTheAccount) {
    for (const char* target : {"", "/", "//", "/?x=1"}) {
        const auto path = must(parse_resource_path(target));
        EXPECT_EQ(path.type, ResourceType::kAccount);
        EXPECT_FALSE(path.feed);
        EXPECT_EQ(path.type_name, "");
        EXPECT_THAT(path.ids, IsEmpty());
        EXPECT_THAT(path.signed_links, ElementsAre(""));
    }
}

TEST(ResourcePath, IgnoresExtraSlashesAndSegmentCase) {
    for (const char* target : {"/dbs/D/colls/C/docs/I",
                               "//dbs//D/colls/C//docs/I//",
                               "dbs/D/colls/C/docs/I",
                               "/DBS/D/Colls/C/dOcs/I",
                               "/dbs/D/colls/C/docs/I#z"}) {
        const auto path = must(parse_resource_path(target));
        EXPECT_EQ(path.type, ResourceType::kItem) << target;
        EXPECT_THAT(path.ids, ElementsAre("D", "C", "I")) << target;
    }
}

TEST(ResourcePath, KeepsAQuestionMarkInAnItemId) {
    const auto item = must(parse_resource_path("/dbs/D/colls/C/docs/a?b=%20c?#d"));
    EXPECT_THAT(item.ids, ElementsAre("D", "C", "a?b= c?"));
    EXPECT_THAT(item.signed_links, Contains("dbs/D/colls/C/docs/a?b= c?"));
    EXPECT_THAT(item.signed_links, Contains("dbs/D/colls/C/docs/a?b=%20c?"));
    EXPECT_THAT(must(parse_resource_path("/dbs/D/colls/C/docs/?x")).ids,
                ElementsAre("D", "C", "?x"));
}

TEST(ResourcePath, IgnoresOtherQueryStrings) {
    EXPECT_THAT(must(parse_resource_path("/dbs/D?x=1/y")).ids, ElementsAre("D"));
    EXPECT_THAT(must(parse_resource_path("/dbs/D/colls/C?x=1")).ids, ElementsAre("D", "C"));
    EXPECT_THAT(must(parse_resource_path("/dbs/D/colls/C/docs?x=1")).ids, ElementsAre("D", "C"));
    EXPECT_THAT(must(parse_resource_path("/dbs/D/colls/C/sprocs/S?x=1")).ids,
                ElementsAre("D", "C", "S"));
    EXPECT_EQ(must(parse_resource_path("/addresses/?$resolveFor=dbs/D")).type,
              ResourceType::kAddress);
}

TEST(ResourcePath, DecodesIds) {
    const auto path = must(parse_resource_path("/dbs/a%20b+%C3%A9%25/colls/c%2Fd/docs/%22%23%3F"));
    EXPECT_THAT(path.ids, ElementsAre("a b+é%", "c/d", "\"#?"));
    EXPECT_THAT(path.signed_links, Contains("dbs/a b+é%/colls/c/d/docs/\"#?"));
    EXPECT_THAT(path.signed_links, Contains("dbs/a%20b+%C3%A9%25/colls/c%2Fd/docs/%22%23%3F"));
}

TEST(ResourcePath, SignedLinks) {
    EXPECT_EQ(must(parse_resource_path("/dbs/d/colls/c/docs")).signed_links[0], "dbs/d/colls/c");
    EXPECT_EQ(must(parse_resource_path("/dbs/d/colls/c")).signed_links[0], "dbs/d/colls/c");
    EXPECT_EQ(must(parse_resource_path("/dbs")).signed_links[0], "");
    EXPECT_THAT(must(parse_resource_path("/dbs/AQAAAA==/colls/AQAAAIAAAAE=/docs")).signed_links,
                Contains("aqaaaiaaaae="));
    EXPECT_THAT(must(parse_resource_path("/offers/uT2L")).signed_links, Contains("ut2l"));
}

TEST(ResourcePath, OperationIsSignedAsItsContainer) {
    const auto path = must(parse_resource_path("/dbs/d/colls/c/operations/partitionkeydelete"));
    EXPECT_EQ(path.type_name, "colls");
    EXPECT_EQ(path.signed_links[0], "dbs/d/colls/c");
}

TEST(ResourcePath, MediaIsSignedAsItsAttachment) {
    for (const char* target :
         {"/media/AQAAAIAAAAEBAAAAAAAAAAEAAAAB", "//media/AQAAAIAAAAEBAAAAAAAAAAEAAAAB?x=1"}) {
        const auto path = must(parse_resource_path(target));
        EXPECT_EQ(path.type, ResourceType::kMedia);
        EXPECT_FALSE(path.feed);
        EXPECT_EQ(path.type_name, "media");
        EXPECT_THAT(path.ids,
                    ElementsAre("AQAAAA==",
                                "AQAAAIAAAAE=",
                                "AQAAAIAAAAEBAAAAAAAAAA==",
                                "AQAAAIAAAAEBAAAAAAAAAAEAAAA="));
        EXPECT_THAT(path.signed_links, ElementsAre("aqaaaiaaaaebaaaaaaaaaaeaaaa="));
    }
}

TEST(ResourcePath, UnknownPathIsNotFound) {
    for (const char* target : {"/db",
                               "/dbs/d/docs",
                               "/colls",
                               "/docs",
                               "/dbs/d/colls/c/docs/i/x",
                               "/dbs/d/colls/c/users",
                               "/dbs/d/offers",
                               "/clientconfigs",
                               "/media",
                               "/media/x",
                               "/media/AQAAAIAAAAEBAAAAAAAAAAEAAAA=",
                               "/media/AQAAAIAAAAEBAAAAAAAAAAEAAAAB/x",
                               "/favicon.ico",
                               "/dbs/d/colls/c/schemas",
                               "/dbs/d/dbs",
                               "/dbs/d/colls/c/docs/i/attachments/a/b",
                               "/1/2/3/4/5/6/7/8/9/10",
                               "/dbs/d/colls/c/d%6Fcs2"}) {
        EXPECT_EQ(refused(target), ErrorCode::kNotFound) << target;
    }
}

TEST(ResourcePath, UndecodablePathIsRefused) {
    for (const char* target : {"/dbs/%", "/dbs/%2", "/dbs/%zz", "/dbs/a%", "/dbs/%%20"}) {
        EXPECT_EQ(refused(target), ErrorCode::kBadRequest) << target;
    }
    EXPECT_EQ(refused("/dbs/" + std::string(9000, 'x')), ErrorCode::kBadRequest);
    EXPECT_TRUE(parse_resource_path("/dbs/" + std::string(8000, 'x')));
}

TEST(ResourcePath, TypeNames) {
    EXPECT_EQ(name_of(ResourceType::kStoredProcedure), "stored procedures");
    EXPECT_EQ(name_of(ResourceType::kItem), "items");
    EXPECT_EQ(name_of(ResourceType::kAccount), "account");
}

}  // namespace resource_path_test
}  // namespace orrery::gateway
