// A client's request, free of HTTP: the headers that operations use, as sent. The strings belong to
// the exchange and are valid until it is answered.

#pragma once

#include <optional>
#include <string_view>

#include "model/consistency.h"

namespace orrery::service {

// API versions are dates; compared as the number yyyymmdd.
using ApiVersion = int;
inline constexpr ApiVersion kNewestApiVersion = 20240606;
// From this version clients know partitioned containers.
inline constexpr ApiVersion kPartitionedContainers = 20151216;
// From this version clients see the current form of indexing policies, before it the legacy form.
inline constexpr ApiVersion kCurrentPolicyForm = 20180618;
// From this version clients understand versioned session tokens (0:-1#5 instead of 0:5).
inline constexpr ApiVersion kVectorSessionTokens = 20180618;
// From this version clients cannot create containers without a partition key.
inline constexpr ApiVersion kPartitionKeyRequired = 20181231;

struct Request {
    ApiVersion api_version = kNewestApiVersion;
    std::optional<std::string_view> partition_key;
    std::optional<std::string_view> range_id;
    std::optional<std::string_view> start_epk;
    std::optional<std::string_view> end_epk;
    std::optional<std::string_view> if_match;
    std::optional<std::string_view> if_none_match;
    std::optional<std::string_view> session_token;
    std::optional<std::string_view> consistency_level;
    model::ConsistencyLevel account_consistency = model::ConsistencyLevel::kSession;
    std::optional<std::string_view> continuation;
    std::optional<std::string_view> max_item_count;
    std::optional<std::string_view> intended_container_rid;
    std::optional<std::string_view> indexing_directive;
    std::optional<std::string_view> offer_throughput;
    std::optional<std::string_view> autopilot_settings;
    std::optional<std::string_view> offer_type;
    std::optional<std::string_view> token_seconds;  // how long a resource token is to be valid
    // A replaced offer changes its mode.
    bool migrate_to_autoscale = false;
    bool migrate_to_manual = false;
    // Writes store the item without _self and _attachments.
    bool exclude_system_properties = false;
};

}  // namespace orrery::service
