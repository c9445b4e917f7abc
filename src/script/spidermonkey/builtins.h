// Built-in functions that differ from the engine's: Error accepts a number, and searches that could
// run for hours without an interrupt check are restricted.

#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

// The current realm must be that of the global object.
bool install_builtins(JSContext* context, JS::HandleObject global);

}  // namespace orrery::script
