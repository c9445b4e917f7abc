#include "base/stopwatch.h"
#include "gateway/handlers/handlers.h"

namespace orrery::gateway::handlers {

namespace {

constexpr std::string_view kJson = "application/json";

http::Response health(std::string_view target, const Backend& backend) {
    if (target == "/alive") return plain_answer(200, kJson, R"({"status":"alive"})");
    const bool ready = !backend.draining.load() && backend.healthy();
    if (ready && target == "/status") {
        const bool throttles = backend.budgets.throttles();
        return plain_answer(200,
                            kJson,
                            throttles ? R"({"status":"ready","throttling":"on"})"
                                      : R"({"status":"ready","throttling":"off"})");
    }
    if (ready) return plain_answer(200, kJson, R"({"status":"ready"})");
    return plain_answer(503,
                        kJson,
                        R"({"code":"ServiceUnavailable","status":"not ready","message":)"
                        R"("The server is stopping or cannot read its data."})");
}

}  // namespace

http::Response plain_answer(unsigned status, std::string_view type, std::string body) {
    http::Response response;
    response.status = status;
    response.add_header("Content-Type", type);
    response.add_header("Cache-Control", "no-store");
    response.body = std::move(body);
    return response;
}

bool answer_without_key(const std::shared_ptr<http::Exchange>& exchange, const Backend& backend) {
    const std::string_view target = exchange->target().substr(0, exchange->target().find('?'));
    const bool probe = target == "/alive" || target == "/ready" || target == "/status";
    const bool certificate = target == "/_explorer/emulator.pem";
    const bool metrics = target == "/metrics";
    if (!probe && !certificate && !metrics) return false;
    const Timer timer;
    const auto answer = [&](http::Response response) {
        backend.monitor.count(Operation::probe(), response.status, timer.elapsed(), 0);
        exchange->respond(std::move(response));
    };
    if (exchange->method() != "GET" && exchange->method() != "HEAD") {
        answer(
            plain_answer(405, kJson, R"({"code":"MethodNotAllowed","message":"Use GET here."})"));
    } else if (certificate) {
        answer(plain_answer(200, "application/x-pem-file", backend.certificate_pem));
    } else if (metrics) {
        answer_metrics(exchange, backend);
    } else {
        answer(health(target, backend));
    }
    return true;
}

}  // namespace orrery::gateway::handlers
