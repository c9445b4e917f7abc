#include "server/cluster/node_requests.h"

#include <charconv>
#include <utility>

#include "server/cluster/node_calls.h"
#include "server/cluster/node_placement.h"

namespace orrery::server {

namespace {

http::Response response_of(const Result<std::string>& answer) {
    http::Response response;
    response.add_header("Content-Type", "application/octet-stream");
    response.body = encode_answer(answer);
    return response;
}

// The number after "name=" in the query string; zero if there is none.
std::uint64_t number_in(std::string_view target, std::string_view name) {
    const std::size_t at = target.find(name);
    std::uint64_t value = 0;
    if (at == std::string_view::npos) return value;
    const std::string_view text = target.substr(at + name.size());
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

}  // namespace

class NodeRequests::Request final : public http::AdmittedRequest {
public:
    Request(NodeRequests& owner, std::string node, std::shared_ptr<http::Exchange> exchange)
        : owner_(owner), node_(std::move(node)), exchange_(std::move(exchange)) {}

    void handle() override {
        const std::string_view target = exchange_->target();
        const std::string_view path = target.substr(0, target.find('?'));
        if (path == "/_node/catalog") return owner_.send_update(node_, exchange_);
        const std::lock_guard lock(owner_.mutex_);
        if (!owner_.threads_) return;
        owner_.threads_->post([owner = &owner_, path, exchange = exchange_] {
            exchange->respond(response_of(owner->answer(path, exchange->body())));
        });
    }

private:
    NodeRequests& owner_;
    const std::string node_;
    const std::shared_ptr<http::Exchange> exchange_;
};

void NodeRequests::attach(const Services& services) {
    const std::lock_guard lock(mutex_);
    services_ = std::make_shared<const Services>(services);
}

void NodeRequests::detach() {
    std::unique_ptr<ThreadPool> ending;
    {
        const std::lock_guard lock(mutex_);
        services_.reset();
        ending = std::move(threads_);
    }
}

std::shared_ptr<http::AdmittedRequest> NodeRequests::admit(
    std::shared_ptr<http::Exchange> exchange) {
    auto node = proof_.signer_of(*exchange, clock_.now_seconds());
    if (!node) {
        exchange->respond(refuse(401, "This is for the nodes of the cluster."));
        return nullptr;
    }
    return std::make_shared<Request>(*this, *std::move(node), std::move(exchange));
}

http::Response NodeRequests::refuse(unsigned status, std::string_view reason) {
    http::Response response;
    response.status = status;
    response.add_header("Content-Type", "text/plain");
    response.body = reason;
    return response;
}

void NodeRequests::send_update(const std::string& node,
                               const std::shared_ptr<http::Exchange>& exchange) {
    const std::string_view target = exchange->target();
    replica_.next_update(
        node,
        {.term = number_in(target, "term="), .commits = number_in(target, "commits=")},
        [exchange](const Result<std::string>& update) { exchange->respond(response_of(update)); });
}

Result<std::string> NodeRequests::answer(std::string_view path, std::string_view body) {
    std::shared_ptr<const Services> services;
    {
        const std::lock_guard lock(mutex_);
        services = services_;
    }
    if (!services) return Error(ErrorCode::kUnavailable, "the node is starting or stopping");
    if (path == "/_node/ranges") return services->ranges.carry_out(body);
    if (path == "/_node/reports") {
        return answer_report_request(body, services->catalog, services->reports);
    }
    return Error(ErrorCode::kNotFound, "there is no such call");
}

}  // namespace orrery::server
