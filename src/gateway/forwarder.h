// Passes on requests that another node must answer, with the credentials of the client, and gives
// the client that node's answer. A request that was passed on is not passed on again: a node that
// cannot answer it either says which one it takes for the right one, and the first node asks there.

#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "gateway/node_proof.h"
#include "http/message.h"
#include "http/peers.h"

namespace orrery::gateway {

class Forwarder {
public:
    struct Options {
        std::string node;  // the name of this one
        // Where to ask; `place` is the information of an error kElsewhere. Nothing while nobody
        // serves it. If `again`, it did not answer, or was not the right one. Must not block.
        std::function<std::optional<http::Peer>(const std::string& place, bool again)> find;
        // How long to look for a node that answers.
        std::chrono::milliseconds patience{15'000};
        std::chrono::milliseconds pause{50};  // between attempts
    };

    Forwarder(Options options, http::Peers& peers, const NodeProof& proof, const Clock& clock)
        : options_(std::move(options)), peers_(peers), proof_(proof), clock_(clock) {}

    // What the client is told if no node answers.
    using MakeError = std::function<http::Response(const Error&)>;

    // Answers the exchange, from any thread. `deadline` is that of the request.
    void forward(std::shared_ptr<http::Exchange> exchange,
                 std::string activity_id,
                 std::string place,
                 std::chrono::steady_clock::time_point deadline,
                 MakeError make_error) const;

    // Whether another node has passed this request on.
    std::optional<std::string> sender_of(const http::Exchange& exchange) const {
        return proof_.signer_of(exchange, clock_.now_seconds());
    }

    struct Stats {
        std::uint64_t forwarded = 0;  // requests answered with another node's answer
        std::uint64_t repeated = 0;   // attempts that another one had to follow
        std::uint64_t failed = 0;     // requests that no node answered
    };
    Stats stats() const {
        return {.forwarded = forwarded_.value(),
                .repeated = repeated_.value(),
                .failed = failed_.value()};
    }

private:
    struct Errand;

    void attempt(const std::shared_ptr<Errand>& errand, bool again) const;
    void attempt_later(const std::shared_ptr<Errand>& errand) const;
    void conclude(const std::shared_ptr<Errand>& errand, Result<http::Response> answer) const;
    std::string head_of(const Errand& errand) const;

    const Options options_;
    http::Peers& peers_;
    const NodeProof& proof_;
    const Clock& clock_;
    mutable metrics::Counter forwarded_;
    mutable metrics::Counter repeated_;
    mutable metrics::Counter failed_;
};

}  // namespace orrery::gateway
