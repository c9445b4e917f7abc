// Where the account keys come from and how they change: files that settings name, which are read
// again when they change, and files in the data directory, which the server writes when a key is
// regenerated.

#pragma once

#include <array>
#include <mutex>
#include <string>

#include "auth/account_keys.h"
#include "base/random.h"
#include "base/result.h"
#include "server/config.h"
#include "server/file_watch.h"
#include "server/identity.h"

namespace orrery::server {

class KeyFiles {
public:
    // `keys` and `random` must outlive this.
    KeyFiles(const ServeConfig& config, auth::AccountKeys& keys, Random& random)
        : config_(config), keys_(keys), random_(random) {}

    // Reads all keys there are. Only the primary one must exist, and is made if need be.
    Result<AccountKey> load();
    // Reads the files that settings name whenever they change.
    void watch(FileWatch& watch);

    // Replaces a key by a new one and keeps it in the data directory. kConflict if a setting names
    // the file it is in. May be called from any thread; blocks.
    Status regenerate(auth::KeySlot slot);

private:
    const std::string& given_file(auth::KeySlot slot) const;
    std::string own_file(auth::KeySlot slot) const;
    void reload(auth::KeySlot slot);

    const ServeConfig config_;
    auth::AccountKeys& keys_;
    Random& random_;
    std::mutex regenerating_;
};

}  // namespace orrery::server
