// Why a write is refused, in the service's words.

#pragma once

#include "base/result.h"
#include "model/etag.h"
#include "partition/item_writer.h"

namespace orrery::partition {

inline Error not_found() {
    return Error(ErrorCode::kNotFound,
                 "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found");
}

inline Error id_taken() {
    return Error(ErrorCode::kConflict, "Resource with specified id or name already exists.");
}

// 412 unless the item is the version that the rules expect.
inline Status check_etag(const WriteRules& rules,
                         const Identity& identity,
                         const StoredItem& item) {
    if (!rules.if_match) return {};
    if (model::etag_matches(*rules.if_match, item_etag(identity, item.header()))) return {};
    return Error(ErrorCode::kPreconditionFailed,
                 "One of the specified pre-condition is not met. Learn more: "
                 "https://aka.ms/CosmosDB/sql/errors/precondition-failed");
}

}  // namespace orrery::partition
