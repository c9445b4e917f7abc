// Why the catalog refuses a change, in the service's words.

#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "catalog/resources.h"

namespace orrery::catalog {

Error not_found();
Error name_taken();
Error numbers_used_up();
// The container has as many of them as it may.
Error too_many(model::ScriptKind kind);

// kPreconditionFailed when the client wants to change another version than this one.
Status check_etag(const std::optional<std::string>& if_match, const Revision& revision);

}  // namespace orrery::catalog
