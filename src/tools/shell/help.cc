#include "tools/shell/help.h"

#include <array>

#include "base/ascii.h"

namespace orrery::tools {

namespace {

constexpr std::array kCommands = {
    CommandHelp{ShellCommand::kUse,
                "use",
                "DB[/CONTAINER] | .. | /",
                "choose where to work; go up; leave both"},
    CommandHelp{
        ShellCommand::kList, "ls", "[DB[/CONTAINER]]", "list databases, containers or items"},
    CommandHelp{ShellCommand::kCat, "cat", "ID [KEY]", "print the item, or all with this id"},
    CommandHelp{ShellCommand::kPut, "put", "JSON", "write an item; it may replace one"},
    CommandHelp{
        ShellCommand::kRemove, "rm", "ID [KEY]", "delete an item; KEY if several have this id"},
    CommandHelp{ShellCommand::kExplain, "EXPLAIN", "SELECT ...", "how the server runs a query"},
    CommandHelp{ShellCommand::kStats, ".stats", "", "what the last statement took, and all so far"},
    CommandHelp{ShellCommand::kThroughput,
                ".throughput",
                "[RU | auto RU]",
                "show or set it: fixed, or autoscale up to RU"},
    CommandHelp{ShellCommand::kWatch, ".watch", "", "print items as they change"},
    CommandHelp{ShellCommand::kMode, ".mode", "[table | json | lines]", "how to print results"},
    CommandHelp{ShellCommand::kHelp, ".help", "", "this list"},
    CommandHelp{ShellCommand::kQuit, ".quit", "", "leave; Ctrl-D does, too"},
};

}  // namespace

std::span<const CommandHelp> shell_commands() { return kCommands; }

std::optional<ShellCommand> find_command(std::string_view name) {
    for (const CommandHelp& command : kCommands) {
        if (same_word(command.name, name)) return command.command;
    }
    return std::nullopt;
}

bool is_command(std::string_view name) { return find_command(name).has_value(); }

}  // namespace orrery::tools
