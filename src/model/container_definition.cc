#include "model/container_definition.h"

#include <set>

#include "base/ascii.h"
#include "model/client_encryption.h"
#include "model/limits.h"
#include "model/names.h"

namespace orrery::model {

namespace {

using json::Value;

constexpr const char* kSystemKeyPath = "/_partitionKey";

Error bad_request(std::string message) { return Error(ErrorCode::kBadRequest, std::move(message)); }

// The member if it is present and not null, else null pointer.
const Value* present(const Value& body, std::string_view name) {
    const Value* found = body.find(name);
    return found == nullptr || found->is_null() ? nullptr : found;
}

Result<std::vector<std::string>> string_list(const Value* list, const std::string& what) {
    if (list == nullptr || !list->is_array()) return bad_request(what + " must be an array.");
    std::vector<std::string> out;
    for (const Value& entry : list->array()) {
        if (!entry.is_string()) return bad_request(what + " must hold strings.");
        out.push_back(entry.string());
    }
    return out;
}

// The Java SDK spells the version "V1" or "V2" (azure-cosmos 4.81, tests/sdk/java).
Result<std::optional<std::int64_t>> key_version(const Value* given) {
    if (given == nullptr) return std::optional<std::int64_t>();
    if (given->is_string() && given->string() == "V1") return std::optional<std::int64_t>(1);
    if (given->is_string() && given->string() == "V2") return std::optional<std::int64_t>(2);
    const std::optional<std::int64_t> version = given->integer();
    if (version != 1 && version != 2) {
        return bad_request("The partition key version must be 1 or 2.");
    }
    return version;
}

Result<HashKind> hash_kind(const Value* kind, std::int64_t version, std::size_t path_count) {
    const std::string name =
        kind == nullptr ? "Hash" : (kind->is_string() ? kind->string() : std::string());
    if (name == "MultiHash") {
        if (version != 2) return bad_request("A MultiHash partition key must have version 2.");
        return HashKind::kMultiHash;
    }
    if (name != "Hash") {
        return bad_request("The partition key kind '" + name +
                           "' is not supported; use 'Hash' or 'MultiHash'.");
    }
    if (path_count != 1) {
        return bad_request("A partition key of kind Hash has exactly one path; use MultiHash.");
    }
    return version == 2 ? HashKind::kHashV2 : HashKind::kHashV1;
}

Result<PartitionKeyDefinition> read_partition_key(const Value& given) {
    PartitionKeyDefinition out;
    if (!given.is_object()) return bad_request("partitionKey must be an object.");
    out.path_texts = TRY(string_list(given.find("paths"), "partitionKey.paths"));
    if (out.path_texts.empty()) return bad_request("A partition key needs at least one path.");
    if (out.path_texts.size() > limits::kPartitionKeyPathsMax) {
        return bad_request("Too many partition key paths (" +
                           std::to_string(out.path_texts.size()) + ") specified. A maximum of " +
                           std::to_string(limits::kPartitionKeyPathsMax) + " is allowed.");
    }
    out.version = TRY(key_version(present(given, "version")));
    out.kind =
        TRY(hash_kind(present(given, "kind"), out.version.value_or(1), out.path_texts.size()));
    const Value* system_key = present(given, "systemKey");
    out.system_key = system_key != nullptr && system_key->is_bool() && system_key->boolean() &&
                     out.path_texts[0] == kSystemKeyPath;
    return out;
}

Result<PartitionKeyDefinition> system_partition_key(const ContainerRules& rules) {
    if (rules.partition_key_required) {
        constexpr std::uint32_t kPartitionKeyDefinitionMissing = 1013;
        return Error(ErrorCode::kBadRequest,
                     "The partition key definition is missing. A container needs a "
                     "'partitionKey' with at least one path.",
                     kPartitionKeyDefinitionMissing);
    }
    PartitionKeyDefinition out;
    out.path_texts = {kSystemKeyPath};
    out.kind = HashKind::kHashV1;
    out.system_key = true;
    return out;
}

Result<json::Path> partition_key_path(const std::string& text, json::PathForm form) {
    auto path = json::parse_path(text, form);
    if (path) return path;
    return bad_request("The partition key component definition " + path.error().message() +
                       " Partition key paths must contain only valid characters and not contain a "
                       "trailing slash or wildcard character.");
}

Result<PartitionKeyDefinition> parse_partition_key(const Value* given,
                                                   const ContainerRules& rules) {
    PartitionKeyDefinition out =
        TRY(given == nullptr ? system_partition_key(rules) : read_partition_key(*given));
    std::set<json::Path> seen;
    for (const std::string& text : out.path_texts) {
        json::Path path = TRY(partition_key_path(text, rules.path_form));
        if (!seen.insert(path).second) {
            return bad_request("The partition key path '" + text + "' is specified twice.");
        }
        out.paths.push_back(std::move(path));
    }
    return out;
}

Result<std::optional<std::int32_t>> parse_default_ttl(const Value& body) {
    const Value* ttl = body.find("defaultTtl");  // null is refused, as in the service
    if (ttl == nullptr) return std::optional<std::int32_t>();
    const std::optional<std::int64_t> seconds = ttl->integer();
    if (!seconds || (*seconds != -1 && (*seconds < 1 || *seconds > limits::kTtlSecondsMax))) {
        return bad_request(
            "The value of 'defaultTtl' must be -1 or a whole number of seconds from 1 to " +
            std::to_string(limits::kTtlSecondsMax) + ".");
    }
    return std::optional(static_cast<std::int32_t>(*seconds));
}

Result<std::vector<std::vector<std::string>>> parse_unique_keys(const Value& body,
                                                                json::PathForm form) {
    std::vector<std::vector<std::string>> out;
    const Value* policy = present(body, "uniqueKeyPolicy");
    if (policy == nullptr) return out;
    const Value* keys = present(*policy, "uniqueKeys");
    if (keys == nullptr && policy->is_object()) return out;
    if (keys == nullptr || !keys->is_array()) {
        return bad_request("uniqueKeyPolicy.uniqueKeys must be an array.");
    }
    if (keys->array().size() > limits::kUniqueKeysMax) {
        return bad_request("A container has at most " + std::to_string(limits::kUniqueKeysMax) +
                           " unique keys.");
    }
    for (const Value& key : keys->array()) {
        std::vector<std::string> paths =
            TRY(string_list(key.find("paths"), "The paths of a unique key"));
        if (paths.empty() || paths.size() > limits::kUniqueKeyPathsMax) {
            return bad_request("A unique key has 1 to " +
                               std::to_string(limits::kUniqueKeyPathsMax) + " paths.");
        }
        for (const std::string& path : paths) {
            const auto parsed = json::parse_path(path, form);
            if (!parsed) {
                return bad_request("The unique key component definition " +
                                   parsed.error().message());
            }
        }
        out.push_back(std::move(paths));
    }
    return out;
}

// Kept for clients and for the day there are conflicts: with one write region there are none.
Result<Value> parse_conflict_resolution(const Value& body) {
    Value policy(Value::Object{{"mode", "LastWriterWins"},
                               {"conflictResolutionPath", "/_ts"},
                               {"conflictResolutionProcedure", ""}});
    const Value* given = present(body, "conflictResolutionPolicy");
    if (given == nullptr) return policy;
    if (!given->is_object()) return bad_request("conflictResolutionPolicy must be an object.");
    const auto text = [&](const char* name) -> Result<std::string> {
        const Value* value = present(*given, name);
        if (value == nullptr) return std::string();
        if (!value->is_string()) return bad_request(std::string(name) + " must be a string.");
        return value->string();
    };
    const std::string mode = TRY(text("mode"));
    const std::string path = TRY(text("conflictResolutionPath"));
    const std::string procedure = TRY(text("conflictResolutionProcedure"));
    const bool custom = same_word(mode, "Custom");
    if (!custom && !mode.empty() && !same_word(mode, "LastWriterWins")) {
        return bad_request(
            "The conflictResolutionPolicy mode must be 'LastWriterWins' or 'Custom'.");
    }
    if (custom && !path.empty()) {
        return bad_request("conflictResolutionPath is for the mode 'LastWriterWins' only.");
    }
    if (!custom && !procedure.empty()) {
        return bad_request("conflictResolutionProcedure is for the mode 'Custom' only.");
    }
    if (custom) {
        policy.set("mode", "Custom");
        policy.set("conflictResolutionPath", "");
        policy.set("conflictResolutionProcedure", procedure);
    } else if (!path.empty()) {
        policy.set("conflictResolutionPath", path);
    }
    return policy;
}

Status check_computed_name(const std::string& name, const std::vector<ComputedProperty>& others) {
    for (const char* taken : {"id", "_rid", "_ts", "_self", "_etag", "_attachments", "ttl"}) {
        if (name == taken) {
            return bad_request("A computed property cannot have the name '" + name + "'.");
        }
    }
    for (const ComputedProperty& other : others) {
        if (other.name == name) {
            return bad_request("The computed property '" + name + "' is defined more than once.");
        }
    }
    return {};
}

Result<std::vector<ComputedProperty>> parse_computed_properties(const Value& body) {
    std::vector<ComputedProperty> out;
    const Value* given = present(body, "computedProperties");
    if (given == nullptr) return out;
    if (!given->is_array()) {
        return bad_request(
            "One of the specified inputs is invalid: 'computedProperties' must be an array.");
    }
    if (given->array().size() > limits::kComputedPropertiesMax) {
        return bad_request("A container has at most " +
                           std::to_string(limits::kComputedPropertiesMax) + " computedProperties.");
    }
    for (const Value& property : given->array()) {
        const Value* name = property.find("name");
        const Value* query = property.find("query");
        const bool whole = name != nullptr && name->is_string() && !name->string().empty() &&
                           query != nullptr && query->is_string();
        if (!whole) {
            return bad_request("Each of the computedProperties needs a 'name' and a 'query'.");
        }
        TRY(check_computed_name(name->string(), out));
        out.push_back({name->string(), query->string()});
    }
    return out;
}

// {"retentionDuration":10}, in minutes.
Result<std::int32_t> parse_version_retention(const Value& body) {
    const Value* policy = present(body, "changeFeedPolicy");
    if (policy == nullptr) return 0;
    const Value* duration = policy->is_object() ? present(*policy, "retentionDuration") : nullptr;
    const auto minutes = duration == nullptr ? std::nullopt : duration->integer();
    if (!minutes || *minutes < 0 || *minutes > limits::kVersionRetentionMinutesMax) {
        return bad_request(
            "The 'retentionDuration' of the 'changeFeedPolicy' must be a whole number of minutes "
            "from 0 to " +
            std::to_string(limits::kVersionRetentionMinutesMax) + ".");
    }
    return static_cast<std::int32_t>(*minutes);
}

// These would change how the container behaves; storing them without effect would mislead clients.
Status refuse_unsupported(const Value& body) {
    for (const char* name : {"ttlPropertyPath",
                             "analyticalStorageTtl",
                             "vectorEmbeddingPolicy",
                             "fullTextPolicy",
                             "materializedViewDefinition",
                             "dataMaskingPolicy"}) {
        if (present(body, name) != nullptr) {
            return bad_request(std::string("The container property '") + name +
                               "' is not supported by this server.");
        }
    }
    const Value* geospatial = present(body, "geospatialConfig");
    const Value* type = geospatial == nullptr ? nullptr : present(*geospatial, "type");
    if (geospatial != nullptr &&
        (type == nullptr || !type->is_string() || type->string() != "Geography")) {
        return bad_request("The geospatialConfig type is not supported; only 'Geography' is.");
    }
    return {};
}

}  // namespace

Result<ContainerDefinition> parse_container_definition(const Value& body,
                                                       const ContainerRules& rules) {
    if (!body.is_object()) return bad_request("The container definition must be a JSON object.");
    const Value* id = body.find("id");
    if (id == nullptr || !id->is_string()) {
        return bad_request(
            "The input content is invalid because the required properties - 'id; ' - are missing.");
    }
    ContainerDefinition out;
    out.id = id->string();
    TRY(check_resource_name(out.id));
    TRY(refuse_unsupported(body));
    out.partition_key = TRY(parse_partition_key(present(body, "partitionKey"), rules));
    out.default_ttl = TRY(parse_default_ttl(body));
    out.version_retention_minutes = TRY(parse_version_retention(body));
    out.unique_keys = TRY(parse_unique_keys(body, rules.path_form));
    out.indexing_policy =
        TRY(complete_indexing_policy(present(body, "indexingPolicy"), rules.policy_form));
    // As in the service (docs nosql/time-to-live), where expiry relies on the index.
    if (out.default_ttl && out.indexing_policy.find("indexingMode")->string() == "none") {
        return bad_request("'defaultTtl' needs the indexing mode 'consistent'.");
    }
    out.conflict_resolution_policy = TRY(parse_conflict_resolution(body));
    out.computed_properties = TRY(parse_computed_properties(body));
    if (const Value* policy = present(body, "clientEncryptionPolicy")) {
        out.client_encryption_policy =
            TRY(parse_client_encryption_policy(*policy, out.partition_key.path_texts));
    }
    return out;
}

Status check_container_change(const ContainerDefinition& from, const ContainerDefinition& to) {
    if (from.id != to.id) {
        return bad_request("The 'id' of a container cannot be changed by a replace.");
    }
    const PartitionKeyDefinition& a = from.partition_key;
    const PartitionKeyDefinition& b = to.partition_key;
    if (a.path_texts != b.path_texts || a.kind != b.kind) {
        return bad_request("'partitionKey' cannot be changed as part of a container replace.");
    }
    if (from.unique_keys != to.unique_keys) {
        return bad_request("'uniqueKeyPolicy' cannot be changed as part of a container replace.");
    }
    if (from.conflict_resolution_policy.text() != to.conflict_resolution_policy.text()) {
        return bad_request(
            "'conflictResolutionPolicy' cannot be changed as part of a container replace.");
    }
    if (from.client_encryption_policy.text() != to.client_encryption_policy.text()) {
        return bad_request(
            "'clientEncryptionPolicy' cannot be changed as part of collection replace operation.");
    }
    return {};
}

Value to_json(const ContainerDefinition& definition) {
    Value out(Value::Object{});
    out.set("id", definition.id);
    out.set("indexingPolicy", definition.indexing_policy);

    const PartitionKeyDefinition& key = definition.partition_key;
    Value partition_key(Value::Object{});
    partition_key.set("paths", Value::Array(key.path_texts.begin(), key.path_texts.end()));
    partition_key.set("kind", key.kind == HashKind::kMultiHash ? "MultiHash" : "Hash");
    if (key.version) partition_key.set("version", *key.version);
    if (key.system_key) partition_key.set("systemKey", true);
    out.set("partitionKey", std::move(partition_key));

    if (definition.default_ttl) out.set("defaultTtl", std::int64_t{*definition.default_ttl});
    if (definition.version_retention_minutes > 0) {
        Value policy{Value::Object()};
        policy.set("retentionDuration", std::int64_t{definition.version_retention_minutes});
        out.set("changeFeedPolicy", std::move(policy));
    }
    Value::Array unique_keys;
    for (const std::vector<std::string>& paths : definition.unique_keys) {
        unique_keys.push_back(
            Value(Value::Object{{"paths", Value::Array(paths.begin(), paths.end())}}));
    }
    out.set("uniqueKeyPolicy", Value(Value::Object{{"uniqueKeys", std::move(unique_keys)}}));
    out.set("conflictResolutionPolicy", definition.conflict_resolution_policy);
    if (!definition.client_encryption_policy.is_null()) {
        out.set("clientEncryptionPolicy", definition.client_encryption_policy);
    }
    if (!definition.computed_properties.empty()) {
        Value::Array computed;
        for (const ComputedProperty& property : definition.computed_properties) {
            computed.push_back(
                Value(Value::Object{{"name", property.name}, {"query", property.query}}));
        }
        out.set("computedProperties", std::move(computed));
    }
    out.set("geospatialConfig", Value(Value::Object{{"type", "Geography"}}));
    return out;
}

}  // namespace orrery::model
