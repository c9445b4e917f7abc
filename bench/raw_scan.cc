// raw_scan: how fast RocksDB returns item records in order, without parsing them. The limit for a
// query that must read all items; with --copy, for one that must return them, too. Prints one line
// of JSON.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/result.h"
#include "partition/keys.h"
#include "storage/engine.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/write_batch.h"

namespace orrery::bench {
namespace {

struct Options {
    std::string directory;
    std::uint64_t items = 100'000;
    std::size_t record_bytes = 1300;
    int rounds = 3;
    bool filled = false;
    bool copy = false;
};

Status fill(storage::PartitionStore& store, const Options& options) {
    constexpr std::uint64_t kBatch = 1000;
    std::string record(options.record_bytes, 'x');
    for (std::uint64_t first = 0; first < options.items; first += kBatch) {
        storage::WriteBatch batch;
        for (std::uint64_t i = first; i < std::min(options.items, first + kBatch); ++i) {
            // Varied records, so that they do not compress better than real ones.
            for (std::size_t at = 0; at < record.size(); ++at) {
                record[at] = static_cast<char>('a' + (i * 31 + at * at * 7 + (i >> 3) * at) % 26);
            }
            batch.put(partition::item_key(i), record);
        }
        TRY(store.commit(batch));
    }
    return {};
}

Result<double> scan_ms(const storage::PartitionStore& store, const Options& options) {
    constexpr std::size_t kPageBytes = 4UL << 20;
    std::string page;
    page.reserve(kPageBytes + options.record_bytes);
    const auto start = std::chrono::steady_clock::now();
    const auto cursor = store.scan(partition::all_of('D'), storage::Direction::kForward);
    std::uint64_t seen = 0;
    std::uint64_t bytes = 0;
    for (; cursor->valid(); cursor->next()) {
        ++seen;
        bytes += cursor->value().size();
        if (!options.copy) continue;
        page.append(cursor->value());
        if (page.size() >= kPageBytes) page.clear();
    }
    TRY(cursor->status());
    if (seen != options.items || bytes == 0)
        return Error(ErrorCode::kInternal, "items are missing");
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

Status run(const Options& options) {
    const auto engine = TRY(
        storage::open_shared_rocks({.path = options.directory,
                                    .create = true,
                                    .scanned_letters = std::string(partition::kScannedLetters)}));
    const auto store = TRY(engine->open(1));
    if (!options.filled) TRY(fill(*store, options));
    std::vector<double> times;
    for (int i = 0; i < options.rounds; ++i) {
        times.push_back(TRY(scan_ms(*store, options)));
    }
    std::sort(times.begin(), times.end());
    fmt::print("{{\"items\":{},\"scan_ms\":{:.3f}}}\n", options.items, times[times.size() / 2]);
    return {};
}

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Scans records with RocksDB alone");
    app.add_option("--directory", options.directory)->required();
    app.add_option("--items", options.items);
    app.add_option("--record-bytes", options.record_bytes);
    app.add_option("--rounds", options.rounds, "scans, whose median time counts");
    app.add_flag("--copy", options.copy, "copy the records into pages of 4 MB");
    app.add_flag("--filled", options.filled, "the items of an earlier run are there");
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    if (status) return 0;
    fmt::print(stderr, "raw_scan: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
