// orrery: a document database with the API of Azure Cosmos DB for NoSQL.

#include <cstdio>
#include <string>
#include <vector>

#include "cli/program.h"
#include "server/commands/commands.h"

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    return orrery::cli::run_program(orrery::server::all_commands(), arguments);
}
