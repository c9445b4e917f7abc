// Continuation tokens: a position in a feed, signed so that only tokens this server issued for the
// same feed are accepted. They hold no server state, so they survive restarts.
//
// A token is base64 of a signature and a payload, whose first byte is its version. Positions among
// resources have version 1, below. Positions among items have version 2 (item_continuation.h).

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "model/effective_partition_key.h"

namespace orrery::service {

// Version 1.
struct Continuation {
    std::uint32_t range_id = 0;  // only in old tokens for items
    std::string resume;
};

class ContinuationSigner {
public:
    explicit ContinuationSigner(std::string_view secret) : key_(secret) {}

    // `scope` identifies the feed. At most 1 KB.
    std::string sign(const Continuation& continuation, std::string_view scope) const;
    // kBadRequest if the token was altered, or issued for another scope or by another server.
    Result<Continuation> check(std::string_view token, std::string_view scope) const;

    // The same for any payload.
    std::string sign_payload(std::string_view payload, std::string_view scope) const;
    Result<std::string> check_payload(std::string_view token, std::string_view scope) const;

private:
    std::string signature(std::string_view payload, std::string_view scope) const;

    HmacSha256Key key_;
};

// The continuation of a query that the server routes range by range, in the format of Cosmos DB's
// gateway:
//   {"token":"<signed>","range":{"min":"","max":"FF"}}
// The token inside is valid for the same query on that range alone: the Java SDK extracts it and
// sends it there (CompositeContinuationToken).
// After a split the range may be divided into several.
struct RangeContinuation {
    std::string token;
    model::EpkRange epks;

    std::string to_json() const;
    // kBadRequest for anything else.
    static Result<RangeContinuation> parse(std::string_view json);
};

}  // namespace orrery::service
