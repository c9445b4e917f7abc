// A user's permission on a resource as clients define it: what may be done with which resource,
// optionally with only the items of one partition key. Parsed from and printed as the JSON of the
// REST API.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

enum class PermissionMode : std::uint8_t { kRead, kAll };

struct PermissionDefinition {
    std::string id;
    PermissionMode mode = PermissionMode::kRead;
    std::string mode_text;  // as the client wrote it: "Read", "all"
    std::string resource;   // a link by names or by rids, as the client wrote it
    // A JSON array such as ["a"], in the form of the partition key header.
    std::optional<json::Value> partition_key = std::nullopt;
};

Result<PermissionDefinition> parse_permission_definition(const json::Value& body);

// The members of the REST resource, without system properties and token.
json::Value to_json(const PermissionDefinition& definition);

// What a permission can be given on: a container, or one of its resources.
struct ResourceLink {
    std::string_view database;
    std::string_view container;
    std::string_view child_type;  // "docs", "sprocs" and so on; empty for the container
    std::string_view child;

    // Without slashes at the ends, so that different spellings of a link are equal.
    std::string text() const;
};

// dbs/DB/colls/COLL or dbs/DB/colls/COLL/docs/ID and the like; slashes at the ends are ignored. The
// parts refer to `link`.
std::optional<ResourceLink> parse_resource_link(std::string_view link);

// The `id` of a user, which has no other members of its own.
Result<std::string> parse_user_definition(const json::Value& body);

}  // namespace orrery::model
