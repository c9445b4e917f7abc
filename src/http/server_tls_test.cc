// Which TLS clients are served: protocol versions, ciphers, certificates.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "http/server.h"
#include "http/test_certificates.h"
#include "http/test_client.h"
#include "http/test_handler.h"
#include "http/test_identity.h"

namespace orrery::http {
namespace server_tls_test {

using testing::HasSubstr;
using Configure = std::function<void(SSL_CTX*)>;

class ServerTlsTest : public testing::Test {
protected:
    Status start(const std::string& client_authorities = {}) {
        ServerOptions options;
        options.tls = test_identity(SystemClock().now_seconds());
        options.client_authorities_pem = client_authorities;
        options.threads = 1;
        server_ = TRY(Server::start(options, handler_));
        return {};
    }
    // Whether a request of such a client is answered. With TLS 1.3 the handshake seems to succeed
    // before the server has seen the certificate.
    bool serves(const Configure& configure) {
        TestClient client(server_->port(), configure);
        return client.connected() && client.request("GET / HTTP/1.1\r\n\r\n").has_value();
    }
    bool serves(const TestCertificate& certificate) {
        return serves([&](SSL_CTX* context) { certificate.use(context); });
    }
    static Configure version(int number) {
        return [number](SSL_CTX* context) {
            SSL_CTX_set_security_level(context, 0);
            SSL_CTX_set_min_proto_version(context, number);
            SSL_CTX_set_max_proto_version(context, number);
        };
    }
    static Configure cipher(const char* name) {
        return [name](SSL_CTX* context) {
            version(TLS1_2_VERSION)(context);
            EXPECT_EQ(SSL_CTX_set_cipher_list(context, name), 1) << name;
        };
    }

    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

TEST_F(ServerTlsTest, ServesCurrentVersionsOnly) {
    ASSERT_TRUE(start());
    EXPECT_TRUE(serves(version(TLS1_3_VERSION)));
    EXPECT_TRUE(serves(version(TLS1_2_VERSION)));
    EXPECT_EQ(server_->stats().handshake_failures, 0U);
    EXPECT_FALSE(serves(version(TLS1_1_VERSION)));
    EXPECT_FALSE(serves(version(TLS1_VERSION)));
    // The client may know first.
    for (int i = 0; i < 1000 && server_->stats().handshake_failures < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_EQ(server_->stats().handshake_failures, 2U);
}

TEST_F(ServerTlsTest, ServesModernCiphersOnly) {
    ASSERT_TRUE(start());
    EXPECT_TRUE(serves(cipher("ECDHE-ECDSA-AES128-GCM-SHA256")));
    EXPECT_TRUE(serves(cipher("ECDHE-ECDSA-AES256-GCM-SHA384")));
    EXPECT_TRUE(serves(cipher("ECDHE-ECDSA-CHACHA20-POLY1305")));
    for (const char* weak : {"ECDHE-ECDSA-AES128-SHA",     // CBC with SHA-1
                             "ECDHE-ECDSA-AES128-SHA256",  // CBC
                             "ECDHE-ECDSA-AES128-CCM8",    // short tags
                             "AES128-GCM-SHA256",          // no forward secrecy
                             "AECDH-AES128-SHA"}) {        // anonymous
        EXPECT_FALSE(serves(cipher(weak))) << weak;
    }
}

TEST_F(ServerTlsTest, AsksForNoCertificateByDefault) {
    ASSERT_TRUE(start());
    EXPECT_TRUE(serves([](SSL_CTX*) {}));
    EXPECT_TRUE(serves(TestCertificate("client", {})));
}

TEST_F(ServerTlsTest, RequiresACertificateOfTheAuthority) {
    const TestCertificate authority("authority", {.authority = true});
    const TestCertificate stranger("authority", {.authority = true});
    ASSERT_TRUE(start(authority.pem()));
    const TestCertificate right("client", {.issuer = &authority});
    for (const int number : {TLS1_2_VERSION, TLS1_3_VERSION}) {
        const auto serves_with = [&](const TestCertificate& certificate) {
            return serves([&](SSL_CTX* context) {
                version(number)(context);
                certificate.use(context);
            });
        };
        EXPECT_TRUE(serves_with(right));
        EXPECT_FALSE(serves(version(number))) << "none";
        EXPECT_FALSE(serves_with(TestCertificate("client", {.issuer = &stranger})));
        EXPECT_FALSE(serves_with(TestCertificate("client", {})));
        EXPECT_FALSE(serves_with(TestCertificate(
            "client", {.issuer = &authority, .valid_from = -7200, .valid_until = -3600})));
        EXPECT_FALSE(serves_with(TestCertificate(
            "client", {.issuer = &authority, .valid_from = 3600, .valid_until = 7200})));
        EXPECT_FALSE(
            serves_with(TestCertificate("server", {.issuer = &authority, .usage = "serverAuth"})));
    }
    EXPECT_TRUE(serves(right)) << "still";
}

TEST_F(ServerTlsTest, TrustsEveryAuthorityInTheFile) {
    const TestCertificate first("first", {.authority = true});
    const TestCertificate root("root", {.authority = true});
    const TestCertificate middle("middle", {.issuer = &root, .authority = true});
    const TestCertificate of_first("client", {.issuer = &first});
    const TestCertificate of_middle("client", {.issuer = &middle});
    ASSERT_TRUE(start(first.pem() + middle.pem()));
    EXPECT_TRUE(serves(of_first));
    EXPECT_TRUE(serves(of_middle)) << "an intermediate authority, without its root";
    EXPECT_FALSE(serves(TestCertificate("client", {.issuer = &root})));
    ASSERT_TRUE(start(root.pem()));
    EXPECT_FALSE(serves(of_middle)) << "without the chain";
    EXPECT_TRUE(serves([&](SSL_CTX* context) {
        of_middle.use(context);
        middle.add_to_chain(context);
    }));
}

TEST_F(ServerTlsTest, ClientsWithACertificateCannotResumeSessions) {
    const TestCertificate authority("authority", {.authority = true});
    const TestCertificate right("client", {.issuer = &authority});
    ASSERT_TRUE(start(authority.pem()));
    static int tickets = 0;
    tickets = 0;
    EXPECT_TRUE(serves([&](SSL_CTX* context) {
        right.use(context);
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT);
        SSL_CTX_sess_set_new_cb(context, [](SSL*, SSL_SESSION* session) {
            tickets += SSL_SESSION_is_resumable(session);
            return 0;
        });
    }));
    EXPECT_EQ(tickets, 0);
}

TEST_F(ServerTlsTest, DoesNotStartWithoutUsableAuthorities) {
    const std::string good = TestCertificate("authority", {.authority = true}).pem();
    for (const std::string& text :
         {std::string("nothing"), good.substr(0, good.size() / 2), good + good.substr(0, 100)}) {
        const Status started = start(text);
        ASSERT_FALSE(started) << text;
        EXPECT_THAT(started.error().message(), HasSubstr("authorities of client certificates"));
    }
}

}  // namespace server_tls_test
}  // namespace orrery::http
