// Finds the triggers that a write names in its headers.

#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "catalog/resources.h"
#include "service/script_executor.h"

namespace orrery::service {

// The one trigger that the header names; nullopt if it names none. 400 if the trigger is missing,
// is of another type or for another operation, or if several are named.
Result<std::optional<StoredScript>> find_trigger(const catalog::Container& container,
                                                 std::string_view header,
                                                 model::TriggerType type,
                                                 TriggeredWrite::Kind operation);

}  // namespace orrery::service
