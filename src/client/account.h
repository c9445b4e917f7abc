// Where a server is and the key to it, as the tools' options and connection strings name them.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "http/client_connection.h"
#include "http/url.h"

namespace orrery::client {

// The public key of Microsoft's emulators, a server's default on loopback.
inline constexpr std::string_view kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
inline constexpr std::string_view kDefaultEndpoint = "http://127.0.0.1:8081/";

struct Account {
    http::Url endpoint;
    std::string key;  // base64
    http::ClientTls tls;
};

// As users give them; empty: not given.
struct AccountOptions {
    std::string endpoint = {};
    std::string key = {};
    std::string key_file = {};
    std::string connection_string = {};
    std::string ca_file = {};
    bool insecure = false;
};

// kBadRequest with what is wrong with the options. Without any, the local server and the
// emulators' key. Does not contact the server.
Result<Account> resolve_account(const AccountOptions& options);

// A key in base64, with white space anywhere.
Result<std::string> read_key_file(const std::string& path);

// "AccountEndpoint=https://host:8081/;AccountKey=base64;", other parts are ignored.
Result<Account> parse_connection_string(std::string_view text);

}  // namespace orrery::client
