// Errors as people read them.

#pragma once

#include <string>

#include "base/result.h"

namespace orrery::tools {

// The message, without the JSON in which servers wrap those about queries.
std::string problem_text(const Error& error);

}  // namespace orrery::tools
