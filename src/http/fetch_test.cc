#include "http/fetch.h"

#include <chrono>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "http/certificate.h"
#include "http/test_client.h"
#include "http/test_handler.h"

namespace orrery::http {
namespace fetch_test {

using testing::HasSubstr;

// Servers with a certificate for "localhost", and the file that vouches for it.
class FetchTest : public testing::Test {
protected:
    FetchTest() {
        const std::vector<std::string> names{"localhost"};
        const std::int64_t now = SystemClock().now_seconds();
        const Authority authority = *make_authority(names, now);
        std::ofstream(ca_file_) << authority.certificate_pem;
        ServerOptions options;
        options.threads = 1;
        options.tls = *issue_certificate(authority, names, now);
        server_ = std::move(Server::start(options, handler_)).take();
    }
    void TearDown() override { ::unlink(ca_file_.c_str()); }

    Url url(const std::string& start, const std::string& target) const {
        return *parse_url(start + ":" + std::to_string(server_->port()) + target);
    }
    // The body, or the reason why there is none.
    static std::string fetch(const Url& url, const FetchOptions& options = {}) {
        auto got = Fetcher(url, options).get();
        return got ? *got : "failed: " + got.error().message();
    }
    FetchOptions trusting() const {
        FetchOptions options;
        options.ca_file = ca_file_;
        return options;
    }

    const std::string ca_file_ = testing::TempDir() + "orrery-fetch-" + std::to_string(getpid());
    TestHandler handler_;
    std::unique_ptr<Server> server_;
};

TEST_F(FetchTest, ReturnsTheBodyOverHttpAndHttps) {
    EXPECT_EQ(fetch(url("http://127.0.0.1", "/a?b")), "GET /a?b 0 ");
    EXPECT_EQ(fetch(url("https://localhost", "/a?b"), trusting()), "GET /a?b 0 ");
}

TEST_F(FetchTest, VerifiesCertificateAndName) {
    EXPECT_THAT(fetch(url("https://localhost", "/")), HasSubstr("certificate is not trusted"));
    EXPECT_THAT(fetch(url("https://127.0.0.1", "/"), trusting()), HasSubstr("mismatch"));
}

TEST_F(FetchTest, RefusesEveryStatusBut200) {
    EXPECT_THAT(fetch(url("http://localhost", "/status/302")),
                HasSubstr("302; redirects are not followed"));
    EXPECT_THAT(fetch(url("http://localhost", "/status/204")), HasSubstr("the answer is 204"));
    EXPECT_THAT(fetch(url("http://localhost", "/status/500")), HasSubstr("the answer is 500"));
}

TEST_F(FetchTest, LimitsTheSize) {
    FetchOptions options = trusting();
    options.body_bytes_max = 1000;
    EXPECT_EQ(fetch(url("https://localhost", "/size/1000"), options).size(), 1000U);
    EXPECT_THAT(fetch(url("https://localhost", "/size/1001"), options),
                HasSubstr("larger than 1000 bytes"));
    // Without a declared length.
    options.body_bytes_max = 20;
    EXPECT_THAT(fetch(url("http://localhost", "/stream/9"), options), HasSubstr("larger than"));
}

TEST_F(FetchTest, LimitsTheTime) {
    FetchOptions options = trusting();
    options.timeout = std::chrono::milliseconds(100);
    EXPECT_THAT(fetch(url("http://localhost", "/hold"), options), HasSubstr("time-out"));
    EXPECT_THAT(fetch(url("https://localhost", "/hold"), options), HasSubstr("time-out"));
    handler_.take_held(2);
}

TEST_F(FetchTest, CanBeStopped) {
    Fetcher fetcher(url("http://localhost", "/hold"), {});
    std::thread stopping([&] {
        const auto held = handler_.take_held(1);
        fetcher.stop();
    });
    EXPECT_FALSE(fetcher.get());
    stopping.join();
    EXPECT_FALSE(fetcher.get()) << "for good";
}

TEST_F(FetchTest, SaysWhyItCannotConnect) {
    const Url gone = url("http://127.0.0.1", "/");
    server_.reset();
    EXPECT_THAT(fetch(gone), HasSubstr("cannot connect to 127.0.0.1:"));
    EXPECT_THAT(fetch(*parse_url("https://host.invalid/")),
                HasSubstr("cannot resolve host.invalid"));
}

TEST_F(FetchTest, SendsNothingInPlainTextToOtherMachines) {
    EXPECT_THAT(fetch(*parse_url("http://192.0.2.1/")), HasSubstr("is not on this machine"));
}

TEST_F(FetchTest, ChecksFilesOfAuthorities) {
    EXPECT_TRUE(check_ca_file(ca_file_));
    std::ofstream(ca_file_) << "nothing";
    EXPECT_FALSE(check_ca_file(ca_file_));
    EXPECT_FALSE(check_ca_file("/does/not/exist"));
}

}  // namespace fetch_test
}  // namespace orrery::http
