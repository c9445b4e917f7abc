// Control-plane resources as clients see them.

#pragma once

#include <cstdint>

#include "catalog/resources.h"
#include "json/value.h"
#include "service/request.h"

namespace orrery::service {

// The form of indexing policies for clients of that version.
model::PolicyForm policy_form_of(ApiVersion version);

json::Value to_json(const catalog::Database& database);
// Clients older than 2018-12-31 do not see the key of a container created without one.
json::Value to_json(const catalog::Container& container, ApiVersion version);
// What an offer shows that can change without its being replaced.
struct OfferFigures {
    std::int64_t units = 0;                // available now: those that autoscale has scaled to
    std::uint64_t highest_storage_kb = 0;  // ever stored
};
json::Value to_json(const catalog::Offer& offer, const OfferFigures& figures);
json::Value to_json(const catalog::Script& script);
json::Value to_json(const catalog::ClientKey& key);
json::Value to_json(const catalog::User& user);
// Without its token.
json::Value to_json(const catalog::Permission& permission);
json::Value to_json(const catalog::Container& container, const catalog::PartitionRange& range);

}  // namespace orrery::service
