#include "auth/authenticator.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/http_date.h"
#include "base/percent.h"
#include "model/limits.h"

namespace orrery::auth {
namespace authenticator_test {

constexpr const char* kDate = "Thu, 27 Apr 2017 00:51:12 GMT";
// From the REST documentation of master-key tokens.
constexpr const char* kKey =
    "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw==";
constexpr const char* kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
// Of GET dbs/ToDoList with each of them.
constexpr const char* kSigned =
    "type%3dmaster%26ver%3d1.0%26sig%3dc09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu%2bc%2bc%3d";
constexpr const char* kSignedByEmulator =
    "type=master&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=";

class AuthenticatorTest : public testing::Test {
protected:
    Result<Principal> identify(std::optional<std::string_view> authorization) {
        const SignedParts parts{.method = method_,
                                .resource_type = type_,
                                .other_resource_type = other_type_,
                                .resource_links = links_,
                                .x_ms_date = kDate,
                                .date = std::nullopt};
        return authenticator_.identify(authorization, parts, now_);
    }
    Principal::Kind kind_of(std::string_view authorization) {
        const auto principal = identify(authorization);
        return principal ? principal->kind : Principal::Kind::kNobody;
    }

    std::string method_ = "GET";
    std::string type_ = "dbs";
    std::string other_type_;
    std::vector<std::string> links_ = {"dbs/ToDoList"};
    std::int64_t now_ = *parse_http_date(kDate);
    AccountKeys keys_;
    const ResourceTokens tokens_{"secret"};
    BearerTokens bearers_{{}, keys_};
    const Authenticator authenticator_{keys_, tokens_, bearers_};
};

TEST_F(AuthenticatorTest, AcceptsThePublishedSignatures) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kKey));
    EXPECT_EQ(kind_of(kSigned), Principal::Kind::kAccountKey);
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kEmulatorKey));
    EXPECT_EQ(kind_of(kSignedByEmulator), Principal::Kind::kAccountKey);
    type_ = "";
    links_ = {""};
    EXPECT_EQ(kind_of("type=master&ver=1.0&sig=gFB1bRB/PLJTG3bCgMuoVgNzOyFvZAamzEtLuSITjRc="),
              Principal::Kind::kAccountKey);
}

TEST_F(AuthenticatorTest, AcceptsEverySpellingOfTypeAndLink) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kEmulatorKey));
    links_ = {"dbs/other", "dbs/ToDoList"};
    EXPECT_TRUE(identify(kSignedByEmulator));
    type_ = "other";
    EXPECT_FALSE(identify(kSignedByEmulator));
    other_type_ = "dbs";
    EXPECT_TRUE(identify(kSignedByEmulator));
}

TEST_F(AuthenticatorTest, KnowsFourKeys) {
    for (const KeySlot slot : kKeySlots) {
        AccountKeys fresh;
        ASSERT_TRUE(fresh.set(slot, kKey));
        const Authenticator authenticator(fresh, tokens_, bearers_);
        const SignedParts parts{.method = method_,
                                .resource_type = type_,
                                .resource_links = links_,
                                .x_ms_date = kDate,
                                .date = std::nullopt};
        const auto principal = authenticator.identify(kSigned, parts, now_);
        ASSERT_TRUE(principal) << name_of(slot);
        EXPECT_EQ(
            principal->kind,
            is_read_only(slot) ? Principal::Kind::kReadOnlyKey : Principal::Kind::kAccountKey);
        EXPECT_EQ(parse_key_slot(name_of(slot)), slot);
    }
    EXPECT_EQ(parse_key_slot("PrimaryReadOnly"), KeySlot::kPrimaryReadOnly);
    EXPECT_FALSE(parse_key_slot("tertiary"));
}

// One key is replaced while clients use the other.
TEST_F(AuthenticatorTest, AKeyIsReplacedWithoutTheOther) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kKey));
    ASSERT_TRUE(keys_.set(KeySlot::kSecondary, kEmulatorKey));
    EXPECT_TRUE(identify(kSigned));
    EXPECT_TRUE(identify(kSignedByEmulator));
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, base64_encode(std::string(64, 'n'))));
    EXPECT_FALSE(identify(kSigned));
    EXPECT_TRUE(identify(kSignedByEmulator));
    EXPECT_FALSE(keys_.set(KeySlot::kSecondary, "short"));
    EXPECT_TRUE(identify(kSignedByEmulator));
    EXPECT_EQ(keys_.text(KeySlot::kSecondary), kEmulatorKey);
    EXPECT_EQ(keys_.text(KeySlot::kPrimaryReadOnly), "");
}

