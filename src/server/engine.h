// The storage of a data directory, as the server and its commands open it.

#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>

#include "base/result.h"
#include "storage/data_directory.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::server {

struct EngineSettings {
    // How much memory it may use.
    std::size_t cache_bytes = 0;
    std::size_t memtable_bytes = 0;
    // How long logs are kept for backups; nothing: those that are kept stay.
    std::optional<std::chrono::seconds> log_retention = std::nullopt;
};

// Enough for commands.
inline constexpr EngineSettings kSmallEngine{.cache_bytes = std::size_t{32} << 20,
                                             .memtable_bytes = std::size_t{64} << 20};

// The options of every database of items, wherever it is.
storage::RocksOptions make_engine_options(const EngineSettings& settings);

Result<std::unique_ptr<storage::DurableEngine>> open_engine(storage::DataDirectory& directory,
                                                            const EngineSettings& settings);

}  // namespace orrery::server
