// Has a running server make a backup, and waits for it.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "client/account.h"
#include "json/value.h"

namespace orrery::server {

struct HotBackup {
    std::string directory;   // below the server's own; empty: that
    std::uint32_t keep = 0;  // how many of the newest to keep; 0: all
};

// The description of the new backup, as GET /backups has it. `progress` receives the bytes copied
// so far. When it is interrupted, the server goes on.
Result<json::Value> make_hot_backup(const client::Account& account,
                                    const HotBackup& wanted,
                                    const std::atomic<bool>& interrupted,
                                    const std::function<void(std::uint64_t)>& progress);

}  // namespace orrery::server
