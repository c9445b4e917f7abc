// Client-side encryption: what the server keeps of it. SDKs encrypt properties with keys that they
// store here wrapped with a key of the customer's; the server never sees them in the clear. Parsed
// from and printed as the JSON of the REST API.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "json/value.h"

namespace orrery::model {

// The definition of a client encryption key, checked: id, encryptionAlgorithm,
// wrappedDataEncryptionKey and keyWrapMetadata, in this order.
Result<json::Value> parse_client_encryption_key(const json::Value& body);

// The clientEncryptionPolicy of a container with these partition key paths, checked.
Result<json::Value> parse_client_encryption_policy(const json::Value& policy,
                                                   const std::vector<std::string>& key_paths);

// The ids of the keys that a checked policy names.
std::vector<std::string> keys_of_policy(const json::Value& policy);

}  // namespace orrery::model
