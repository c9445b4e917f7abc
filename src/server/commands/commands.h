// The program's subcommands.

#pragma once

#include <memory>

#include "cli/command.h"

namespace orrery::server {

// In the order of the list that `orrery --help` prints.
cli::Commands all_commands();

std::unique_ptr<cli::Command> make_inspect();
std::unique_ptr<cli::Command> make_backup();
std::unique_ptr<cli::Command> make_restore();
std::unique_ptr<cli::Command> make_doctor();

}  // namespace orrery::server
