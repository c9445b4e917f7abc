// Resource tokens: what a permission grants, signed, so that no state is needed to check them. A
// token outlives the permission that it was made for, until it expires, as in the service.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/hash.h"
#include "base/result.h"
#include "model/partition_key.h"
#include "model/permission.h"

namespace orrery::auth {

// What the holder of a token may do.
struct ResourceGrant {
    model::PermissionMode mode = model::PermissionMode::kRead;
    // The parts of the link: rids, which mean that very resource, or names, which also mean one
    // that is created again.
    bool by_rid = false;
    std::string database;
    std::string container;
    std::string child_type;  // "docs", "sprocs" and so on; empty for the whole container
    std::string child;
    // Only items with this key, or one that begins with it.
    std::optional<model::PartitionKeyValue> partition_key;
    std::int64_t issued = 0;  // Unix seconds
    std::int64_t expires = 0;
};

class ResourceTokens {
public:
    // `secret` is what other tokens of the server are signed with, too.
    explicit ResourceTokens(std::string_view secret);

    // type=resource&ver=1&sig=SIGNATURE;PAYLOAD;
    std::string issue(const ResourceGrant& grant) const;

    // Reads what stands after `sig=`. kUnauthorized unless this server has issued it. Does not look
    // at the clock: see check_time().
    Result<ResourceGrant> check(std::string_view signature) const;

private:
    HmacSha256Key key_;
};

// kForbidden before the grant begins and after it has expired.
Status check_time(const ResourceGrant& grant, std::int64_t now);

}  // namespace orrery::auth
