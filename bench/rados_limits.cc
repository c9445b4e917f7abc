// rados_limits: what partitions on a Ceph cluster cost, without a server: how long one has no owner
// when it moves or its owner dies, and what many of them take. Prints lines of JSON.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/histogram.h"
#include "base/result.h"
#include "create_writer.h"
#include "partition/keys.h"
#include "storage/rados/rados_cluster.h"

namespace orrery::bench {
namespace {

using Clock = std::chrono::steady_clock;
using storage::PartitionId;

struct Options {
    std::string ceph;
    std::string pool;
    std::string name_space = "limits";
    std::size_t rounds = 20;
    std::size_t log_kilobytes = 1024;
    PartitionId partitions = 0;
    std::size_t threads = 8;
    double seconds = 5;
};

constexpr std::size_t kRecordBytes = 1300;
constexpr std::size_t kItemsPerBatch = 10;

double millis_since(Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

double millis(const Histogram& times, double share) {
    return static_cast<double>(times.quantile(share).count()) / 1e6;
}

double resident_megabytes() {
    std::ifstream file("/proc/self/statm");
    std::uint64_t total = 0;
    std::uint64_t resident = 0;
    file >> total >> resident;
    return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

class Limits {
public:
    Limits(Options options, std::shared_ptr<storage::RadosPool> pool)
        : options_(std::move(options)), pool_(std::move(pool)), writer_(1, kRecordBytes) {}

    Status prepare() { return writer_.prepare(); }
    Status measure_takeovers();
    Status measure_many();

private:
    std::unique_ptr<storage::OwnedEngine> make(const std::string& owner) {
        return storage::make_rados_engine(
            pool_,
            clock_,
            {.owner = owner, .scanned_letters = std::string(partition::kScannedLetters)});
    }

    Status write_items(storage::PartitionStore& store) {
        storage::WriteBatch batch;
        for (std::size_t i = 0; i < kItemsPerBatch; ++i)
            writer_.add_to(batch);
        writer_.finish(batch);
        return store.commit(batch);
    }

    Status acquire_all(storage::OwnedEngine& engine, const std::string& what);
    Status commit_everywhere(storage::OwnedEngine& engine);

    const Options options_;
    const std::shared_ptr<storage::RadosPool> pool_;
    const SystemClock clock_;
    CreateWriter writer_;
};

// From the moment at which the new owner starts, or the old one stops, to the first commit.
Status Limits::measure_takeovers() {
    Histogram takeovers;
    Histogram moves;
    std::unique_ptr<storage::OwnedEngine> owner = make("owner/0");
    std::string name = "owner/0";
    auto store = TRY(owner->acquire(1, {}));
    for (std::size_t round = 1; round <= options_.rounds; ++round) {
        const std::string next_name = fmt::format("owner/{}", round);
        auto next = make(next_name);
        for (std::size_t bytes = 0; bytes < options_.log_kilobytes << 10;
             bytes += kItemsPerBatch * kRecordBytes * 3 / 2) {
            TRY(write_items(*store));
        }
        const bool is_planned = round % 2 == 0;
        if (is_planned) {
            owner->prepare_release(1);
            std::this_thread::sleep_for(std::chrono::milliseconds(500));
            TRY(write_items(*store));
        }
        const auto begin = Clock::now();
        if (is_planned) TRY(owner->release(1));
        store = TRY(next->acquire(1, is_planned ? std::string() : name));
        TRY(write_items(*store));
        (is_planned ? moves : takeovers).add(Clock::now() - begin);
        owner = std::move(next);
        name = next_name;
    }
    for (const auto& [what, times] :
         {std::pair("takeover", &takeovers), std::pair("planned move", &moves)}) {
        fmt::print(
            R"({{"mode":"{}","log_kilobytes":{},"p50_ms":{:.1f},"p90_ms":{:.1f},"max_ms":{:.1f}}})"
            "\n",
            what,
            options_.log_kilobytes,
            millis(*times, 0.5),
            millis(*times, 0.9),
            millis(*times, 1));
    }
    return {};
}

// Runs work on every number below the count, on several threads.
Status in_parallel(std::size_t threads,
                   PartitionId count,
                   const std::function<Status(PartitionId)>& work) {
    std::atomic<PartitionId> next{0};
    std::mutex mutex;
    std::optional<Error> failure;
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i) {
        running.emplace_back([&] {
            for (PartitionId n = next++; n < count; n = next++) {
                const Status done = work(n);
                if (done) continue;
                const std::lock_guard lock(mutex);
                failure = done.error().copy();
            }
        });
    }
    for (std::thread& thread : running)
        thread.join();
    if (failure) return std::move(*failure);
    return {};
}

Status Limits::acquire_all(storage::OwnedEngine& engine, const std::string& what) {
    const double before = resident_megabytes();
    std::mutex mutex;
    Histogram opens;
    const auto begin = Clock::now();
    TRY(in_parallel(options_.threads, options_.partitions, [&](PartitionId n) -> Status {
        const auto start = Clock::now();
        TRY(engine.acquire(n + 1, {}));
        const std::lock_guard lock(mutex);
        opens.add(Clock::now() - start);
        return {};
    }));
    fmt::print(R"({{"mode":"{}","partitions":{},"seconds":{:.1f},"p50_ms":{:.1f},"p99_ms":{:.1f},)"
               R"("megabytes":{:.0f}}})"
               "\n",
               what,
               options_.partitions,
               millis_since(begin) / 1000,
               millis(opens, 0.5),
               millis(opens, 0.99),
               resident_megabytes() - before);
    return {};
}

// One commit at a time in each of the partitions: nothing is grouped.
Status Limits::commit_everywhere(storage::OwnedEngine& engine) {
    constexpr std::size_t kWriters = 64;
    const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(options_.seconds));
    std::atomic<std::uint64_t> commits{0};
    std::atomic<int> seed{0};
    std::mutex mutex;
    Histogram times;
    TRY(in_parallel(kWriters, kWriters, [&](PartitionId writer) -> Status {
        std::mt19937 random(static_cast<unsigned>(++seed));
        Histogram mine;
        while (Clock::now() < end) {
            // Writers have partitions of their own.
            const PartitionId slots = options_.partitions / kWriters;
            const PartitionId id = writer * slots + random() % slots + 1;
            const auto store = TRY(engine.open(id));
            storage::WriteBatch batch;
            batch.put(std::to_string(random()), std::string(kRecordBytes, 'x'));
            const auto begin = Clock::now();
            TRY(store->commit(batch));
            mine.add(Clock::now() - begin);
            ++commits;
        }
        const std::lock_guard lock(mutex);
        times.add(mine);
        return {};
    }));
    fmt::print(R"({{"mode":"commits in many","writers":{},"per_second":{:.0f},"p50_ms":{:.1f},)"
               R"("p99_ms":{:.1f},"resident_megabytes":{:.0f}}})"
               "\n",
               kWriters,
               static_cast<double>(commits) / options_.seconds,
               millis(times, 0.5),
               millis(times, 0.99),
               resident_megabytes());
    return {};
}

Status Limits::measure_many() {
    {
        const auto engine = make("first/1");
        TRY(acquire_all(*engine, "create"));
        for (PartitionId id = 1; id <= options_.partitions; ++id) {
            const auto store = TRY(engine->open(id));
            TRY(write_items(*store));
        }
        fmt::print(R"({{"mode":"each with ten items","resident_megabytes":{:.0f}}})"
                   "\n",
                   resident_megabytes());
        TRY(commit_everywhere(*engine));
    }
    const auto engine = make("second/1");
    TRY(acquire_all(*engine, "open"));
    const auto begin = Clock::now();
    TRY(in_parallel(options_.threads, options_.partitions, [&](PartitionId n) {
        return engine->release(n + 1);
    }));
    fmt::print(R"({{"mode":"release","partitions":{},"seconds":{:.1f}}})"
               "\n",
               options_.partitions,
               millis_since(begin) / 1000);
    return {};
}

Status run(const Options& options) {
    auto pool = TRY(storage::connect_rados(
        {.conf = options.ceph, .pool = options.pool, .name_space = options.name_space}));
    Limits limits(options, std::move(pool));
    TRY(limits.prepare());
    return options.partitions > 0 ? limits.measure_many() : limits.measure_takeovers();
}

int main(int argc, char** argv) {
    Options options;
    CLI::App app("Measures partitions on a Ceph cluster");
    app.add_option("--ceph", options.ceph, "the configuration of the cluster")->required();
    app.add_option("--pool", options.pool)->required();
    app.add_option("--namespace", options.name_space, "where nothing is yet");
    app.add_option("--rounds", options.rounds, "how often one partition changes its owner");
    app.add_option("--log", options.log_kilobytes, "kilobytes to write before");
    app.add_option("--partitions", options.partitions, "measure as many at once instead");
    app.add_option("--threads", options.threads, "that open them");
    app.add_option("--seconds", options.seconds);
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    if (status) return 0;
    fmt::print(stderr, "rados_limits: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
