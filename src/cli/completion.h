// Scripts that let shells complete commands, options and their values.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.h"

namespace orrery::cli {

// For "bash", "zsh" and "fish".
std::optional<std::string> completion_script(std::string_view shell,
                                             const std::vector<CommandDescription>& commands);

}  // namespace orrery::cli
