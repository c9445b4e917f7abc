// Searching a string for a string is quadratic in the engine, and so is searching an array for a
// long string; neither checks for interrupts (measured: "a".repeat(2**25).lastIndexOf(…) of 2**20
// characters takes more than a minute). Parsing JSON and changing case are linear, but do not check
// either. So calls that would take too much work are refused.

#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

bool install_guards(JSContext* context, JS::HandleObject global);

}  // namespace orrery::script
