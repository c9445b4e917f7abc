#include "server/doctor/remote.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <openssl/x509_vfy.h>

#include "client/test_server.h"

namespace orrery::server::doctor {
namespace remote_test {

using testing::Contains;
using testing::HasSubstr;

Finding found(const Findings& findings, const std::string& check) {
    for (const Finding& finding : findings) {
        if (finding.check == check) return finding;
    }
    ADD_FAILURE() << "no check of " << check;
    return {};
}

Remote at(const std::string& endpoint) {
    client::AccountOptions options;
    options.endpoint = endpoint;
    return {.account = *client::resolve_account(options), .named = true};
}

TEST(Clock, IsAProblemOnceRequestsAreRefused) {
    EXPECT_EQ(check_clock(std::chrono::seconds(1)).state, State::kGood);
    EXPECT_EQ(check_clock(std::chrono::seconds(-30)).state, State::kGood);
    EXPECT_THAT(check_clock(std::chrono::seconds(-30)).text, HasSubstr("30 s behind"));
    EXPECT_EQ(check_clock(std::chrono::seconds(300)).state, State::kWarning);
    EXPECT_EQ(check_clock(std::chrono::seconds(901)).state, State::kProblem);
    EXPECT_THAT(check_clock(std::chrono::seconds(901)).text, HasSubstr("901 s ahead of"));
}

TEST(Certificate, IsExplainedForEverySdk) {
    const Remote remote = at("https://localhost:8081/");
    const Finding unknown = check_certificate(remote, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY);
    EXPECT_EQ(unknown.state, State::kProblem);
    for (const char* const who : {"Python", "JavaScript", "Java:", "Go, Rust", "--ca"}) {
        EXPECT_THAT(unknown.advice, Contains(HasSubstr(who)));
    }
    EXPECT_THAT(unknown.advice, Contains(HasSubstr("http://localhost:8081/")));
    EXPECT_EQ(check_certificate(remote, X509_V_OK).state, State::kGood);
    EXPECT_THAT(check_certificate(remote, X509_V_ERR_HOSTNAME_MISMATCH).text,
                HasSubstr("is not for 'localhost'"));
    EXPECT_THAT(check_certificate(remote, X509_V_ERR_CERT_HAS_EXPIRED).advice,
                Contains(HasSubstr("clock")));
    EXPECT_EQ(check_certificate(at("http://localhost:8081/"), X509_V_ERR_CERT_UNTRUSTED).state,
              State::kNote);
}

TEST(RemoteChecks, ExplainAWrongKey) {
    client::TestServer server;
    server.answer(200, R"({"status":"ready"})");
    server.answer(401, R"({"message":"The input authorization token can't serve the request."})");
    Remote remote{.account = server.account(), .named = true};
    const Findings findings = check_remote(remote, SystemClock());
    EXPECT_EQ(found(findings, "server").state, State::kGood);
    EXPECT_EQ(found(findings, "key").state, State::kProblem);
    EXPECT_THAT(found(findings, "key").advice, Contains(HasSubstr("--key-file")));
}

TEST(RemoteChecks, ReportAServerThatDoesNotAnswer) {
    client::TestServer server;
    Remote remote{.account = server.account()};
    server.stop();
    EXPECT_EQ(check_remote(remote, SystemClock()).front().state, State::kNote);
    remote.named = true;
    const Findings findings = check_remote(remote, SystemClock());
    ASSERT_EQ(findings.size(), 1U);
    EXPECT_EQ(findings.front().state, State::kProblem);
    EXPECT_THAT(findings.front().text, HasSubstr("does not answer"));
}

}  // namespace remote_test
}  // namespace orrery::server::doctor
