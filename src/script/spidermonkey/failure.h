// Converts what a script threw into the error for its caller, worded as in the service.

#pragma once

#include <string>
#include <string_view>

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

#include "base/result.h"

namespace orrery::script {

// The file name of the prelude; its frames are omitted from stack traces.
inline constexpr const char* kPreludeFile = "orrery";

enum class Phase : unsigned char { kCompiling, kExecuting };

// Takes the pending exception; there must be one. `file` is the script's name in traces.
Error take_exception(JSContext* context, Phase phase, std::string_view file);

// The same for a value passed to abort().
Error describe_failure(JSContext* context,
                       JS::HandleValue thrown,
                       JS::HandleObject stack,
                       Phase phase,
                       std::string_view file);

// An Error object for callbacks, with number, message and body.
bool make_error_object(JSContext* context, const Error& error, JS::MutableHandleValue out);

// The HTTP status of an error, which scripts compare with ErrorCodes.
int error_number(ErrorCode code);

}  // namespace orrery::script
