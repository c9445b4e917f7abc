// The container that a tool writes to, and how it is created if it does not exist.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/client.h"
#include "model/container_definition.h"

namespace orrery::tools {

struct ContainerChoice {
    std::string database;
    std::string container;
    // Create both if they do not exist, like this:
    bool create = false;
    std::vector<std::string> partition_key = {};
    std::int64_t throughput = 0;       // 0: the server's default
    json::Value indexing_policy = {};  // null: the server's default
    json::Value like = {};             // null, or a container's definition, which these change
};

struct Target {
    client::Path path;
    model::ContainerDefinition definition;
    std::string rid;  // empty: it does not exist, and this is a dry run
    // By open_target(), not by others at the same time.
    bool created = false;
    bool database_created = false;
};

// Reads the container's definition, and creates the container if that is wanted and it is not a
// dry run. An error if the existing one has another partition key than asked for.
Result<Target> open_target(client::Client& client, const ContainerChoice& choice, bool dry_run);

// Why a container that has to be there could not be read: with its name in place of the server's
// "Resource Not Found".
Error container_error(Error error, const std::string& database, const std::string& container);

}  // namespace orrery::tools
