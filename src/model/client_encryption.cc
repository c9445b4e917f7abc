#include "model/client_encryption.h"

#include <algorithm>

#include "base/base64.h"
#include "model/limits.h"
#include "model/names.h"

namespace orrery::model {

namespace {

using json::Value;

constexpr const char* kAlgorithm = "AEAD_AES_256_CBC_HMAC_SHA256";

Error encryption_refused(std::string message) {
    return Error(ErrorCode::kBadRequest, std::move(message));
}

Result<std::string> encryption_text(const Value& object, const char* name) {
    const Value* found = object.find(name);
    if (found == nullptr || !found->is_string() || found->string().empty()) {
        return encryption_refused(std::string("'") + name +
                                  "' must be a string that is not empty.");
    }
    return found->string();
}

Result<std::string> encryption_word(const Value& object,
                                    const char* name,
                                    const std::vector<std::string>& allowed) {
    std::string text = TRY(encryption_text(object, name));
    if (std::find(allowed.begin(), allowed.end(), text) != allowed.end()) return text;
    return encryption_refused("The value '" + text.substr(0, 100) + "' of '" + name +
                              "' is not supported.");
}

// Whether /name is the path, or an ancestor of it.
bool leads_to(const std::string& path, const std::string& key_path) {
    return key_path == path || key_path.starts_with(path + "/");
}

Result<Value> parse_included_path(const Value& entry,
                                  std::int64_t version,
                                  const std::vector<std::string>& key_paths) {
    if (!entry.is_object()) return encryption_refused("'includedPaths' must hold objects.");
    const std::string path = TRY(encryption_text(entry, "path"));
    if (path[0] != '/' || path.size() < 2 || path.find('/', 1) != std::string::npos) {
        return encryption_refused(
            "Invalid path '" + path.substr(0, 100) +
            "' in the client encryption policy: only top-level paths are supported.");
    }
    const std::string type =
        TRY(encryption_word(entry, "encryptionType", {"Deterministic", "Randomized"}));
    const bool is_key =
        path == "/id" || std::any_of(key_paths.begin(), key_paths.end(), [&](const auto& key_path) {
            return leads_to(path, key_path);
        });
    if (is_key && (version < 2 || type != "Deterministic")) {
        return encryption_refused("The path '" + path +
                                  "' is the id or part of the partition key: encrypting it needs "
                                  "policyFormatVersion 2 and deterministic encryption.");
    }
    Value out(Value::Object{});
    out.set("path", path);
    out.set("clientEncryptionKeyId", TRY(encryption_text(entry, "clientEncryptionKeyId")));
    out.set("encryptionType", type);
    out.set("encryptionAlgorithm",
            TRY(encryption_word(entry, "encryptionAlgorithm", {kAlgorithm})));
    return out;
}

Result<std::int64_t> format_version(const Value& policy) {
    const Value* version = policy.find("policyFormatVersion");
    if (version == nullptr || version->is_null()) return 1;
    if (!version->is_number() || (version->integer() != 1 && version->integer() != 2)) {
        return encryption_refused("'policyFormatVersion' must be 1 or 2.");
    }
    return *version->integer();
}

}  // namespace

Result<Value> parse_client_encryption_key(const Value& body) {
    if (!body.is_object())
        return encryption_refused("A client encryption key must be a JSON object.");
    Value out(Value::Object{});
    const std::string id = TRY(encryption_text(body, "id"));
    TRY(check_resource_name(id));
    out.set("id", id);
    out.set("encryptionAlgorithm", TRY(encryption_word(body, "encryptionAlgorithm", {kAlgorithm})));
    const std::string wrapped = TRY(encryption_text(body, "wrappedDataEncryptionKey"));
    if (!base64_decode(wrapped))
        return encryption_refused("'wrappedDataEncryptionKey' must be in base64.");
    out.set("wrappedDataEncryptionKey", wrapped);
    const Value* metadata = body.find("keyWrapMetadata");
    if (metadata == nullptr || !metadata->is_object()) {
        return encryption_refused("'keyWrapMetadata' must be an object.");
    }
    for (const char* name : {"type", "name", "value", "algorithm"})
        TRY(encryption_text(*metadata, name));
    out.set("keyWrapMetadata", *metadata);
    return out;
}

Result<Value> parse_client_encryption_policy(const Value& policy,
                                             const std::vector<std::string>& key_paths) {
    const Value* paths = policy.is_object() ? policy.find("includedPaths") : nullptr;
    if (paths == nullptr || !paths->is_array()) {
        return encryption_refused("'clientEncryptionPolicy' must have an array 'includedPaths'.");
    }
    if (paths->array().size() > limits::kEncryptedPathsMax) {
        return encryption_refused("'clientEncryptionPolicy' has too many paths.");
    }
    const std::int64_t version = TRY(format_version(policy));
    Value::Array included;
    for (const Value& entry : paths->array()) {
        Value parsed = TRY(parse_included_path(entry, version, key_paths));
        const std::string& path = parsed.find("path")->string();
        const bool twice = std::any_of(included.begin(), included.end(), [&](const Value& other) {
            return other.find("path")->string() == path;
        });
        if (twice) {
            return encryption_refused("Duplicate path '" + path +
                                      "' in the client encryption policy.");
        }
        included.push_back(std::move(parsed));
    }
    Value out(Value::Object{});
    out.set("includedPaths", std::move(included));
    out.set("policyFormatVersion", version);
    return out;
}

std::vector<std::string> keys_of_policy(const Value& policy) {
    std::vector<std::string> out;
    for (const Value& entry : policy.find("includedPaths")->array())
        out.push_back(entry.find("clientEncryptionKeyId")->string());
    return out;
}

}  // namespace orrery::model
