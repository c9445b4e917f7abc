// Calls of one node to another, below /_node/, signed with the secret of the cluster.

#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cluster/records.h"
#include "gateway/node_proof.h"
#include "http/peers.h"
#include "storage/shared_objects.h"

namespace orrery::server {

// The answer to a call: what it returns, or its error.
std::string encode_answer(const Result<std::string>& answer);
// kUnavailable if it is not one.
Result<std::string> decode_answer(std::string_view bytes);

class NodeCalls {
public:
    NodeCalls(std::string node,
              http::Peers& peers,
              const gateway::NodeProof& proof,
              storage::SharedObjects& objects,
              const Clock& clock)
        : node_(std::move(node)), peers_(peers), proof_(proof), objects_(objects), clock_(clock) {}

    // Blocks. kUnavailable: it was not sent. kTimeout: there is no answer (yet).
    Result<std::string> call(const cluster::MemberInfo& node,
                             std::string_view target,
                             std::string body,
                             std::chrono::milliseconds timeout);

    // Where the node is and how to recognize it. Reads the authority of its certificate the first
    // time, so it may block.
    Result<http::Peer> peer_of(const cluster::MemberInfo& node);
    // The same without blocking; nothing if it would.
    std::optional<http::Peer> known_peer_of(const cluster::MemberInfo& node);

    // Makes the authority of this node's certificate known to the others.
    Status publish_authority(std::string_view pem);

private:
    std::optional<std::string> known_authority_of(const cluster::MemberInfo& node);

    const std::string node_;
    http::Peers& peers_;
    const gateway::NodeProof& proof_;
    storage::SharedObjects& objects_;
    const Clock& clock_;
    std::mutex mutex_;  // guards the members below
    // By name; of the incarnation that was current then.
    struct Authority {
        cluster::Incarnation incarnation = 0;
        std::string pem;
    };
    std::map<std::string, Authority, std::less<>> authorities_;
};

}  // namespace orrery::server
