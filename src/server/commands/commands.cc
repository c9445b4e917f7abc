#include "server/commands/commands.h"

#include "server/commands/serve.h"
#include "tools/commands.h"

namespace orrery::server {

cli::Commands all_commands() {
    cli::Commands out;
    out.push_back(std::make_unique<ServeCommand>());
    out.push_back(tools::make_export());
    out.push_back(tools::make_import());
    out.push_back(tools::make_migrate());
    out.push_back(tools::make_bench());
    out.push_back(tools::make_shell());
    out.push_back(make_backup());
    out.push_back(make_restore());
    out.push_back(make_inspect());
    out.push_back(make_doctor());
    return out;
}

}  // namespace orrery::server
