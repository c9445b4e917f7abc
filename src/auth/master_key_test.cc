#include "auth/master_key.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/http_date.h"
#include "base/percent.h"

namespace orrery::auth {
namespace master_key_test {

constexpr const char* kDate = "Thu, 27 Apr 2017 00:51:12 GMT";
// From the REST documentation of master-key tokens.
constexpr const char* kKey =
    "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
constexpr const char* kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

class MasterKeyTest : public testing::Test {
protected:
    Status check(const char* key, std::string_view authorization) {
        const SignedParts parts{.method = method_,
                                .resource_type = type_,
                                .resource_links = links_,
                                .x_ms_date = kDate,
                                .date = std::nullopt};
        return MasterKey::from_base64(key)->check(authorization, parts, now_);
    }

    std::string method_ = "GET";
    std::string type_ = "dbs";
    std::vector<std::string> links_ = {"dbs/ToDoList"};
    std::int64_t now_ = *parse_http_date(kDate);
};

TEST_F(MasterKeyTest, AcceptsThePublishedSignatures) {
    EXPECT_TRUE(check(
        kKey,
        "type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d"));
    EXPECT_TRUE(check(kEmulatorKey,
                      "type=master&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY="));
    type_ = "";
    links_ = {""};
    EXPECT_TRUE(check(kEmulatorKey,
                      "type=master&ver=1.0&sig=gFB1bRB/PLJTG3bCgMuoVgNzOyFvZAamzEtLuSITjRc="));
}

TEST_F(MasterKeyTest, AcceptsEverySpellingOfTheLink) {
    links_ = {"dbs/other", "dbs/ToDoList"};
    EXPECT_TRUE(check(kEmulatorKey,
                      "type=master&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY="));
}

TEST_F(MasterKeyTest, RefusesEverythingElseWith401) {
    for (const char* authorization :
         {"",
          "x",
          "type=master",
          "type=master&ver=1.0",
          "type=master&ver=1.0&sig=",
          "type=master&ver=1.0&sig=AAAA",
          "type=resource&ver=1&sig=abc",
          "type=aad&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=",
          "type=master&ver=1.0&sig=nM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=",
          "%zz",
          "type%3dmaster%26ver%3d1.0%26sig%3"}) {
        const Status result = check(kEmulatorKey, authorization);
        ASSERT_FALSE(result) << authorization;
        EXPECT_EQ(result.error().code(), ErrorCode::kUnauthorized) << authorization;
    }
    EXPECT_FALSE(check(kEmulatorKey, std::string(5000, 'a')));
}

TEST_F(MasterKeyTest, ErrorShowsThePayloadButNotTheKey) {
    const Status result =
        check(kKey, "type=master&ver=1.0&sig=" + base64_encode(std::string(32, 'x')));
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message().find("to sign: 'get\ndbs\ndbs/ToDoList\n"),
              std::string::npos);
    EXPECT_EQ(result.error().message().find(kKey), std::string::npos);
}

TEST_F(MasterKeyTest, RefusesADateOutsideTheWindowWith403) {
    const std::string good = "type=master&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=";
    const std::int64_t signed_at = now_;
    for (const int offset : {-900, 900}) {
        now_ = signed_at + offset;
        EXPECT_TRUE(check(kEmulatorKey, good));
    }
    for (const int offset : {-901, 901}) {
        now_ = signed_at + offset;
        const Status result = check(kEmulatorKey, good);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code(), ErrorCode::kForbidden);
    }
}

TEST(MasterKeyParse, RefusesShortAndMalformedKeys) {
    EXPECT_FALSE(MasterKey::from_base64(""));
    EXPECT_FALSE(MasterKey::from_base64("not base64!"));
    EXPECT_FALSE(MasterKey::from_base64("AAAA"));
    EXPECT_TRUE(MasterKey::from_base64(kKey));
}

}  // namespace master_key_test
}  // namespace orrery::auth
