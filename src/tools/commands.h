// The commands that talk to a server through its REST API.

#pragma once

#include <memory>

#include "cli/command.h"

namespace orrery::tools {

std::unique_ptr<cli::Command> make_bench();
std::unique_ptr<cli::Command> make_export();
std::unique_ptr<cli::Command> make_import();
std::unique_ptr<cli::Command> make_migrate();
std::unique_ptr<cli::Command> make_shell();

}  // namespace orrery::tools
