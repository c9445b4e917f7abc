// A container as clients define it: how items are partitioned, kept unique, indexed and expired.
// Parsed from and printed as the JSON of the REST API.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "json/path.h"
#include "json/value.h"
#include "model/effective_partition_key.h"
#include "model/indexing_policy.h"

namespace orrery::model {

struct PartitionKeyDefinition {
    std::vector<std::string> path_texts;  // as the client wrote them
    std::vector<json::Path> paths;        // the same, parsed
    HashKind kind = HashKind::kHashV2;
    std::optional<std::int64_t> version;  // as sent; none means version 1
    // The container was created without a partition key by an old client. Its items have the empty
    // key; newer clients see the path /_partitionKey marked systemKey.
    bool system_key = false;
};

// A property that a query computes from the item instead of it being stored.
struct ComputedProperty {
    std::string name;
    std::string query;  // SELECT VALUE … FROM c; not parsed here

    bool operator==(const ComputedProperty&) const = default;
};

struct ContainerDefinition {
    std::string id;
    PartitionKeyDefinition partition_key;
    // Seconds; -1 keeps items without their own ttl; nothing disables expiry altogether.
    std::optional<std::int32_t> default_ttl;
    std::vector<std::vector<std::string>> unique_keys;  // paths of each key
    json::Value indexing_policy;                        // as stored; see indexing_policy_in()
    json::Value conflict_resolution_policy;
    json::Value client_encryption_policy;  // null if there is none
    std::vector<ComputedProperty> computed_properties;
    // For how long the change feed has all versions and deletes; 0: it has the newest versions
    // only.
    std::int32_t version_retention_minutes = 0;
};

// Rules that depend on the client: the meaning of definitions changed over the API's life.
struct ContainerRules {
    // API 2018-12-31 and later: a container without a partition key cannot be created.
    bool partition_key_required = true;
    PolicyForm policy_form = PolicyForm::kCurrent;
    json::PathForm path_form = json::PathForm::kRequest;
};

// For reading back a stored definition unchanged.
inline constexpr ContainerRules kStoredDefinition{.partition_key_required = true,
                                                  .policy_form = PolicyForm::kLegacy,
                                                  .path_form = json::PathForm::kStored};

Result<ContainerDefinition> parse_container_definition(const json::Value& body,
                                                       const ContainerRules& rules);

// What a replace may not change: id, partition key, unique keys.
Status check_container_change(const ContainerDefinition& from, const ContainerDefinition& to);

// The members of the REST resource, without system properties, as they are stored.
json::Value to_json(const ContainerDefinition& definition);

}  // namespace orrery::model
