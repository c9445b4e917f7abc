// The outcome of a command line of `orrery serve`.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "server/commands/serve.h"

namespace orrery::server {

struct ParsedServe {
    std::optional<ServeConfig> config;
    std::string text;
    int exit_code = 0;
};

// `arguments` without the program's name and the word serve.
inline ParsedServe parse_serve(const std::vector<std::string>& arguments) {
    ServeCommand command;
    const cli::Parsed parsed = cli::parse(command, arguments);
    ParsedServe out{.config = {}, .text = parsed.text, .exit_code = parsed.exit_code};
    if (parsed.ready) out.config = command.config();
    return out;
}

}  // namespace orrery::server
