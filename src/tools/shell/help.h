// The commands of the shell: one table for help, completion and telling commands from queries.

#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace orrery::tools {

enum class ShellCommand : std::uint8_t {
    kUse,
    kList,
    kCat,
    kPut,
    kRemove,
    kExplain,
    kStats,
    kThroughput,
    kWatch,
    kMode,
    kHelp,
    kQuit,
};

struct CommandHelp {
    ShellCommand command;
    std::string_view name;       // ".mode"
    std::string_view arguments;  // "table|json|lines"
    std::string_view purpose;
};

std::span<const CommandHelp> shell_commands();

// In any case.
std::optional<ShellCommand> find_command(std::string_view name);
bool is_command(std::string_view name);

}  // namespace orrery::tools
