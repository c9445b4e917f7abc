#include "model/client_encryption.h"

#include <string>

#include <gtest/gtest.h>

namespace orrery::model {
namespace client_encryption_test {

using json::Value;

constexpr const char* kKey =
    R"({"id":"k","encryptionAlgorithm":"AEAD_AES_256_CBC_HMAC_SHA256",)"
    R"("wrappedDataEncryptionKey":"AAEC","keyWrapMetadata":)"
    R"({"type":"T","name":"n","value":"https://vault/key","algorithm":"RSA-OAEP"}})";

std::string path(const std::string& name,
                 const std::string& type = "Deterministic",
                 const std::string& rest = "") {
    return R"({"path":")" + name + R"(","clientEncryptionKeyId":"k","encryptionType":")" + type +
           R"(","encryptionAlgorithm":"AEAD_AES_256_CBC_HMAC_SHA256")" + rest + "}";
}

Result<Value> policy(const std::string& paths, const std::string& rest = "") {
    const auto body = Value::parse("{\"includedPaths\":[" + paths + "]" + rest + "}");
    EXPECT_TRUE(body);
    return parse_client_encryption_policy(*body, {"/pk", "/nested/key"});
}

TEST(ClientEncryptionKey, KeepsWhatItKnows) {
    const auto parsed = parse_client_encryption_key(*Value::parse(kKey));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->text(), kKey);
}

TEST(ClientEncryptionKey, RefusesWhatNoClientCouldUse) {
    for (const auto& [from, to] : {std::pair{R"("id":"k")", R"("id":"")"},
                                   {R"("id":"k")", R"("id":"a/b")"},
                                   {"AEAD_AES", "AES"},
                                   {R"("AAEC")", R"("!")"},
                                   {R"("AAEC")", "1"},
                                   {R"("name":"n",)", ""},
                                   {R"("type":"T")", R"("type":1)"},
                                   {"keyWrapMetadata", "metadata"}}) {
        std::string text = kKey;
        text.replace(text.find(from), std::string(from).size(), to);
        const auto body = Value::parse(text);
        ASSERT_TRUE(body) << text;
        EXPECT_FALSE(parse_client_encryption_key(*body)) << text;
    }
}

TEST(ClientEncryptionPolicy, NamesItsKeys) {
    const auto parsed = policy(path("/a") + "," + path("/b", "Randomized"));
    ASSERT_TRUE(parsed);
    EXPECT_EQ(keys_of_policy(*parsed), (std::vector<std::string>{"k", "k"}));
    EXPECT_EQ(parsed->find("policyFormatVersion")->integer(), 1);
}

TEST(ClientEncryptionPolicy, IdAndKeyNeedDeterministicEncryptionAndVersion2) {
    for (const char* name : {"/id", "/pk", "/nested"}) {
        EXPECT_FALSE(policy(path(name))) << name;
        EXPECT_TRUE(policy(path(name), R"(,"policyFormatVersion":2)")) << name;
        EXPECT_FALSE(policy(path(name, "Randomized"), R"(,"policyFormatVersion":2)")) << name;
    }
}

TEST(ClientEncryptionPolicy, RefusesWhatNoClientCouldUse) {
    for (const std::string& paths : {path("a"),
                                     path("/"),
                                     path(""),
                                     path("/a/b"),
                                     path("/a", "Sometimes"),
                                     path("/a") + "," + path("/a"),
                                     std::string("1"),
                                     std::string(R"({"path":"/a"})")}) {
        EXPECT_FALSE(policy(paths)) << paths;
    }
    EXPECT_FALSE(policy(path("/a"), R"(,"policyFormatVersion":3)"));
    EXPECT_FALSE(policy(path("/a"), R"(,"policyFormatVersion":"2")"));
    EXPECT_FALSE(parse_client_encryption_policy(*Value::parse("[]"), {}));
    EXPECT_FALSE(parse_client_encryption_policy(*Value::parse("{}"), {}));
}

}  // namespace client_encryption_test
}  // namespace orrery::model
