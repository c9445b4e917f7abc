// Built-in functions that differ from the engine's own: Error takes a number, and searches that
// could run for hours without ever looking at the clock are done another way.

#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

// The current realm must be the global object's.
bool install_builtins(JSContext* context, JS::HandleObject global);

}  // namespace orrery::script
