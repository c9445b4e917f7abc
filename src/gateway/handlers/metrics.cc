#include <algorithm>
#include <array>

#include <openssl/crypto.h>

#include "base/ascii.h"
#include "base/hash.h"
#include "base/metrics_writer.h"
#include "base/stopwatch.h"
#include "gateway/handlers/handlers.h"
#include "gateway/headers.h"

namespace orrery::gateway::handlers {

namespace {

constexpr std::string_view kText = "text/plain; charset=utf-8";

// A proxy on this machine passes on requests of clients that are not, and says so in a header.
bool is_local(const http::Exchange& exchange) {
    constexpr std::array kProxyHeaders = {
        header::kForwarded, header::kForwardedFor, header::kForwardedHost, header::kForwardedProto};
    return exchange.from_loopback() &&
           std::none_of(kProxyHeaders.begin(), kProxyHeaders.end(), [&](std::string_view name) {
               return exchange.header(name).has_value();
           });
}

// Compares digests, so that the time tells neither the content nor the length of the token.
bool has_token(const http::Exchange& exchange, std::string_view token) {
    constexpr std::string_view kScheme = "Bearer ";
    const std::string_view given = exchange.header(header::kAuthorization).value_or("");
    if (!same_word(given.substr(0, kScheme.size()), kScheme)) return false;
    const Sha256Digest expected = sha256(token);
    const Sha256Digest found = sha256(given.substr(kScheme.size()));
    return CRYPTO_memcmp(expected.data(), found.data(), expected.size()) == 0;
}

std::optional<http::Response> refusal(const http::Exchange& exchange, const Backend& backend) {
    if (is_local(exchange)) return std::nullopt;
    if (backend.metrics_token.empty()) {
        return plain_answer(403,
                            kText,
                            "Metrics are only for clients on the server's machine. Start the "
                            "server with --metrics-token-file to allow others.\n");
    }
    if (has_token(exchange, backend.metrics_token)) return std::nullopt;
    http::Response response = plain_answer(
        401, kText, "Send 'Authorization: Bearer TOKEN' with the token of --metrics-token-file.\n");
    response.add_header(header::kWwwAuthenticate, "Bearer");
    return response;
}

}  // namespace

void answer_metrics(const std::shared_ptr<http::Exchange>& exchange, const Backend& backend) {
    const auto answer = [&backend, exchange, timer = Timer()](http::Response response) {
        backend.monitor.count(Operation::probe(), response.status, timer.elapsed(), 0);
        exchange->respond(std::move(response));
    };
    if (auto refused = refusal(*exchange, backend)) return answer(std::move(*refused));
    const bool taken = backend.lanes.monitoring.try_post([&backend, answer] {
        answer(plain_answer(200, metrics::kContentType, backend.metrics_page()));
    });
    if (!taken) answer(plain_answer(503, kText, "Too many requests for metrics are waiting.\n"));
}

}  // namespace orrery::gateway::handlers
