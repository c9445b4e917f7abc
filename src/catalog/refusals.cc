#include "catalog/refusals.h"

#include "model/etag.h"

namespace orrery::catalog {

Error not_found() {
    return Error(ErrorCode::kNotFound,
                 "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found");
}

Error name_taken() {
    return Error(ErrorCode::kConflict, "Resource with specified id or name already exists.");
}

Error numbers_exhausted() {
    return Error(ErrorCode::kForbidden,
                 "The account cannot have any more databases or containers: resource ids are "
                 "exhausted.");
}

Error too_many(model::ScriptKind kind) {
    return Error(ErrorCode::kForbidden,
                 "The container has " + std::to_string(model::count_max(kind)) + " " +
                     std::string(model::segment_of(kind)) + " and cannot have any more.");
}

Status check_etag(const std::optional<std::string>& if_match, const Revision& revision) {
    if (!if_match || model::etag_matches(*if_match, revision.etag())) return {};
    return Error(
        ErrorCode::kPreconditionFailed,
        "Operation cannot be performed because one of the specified precondition is not met.");
}

}  // namespace orrery::catalog
