// orrery: a document database with the API of Azure Cosmos DB for NoSQL.

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "server/commands/commands.h"
#include "server/config.h"

namespace {

constexpr const char* kUsage =
    "orrery " ORRERY_VERSION
    ": a document database with the API of Azure Cosmos DB for NoSQL\n\n"
    "  orrery serve      serve a data directory (orrery serve --help)\n"
    "  orrery inspect    check a data directory (orrery inspect --help)\n"
    "  orrery version    print the version\n";

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    const std::string command = arguments.empty() ? "--help" : arguments.front();
    if (!arguments.empty()) arguments.erase(arguments.begin());
    if (command == "serve") return orrery::server::serve(arguments);
    if (command == "inspect") return orrery::server::inspect(arguments);
    if (command == "version" || command == "--version") {
        std::puts("orrery " ORRERY_VERSION);
        return 0;
    }
    const bool asked = command == "--help" || command == "-h" || command == "help";
    if (!asked) std::fprintf(stderr, "orrery: unknown command '%s'\n\n", command.c_str());
    std::fputs(kUsage, asked ? stdout : stderr);
    return asked ? 0 : orrery::server::kExitUsage;
}
