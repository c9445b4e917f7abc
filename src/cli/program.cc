#include "cli/program.h"

#include <algorithm>
#include <cstdio>

#include "cli/completion.h"
#include "cli/manual.h"

namespace orrery::cli {

namespace {

using Arguments = std::vector<std::string>;

std::string usage(const Commands& commands) {
    std::string out = "orrery " ORRERY_VERSION
                      ": a document database with the API of Azure Cosmos DB for NoSQL\n\n"
                      "Usage: orrery COMMAND [OPTIONS]\n\n";
    const auto add = [&](std::string name, const std::string& summary) {
        name.resize(std::max<std::size_t>(name.size(), 12), ' ');
        out += "  " + name + summary + "\n";
    };
    for (const auto& command : commands) {
        add(command->name(), command->summary());
    }
    add("completion", "print a completion script for bash, zsh or fish");
    add("man", "print the manual page of a command");
    add("version", "print the version");
    return out + "\n`orrery COMMAND --help` explains a command.\n";
}

int print(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    return 0;
}

int refuse(const std::string& problem) {
    std::fprintf(stderr, "orrery: %s\n", problem.c_str());
    return kExitUsage;
}

std::vector<CommandDescription> describe_all(const Commands& commands) {
    std::vector<CommandDescription> out;
    for (const auto& command : commands) {
        out.push_back(describe(*command));
    }
    return out;
}

int print_completion(const Commands& commands, const Arguments& arguments) {
    const auto script = arguments.size() == 1
                            ? completion_script(arguments[0], describe_all(commands))
                            : std::nullopt;
    return script ? print(*script) : refuse("usage: orrery completion bash|zsh|fish");
}

int print_manual(const Commands& commands, const Arguments& arguments) {
    if (arguments.empty()) return print(program_page(describe_all(commands)));
    for (const auto& command : commands) {
        if (command->name() == arguments[0]) return print(command_page(describe(*command)));
    }
    return refuse("there is no manual page for '" + arguments[0] + "'");
}

}  // namespace

int run_program(const Commands& commands, Arguments arguments) {
    const std::string name = arguments.empty() ? "--help" : arguments.front();
    if (!arguments.empty()) arguments.erase(arguments.begin());
    for (const auto& command : commands) {
        if (command->name() == name) return run(*command, arguments);
    }
    if (name == "completion") return print_completion(commands, arguments);
    if (name == "man") return print_manual(commands, arguments);
    if (name == "version" || name == "--version") return print("orrery " ORRERY_VERSION "\n");
    if (name == "--help" || name == "-h" || name == "help") return print(usage(commands));
    std::fputs(usage(commands).c_str(), stderr);
    return refuse("unknown command '" + name + "'");
}

}  // namespace orrery::cli
