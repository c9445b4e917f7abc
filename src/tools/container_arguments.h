// The options of tools that write to a container: its name, and how to create it.

#pragma once

#include <string>

#include "cli/command.h"
#include "tools/target.h"

namespace orrery::tools {

// Sets the partition key ("/a,/b") and the indexing policy (a file) of a container to create, if
// they are given. Returns what is wrong with them.
std::string read_definition(const std::string& partition_key,
                            const std::string& indexing_policy,
                            ContainerChoice& choice);

class ContainerArguments {
public:
    // Without `required`, check() still wants a database and a container.
    void declare(CLI::App& app, bool required = true);

    // What is wrong with the options, if anything; afterwards choice() is what they say. With
    // `like_another`, a container is created like another one, and needs no partition key.
    std::string check(bool like_another = false);
    const ContainerChoice& choice() const { return choice_; }

private:
    ContainerChoice choice_;
    std::string partition_key_;
    std::string indexing_policy_;
};

}  // namespace orrery::tools
