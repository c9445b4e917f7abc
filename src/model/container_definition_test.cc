#include "model/container_definition.h"

#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "model/test_support.h"

namespace orrery::model {
namespace container_definition_test {

using testing::HasSubstr;
using testing::Optional;
using testing_support::container_body;
using testing_support::container_definition;
using testing_support::parsed;
using testing_support::refusal;

constexpr ContainerRules kOldRules{.partition_key_required = false};

// Why a body with these members is refused.
std::string refused(std::string_view members) {
    return refusal(parse_container_definition(container_body(members), {}));
}

std::string refused_key(const std::string& key) {
    return refused("{\"partitionKey\":" + key + "}");
}

PartitionKeyDefinition key_of(const std::string& key) {
    return container_definition("{\"partitionKey\":" + key + "}").partition_key;
}

std::string printed(std::string_view members) {
    return to_json(container_definition(members)).text();
}

TEST(ContainerDefinition, DefaultsAreFilledIn) {
    const auto body = parsed(R"({"id":"orders","partitionKey":{"paths":["/tenant"]}})");
    const auto definition = parse_container_definition(body, {});
    ASSERT_TRUE(definition);
    EXPECT_EQ(
        to_json(*definition).text(),
        R"({"id":"orders","indexingPolicy":{"indexingMode":"consistent","automatic":true,)"
        R"("includedPaths":[{"path":"/*"}],"excludedPaths":[]},)"
        R"("partitionKey":{"paths":["/tenant"],"kind":"Hash"},)"
        R"("uniqueKeyPolicy":{"uniqueKeys":[]},)"
        R"("conflictResolutionPolicy":{"mode":"LastWriterWins","conflictResolutionPath":"/_ts",)"
        R"("conflictResolutionProcedure":""},"geospatialConfig":{"type":"Geography"}})");
}

TEST(ContainerDefinition, PrintsAndParsesBackTheSame) {
    for (const char* members :
         {"{}",
          R"({"defaultTtl":-1})",
          R"({"defaultTtl":2147483647})",
          R"({"partitionKey":{"paths":["/a"],"version":1}})",
          R"({"partitionKey":{"paths":["/a","/b/c","/\"d e\""],"kind":"MultiHash","version":2}})",
          R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a","/b"]},{"paths":["/c"]}]}})",
          R"({"indexingPolicy":{"indexingMode":"none"}})",
          R"({"conflictResolutionPolicy":{"mode":"LastWriterWins","conflictResolutionPath":"/v"}})",
          R"({"conflictResolutionPolicy":{"mode":"Custom","conflictResolutionProcedure":"p"}})"}) {
        const std::string once = printed(members);
        const auto again = parse_container_definition(parsed(once), kStoredDefinition);
        ASSERT_TRUE(again) << members;
        EXPECT_EQ(to_json(*again).text(), once);
    }
}

TEST(ContainerDefinition, ReadsPathsThatEarlierVersionsAccepted) {
    const char* members = R"({"partitionKey":{"paths":["/first name"],"kind":"Hash"},)"
                          R"("uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/o'clock"]}]}})";
    const auto stored = parse_container_definition(container_body(members), kStoredDefinition);
    ASSERT_TRUE(stored) << stored.error().message();
    EXPECT_EQ(stored->partition_key.paths, (std::vector<json::Path>{{"first name"}}));
    EXPECT_FALSE(parse_container_definition(container_body(members), {}));
}

TEST(ContainerDefinition, TheIdIsRequiredAndChecked) {
    EXPECT_THAT(refusal(parse_container_definition(parsed("[]"), {})), HasSubstr("JSON object"));
    EXPECT_THAT(refusal(parse_container_definition(parsed(R"({"partitionKey":{}})"), {})),
                HasSubstr("'id; '"));
    EXPECT_THAT(refused(R"({"id":5})"), HasSubstr("'id; '"));
    EXPECT_THAT(refused(R"({"id":null})"), HasSubstr("'id; '"));
    EXPECT_THAT(refused(R"({"id":""})"), HasSubstr("non-empty"));
    EXPECT_THAT(refused(R"({"id":"a/b"})"), HasSubstr("contains one of"));
}

TEST(PartitionKeyDefinition, VersionDecidesTheHash) {
    EXPECT_EQ(key_of(R"({"paths":["/a"]})").kind, HashKind::kHashV1);
    EXPECT_EQ(key_of(R"({"paths":["/a"],"version":1})").kind, HashKind::kHashV1);
    EXPECT_EQ(key_of(R"({"paths":["/a"],"version":null,"kind":null})").kind, HashKind::kHashV1);
    EXPECT_EQ(key_of(R"({"paths":["/a"],"kind":"Hash","version":2})").kind, HashKind::kHashV2);
    EXPECT_EQ(key_of(R"({"paths":["/a"],"version":"V1"})").kind, HashKind::kHashV1);
    EXPECT_EQ(key_of(R"({"paths":["/a"],"version":"V2"})").kind, HashKind::kHashV2);
    EXPECT_EQ(key_of(R"({"paths":["/a","/b"],"kind":"MultiHash","version":2})").kind,
              HashKind::kMultiHash);
    for (const char* version : {"0", "3", "-1", "1.5", "\"2\"", "true", "{}"}) {
        EXPECT_THAT(refused_key(std::string(R"({"paths":["/a"],"version":)") + version + "}"),
                    HasSubstr("version must be 1 or 2"))
            << version;
    }
    EXPECT_THAT(refused_key(R"({"paths":["/a","/b"],"kind":"MultiHash","version":1})"),
                HasSubstr("version 2"));
}

TEST(PartitionKeyDefinition, VersionComesBackAsSent) {
    const auto sent = [](const std::string& version) {
        return to_json(container_definition(R"({"partitionKey":{"paths":["/a"])" + version + "}}"))
            .find("partitionKey")
            ->text();
    };
    EXPECT_EQ(sent(""), R"({"paths":["/a"],"kind":"Hash"})");
    EXPECT_EQ(sent(R"(,"version":1)"), R"({"paths":["/a"],"kind":"Hash","version":1})");
    EXPECT_EQ(sent(R"(,"version":2)"), R"({"paths":["/a"],"kind":"Hash","version":2})");
    EXPECT_EQ(sent(R"(,"version":"V2")"), R"({"paths":["/a"],"kind":"Hash","version":2})");
}

TEST(PartitionKeyDefinition, OnlyHashAndMultiHashExist) {
    EXPECT_THAT(refused_key(R"({"paths":["/a"],"kind":"Range"})"), HasSubstr("'Range'"));
    EXPECT_THAT(refused_key(R"({"paths":["/a"],"kind":1})"), HasSubstr("not supported"));
    EXPECT_THAT(refused_key(R"({"paths":["/a","/b"],"kind":"Hash","version":2})"),
                HasSubstr("exactly one path"));
}

TEST(PartitionKeyDefinition, OneToThreePaths) {
    const auto key = key_of(R"({"paths":["/a","/b/c","/\"d e\""],"kind":"MultiHash","version":2})");
    EXPECT_EQ(key.paths, (std::vector<json::Path>{{"a"}, {"b", "c"}, {"d e"}}));
    EXPECT_EQ(key.path_texts, (std::vector<std::string>{"/a", "/b/c", "/\"d e\""}));
    const std::string tail = R"(,"kind":"MultiHash","version":2})";
    EXPECT_THAT(refused_key(R"({"paths":[])" + tail), HasSubstr("at least one path"));
    EXPECT_EQ(refused_key(R"({"paths":["/a","/b","/c","/d"])" + tail),
              "Too many partition key paths (4) specified. A maximum of 3 is allowed.");
    EXPECT_THAT(refused_key(R"({"paths":["/a","/b","/a"])" + tail),
                HasSubstr("is specified twice"));
    EXPECT_THAT(refused_key(R"({"paths":["/a","/\"a\""])" + tail), HasSubstr("is specified twice"));
    EXPECT_THAT(refused_key(R"({"paths":"/a"})"), HasSubstr("must be an array"));
    EXPECT_THAT(refused_key(R"({"paths":[1]})"), HasSubstr("must hold strings"));
    EXPECT_THAT(refused_key(R"({})"), HasSubstr("must be an array"));
    EXPECT_THAT(refused_key(R"("/a")"), HasSubstr("must be an object"));
    for (const char* path : {"", "a", "/", "//", "/a/", "/a/*", "/a/?", "/a/[]", "/\\\"a"}) {
        EXPECT_THAT(refused_key(std::string(R"({"paths":[")") + path + "\"]}"),
                    HasSubstr("Partition key paths must contain only valid characters"))
            << path;
    }
    EXPECT_EQ(
        refused_key(R"({"paths":["id"]})"),
        "The partition key component definition path 'id' could not be accepted, failed near "
        "position '0'. Partition key paths must contain only valid characters and not contain "
        "a trailing slash or wildcard character.");
}

TEST(PartitionKeyDefinition, AbsenceMeansTheSystemKeyForOldClientsOnly) {
    const auto body = parsed(R"({"id":"old"})");
    const auto missing = parse_container_definition(body, {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().sub_status(), 1013U);
    EXPECT_FALSE(parse_container_definition(parsed(R"({"id":"old","partitionKey":null})"), {}));

    const auto old = parse_container_definition(body, kOldRules);
    ASSERT_TRUE(old);
    EXPECT_TRUE(old->partition_key.system_key);
    EXPECT_EQ(old->partition_key.kind, HashKind::kHashV1);
    EXPECT_EQ(to_json(*old).find("partitionKey")->text(),
              R"({"paths":["/_partitionKey"],"kind":"Hash","systemKey":true})");
    const auto again = parse_container_definition(to_json(*old), {});
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->partition_key.system_key);
}

TEST(PartitionKeyDefinition, SystemKeyAllowsOnlyItsOwnPath) {
    EXPECT_FALSE(key_of(R"({"paths":["/a"],"systemKey":true})").system_key);
    EXPECT_FALSE(key_of(R"({"paths":["/_partitionKey"],"systemKey":false})").system_key);
    EXPECT_FALSE(key_of(R"({"paths":["/_partitionKey"]})").system_key);
}

TEST(DefaultTtl, SecondsOrMinusOne) {
    EXPECT_EQ(container_definition("{}").default_ttl, std::nullopt);
    EXPECT_THAT(container_definition(R"({"defaultTtl":-1})").default_ttl, Optional(-1));
    EXPECT_THAT(container_definition(R"({"defaultTtl":1})").default_ttl, Optional(1));
    EXPECT_THAT(container_definition(R"({"defaultTtl":2147483647})").default_ttl,
                Optional(2147483647));
    for (const char* bad :
         {"null", "0", "-2", "2147483648", "1.5", "\"60\"", "true", "{}", "1e300"}) {
        EXPECT_THAT(refused(std::string("{\"defaultTtl\":") + bad + "}"), HasSubstr("defaultTtl"))
            << bad;
    }
}

TEST(UniqueKeys, UpToTenOfUpToSixteenPaths) {
    const auto policy = [](std::size_t keys, std::size_t paths) {
        std::string list = "[";
        for (std::size_t i = 0; i < paths; ++i) {
            list += (i == 0 ? "\"/p" : ",\"/p") + std::to_string(i) + "\"";
        }
        std::string out = R"({"uniqueKeyPolicy":{"uniqueKeys":[)";
        for (std::size_t i = 0; i < keys; ++i) {
            out += (i == 0 ? "{\"paths\":" : ",{\"paths\":") + list + "]}";
        }
        return out + "]}}";
    };
    EXPECT_EQ(container_definition(policy(10, 16)).unique_keys.size(), 10U);
    EXPECT_EQ(container_definition(policy(1, 16)).unique_keys[0].size(), 16U);
    EXPECT_THAT(refused(policy(11, 1)), HasSubstr("at most 10"));
    EXPECT_THAT(refused(policy(1, 17)), HasSubstr("1 to 16"));
    EXPECT_THAT(refused(policy(1, 0)), HasSubstr("1 to 16"));
}

TEST(UniqueKeys, BadPoliciesAreRefused) {
    EXPECT_TRUE(container_definition(R"({"uniqueKeyPolicy":{}})").unique_keys.empty());
    EXPECT_TRUE(container_definition(R"({"uniqueKeyPolicy":null})").unique_keys.empty());
    EXPECT_TRUE(
        container_definition(R"({"uniqueKeyPolicy":{"uniqueKeys":null}})").unique_keys.empty());
    for (const char* bad : {"[]",
                            "5",
                            R"({"uniqueKeys":{}})",
                            R"({"uniqueKeys":["/a"]})",
                            R"({"uniqueKeys":[{}]})",
                            R"({"uniqueKeys":[{"paths":"/a"}]})",
                            R"({"uniqueKeys":[{"paths":[1]}]})",
                            R"({"uniqueKeys":[{"paths":["a"]}]})",
                            R"({"uniqueKeys":[{"paths":["/a/*"]}]})",
                            R"({"uniqueKeys":[{"paths":["/a/[]/b"]}]})"}) {
        EXPECT_NE(refused(std::string("{\"uniqueKeyPolicy\":") + bad + "}"), "(not refused)")
            << bad;
    }
}

TEST(ConflictResolution, LastWriterWinsOrCustom) {
    const auto policy = [](const char* given) {
        return container_definition(std::string("{\"conflictResolutionPolicy\":") + given + "}")
            .conflict_resolution_policy.text();
    };
    const std::string standard = container_definition().conflict_resolution_policy.text();
    EXPECT_EQ(policy("{}"), standard);
    EXPECT_EQ(policy(R"({"mode":"LastWriterWins","conflictResolutionPath":""})"), standard);
    EXPECT_THAT(policy(R"({"conflictResolutionPath":"/version"})"), HasSubstr("\"/version\""));
    EXPECT_EQ(policy(R"({"mode":"custom","conflictResolutionProcedure":"dbs/d/colls/c/sprocs/p"})"),
              R"({"mode":"Custom","conflictResolutionPath":"",)"
              R"("conflictResolutionProcedure":"dbs/d/colls/c/sprocs/p"})");
    EXPECT_THAT(policy(R"({"mode":"Custom"})"), HasSubstr(R"("conflictResolutionProcedure":"")"));
    for (const char* bad : {R"({"mode":"First"})",
                            R"({"mode":1})",
                            R"({"mode":"Custom","conflictResolutionPath":"/v"})",
                            R"({"conflictResolutionProcedure":"p"})",
                            "[]"}) {
        EXPECT_NE(refused(std::string("{\"conflictResolutionPolicy\":") + bad + "}"),
                  "(not refused)")
            << bad;
    }
    EXPECT_THAT(refused(R"({"conflictResolutionPolicy":{"conflictResolutionPath":1}})"),
                HasSubstr("conflictResolutionPath"));
}

TEST(ContainerDefinition, UnsupportedPropertiesAreRefusedByName) {
    for (const char* name : {"ttlPropertyPath",
                             "analyticalStorageTtl",
                             "clientEncryptionPolicy",
                             "vectorEmbeddingPolicy",
                             "fullTextPolicy",
                             "materializedViewDefinition",
                             "dataMaskingPolicy"}) {
        const std::string member = std::string("{\"") + name + "\":";
        EXPECT_THAT(refused(member + "{\"x\":1}}"), HasSubstr(name));
        EXPECT_NO_FATAL_FAILURE(container_definition(member + "null}"));
    }
    EXPECT_THAT(refused(R"({"geospatialConfig":{"type":"Geometry"}})"), HasSubstr("geospatial"));
}

TEST(ContainerDefinition, VersionRetention) {
    const char* members = R"({"changeFeedPolicy":{"retentionDuration":10}})";
    EXPECT_EQ(container_definition(members).version_retention_minutes, 10);
    EXPECT_THAT(printed(members), HasSubstr(R"("changeFeedPolicy":{"retentionDuration":10})"));
    EXPECT_EQ(container_definition(R"({"changeFeedPolicy":null})").version_retention_minutes, 0);
    for (const char* bad : {"1",
                            "{}",
                            R"({"x":1})",
                            R"({"retentionDuration":-1})",
                            R"({"retentionDuration":1.5})",
                            R"({"retentionDuration":"10"})",
                            R"({"retentionDuration":43201})"}) {
        EXPECT_THAT(refused(std::string(R"({"changeFeedPolicy":)") + bad + "}"),
                    HasSubstr("retentionDuration"))
            << bad;
    }
}

TEST(ContainerDefinition, ComputedPropertiesAreKept) {
    const char* members =
        R"({"computedProperties":[{"name":"x","query":"SELECT VALUE 1 FROM c"}]})";
    EXPECT_THAT(printed(members), HasSubstr(R"([{"name":"x","query":"SELECT VALUE 1 FROM c"}])"));
    EXPECT_THAT(refused(R"({"computedProperties":{}})"),
                HasSubstr("One of the specified inputs is invalid"));
    EXPECT_THAT(refused(R"({"computedProperties":[{"name":"x"}]})"), HasSubstr("query"));
    EXPECT_THAT(refused(R"({"computedProperties":[{"name":"id","query":""}]})"), HasSubstr("id"));
    EXPECT_THAT(refused(R"({"computedProperties":[{"name":"x","query":""},
                                                  {"name":"x","query":""}]})"),
                HasSubstr("more than once"));
}

TEST(ContainerDefinition, SpellingsOfTheDefaultAreAccepted) {
    for (const char* members : {R"({"computedProperties":[]})",
                                R"({"changeFeedPolicy":{"retentionDuration":0}})",
                                R"({"geospatialConfig":{"type":"Geography"}})"}) {
        EXPECT_EQ(printed(members), printed("{}")) << members;
    }
}

TEST(ContainerChange, PoliciesMayChange) {
    const auto from = container_definition();
    EXPECT_TRUE(check_container_change(from, from));
    EXPECT_TRUE(check_container_change(from, container_definition(R"({"defaultTtl":5})")));
    EXPECT_TRUE(check_container_change(
        from, container_definition(R"({"indexingPolicy":{"indexingMode":"none"}})")));
}

TEST(ContainerChange, IdAndKeysMayNotChange) {
    const auto from = container_definition();
    const auto change = [&](std::string_view members) {
        return refusal(check_container_change(from, container_definition(members)));
    };
    EXPECT_THAT(change(R"({"id":"other"})"), HasSubstr("'id'"));
    EXPECT_THAT(change(R"({"partitionKey":{"paths":["/other"],"version":2}})"),
                HasSubstr("'partitionKey'"));
    EXPECT_THAT(change(R"({"partitionKey":{"paths":["/pk"],"version":1}})"),
                HasSubstr("'partitionKey'"));
    EXPECT_THAT(change(R"({"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a"]}]}})"),
                HasSubstr("'uniqueKeyPolicy'"));
}

}  // namespace container_definition_test
}  // namespace orrery::model
