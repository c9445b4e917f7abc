// Turns what a script threw into the error its caller gets, in the service's words.

#pragma once

#include <string>
#include <string_view>

#include <js/RootingAPI.h>
#include <js/TypeDecls.h>

#include "base/result.h"

namespace orrery::script {

// The name under which the prelude is compiled; its frames are left out of stack traces.
inline constexpr const char* kPreludeFile = "orrery";

enum class Phase : unsigned char { kCompiling, kExecuting };

// Takes the exception that is pending; there must be one. `file` is the script's name in traces.
Error take_exception(JSContext* context, Phase phase, std::string_view file);

// The same for a value that was handed to abort().
Error describe_failure(JSContext* context,
                       JS::HandleValue thrown,
                       JS::HandleObject stack,
                       Phase phase,
                       std::string_view file);

// An Error object for callbacks, with number, message and body.
bool make_error_object(JSContext* context, const Error& error, JS::MutableHandleValue out);

// HTTP's number for an error, as scripts compare it with ErrorCodes.
int error_number(ErrorCode code);

}  // namespace orrery::script
