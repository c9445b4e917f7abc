// What the user wants to have imported, and how.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/account.h"
#include "client/path.h"
#include "tools/import/item_builder.h"
#include "tools/import/records.h"
#include "tools/target.h"

namespace orrery::tools {

// What happens to an item of which the server has one with the same id and partition key.
enum class ImportMode : std::uint8_t {
    kUpsert,  // it is replaced
    kCreate,  // the new one fails
    kSkip,    // it stays, and is counted
};

// A container whose items are the input.
struct ContainerSource {
    client::Account account;
    std::string database;
    std::string container;

    client::Path path() const { return client::container_path(database, container); }
};

enum class FormatChoice : std::uint8_t { kDetect, kJson, kLines, kCsv, kTsv, kMongo };

struct ImportOptions {
    client::Account account;
    ContainerChoice target;
    std::vector<std::string> inputs;      // paths; "-" is standard input
    std::optional<ContainerSource> from;  // then the only input is its name
    FormatChoice format = FormatChoice::kDetect;
    bool plain_strings = false;
    ItemRules rules;
    ImportMode mode = ImportMode::kUpsert;
    unsigned parallel = 16;
    bool dry_run = false;
    bool quiet = false;
    std::string errors_file;      // empty: none
    std::string checkpoint_file;  // empty: none
    bool restart = false;         // ignore a checkpoint
};

}  // namespace orrery::tools