TEST_F(AuthenticatorTest, RefusesEverythingElseWith401) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kEmulatorKey));
    for (const char* authorization :
         {"",
          "x",
          "type=master",
          "type=master&ver=1.0",
          "type=master&ver=1.0&sig=",
          "type=master&ver=1.0&sig=AAAA",
          "type=resource&ver=1&sig=abc",
          "type=resource&ver=1&sig=abc;def;",
          "type=aad&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=",
          "type=sas&ver=1.0&sig=mM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=",
          "type=master&ver=1.0&sig=nM0rMK/7o1MZhQwDitGRoGisPRPx09os/86Jk0YwquY=",
          "%zz",
          "type%3dmaster%26ver%3d1.0%26sig%3"}) {
        const auto principal = identify(authorization);
        ASSERT_FALSE(principal) << authorization;
        EXPECT_EQ(principal.error().code(), ErrorCode::kUnauthorized) << authorization;
    }
    EXPECT_FALSE(identify(std::nullopt));
}

TEST_F(AuthenticatorTest, LimitsTheLengthByType) {
    const auto sub_status = [&](const std::string& type, std::size_t size) {
        std::string header = "type=" + type + "&ver=1.0&sig=";
        header.append(size - header.size(), 'A');
        return identify(header).error().sub_status();
    };
    EXPECT_EQ(sub_status("master", model::limits::kAuthorizationBytesMax), 0U);
    EXPECT_EQ(sub_status("master", model::limits::kAuthorizationBytesMax + 1), 5001U);
    EXPECT_EQ(sub_status("resource", model::limits::kResourceTokenBytesMax), 0U);
    EXPECT_EQ(sub_status("resource", model::limits::kResourceTokenBytesMax + 1), 5001U);
    EXPECT_EQ(sub_status("aad", model::limits::kBearerTokenBytesMax), 5003U);
    EXPECT_EQ(sub_status("aad", model::limits::kBearerTokenBytesMax + 1), 5001U);
}

TEST_F(AuthenticatorTest, ErrorShowsThePayloadButNotTheKey) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kKey));
    const auto principal =
        identify("type=master&ver=1.0&sig=" + base64_encode(std::string(32, 'x')));
    ASSERT_FALSE(principal);
    EXPECT_NE(principal.error().message().find("to sign: 'get\ndbs\ndbs/ToDoList\n"),
              std::string::npos);
    EXPECT_EQ(principal.error().message().find(kKey), std::string::npos);
}

TEST_F(AuthenticatorTest, RefusesADateOutsideTheWindowWith403) {
    ASSERT_TRUE(keys_.set(KeySlot::kPrimary, kEmulatorKey));
    const std::int64_t signed_at = now_;
    for (const int offset : {-900, 900}) {
        now_ = signed_at + offset;
        EXPECT_TRUE(identify(kSignedByEmulator));
    }
    for (const int offset : {-901, 901}) {
        now_ = signed_at + offset;
        const auto principal = identify(kSignedByEmulator);
        ASSERT_FALSE(principal);
        EXPECT_EQ(principal.error().code(), ErrorCode::kForbidden);
    }
}

TEST_F(AuthenticatorTest, TakesResourceTokensEncodedOrNot) {
    ResourceGrant grant;
    grant.database = "d+%41";
    grant.container = "c";
    grant.issued = now_;
    grant.expires = now_ + 60;
    const std::string token = tokens_.issue(grant);
    for (const std::string& header : {token, percent_encode(token)}) {
        const auto principal = identify(header);
        ASSERT_TRUE(principal);
        EXPECT_EQ(principal->kind, Principal::Kind::kResourceToken);
        EXPECT_EQ(principal->grant->database, "d+%41");
    }
    now_ += 60;
    EXPECT_EQ(identify(token).error().code(), ErrorCode::kForbidden);
}

TEST(MasterKeyParse, RefusesShortAndMalformedKeys) {
    EXPECT_FALSE(MasterKey::from_base64(""));
    EXPECT_FALSE(MasterKey::from_base64("not base64!"));
    EXPECT_FALSE(MasterKey::from_base64("AAAA"));
    EXPECT_TRUE(MasterKey::from_base64(kKey));
}

}  // namespace authenticator_test
}  // namespace orrery::auth
