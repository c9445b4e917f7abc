// The program's subcommands. Each takes its own arguments and returns the exit code.

#pragma once

#include <string>
#include <vector>

namespace orrery::server {

// Serves a data directory until SIGTERM or SIGINT, then returns 0; 1 if it cannot start.
int serve(const std::vector<std::string>& arguments);

// Checks a data directory that no server uses: reports what it holds and whether it is consistent.
int inspect(const std::vector<std::string>& arguments);

}  // namespace orrery::server
