// Continuation tokens: where a feed goes on, signed so that only tokens of this server for the same
// feed are taken. They hold a position, never state of the server, and survive restarts.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"

namespace orrery::service {

struct Continuation {
    std::uint32_t range_id = 0;
    std::string resume;  // what the feed needs to go on in that range
};

class ContinuationSigner {
public:
    explicit ContinuationSigner(std::string_view secret) : key_(secret) {}

    // `scope` says which feed it is: the container and what part of it. At most 1 KB of ASCII.
    std::string sign(const Continuation& continuation, std::string_view scope) const;
    // kBadRequest for a token that was changed, or made for another scope or by another server.
    Result<Continuation> check(std::string_view token, std::string_view scope) const;

private:
    std::string signature(std::string_view payload, std::string_view scope) const;

    HmacSha256Key key_;
};

}  // namespace orrery::service
