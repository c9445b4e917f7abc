// Searching a string for a string is quadratic in the engine, and so is searching an array for a
// long string; neither looks at the clock (measured: "a".repeat(2**25).lastIndexOf(…) of 2**20
// characters takes more than a minute). Parsing JSON and changing case are linear, but do not look
// at the clock either. So what would be too much work is refused.

#pragma once

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

namespace orrery::script {

bool install_guards(JSContext* context, JS::HandleObject global);

}  // namespace orrery::script
