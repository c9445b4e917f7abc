// Manual pages in the language of man(7).

#pragma once

#include <string>
#include <vector>

#include "cli/description.h"

namespace orrery::cli {

// orrery(1): the list of commands.
std::string program_page(const std::vector<CommandDescription>& commands);

// orrery-export(1) and the like.
std::string command_page(const CommandDescription& command);

}  // namespace orrery::cli
