// raw_rocksdb: the limit of the disk, or of a Ceph cluster, and RocksDB, without a server. It
// writes the keys and bytes of item creates, including the index, through the same engine, several
// creates per synced batch, one batch after the other in each partition; then it gets items that
// are in memory. Prints one line of JSON.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/result.h"
#include "create_writer.h"
#include "partition/keys.h"
#include "storage/engine.h"
#include "storage/rados/rados_cluster.h"
#include "storage/rocksdb/rocks_engine.h"

namespace orrery::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
    std::string path;
    std::string ceph;
    std::string pool;
    storage::PartitionId partitions = 1;
    std::size_t batch = 64;
    double seconds = 5;
    std::size_t reads = 0;
    std::size_t record_bytes = 1300;
    std::uint64_t first = 1;
};

Result<std::unique_ptr<storage::Engine>> open_engine(const Options& options,
                                                     const orrery::Clock& clock) {
    const std::string scanned(partition::kScannedLetters);
    if (options.ceph.empty()) {
        return storage::open_shared_rocks(
            {.path = options.path, .create = true, .scanned_letters = scanned});
    }
    auto pool = TRY(storage::connect_rados(
        {.conf = options.ceph, .pool = options.pool, .name_space = options.path}));
    return std::unique_ptr<storage::Engine>(storage::make_rados_engine(
        std::move(pool), clock, {.owner = "bench/1", .scanned_letters = scanned}));
}

// What one partition took.
struct Outcome {
    std::uint64_t items = 0;
    Histogram commits;
};

Result<Outcome> write(storage::PartitionStore& store,
                      const Options& options,
                      Clock::time_point end) {
    CreateWriter writer(options.first, options.record_bytes);
    TRY(writer.prepare());
    Outcome outcome;
    for (auto now = Clock::now(); now < end;) {
        storage::WriteBatch batch;
        for (std::size_t i = 0; i < options.batch; ++i) {
            writer.add_to(batch);
        }
        writer.finish(batch);
        TRY(store.commit(batch));
        outcome.items += options.batch;
        const auto committed = Clock::now();
        outcome.commits.add(committed - now);
        now = committed;
    }
    return outcome;
}

// Gets items at random, each of them twice: the second time from memory. Returns the median of
// those.
Result<double> read_micros(const storage::PartitionStore& store,
                           const Options& options,
                           std::uint64_t items) {
    std::mt19937_64 random(1);
    std::vector<std::uint64_t> numbers(options.reads);
    for (std::uint64_t& number : numbers)
        number = options.first + random() % items;
    Histogram times;
    std::string value;
    for (int pass = 0; pass < 2; ++pass) {
        for (const std::uint64_t number : numbers) {
            const auto begin = Clock::now();
            const bool found = TRY(store.get(partition::item_key(number), value));
            if (!found) return Error(ErrorCode::kInternal, "an item is missing");
            if (pass == 1) times.add(Clock::now() - begin);
        }
    }
    return static_cast<double>(times.quantile(0.5).count()) / 1000.0;
}

Status run(const Options& options) {
    const SystemClock clock;
    const auto engine = TRY(open_engine(options, clock));
    std::vector<std::shared_ptr<storage::PartitionStore>> stores;
    for (storage::PartitionId id = 1; id <= options.partitions; ++id)
        stores.push_back(TRY(engine->open(id)));

    std::mutex mutex;
    Outcome total;
    std::optional<Error> failure;
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(
                                 std::chrono::duration<double>(options.seconds));
    std::vector<std::thread> threads;
    for (const auto& store : stores) {
        threads.emplace_back([&, store] {
            Result<Outcome> outcome = write(*store, options, end);
            const std::lock_guard lock(mutex);
            if (!outcome) {
                failure = std::move(outcome).take_error();
                return;
            }
            total.items += outcome->items;
            total.commits.add(outcome->commits);
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    if (failure) return std::move(*failure);
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const double read =
        options.reads == 0
            ? 0
            : TRY(read_micros(*stores.front(), options, total.items / options.partitions / 2));
    fmt::print(R"({{"mode":"raw_rocksdb","batch":{},"partitions":{},"commits":{},)"
               R"("per_second":{:.0f},"p50_us":{:.1f},"p99_us":{:.1f},"read_us":{:.2f}}})"
               "\n",
               options.batch,
               options.partitions,
               total.commits.count(),
               static_cast<double>(total.items) / seconds,
               static_cast<double>(total.commits.quantile(0.5).count()) / 1000.0,
               static_cast<double>(total.commits.quantile(0.99).count()) / 1000.0,
               read);
    return {};
}

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Writes item creates to RocksDB as fast as it takes them");
    app.add_option("--path",
                   options.path,
                   "an empty directory, or that of an earlier run; with --ceph a namespace")
        ->required();
    app.add_option("--ceph", options.ceph, "the configuration of a Ceph cluster to write to");
    app.add_option("--pool", options.pool, "of that cluster");
    app.add_option("--partitions", options.partitions, "written at the same time");
    app.add_option("--first", options.first, "number of the first item");
    app.add_option("--batch", options.batch, "creates in one synced write");
    app.add_option("--seconds", options.seconds);
    app.add_option("--reads", options.reads, "items to read afterwards");
    app.add_option("--record-bytes", options.record_bytes);
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    if (status) return 0;
    fmt::print(stderr, "raw_rocksdb: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
