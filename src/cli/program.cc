#include "cli/program.h"

#include <algorithm>
#include <cstdio>

namespace orrery::cli {

namespace {

std::string usage(const Commands& commands) {
    std::string out =
        "orrery " ORRERY_VERSION
        ": a document database with the API of Azure Cosmos DB for NoSQL\n\n"
        "Usage: orrery COMMAND [OPTIONS]\n\n";
    const auto add = [&](std::string name, const std::string& summary) {
        name.resize(std::max<std::size_t>(name.size(), 12), ' ');
        out += "  " + name + summary + "\n";
    };
    for (const auto& command : commands) {
        add(command->name(), command->summary());
    }
    add("version", "print the version");
    return out + "\n`orrery COMMAND --help` explains a command.\n";
}

}  // namespace

int run_program(const Commands& commands, std::vector<std::string> arguments) {
    const std::string name = arguments.empty() ? "--help" : arguments.front();
    if (!arguments.empty()) arguments.erase(arguments.begin());
    for (const auto& command : commands) {
        if (command->name() == name) return run(*command, arguments);
    }
    if (name == "version" || name == "--version") {
        std::puts("orrery " ORRERY_VERSION);
        return 0;
    }
    const bool asked = name == "--help" || name == "-h" || name == "help";
    if (!asked) std::fprintf(stderr, "orrery: unknown command '%s'\n\n", name.c_str());
    std::fputs(usage(commands).c_str(), asked ? stdout : stderr);
    return asked ? 0 : kExitUsage;
}

}  // namespace orrery::cli
