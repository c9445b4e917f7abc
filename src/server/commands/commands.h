// The subcommands of the program. Each takes its own arguments and returns the exit code.

#pragma once

#include <string>
#include <vector>

namespace orrery::server {

// Serves a data directory until SIGTERM or SIGINT, then 0; 1 when it cannot start.
int serve(const std::vector<std::string>& arguments);

// Looks at a data directory that no server uses: what it holds, and whether it fits together.
int inspect(const std::vector<std::string>& arguments);

}  // namespace orrery::server
