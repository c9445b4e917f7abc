// A command and its options as data, for manual pages and completion.

#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace orrery::cli {

struct OptionDescription {
    std::vector<std::string> names;  // "-h", "--help"; empty for arguments without a name
    std::string value;               // "TEXT", "FILE"; empty for switches
    std::vector<std::string> choices;
    std::string help;
    std::string default_value;
    std::string variable;  // of the environment
    std::string group;     // heading
    bool required = false;
};

struct CommandDescription {
    std::string name;
    std::string summary;
    std::string text;
    std::vector<Example> examples;
    std::vector<OptionDescription> options;
};

CommandDescription describe(Command& command);

}  // namespace orrery::cli
