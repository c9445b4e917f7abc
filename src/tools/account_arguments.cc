#include "tools/account_arguments.h"

namespace orrery::tools {

void AccountArguments::declare(CLI::App& app) {
    constexpr const char* kGroup = "Server";
    cli::add(app,
             "endpoint",
             options_.endpoint,
             "URL of the server (default: " + std::string(client::kDefaultEndpoint) + ")")
        ->group(kGroup);
    cli::add(app, "key", options_.key, "Account key (default: the emulators' public key)")
        ->group(kGroup);
    cli::add(app, "key-file", options_.key_file, "File with the account key, instead of --key")
        ->group(kGroup);
    cli::add(app,
             "connection-string",
             options_.connection_string,
             "AccountEndpoint=URL;AccountKey=KEY; instead of both")
        ->group(kGroup);
    cli::add(app,
             "ca",
             options_.ca_file,
             "Authorities to trust for https, PEM (default: those of the system)")
        ->group(kGroup);
    app.add_flag("--insecure", options_.insecure, "Trust any certificate")
        ->envname(cli::environment_name("insecure"))
        ->group(kGroup);
}

std::string AccountArguments::check() {
    auto account = client::resolve_account(options_);
    if (!account) return account.error().message();
    account_ = *std::move(account);
    return {};
}

}  // namespace orrery::tools
