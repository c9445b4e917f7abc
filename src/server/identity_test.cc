#include "server/identity.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <sys/stat.h>

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/files.h"
#include "model/test_support.h"
#include "storage/temporary_directory.h"

namespace orrery::server {
namespace identity_test {

using model::testing_support::must;
using model::testing_support::refusal;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

mode_t mode_of(const std::string& path) {
    struct stat found {};
    EXPECT_EQ(stat(path.c_str(), &found), 0) << path;
    return found.st_mode & 0777;
}

class IdentityTest : public testing::Test {
protected:
    ServeConfig on(const std::string& address) const {
        ServeConfig config;
        config.address = address;
        config.data_directory = directory_.path().string();
        return config;
    }
    std::string file(const std::string& name, const std::string& content) const {
        std::string path = directory_ / name;
        std::ofstream(path) << content;
        return path;
    }
    std::string key_path() const { return directory_ / "account.key"; }

    const storage::TemporaryDirectory directory_;
    SecureRandom random_;
    const ManualClock clock_{std::chrono::seconds(1'700'000'000)};
};

TEST_F(IdentityTest, UsesTheEmulatorKeyOnLoopback) {
    for (const char* address : {"127.0.0.1", "127.1.2.3", "::1"}) {
        const AccountKey key = must(account_key(on(address), random_));
        EXPECT_EQ(key.base64, kEmulatorKey);
        EXPECT_EQ(key.origin, "");
    }
    EXPECT_FALSE(std::filesystem::exists(key_path()));
}

TEST_F(IdentityTest, CreatesAndKeepsARandomKeyElsewhere) {
    const AccountKey made = must(account_key(on("0.0.0.0"), random_));
    EXPECT_EQ(base64_decode(made.base64)->size(), 64U);
    EXPECT_NE(made.base64, kEmulatorKey);
    EXPECT_EQ(made.origin, key_path());
    EXPECT_EQ(mode_of(key_path()), 0600U);
    EXPECT_EQ(must(account_key(on("10.0.0.1"), random_)).base64, made.base64);
    EXPECT_EQ(must(read_file(key_path())), made.base64 + "\n");
    std::filesystem::remove(key_path());
    EXPECT_NE(must(account_key(on("0.0.0.0"), random_)).base64, made.base64);
}

TEST_F(IdentityTest, EphemeralServerCannotKeepAKey) {
    ServeConfig config = on("0.0.0.0");
    config.ephemeral = true;
    EXPECT_THAT(refusal(account_key(config, random_)), HasSubstr("--key-file"));
    EXPECT_FALSE(std::filesystem::exists(key_path()));
    config.address = "127.0.0.1";
    EXPECT_EQ(must(account_key(config, random_)).base64, kEmulatorKey);
}

TEST_F(IdentityTest, KeyFileTakesPrecedence) {
    const std::string own = base64_encode(std::string(64, 'k'));
    for (const char* address : {"127.0.0.1", "0.0.0.0"}) {
        ServeConfig config = on(address);
        config.key_file = file("own.key", "  " + own + "\r\n");
        const AccountKey key = must(account_key(config, random_));
        EXPECT_EQ(key.base64, own);
        EXPECT_EQ(key.origin, config.key_file);
    }
}

TEST_F(IdentityTest, RefusesThePublicKeyOffLoopback) {
    ServeConfig config = on("0.0.0.0");
    config.key_file = file("public.key", std::string(kEmulatorKey) + "\n");
    EXPECT_THAT(refusal(account_key(config, random_)), HasSubstr("public key"));
    config.address = "127.0.0.1";
    EXPECT_EQ(must(account_key(config, random_)).base64, kEmulatorKey);
    config = on("0.0.0.0");
    file("account.key", kEmulatorKey);
    EXPECT_THAT(refusal(account_key(config, random_)), HasSubstr("public key"));
}

TEST_F(IdentityTest, RefusesFilesWithoutAKey) {
    ServeConfig config = on("127.0.0.1");
    for (const std::string& content : {std::string(),
                                       std::string("password"),
                                       base64_encode(std::string(31, 'k')),
                                       std::string("%%%%")}) {
        config.key_file = file("bad.key", content);
        EXPECT_THAT(refusal(account_key(config, random_)), HasSubstr("bad.key")) << content;
    }
    config.key_file = directory_ / "missing.key";
    EXPECT_THAT(refusal(account_key(config, random_), ErrorCode::kUnavailable),
                HasSubstr("missing.key"));
}

TEST_F(IdentityTest, DoesNotReplaceADamagedGeneratedKey) {
    file("account.key", "damaged");
    EXPECT_THAT(refusal(account_key(on("0.0.0.0"), random_)), HasSubstr("account.key"));
    EXPECT_EQ(must(read_file(key_path())), "damaged");
}

TEST_F(IdentityTest, CreatesTheAuthorityOnceAndACertificateOnEveryStart) {
    const auto made = must(server_certificate(on("127.0.0.1"), clock_));
    EXPECT_THAT(made.tls.private_key_pem, HasSubstr("PRIVATE KEY"));
    EXPECT_EQ(mode_of(directory_ / "tls/key.pem"), 0600U);
    EXPECT_EQ(must(read_file(directory_ / "tls/certificate.pem")), made.trusted_pem);
    EXPECT_NE(must(read_file(directory_ / "tls/key.pem")), made.tls.private_key_pem);
    const auto again = must(server_certificate(on("127.0.0.1"), clock_));
    EXPECT_EQ(again.trusted_pem, made.trusted_pem);
    EXPECT_NE(again.tls.certificate_pem, made.tls.certificate_pem);
    for (const auto& each : {made, again}) {
        EXPECT_THAT(each.tls.certificate_pem, StartsWith("-----BEGIN CERTIFICATE-----"));
        EXPECT_THAT(each.tls.certificate_pem, EndsWith(each.trusted_pem));
        EXPECT_NE(each.tls.certificate_pem, each.trusted_pem);
    }
}

TEST_F(IdentityTest, RepeatsAnInterruptedFirstStart) {
    const auto made = must(server_certificate(on("127.0.0.1"), clock_));
    const std::string key = must(read_file(directory_ / "tls/key.pem"));
    std::filesystem::remove(directory_ / "tls/certificate.pem");
    const auto again = must(server_certificate(on("127.0.0.1"), clock_));
    EXPECT_NE(again.trusted_pem, made.trusted_pem);
    EXPECT_NE(must(read_file(directory_ / "tls/key.pem")), key);
}

TEST_F(IdentityTest, RefusesFilesThatAreNotAnAuthority) {
    const auto made = must(server_certificate(on("127.0.0.1"), clock_));
    file("tls/certificate.pem", made.tls.certificate_pem);
    file("tls/key.pem", made.tls.private_key_pem);
    EXPECT_THAT(refusal(server_certificate(on("127.0.0.1"), clock_)),
                AllOf(HasSubstr("/tls'"), HasSubstr("--tls-certificate")));
}

TEST_F(IdentityTest, UsesGivenCertificatesUnchanged) {
    ServeConfig config = on("0.0.0.0");
    config.tls_certificate_file = file("own.pem", "certificate");
    config.tls_key_file = file("own-key.pem", "key");
    const auto own = must(server_certificate(config, clock_));
    EXPECT_EQ(own.tls.certificate_pem, "certificate");
    EXPECT_EQ(own.tls.private_key_pem, "key");
    EXPECT_EQ(own.trusted_pem, "certificate");
    EXPECT_FALSE(std::filesystem::exists(directory_ / "tls"));
}

TEST_F(IdentityTest, EphemeralServerWritesNothing) {
    ServeConfig config = on("127.0.0.1");
    config.ephemeral = true;
    const auto first = must(server_certificate(config, clock_));
    EXPECT_NE(must(server_certificate(config, clock_)).trusted_pem, first.trusted_pem);
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(IdentityTest, PrivateFilesAreAtomicAndOwnerOnly) {
    const std::string path = directory_ / "secret";
    // Left by a crash, readable by everyone.
    file("secret.new", "half");
    std::filesystem::permissions(path + ".new", std::filesystem::perms::all);
    ASSERT_TRUE(write_private_file(path, "one"));
    EXPECT_EQ(mode_of(path), 0600U);
    ASSERT_TRUE(write_private_file(path, "two"));
    EXPECT_EQ(must(read_file(path)), "two");
    EXPECT_FALSE(std::filesystem::exists(path + ".new"));
    EXPECT_THAT(refusal(write_private_file("/does/not/exist/x", "y"), ErrorCode::kUnavailable),
                HasSubstr("/does/not/exist/x"));
}

}  // namespace identity_test
}  // namespace orrery::server
