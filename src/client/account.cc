#include "client/account.h"

#include <algorithm>
#include <string>

#include "auth/master_key.h"
#include "base/ascii.h"
#include "base/files.h"

namespace orrery::client {

namespace {

Error wrong(std::string what) { return Error(ErrorCode::kBadRequest, std::move(what)); }

// "Name=value" up to the next semicolon, with any case of the name.
std::string_view part(std::string_view text, std::string_view name) {
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(';'), text.size());
        const std::string_view entry = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t equals = entry.find('=');
        if (equals != std::string_view::npos && same_word(entry.substr(0, equals), name)) {
            return entry.substr(equals + 1);
        }
    }
    return {};
}

Result<http::Url> parse_endpoint(std::string_view text) {
    auto url = http::parse_url(text);
    if (!url || url->target != "/") {
        return wrong("'" + std::string(text) +
                     "' is not an endpoint such as https://db.example.com:8081/");
    }
    return *std::move(url);
}

Status check_key(const std::string& key) {
    // Not the text, which may be a key with a slip.
    if (!auth::MasterKey::from_base64(key)) return wrong("the account key is not a key in base64");
    return {};
}

}  // namespace

Result<std::string> read_key_file(const std::string& path) {
    std::string text = TRY(read_file(path));
    std::erase_if(text, [](unsigned char c) { return c <= ' '; });
    TRY(check_key(text));
    return text;
}

Result<Account> parse_connection_string(std::string_view text) {
    const std::string_view endpoint = part(text, "AccountEndpoint");
    const std::string_view key = part(text, "AccountKey");
    if (endpoint.empty() || key.empty()) {
        return wrong("a connection string has the form AccountEndpoint=URL;AccountKey=KEY;");
    }
    Account out{.endpoint = TRY(parse_endpoint(endpoint)), .key = std::string(key), .tls = {}};
    TRY(check_key(out.key));
    return out;
}

Result<Account> resolve_account(const AccountOptions& options) {
    Account out;
    if (!options.connection_string.empty()) {
        if (!options.endpoint.empty() || !options.key.empty() || !options.key_file.empty()) {
            return wrong("give either --connection-string or --endpoint and --key");
        }
        out = TRY(parse_connection_string(options.connection_string));
    } else {
        if (!options.key.empty() && !options.key_file.empty()) {
            return wrong("give either --key or --key-file");
        }
        out.endpoint = TRY(parse_endpoint(
            options.endpoint.empty() ? kDefaultEndpoint : std::string_view(options.endpoint)));
        out.key = options.key.empty() ? std::string(kEmulatorKey) : options.key;
        TRY(check_key(out.key));
        if (!options.key_file.empty()) out.key = TRY(read_key_file(options.key_file));
    }
    if (!options.ca_file.empty()) TRY(http::check_ca_file(options.ca_file));
    out.tls = {.ca_file = options.ca_file, .verify = !options.insecure};
    return out;
}

}  // namespace orrery::client
