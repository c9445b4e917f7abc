#include "server/cluster/node_calls.h"

#include "base/stopwatch.h"
#include "base/wait_for.h"
#include "gateway/headers.h"

namespace orrery::server {

namespace {

std::string authority_name(std::string_view node) { return "authority/" + std::string(node); }

}  // namespace

// '+' and the result, or '-', the code and the message, separated by the info in between.
std::string encode_answer(const Result<std::string>& answer) {
    if (answer) return "+" + *answer;
    std::string out = "-";
    out += static_cast<char>(answer.error().code());
    return out.append(answer.error().info()).append(1, '\n').append(answer.error().message());
}

Result<std::string> decode_answer(std::string_view bytes) {
    if (bytes.starts_with('+')) return std::string(bytes.substr(1));
    const std::size_t line = bytes.find('\n');
    if (!bytes.starts_with('-') || bytes.size() < 2 || line == std::string_view::npos) {
        return Error(ErrorCode::kUnavailable, "a node's answer is damaged");
    }
    return Error(static_cast<ErrorCode>(bytes[1]), std::string(bytes.substr(line + 1)))
        .with_info(std::string(bytes.substr(2, line - 2)));
}

Result<std::string> NodeCalls::call(const cluster::MemberInfo& node,
                                    std::string_view target,
                                    std::string body,
                                    std::chrono::milliseconds timeout) {
    const http::Peer peer = TRY(peer_of(node));
    http::PeerRequest request{.body = std::move(body), .deadline = monotonic_now() + timeout};
    request.head.append("POST ").append(target).append(" HTTP/1.1\r\nHost: ");
    request.head.append(peer.url.authority()).append("\r\n");
    request.head.append(gateway::header::kNode).append(": ");
    request.head.append(proof_.sign(node_, "POST", target, clock_.now_seconds())).append("\r\n");
    const auto response = wait_for<std::shared_ptr<Result<http::Response>>>([&](auto done) {
        peers_.send(peer, std::move(request), [done](Result<http::Response> answer) {
            done(std::make_shared<Result<http::Response>>(std::move(answer)));
        });
    });
    if (!*response) return std::move(*response).take_error();
    constexpr unsigned kOk = 200;
    if ((*response)->status != kOk) {
        return Error(
            ErrorCode::kUnavailable,
            "node '" + node.identity.node + "' answered " + std::to_string((*response)->status));
    }
    return decode_answer((*response)->body);
}

std::optional<std::string> NodeCalls::known_authority_of(const cluster::MemberInfo& node) {
    const std::lock_guard lock(mutex_);
    const auto found = authorities_.find(node.identity.node);
    if (found == authorities_.end() || found->second.incarnation != node.identity.incarnation) {
        return std::nullopt;
    }
    return found->second.pem;
}

std::optional<http::Peer> NodeCalls::known_peer_of(const cluster::MemberInfo& node) {
    const auto url = http::parse_url(node.node_url);
    if (!url) return std::nullopt;
    if (!url->secure) return http::Peer{.url = *url, .authority_pem = {}};
    auto pem = known_authority_of(node);
    if (!pem) return std::nullopt;
    return http::Peer{.url = *url, .authority_pem = *std::move(pem)};
}

Result<http::Peer> NodeCalls::peer_of(const cluster::MemberInfo& node) {
    if (auto known = known_peer_of(node)) return *std::move(known);
    auto value = TRY(objects_.read(authority_name(node.identity.node)));
    if (!value) {
        return Error(ErrorCode::kUnavailable,
                     "node '" + node.identity.node + "' has not published its certificate");
    }
    {
        const std::lock_guard lock(mutex_);
        authorities_[node.identity.node] = {.incarnation = node.identity.incarnation,
                                            .pem = std::move(value->bytes)};
    }
    if (auto known = known_peer_of(node)) return *std::move(known);
    return Error(ErrorCode::kUnavailable, "'" + node.node_url + "' is not the URL of a node");
}

Status NodeCalls::publish_authority(std::string_view pem) {
    const std::string name = authority_name(node_);
    const auto present = TRY(objects_.read(name));
    if (present && present->bytes == pem) return {};
    const auto version = present ? present->version : storage::SharedObjects::kAbsent;
    TRY(objects_.write(name, pem, version));
    return {};
}

}  // namespace orrery::server
