// The container that items are imported into.

#pragma once

#include <string>

#include "base/result.h"
#include "client/client.h"
#include "model/container_definition.h"
#include "tools/import/import_options.h"

namespace orrery::tools {

struct Target {
    client::Path path;
    model::ContainerDefinition definition;
    std::string rid;  // empty: it does not exist, and this is a dry run
};

// Reads the container's definition, and creates the container if that is wanted and it is not a
// dry run. An error if the existing one has another partition key than asked for.
Result<Target> open_target(client::Client& client, const ContainerChoice& choice, bool dry_run);

}  // namespace orrery::tools
