// A parsed request path: /dbs/{db}/colls/{coll}/docs/{id}. An odd number of segments is a feed, an
// even number a resource.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace orrery::gateway {

enum class ResourceType : std::uint8_t {
    kAccount,
    kDatabase,
    kContainer,
    kItem,
    kStoredProcedure,
    kTrigger,
    kUdf,
    kConflict,
    kRange,
    kAttachment,
    kMedia,
    kUser,
    kPermission,
    kClientEncryptionKey,
    kOffer,
    kOperation,
    kAddress,
    kSplit,
    kMerge,
    kKeys,
    kReadOnlyKeys,
    kKeyRegeneration,
    kRoleDefinition,
    kRoleAssignment,
    kBackup,
    kCluster,
    kNode,
    kDrain,
};

struct ResourcePath {
    ResourceType type = ResourceType::kAccount;
    bool feed = false;
    // Ids from the root down, percent-decoded: database, container, item, ... Those of media are
    // the rids of its attachment.
    std::vector<std::string> ids;
    // What the signature covers: the last type segment, and the accepted spellings of the link.
    std::string type_name;
    std::vector<std::string> signed_links;
    // Some clients sign an operation with the type of what it works on.
    std::string other_type_name;
};

// 404 for an unknown path, 400 for one that cannot be decoded.
Result<ResourcePath> parse_resource_path(std::string_view target);

// The type in client terms: "stored procedures", "items".
std::string_view name_of(ResourceType type);

}  // namespace orrery::gateway
