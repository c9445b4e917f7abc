// How a node shows another that a request comes from it: a signature with the secret of the
// cluster, which only its nodes can read. It covers what is asked and when, and nothing of the
// credentials of the client, which are passed on and checked again.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "http/message.h"

namespace orrery::gateway {

class NodeProof {
public:
    explicit NodeProof(std::string_view secret) : key_(secret) {}

    // The value of the header x-orrery-node: "NAME SECONDS SIGNATURE".
    std::string sign(std::string_view node,
                     std::string_view method,
                     std::string_view target,
                     std::int64_t now_seconds) const;

    // The name of the node that signed this request; nothing if none did, or too long ago.
    std::optional<std::string> signer_of(const http::Exchange& exchange,
                                         std::int64_t now_seconds) const;

private:
    std::string signature_of(std::string_view node,
                             std::string_view seconds,
                             std::string_view method,
                             std::string_view target) const;

    const HmacSha256Key key_;
};

}  // namespace orrery::gateway
