// The program as a whole: picks the subcommand that the first argument names.

#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace orrery::cli {

// `arguments` without the program's name. Returns the exit code.
int run_program(const Commands& commands, std::vector<std::string> arguments);

}  // namespace orrery::cli
