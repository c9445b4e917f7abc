// Stored procedures that every container has without anybody having created them.

#pragma once

#include <memory>
#include <string_view>

#include "script/engine.h"

namespace orrery::script {

// Null when there is none of that id. "__.sys.echo" answers with its first argument.
std::shared_ptr<const Script> system_procedure(std::string_view id);

}  // namespace orrery::script
