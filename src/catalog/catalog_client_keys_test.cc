#include <string>

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "model/client_encryption.h"
#include "model/limits.h"
#include "model/test_support.h"
#include "storage/memory/memory_engine.h"

namespace orrery::catalog {
namespace catalog_client_keys_test {

using model::testing_support::must;
using model::testing_support::parsed;

json::Value definition(const std::string& id, const std::string& wrapped = "AAEC") {
    return must(model::parse_client_encryption_key(parsed(
        R"({"id":")" + id +
        R"(","encryptionAlgorithm":"AEAD_AES_256_CBC_HMAC_SHA256",)"
        R"("wrappedDataEncryptionKey":")" +
        wrapped + R"(","keyWrapMetadata":{"type":"T","name":"n","value":"v","algorithm":"A"}})")));
}

class ClientKeysTest : public testing::Test {
protected:
    void SetUp() override {
        reopen();
        database_ = must(catalog_->create_database("d", std::nullopt))->rid;
    }
    void reopen() { catalog_ = must(Catalog::open(must(engine_.open(0)), clock_, random_)); }
    template <typename T>
    static ErrorCode code_of(const T& result) {
        return result ? ErrorCode::kInternal : result.error().code();
    }

    storage::MemoryEngine engine_;
    ManualClock clock_{std::chrono::seconds(1'700'000'000)};
    SeededRandom random_{1};
    std::unique_ptr<Catalog> catalog_;
    model::DatabaseRid database_;
};

TEST_F(ClientKeysTest, AreKeptAndReplaced) {
    const auto made = must(catalog_->create_client_key(database_, definition("k")));
    EXPECT_EQ(code_of(catalog_->create_client_key(database_, definition("k"))),
              ErrorCode::kConflict);
    EXPECT_EQ(code_of(catalog_->replace_client_key(made->rid, definition("k"), "\"other\"")),
              ErrorCode::kPreconditionFailed);
    must(catalog_->replace_client_key(made->rid, definition("k", "AwQF"), std::nullopt));
    reopen();
    const auto read = catalog_->find_client_key(database_, "k");
    ASSERT_NE(read, nullptr);
    EXPECT_EQ(read->definition.text(), definition("k", "AwQF").text());
    EXPECT_EQ(model::ClientKeyRid::parse(read->rid.text()), made->rid);
    EXPECT_EQ(code_of(catalog_->replace_client_key({9, 9}, definition("k"), std::nullopt)),
              ErrorCode::kNotFound);
}

TEST_F(ClientKeysTest, AreLimitedAndGoWithTheirDatabase) {
    for (std::size_t i = 0; i < model::limits::kClientKeysMax; ++i)
        must(catalog_->create_client_key(database_, definition("k" + std::to_string(i))));
    EXPECT_EQ(code_of(catalog_->create_client_key(database_, definition("more"))),
              ErrorCode::kForbidden);
    EXPECT_EQ(catalog_->client_keys(database_).size(), model::limits::kClientKeysMax);
    ASSERT_TRUE(catalog_->remove_database(database_, std::nullopt));
    EXPECT_TRUE(catalog_->client_keys(database_).empty());
    reopen();
    EXPECT_TRUE(catalog_->client_keys(database_).empty());
}

}  // namespace catalog_client_keys_test
}  // namespace orrery::catalog
