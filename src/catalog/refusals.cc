#include "catalog/refusals.h"

#include "model/etag.h"
#include "model/limits.h"

namespace orrery::catalog {

Error not_found() {
    return Error(ErrorCode::kNotFound,
                 "Resource Not Found. Learn more: https://aka.ms/cosmosdb-tsg-not-found");
}

namespace {

constexpr const char* kNameTaken = "Resource with specified id or name already exists.";

}  // namespace

Error name_taken() { return Error(ErrorCode::kConflict, kNameTaken); }

Error database_name_taken() {
    // DatabaseNameAlreadyExists in the SubStatusCodes of the .NET and Rust SDKs.
    constexpr std::uint32_t kDatabaseNameAlreadyExists = 3206;
    return Error(ErrorCode::kConflict, kNameTaken, kDatabaseNameAlreadyExists);
}

Error numbers_exhausted() {
    return Error(ErrorCode::kForbidden,
                 "The account cannot have any more databases or containers: resource ids are "
                 "exhausted.");
}

Error too_many_sharing_containers() {
    constexpr std::uint32_t kSharedThroughputContainerCount = 1019;
    return Error(ErrorCode::kForbidden,
                 "Collection create forbidden as collection count in database offer has exceeded " +
                     std::to_string(model::limits::kSharingContainersMax) + ".",
                 kSharedThroughputContainerCount);
}

Error too_many(model::ScriptKind kind) {
    return Error(ErrorCode::kForbidden,
                 "The container has " + std::to_string(model::count_max(kind)) + " " +
                     std::string(model::segment_of(kind)) + " and cannot have any more.");
}

Error too_many_client_keys() {
    return Error(ErrorCode::kForbidden,
                 "The database has " + std::to_string(model::limits::kClientKeysMax) +
                     " client encryption keys and cannot have any more.");
}

Error too_many_users() {
    return Error(ErrorCode::kForbidden,
                 "The account has " + std::to_string(model::limits::kUsersMax) +
                     " users and cannot have any more.");
}

Error too_many_permissions() {
    return Error(ErrorCode::kForbidden,
                 "The account has " + std::to_string(model::limits::kPermissionsMax) +
                     " permissions and cannot have any more.");
}

Error too_many_roles() {
    return Error(ErrorCode::kForbidden,
                 "The account cannot have any more role definitions or role assignments.");
}

Status check_etag(const std::optional<std::string>& if_match, const Revision& revision) {
    if (!if_match || model::etag_matches(*if_match, revision.etag())) return {};
    return Error(
        ErrorCode::kPreconditionFailed,
        "Operation cannot be performed because one of the specified precondition is not met.");
}

}  // namespace orrery::catalog
