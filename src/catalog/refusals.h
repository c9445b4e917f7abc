// The errors with which the catalog refuses changes, worded as in the service.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"

namespace orrery::catalog {

Error not_found();
Error name_taken();
Error database_name_taken();
Error numbers_exhausted();
// As many containers as may share the throughput of the database.
Error too_many_sharing_containers();
// The container has reached its limit of this kind.
Error too_many(model::ScriptKind kind);
Error too_many_client_keys();
Error too_many_users();
Error too_many_permissions();
Error too_many_roles();

// kPreconditionFailed if the client's If-Match names another version.
Status check_etag(const std::optional<std::string>& if_match, const Revision& revision);

}  // namespace orrery::catalog
