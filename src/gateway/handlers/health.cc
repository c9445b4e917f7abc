#include "gateway/handlers/handlers.h"

namespace orrery::gateway::handlers {

namespace {

http::Response plain_answer(unsigned status, std::string_view type, std::string body) {
    http::Response response;
    response.status = status;
    response.add_header("Content-Type", type);
    response.add_header("Cache-Control", "no-store");
    response.body = std::move(body);
    return response;
}

}  // namespace

std::optional<http::Response> answer_without_key(const http::Exchange& exchange,
                                                 const Backend& backend) {
    constexpr std::string_view kJson = "application/json";
    const std::string_view target = exchange.target().substr(0, exchange.target().find('?'));
    const bool probe = target == "/alive" || target == "/ready" || target == "/status";
    const bool certificate = target == "/_explorer/emulator.pem";
    if (!probe && !certificate) return std::nullopt;
    if (exchange.method() != "GET" && exchange.method() != "HEAD") {
        return plain_answer(405, kJson, R"({"code":"MethodNotAllowed","message":"Use GET here."})");
    }
    if (certificate) {
        return plain_answer(200, "application/x-pem-file", backend.certificate_pem);
    }
    if (target == "/alive") return plain_answer(200, kJson, R"({"status":"alive"})");
    const bool ready = !backend.draining.load() && backend.healthy();
    if (ready) return plain_answer(200, kJson, R"({"status":"ready"})");
    return plain_answer(503,
                        kJson,
                        R"({"code":"ServiceUnavailable","status":"not ready","message":)"
                        R"("The server is stopping or cannot read its data."})");
}

}  // namespace orrery::gateway::handlers
