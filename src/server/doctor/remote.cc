#include "server/doctor/remote.h"

#include <cstdlib>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <openssl/x509_vfy.h>

#include "base/http_date.h"
#include "client/client.h"
#include "http/client_connection.h"
#include "model/limits.h"

namespace orrery::server::doctor {

namespace {

constexpr std::chrono::milliseconds kPatience{5'000};
// For a server that may know nothing of TLS, and say nothing.
constexpr std::chrono::milliseconds kProbePatience{2'000};
constexpr std::int64_t kSkewSecondsFew = 60;

struct Answer {
    std::optional<http::ClientResponse> response;
    std::string problem;           // why there is none
    long certificate = X509_V_OK;  // why the certificate is not trusted
};

Answer ask(const http::Url& server,
           const http::ClientTls& tls,
           std::chrono::milliseconds patience = kPatience) {
    http::ClientConnection connection(server, {.tls = tls, .timeout = patience});
    auto response = connection.send({.target = "/ready", .headers = {}, .body = {}, .last = true});
    if (response) return {.response = *std::move(response), .problem = {}};
    const bool untrusted = response.error().code() == ErrorCode::kUnavailable;
    return {
        .response = std::nullopt,
        .problem = response.error().message(),
        .certificate = untrusted ? static_cast<long>(response.error().sub_status()) : X509_V_OK};
}

bool is_wrong_name(long reason) {
    return reason == X509_V_ERR_HOSTNAME_MISMATCH || reason == X509_V_ERR_IP_ADDRESS_MISMATCH;
}

http::Url with_scheme(http::Url url, bool secure) {
    url.secure = secure;
    return url;
}

// Long lines go on in another literal.
// NOLINTBEGIN(bugprone-suspicious-missing-comma)
std::vector<std::string> how_to_trust(const http::Url& server) {
    return {fmt::format("Get the certificate to trust, from the server's machine if the network is "
                        "not safe: curl -k "
                        "https://{}/_explorer/emulator.pem > orrery.pem",
                        server.authority()),
            "orrery's tools:   --ca orrery.pem, or ORRERY_CA=orrery.pem",
            "Python:           CosmosClient(..., ssl_config=SSLConfiguration(), "
            "connection_verify=\"orrery.pem\")",
            "JavaScript:       NODE_EXTRA_CA_CERTS=orrery.pem node ...",
            "Java:             keytool -importcert -noprompt -alias orrery -file orrery.pem "
            "-keystore trust.p12 -storepass changeit",
            "                  java -Djavax.net.ssl.trustStore=trust.p12 "
            "-Djavax.net.ssl.trustStorePassword=changeit ...",
            "Go, Rust:         SSL_CERT_FILE=orrery.pem",
            "The whole system: sudo cp orrery.pem /usr/local/share/ca-certificates/orrery.crt && "
            "sudo update-ca-certificates"};
}
// NOLINTEND(bugprone-suspicious-missing-comma)

Finding check_answer(const Remote& remote, const Answer& answer) {
    Finding out{.check = "server"};
    const http::Url& url = remote.account.endpoint;
    if (answer.response) {
        out.text = fmt::format("{} answers", url.shown());
        if (answer.response->status == 503) {
            out.state = State::kWarning;
            out.text += ", but is not ready: " + answer.response->body;
        } else if (answer.response->status == 403) {
            out.state = State::kProblem;
            out.text += " with 403: " + answer.response->body;
            out.advice = {"See --allow and --tls-client-ca of the server."};
        }
        return out;
    }
    if (!remote.named) {
        out.state = State::kNote;
        out.text = fmt::format("no server answers at {}", url.shown());
        out.advice = {"Start one: orrery serve", "Or name another: orrery doctor --endpoint URL"};
        return out;
    }
    out.state = State::kProblem;
    out.text = fmt::format("{} does not answer: {}", url.shown(), answer.problem);
    out.advice = {"Compare host and port with what the server printed when it started.",
                  "For clients on other machines it has to listen on an address of the network "
                  "(serve --listen 0.0.0.0:8081), and firewalls have to let them through."};
    if (url.secure) out.advice.emplace_back("If it does not speak TLS, begin the URL with http://");
    return out;
}

Finding check_key(const Remote& remote, const Clock& clock) {
    Finding out{.check = "key"};
    client::Client client(
        remote.account, clock, {.total = kPatience, .unreachable = std::chrono::milliseconds(0)});
    const auto answer = client.send({.method = "GET", .path = {"dbs"}});
    if (answer && answer->ok()) {
        out.text = remote.key_named ? "the server accepts the key"
                                    : "the server accepts the emulators' public key";
        return out;
    }
    out.state = State::kProblem;
    if (!answer) {
        out.text = "not checked: " + answer.error().message();
    } else if (answer->status != 401) {
        out.text = fmt::format(
            "the server answers {}: {}", answer->status, client::error_of(*answer).message());
        if (answer->status == 403) out.advice = {"If the clocks differ, see above."};
    } else if (remote.key_named) {
        out.text = "the server does not accept the key";
        out.advice = {
            "It belongs to another server, or has been replaced since; compare it with "
            "what the server printed when it started."};
    } else {
        out.text = "the server does not accept the emulators' public key: it has one of its own";
        out.advice = {
            "Give it with --key-file: /etc/orrery/account.key of the Debian package, "
            "account.key in a data directory, or the file that `serve --key-file` named."};
    }
    return out;
}

std::optional<Finding> check_date(const http::ClientResponse& response, const Clock& clock) {
    const auto date = response.header("date");
    const auto server_time = date ? parse_http_date(*date) : std::nullopt;
    if (!server_time) return std::nullopt;
    return check_clock(std::chrono::seconds(clock.now_seconds() - *server_time));
}

}  // namespace

Finding check_clock(std::chrono::seconds ahead) {
    const std::int64_t difference = std::abs(ahead.count());
    Finding out{.check = "clock"};
    if (difference <= 2) {
        out.text = "agrees with the server's";
        return out;
    }
    out.text =
        fmt::format("{} s {} the server's", difference, ahead.count() > 0 ? "ahead of" : "behind");
    if (difference <= kSkewSecondsFew) return out;
    const bool refused = difference > model::limits::kClockSkewSecondsMax;
    out.state = refused ? State::kProblem : State::kWarning;
    out.text +=
        fmt::format("; more than {} s are refused with 403", model::limits::kClockSkewSecondsMax);
    out.advice = {"Set the clock that is wrong, on both machines: sudo timedatectl set-ntp true",
                  "In containers and virtual machines, set that of the host."};
    return out;
}

Finding check_certificate(const Remote& remote, long reason) {
    const http::Url& url = remote.account.endpoint;
    const std::string& ca_file = remote.account.tls.ca_file;
    Finding out{.check = "certificate"};
    if (reason == X509_V_OK) {
        out.text = fmt::format("trusted, because of {}",
                               ca_file.empty() ? "this system's authorities" : "'" + ca_file + "'");
        return out;
    }
    // Plain HTTP and --insecure need no certificate.
    out.state = url.secure && remote.account.tls.verify ? State::kProblem : State::kNote;
    out.text = X509_verify_cert_error_string(reason);
    if (is_wrong_name(reason)) {
        out.text = fmt::format("is not for '{}'", url.host);
        out.advice = {
            "Use a name that it is for: localhost, 127.0.0.1 or the server's host name.",
            "Or have the server use another one (--tls-certificate, --tls-key), or make a "
            "new one: see \"Certificate\" in docs/operating.md."};
    } else if (reason == X509_V_ERR_CERT_HAS_EXPIRED || reason == X509_V_ERR_CERT_NOT_YET_VALID) {
        out.advice = {
            "If this machine's clock is right, restart the server: it makes a new "
            "certificate with each start, unless --tls-certificate names one."};
    } else {
        out.text = "not trusted on this machine: " + out.text;
        out.advice = how_to_trust(url);
        if (url.names_loopback()) {
            out.advice.push_back(
                fmt::format("Or use plain HTTP, which never leaves this machine: {}",
                            with_scheme(url, false).shown()));
        }
    }
    return out;
}

namespace {

// Also of a server that is asked in plain HTTP or without verification: others will want to verify.
Finding certificate_of(const Remote& remote, long reason) {
    const http::Url& url = remote.account.endpoint;
    if (url.secure && remote.account.tls.verify) {
        return check_certificate(remote, reason);
    }
    const Answer secured =
        ask(with_scheme(url, true), {.ca_file = remote.account.tls.ca_file}, kProbePatience);
    if (secured.response || secured.certificate != X509_V_OK) {
        return check_certificate(remote, secured.certificate);
    }
    return {.check = "certificate",
            .state = State::kNote,
            .text = "not checked, as the server does not answer over TLS: " + secured.problem};
}

}  // namespace

Findings check_remote(const Remote& remote, const Clock& clock) {
    const http::Url& url = remote.account.endpoint;
    const http::ClientTls unverified{.ca_file = {}, .verify = false};
    Answer answer = ask(url, remote.account.tls);
    const long reason = answer.certificate;
    const bool untrusted = reason != X509_V_OK;
    if (untrusted) answer = ask(url, unverified);
    Findings out{check_answer(remote, answer)};
    if (!answer.response) return out;
    out.push_back(certificate_of(remote, reason));
    if (auto clock_finding = check_date(*answer.response, clock)) out.push_back(*clock_finding);
    // Nothing is signed for a server that may be another one.
    if (untrusted && !url.names_loopback()) {
        out.push_back({.check = "key",
                       .state = State::kNote,
                       .text = "not checked, because the certificate is not trusted"});
        return out;
    }
    Remote asked = remote;
    if (untrusted) asked.account.tls = unverified;
    out.push_back(check_key(asked, clock));
    return out;
}

}  // namespace orrery::server::doctor
