#include "tools/shell/help.h"

#include <array>

#include "base/ascii.h"

namespace orrery::tools {

namespace {

constexpr std::array kCommands = {
    CommandHelp{ShellCommand::kUse,
                "use",
                "DB[/CONTAINER] | .. | /",
                "choose a database and a container; up; leave both"},
    CommandHelp{ShellCommand::kList,
                "ls",
                "[DB[/CONTAINER]]",
                "list databases, the containers of a database, or the items of a container"},
    CommandHelp{ShellCommand::kCat,
                "cat",
                "ID [KEY]",
                "print the item with this id; without a partition key, all with this id"},
    CommandHelp{
        ShellCommand::kPut, "put", "JSON", "write an item; replaces one with the same id and key"},
    CommandHelp{ShellCommand::kRemove,
                "rm",
                "ID [KEY]",
                "delete an item; the partition key is needed if several items have the id"},
    CommandHelp{ShellCommand::kExplain,
                "EXPLAIN",
                "SELECT ...",
                "show how the server runs a query, and what that takes"},
    CommandHelp{ShellCommand::kStats,
                ".stats",
                "",
                "what the last query took, and all so far; size of the container"},
    CommandHelp{ShellCommand::kThroughput,
                ".throughput",
                "[RU | auto RU]",
                "show the throughput, or set it: fixed, or autoscale up to a maximum"},
    CommandHelp{
        ShellCommand::kWatch, ".watch", "", "print changes of the container as they happen"},
    CommandHelp{ShellCommand::kMode,
                ".mode",
                "[table | json | lines]",
                "how to print results: a table, JSON, or a line of JSON each"},
    CommandHelp{ShellCommand::kHelp, ".help", "", "this list"},
    CommandHelp{ShellCommand::kQuit, ".quit", "", "leave the shell; Ctrl-D does so, too"},
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
