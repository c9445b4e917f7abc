#include "server/identity.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "auth/master_key.h"
#include "base/base64.h"
#include "base/files.h"
#include "http/certificate.h"

namespace orrery::server {

namespace {

// Microsoft's published emulator key, known to everyone.
constexpr const char* kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";
constexpr std::size_t kKeyBytes = 64;

// The authority of the data directory, made on the first start.
Result<http::Authority> kept_authority(const std::string& folder,
                                       const std::vector<std::string>& names,
                                       const Clock& clock) {
    const std::string certificate = folder + "/certificate.pem";
    const std::string key = folder + "/key.pem";
    if (std::filesystem::exists(certificate)) {
        return http::Authority{.certificate_pem = TRY(read_file(certificate)),
                               .private_key_pem = TRY(read_file(key))};
    }
    http::Authority made = TRY(http::make_authority(names, clock.now_seconds()));
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    // The certificate last: its existence means that the pair is complete.
    TRY(write_private_file(key, made.private_key_pem));
    TRY(write_private_file(certificate, made.certificate_pem));
    return made;
}

}  // namespace

Result<AccountKey> read_key(const std::string& path, bool loopback) {
    std::string text = TRY(read_file(path));
    text.erase(std::remove_if(
                   text.begin(), text.end(), [](unsigned char c) { return std::isspace(c) != 0; }),
               text.end());
    if (!auth::MasterKey::from_base64(text)) {
        return Error(ErrorCode::kBadRequest,
                     "'" + path + "' does not hold an account key (base64 of at least 32 bytes)");
    }
    if (text == kEmulatorKey && !loopback) {
        return Error(ErrorCode::kBadRequest,
                     "'" + path +
                         "' holds the emulator's public key, which protects nothing; it is "
                         "accepted only on a loopback address");
    }
    return AccountKey{.base64 = std::move(text), .origin = path};
}

Result<AccountKey> account_key(const ServeConfig& config, Random& random) {
    if (!config.key_file.empty()) return read_key(config.key_file, config.loopback());
    if (config.loopback()) return AccountKey{.base64 = kEmulatorKey, .origin = {}};
    if (config.ephemeral) {
        return Error(ErrorCode::kBadRequest,
                     "an ephemeral server on a non-loopback address needs --key-file: it has "
                     "nowhere to keep a generated key");
    }
    const std::string path = config.data_directory + "/account.key";
    if (std::filesystem::exists(path)) return read_key(path, false);
    std::string key = base64_encode(random.bytes(kKeyBytes));
    TRY(write_private_file(path, key + "\n"));
    return AccountKey{.base64 = std::move(key), .origin = path};
}

Result<ServerCertificate> server_certificate(const ServeConfig& config, const Clock& clock) {
    if (!config.tls_certificate_file.empty()) {
        const std::string chain = TRY(read_file(config.tls_certificate_file));
        return ServerCertificate{.tls = {.certificate_pem = chain,
                                         .private_key_pem = TRY(read_file(config.tls_key_file))},
                                 .trusted_pem = chain};
    }
    std::vector<std::string> names = http::names_of_this_machine();
    if (!config.loopback() && config.address != "0.0.0.0" && config.address != "::") {
        names.push_back(config.address);
    }
    const std::string folder = config.data_directory + "/tls";
    const http::Authority authority = config.ephemeral
                                          ? TRY(http::make_authority(names, clock.now_seconds()))
                                          : TRY(kept_authority(folder, names, clock));
    auto issued = http::issue_certificate(authority, names, clock.now_seconds());
    if (!issued && issued.error().code() == ErrorCode::kBadRequest) {
        return Error(ErrorCode::kBadRequest,
                     "cannot use '" + folder + "': " + issued.error().message() +
                         " (give a certificate of your own as --tls-certificate and --tls-key)");
    }
    return ServerCertificate{.tls = TRY(std::move(issued)),
                             .trusted_pem = authority.certificate_pem};
}

}  // namespace orrery::server
