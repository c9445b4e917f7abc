// Settings of credentials that belong together or exclude each other.

#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/config.h"
#include "server/test_serve.h"
#include "storage/temporary_directory.h"

namespace orrery::server {
namespace config_credentials_test {

using testing::HasSubstr;
using testing::Not;
using Arguments = std::vector<std::string>;

class CredentialsConfigTest : public testing::Test {
protected:
    CredentialsConfigTest() { std::ofstream(file_) << "content"; }

    Arguments with_tokens(const Arguments& more) const {
        Arguments out = {"--token-issuer=https://a/", "--token-audience=x"};
        out.insert(out.end(), more.begin(), more.end());
        return out;
    }
    static ServeConfig parse(const Arguments& arguments) {
        const ParsedServe parsed = parse_serve(arguments);
        EXPECT_TRUE(parsed.config) << parsed.text;
        return parsed.config.value_or(ServeConfig());
    }
    static std::string refused(const Arguments& arguments) {
        const ParsedServe parsed = parse_serve(arguments);
        EXPECT_FALSE(parsed.config);
        EXPECT_EQ(parsed.exit_code, cli::kExitUsage);
        return parsed.text;
    }

    const storage::TemporaryDirectory directory_;
    const std::string file_ = directory_ / "file";
};

TEST_F(CredentialsConfigTest, TokenKeysCanBeAtAUrl) {
    const ServeConfig config =
        parse(with_tokens({"--token-keys-url=https://Issuer.example/keys?v=2"}));
    ASSERT_TRUE(config.token_keys_url);
    EXPECT_EQ(config.token_keys_url->host, "issuer.example");
    EXPECT_EQ(config.token_keys_url->target, "/keys?v=2");
    EXPECT_FALSE(parse({}).token_keys_url);
    setenv("ORRERY_TOKEN_KEYS_URL", "https://other.example/", 1);
    EXPECT_EQ(parse(with_tokens({})).token_keys_url->host, "other.example");
    unsetenv("ORRERY_TOKEN_KEYS_URL");
}

TEST_F(CredentialsConfigTest, OnlyLoopbackUrlsMayBePlain) {
    for (const char* url : {"http://127.0.0.1:1/k", "http://localhost/k", "http://[::1]:8/k"}) {
        EXPECT_TRUE(parse(with_tokens({"--token-keys-url", url})).token_keys_url) << url;
    }
    EXPECT_THAT(refused(with_tokens({"--token-keys-url", "http://issuer.example/keys"})),
                HasSubstr("must begin with https://"));
    for (const char* url : {"keys.json", "https://", "file:///etc/keys"}) {
        EXPECT_THAT(refused(with_tokens({"--token-keys-url", url})), HasSubstr("is not a URL"));
    }
    EXPECT_THAT(refused(with_tokens({"--token-keys-url", "https://user:word@host/"})),
                Not(HasSubstr("word@")));
}

TEST_F(CredentialsConfigTest, TokenKeysComeFromOnePlace) {
    const std::string url = "--token-keys-url=https://issuer.example/keys";
    EXPECT_THAT(refused(with_tokens({url, "--token-keys-file=" + file_})),
                HasSubstr("cannot be given together"));
    EXPECT_THAT(refused({url}), HasSubstr("must be given together"));
    EXPECT_THAT(refused({url, "--token-issuer=a"}), HasSubstr("must be given together"));
    EXPECT_THAT(refused(with_tokens({})), HasSubstr("--token-keys-url must be given together"));
}

TEST_F(CredentialsConfigTest, TheirAuthoritiesNeedAnHttpsUrl) {
    const std::string authorities = "--token-keys-ca=" + file_;
    const std::string problem = "--token-keys-ca needs a --token-keys-url";
    EXPECT_EQ(parse(with_tokens({"--token-keys-url=https://issuer.example/keys", authorities}))
                  .token_keys_ca_file,
              file_);
    EXPECT_THAT(refused({authorities}), HasSubstr(problem));
    EXPECT_THAT(refused(with_tokens({"--token-keys-file=" + file_, authorities})),
                HasSubstr(problem));
    EXPECT_THAT(refused(with_tokens({"--token-keys-url=http://localhost/keys", authorities})),
                HasSubstr(problem));
    EXPECT_THAT(refused(with_tokens({"--token-keys-url=https://issuer.example/keys",
                                     "--token-keys-ca=/does/not/exist"})),
                HasSubstr("does not exist"));
}

TEST_F(CredentialsConfigTest, ClientCertificatesNeedAFile) {
    EXPECT_EQ(parse({"--tls-client-ca", file_}).tls_client_ca_file, file_);
    EXPECT_THAT(refused({"--tls-client-ca", "/does/not/exist"}), HasSubstr("does not exist"));
}

}  // namespace config_credentials_test
}  // namespace orrery::server
