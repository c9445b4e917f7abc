#include "cli/command.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace orrery::cli {

namespace {

// The environment as arguments before those of the command line, because the last value of an
// option wins. CLI11 itself would give a config file precedence over the environment.
std::vector<std::string> environment_arguments(const CLI::App& app) {
    std::vector<std::string> out;
    for (const CLI::Option* option : app.get_options()) {
        const std::string variable = option->get_envname();
        const char* const value = variable.empty() ? nullptr : std::getenv(variable.c_str());
        if (value != nullptr && *value != '\0') out.push_back(option->get_name() + "=" + value);
    }
    return out;
}

std::string footer(const Command& command) {
    std::string out;
    for (const Example& example : command.examples()) {
        out += out.empty() ? "Examples:\n" : "";
        out += "  # " + example.purpose + "\n  " + example.command + "\n";
    }
    return out;
}

}  // namespace

std::string environment_name(std::string option) {
    std::transform(option.begin(), option.end(), option.begin(), [](unsigned char c) {
        return c == '-' ? '_' : static_cast<char>(std::toupper(c));
    });
    return "ORRERY_" + option;
}

std::unique_ptr<CLI::App> declare(Command& command) {
    auto app = std::make_unique<CLI::App>(command.description(), "orrery " + command.name());
    app->option_defaults()->take_last();
    command.declare(*app);
    app->footer(footer(command));
    return app;
}

Parsed parse(Command& command, const std::vector<std::string>& arguments) {
    const auto app = declare(command);
    std::vector<std::string> all = environment_arguments(*app);
    all.insert(all.end(), arguments.begin(), arguments.end());
    Parsed out;
    try {
        app->parse(std::vector<std::string>(all.rbegin(), all.rend()));
        const std::string problem = command.check();
        if (!problem.empty()) throw CLI::ValidationError(problem);
        out.ready = true;
    } catch (const CLI::ParseError& error) {
        std::ostringstream text;
        out.exit_code = app->exit(error, text, text) == 0 ? 0 : kExitUsage;
        out.text = text.str();
    }
    return out;
}

int run(Command& command, const std::vector<std::string>& arguments) {
    const Parsed parsed = parse(command, arguments);
    if (parsed.ready) return command.run();
    std::fputs(parsed.text.c_str(), parsed.exit_code == 0 ? stdout : stderr);
    return parsed.exit_code;
}

std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> out;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (end > 0) out.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

}  // namespace orrery::cli
