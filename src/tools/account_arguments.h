// The options of all tools that say which server to talk to.

#pragma once

#include <string>
#include <utility>

#include "cli/command.h"
#include "client/account.h"

namespace orrery::tools {

class AccountArguments {
public:
    // With "to-", the options are --to-endpoint and so on.
    explicit AccountArguments(std::string prefix = {}, std::string group = "Server")
        : prefix_(std::move(prefix)), group_(std::move(group)) {}

    void declare(CLI::App& app);

    // What is wrong with the options, if anything; afterwards account() is the one they name.
    std::string check();
    const client::Account& account() const { return account_; }

    // Whether the user has given them, or they are the defaults.
    bool names_server() const {
        return !options_.endpoint.empty() || !options_.connection_string.empty();
    }
    bool names_key() const {
        return !options_.key.empty() || !options_.key_file.empty() ||
               !options_.connection_string.empty();
    }

    // Whether any of them is given.
    bool given() const;

private:
    const std::string prefix_;
    const std::string group_;
    client::AccountOptions options_;
    client::Account account_;
};

}  // namespace orrery::tools
