// Which triggers a write asks for by its headers.

#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "catalog/resources.h"
#include "service/script_executor.h"

namespace orrery::service {

// The one trigger that the header names; nothing when it names none. 400 when there is no such
// trigger, when it is of another type or for another operation, or when several are named.
Result<std::optional<StoredScript>> find_trigger(const catalog::Container& container,
                                                 std::string_view header,
                                                 model::TriggerType type,
                                                 TriggeredWrite::Kind operation);

}  // namespace orrery::service
