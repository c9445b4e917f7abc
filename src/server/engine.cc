#include "server/engine.h"

#include "partition/keys.h"

namespace orrery::server {

storage::RocksOptions make_engine_options(const EngineSettings& settings) {
    storage::RocksOptions options;
    options.cache_bytes = settings.cache_bytes;
    options.write_buffer_bytes = settings.memtable_bytes;
    options.scanned_letters = partition::kScannedLetters;
    options.log_retention = settings.log_retention;
    return options;
}

Result<std::unique_ptr<storage::DurableEngine>> open_engine(storage::DataDirectory& directory,
                                                            const EngineSettings& settings) {
    storage::RocksOptions options = make_engine_options(settings);
    options.path = directory.database_path();
    options.create = directory.fresh();
    options.flush_at_end = true;
    auto engine = TRY(storage::open_durable_rocks(options));
    if (directory.fresh()) TRY(directory.mark_ready());
    return engine;
}

}  // namespace orrery::server
