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
// The container has reached its limit of this kind.
Error too_many(model::ScriptKind kind);

// kPreconditionFailed if the client's If-Match names another version.
Status check_etag(const std::optional<std::string>& if_match, const Revision& revision);

}  // namespace orrery::catalog
