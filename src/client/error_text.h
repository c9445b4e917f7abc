// Errors as people read them.

#pragma once

#include <string>

namespace orrery::client {

// The message of an error answer, without the JSON in which servers wrap it and without what it
// says about the request.
std::string error_text(const std::string& message);

}  // namespace orrery::client
