#include "tools/account_arguments.h"

namespace orrery::tools {

void AccountArguments::declare(CLI::App& app) {
    const auto add = [&](const std::string& name, std::string& value, const std::string& help) {
        cli::add(app, prefix_ + name, value, help)->group(group_);
    };
    const std::string otherwise =
        prefix_.empty() ? " (default: " + std::string(client::kDefaultEndpoint) + ")" : "";
    add("endpoint", options_.endpoint, "URL of the server" + otherwise);
    add("key", options_.key, "Account key (default: the emulators' public key)");
    add("key-file",
        options_.key_file,
        "File with the account key, instead of --" + prefix_ + "key");
    add("connection-string",
        options_.connection_string,
        "AccountEndpoint=URL;AccountKey=KEY; instead of both");
    add("ca",
        options_.ca_file,
        "Authorities to trust for https, PEM (default: those of the system)");
    app.add_flag("--" + prefix_ + "insecure", options_.insecure, "Trust any certificate")
        ->envname(cli::environment_name(prefix_ + "insecure"))
        ->group(group_);
}

bool AccountArguments::given() const {
    return names_server() || names_key() || !options_.ca_file.empty() || options_.insecure;
}

std::string AccountArguments::check() {
    auto account = client::resolve_account(options_);
    if (!account) return account.error().message();
    account_ = *std::move(account);
    return {};
}

}  // namespace orrery::tools
