// Built-in stored procedures, which every container has.

#pragma once

#include <memory>
#include <string_view>

#include "script/engine.h"

namespace orrery::script {

// Null if there is none with that id. "__.sys.echo" returns its first argument.
std::shared_ptr<const Script> system_procedure(std::string_view id);

}  // namespace orrery::script
