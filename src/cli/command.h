// A subcommand of the program: what it is for, its options and what it does. Help, manual pages and
// shell completion are made from the same declaration.

#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery::cli {

// Exit codes: 0 for success, 1 for failure.
constexpr int kExitFailure = 1;
constexpr int kExitUsage = 2;          // a wrong command line
constexpr int kExitInterrupted = 130;  // as a shell reports SIGINT

struct Example {
    std::string command;  // "orrery import --create items.json"
    std::string purpose;  // what it does, as one sentence
};

class Command {
public:
    Command() = default;
    Command(const Command&) = delete;
    Command& operator=(const Command&) = delete;
    virtual ~Command() = default;

    virtual std::string name() const = 0;
    // A phrase for the list of commands: "load items from files".
    virtual std::string summary() const = 0;
    // Sentences for help and manual page.
    virtual std::string description() const = 0;
    virtual std::vector<Example> examples() const { return {}; }

    // Declares options that set members of this object. Call once.
    virtual void declare(CLI::App& app) = 0;
    // What is wrong with the options together, if anything; completes them otherwise.
    virtual std::string check() { return {}; }
    // Runs with the options that were parsed; returns the exit code.
    virtual int run() = 0;
};

using Commands = std::vector<std::unique_ptr<Command>>;

// --port-file → ORRERY_PORT_FILE
std::string environment_name(std::string option);

// The app of a command, with its options, help and examples.
std::unique_ptr<CLI::App> declare(Command& command);

// The outcome of parsing: nothing to print if the command is to be run.
struct Parsed {
    bool ready = false;
    std::string text;
    int exit_code = 0;
};

// Sets the command's options from arguments, which have precedence over the environment, which has
// precedence over a config file.
Parsed parse(Command& command, const std::vector<std::string>& arguments);

// Parses and runs. Prints help or what is wrong with the command line.
int run(Command& command, const std::vector<std::string>& arguments);

// "a,b" → a, b.
std::vector<std::string> split_list(std::string_view text);

// Declares an option that can also be set in the environment: --port-file as ORRERY_PORT_FILE. The
// default value appears in the help. For what means the same to every command that has it: the
// server's settings, and which server tools talk to. A variable for --format would change whatever
// command happens to have such an option.
template <typename T>
CLI::Option* add(CLI::App& app, const std::string& name, T& value, const std::string& help) {
    return app.add_option("--" + name, value, help)
        ->envname(environment_name(name))
        ->capture_default_str();
}

template <typename T>
using Choices = std::vector<std::pair<std::string, T>>;

// Declares an option whose values have names, without a variable. Only the names go through CLI11,
// which would print the values of an enumeration as characters. `choices` must outlive the app.
template <typename T>
CLI::Option* add_choice(CLI::App& app,
                        const std::string& name,
                        T& value,
                        const Choices<T>& choices,
                        const std::string& default_name,
                        const std::string& help) {
    const auto choose = [&value, &choices](const std::string& text) {
        for (const auto& [choice, meaning] : choices) {
            if (choice == text) value = meaning;
        }
    };
    return app.add_option_function<std::string>("--" + name, choose, help)
        ->transform(CLI::IsMember(choices, CLI::ignore_case))
        ->default_str(default_name);
}

}  // namespace orrery::cli
