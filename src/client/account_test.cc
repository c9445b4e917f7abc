#include "client/account.h"

#include <fstream>
#include <gmock/gmock.h>

#include <gtest/gtest.h>

namespace orrery::client {
namespace account_test {

using testing::HasSubstr;

const std::string kKey = "bXkgc2VjcmV0IGtleSBvZiB0aGlydHktdHdvIGJ5dGVzISE=";

std::string problem(const AccountOptions& options) {
    const auto account = resolve_account(options);
    return account ? "" : account.error().message();
}

TEST(AccountTest, IsTheLocalServerByDefault) {
    const auto account = resolve_account({});
    ASSERT_TRUE(account);
    EXPECT_EQ(account->endpoint.shown(), "http://127.0.0.1:8081/");
    EXPECT_EQ(account->key, kEmulatorKey);
    EXPECT_TRUE(account->tls.verify);
}

TEST(AccountTest, ReadsConnectionStrings) {
    const auto account = parse_connection_string(" accountkey=" + kKey +
                                                 ";Database=x; AccountEndpoint=https://h:1/");
    ASSERT_TRUE(account) << account.error().message();
    EXPECT_EQ(account->endpoint.authority(), "h:1");
    EXPECT_EQ(account->key, kKey);
    EXPECT_FALSE(parse_connection_string("AccountEndpoint=https://h/"));
    EXPECT_FALSE(parse_connection_string("AccountKey=" + kKey));
    EXPECT_FALSE(parse_connection_string(""));
    EXPECT_FALSE(parse_connection_string(";;="));
}

TEST(AccountTest, ReadsKeyFiles) {
    const std::string file = testing::TempDir() + "orrery-account-key";
    std::ofstream(file) << kKey << "\n";
    EXPECT_EQ(resolve_account({.key_file = file})->key, kKey);
    EXPECT_THAT(problem({.key_file = "/does/not/exist"}),
                HasSubstr("cannot read '/does/not/exist'"));
}

TEST(AccountTest, SaysWhatIsWrongWithoutRepeatingTheKey) {
    EXPECT_EQ(problem({.key = "c2hvcnQ="}), "the account key is not a key in base64");
    EXPECT_THAT(problem({.endpoint = "localhost:8081"}), HasSubstr("is not an endpoint"));
    EXPECT_THAT(problem({.endpoint = "https://h/dbs"}), HasSubstr("is not an endpoint"));
    EXPECT_THAT(problem({.endpoint = "https://h/", .connection_string = "x"}),
                HasSubstr("give either"));
    EXPECT_THAT(problem({.key = kKey, .key_file = "x"}), HasSubstr("give either"));
    EXPECT_THAT(problem({.ca_file = "/does/not/exist"}), HasSubstr("holds no certificates"));
}

}  // namespace account_test
}  // namespace orrery::client
