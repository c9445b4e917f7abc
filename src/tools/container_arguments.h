// The options of tools that write to a container: its name, and how to create it.

#pragma once

#include <string>

#include "cli/command.h"
#include "tools/target.h"

namespace orrery::tools {

class ContainerArguments {
public:
    // Without `required`, check() still wants a database and a container.
    void declare(CLI::App& app, bool required = true);

    // What is wrong with the options, if anything; afterwards choice() is what they say.
    std::string check();
    const ContainerChoice& choice() const { return choice_; }

private:
    ContainerChoice choice_;
    std::string partition_key_;
    std::string indexing_policy_;
};

}  // namespace orrery::tools
