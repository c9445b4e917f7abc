// Continuation tokens: a position in a feed, signed so that only tokens this server issued for the
// same feed are accepted. They hold no server state, so they survive restarts.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "model/effective_partition_key.h"

namespace orrery::service {

struct Continuation {
    std::uint32_t range_id = 0;
    std::string resume;  // position within that range
};

class ContinuationSigner {
public:
    explicit ContinuationSigner(std::string_view secret) : key_(secret) {}

    // `scope` identifies the feed: the container and the part of it. At most 1 KB of ASCII.
    std::string sign(const Continuation& continuation, std::string_view scope) const;
    // kBadRequest if the token was altered, or issued for another scope or by another server.
    Result<Continuation> check(std::string_view token, std::string_view scope) const;

private:
    std::string signature(std::string_view payload, std::string_view scope) const;

    HmacSha256Key key_;
};

// The continuation of a query that the server routes range by range, in the format of Cosmos DB's
// gateway:
//   {"token":"<signed>","range":{"min":"","max":"FF"}}
// The token inside is valid for the same query on that range alone: the Java SDK extracts it and
// sends it there (CompositeContinuationToken).
struct RangeContinuation {
    std::string token;
    model::EpkRange epks;

    std::string to_json() const;
    // kBadRequest for anything else.
    static Result<RangeContinuation> parse(std::string_view json);
};

}  // namespace orrery::service
