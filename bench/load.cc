// orrery-load: measures the request rate and latencies of a server. Prints one line of JSON.

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/result.h"
#include "load_loop.h"
#include "workload.h"

namespace orrery::bench {
namespace {

// The well-known key of emulators for this API.
constexpr const char* kEmulatorKey =
    "C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM+4QDU5DE2nQ9nDuVTqobD4b8mGGyPMbIZnqyMsEcaGQy67XIw/Jw==";

struct Options {
    Target target;
    std::string mode = "read";
    std::size_t connections = 32;
    double seconds = 5;
    double warm_up_seconds = 1;
    std::size_t items = 10'000;
    std::uint64_t first = 0;
    std::string description;  // of the requests, for the mode "described"
    bool setup = false;
    bool series = false;
};

std::chrono::milliseconds milliseconds(double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

// Creates the database, the container and, for reads, the items; existing ones are kept.
Status set_up(const Options& options) {
    for (const std::string& request :
         {database_request(options.target), container_request(options.target)}) {
        const int status = TRY(send_once(options.target, request));
        if (status != 201 && status != 409) {
            return Error(ErrorCode::kInternal, fmt::format("set-up was answered {}", status));
        }
    }
    if (options.mode != "read") return {};
    const auto creates = make_create_workload(options.target, 0, options.items);
    const LoadResult made = TRY(run_load(
        options.target, *creates, {.connections = 64, .duration = std::chrono::minutes(10)}));
    if (made.failures > 0 && made.first_failure.find(" 409 ") == std::string::npos) {
        return Error(ErrorCode::kInternal, "creating items failed: " + made.first_failure);
    }
    return {};
}

Result<std::unique_ptr<Workload>> make_workload(const Options& options) {
    if (options.mode == "described") {
        return make_described_workload(options.target, options.description);
    }
    if (options.mode == "echo") return make_echo_workload(options.target);
    if (options.mode == "read") return make_read_workload(options.target, options.items);
    if (options.mode == "fill") {
        return make_fill_workload(options.target, options.first, options.items);
    }
    if (options.mode == "bulk") {
        return make_bulk_workload(options.target, options.first, options.items);
    }
    return make_create_workload(options.target, options.first, UINT64_C(1) << 40);
}

double microseconds(std::chrono::nanoseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
}

std::string series_of(const LoadResult& result) {
    std::string out;
    for (const Histogram& second : result.each_second) {
        out += fmt::format(R"({}{{"answers":{},"p50_us":{:.1f},"p999_us":{:.1f},"max_us":{:.1f}}})",
                           out.empty() ? "" : ",",
                           second.count(),
                           microseconds(second.quantile(0.5)),
                           microseconds(second.quantile(0.999)),
                           microseconds(second.max()));
    }
    return out;
}

void print(const Options& options, const LoadResult& result) {
    const auto quantile = [&](double share) {
        return microseconds(result.latencies.quantile(share));
    };
    fmt::print(
        R"({{"mode":"{}","connections":{},"requests":{},"failures":{},"per_second":{:.0f},)"
        R"("p50_us":{:.1f},"p90_us":{:.1f},"p99_us":{:.1f},"p999_us":{:.1f},"max_us":{:.1f}{}}})"
        "\n",
        options.mode,
        options.connections,
        result.latencies.count(),
        result.failures,
        result.per_second(),
        quantile(0.5),
        quantile(0.9),
        quantile(0.99),
        quantile(0.999),
        microseconds(result.latencies.max()),
        options.series ? R"(,"series":[)" + series_of(result) + "]" : "");
}

Status run(const Options& options) {
    if (options.setup) TRY(set_up(options));
    const auto workload = TRY(make_workload(options));
    const LoadResult result = TRY(run_load(options.target,
                                           *workload,
                                           {.connections = options.connections,
                                            .warm_up = milliseconds(options.warm_up_seconds),
                                            .duration = milliseconds(options.seconds)}));
    print(options, result);
    if (result.failures > 0) {
        return Error(ErrorCode::kInternal, "some requests failed: " + result.first_failure);
    }
    return {};
}

int main(int argc, char** argv) {
    Options options;
    options.target.key = kEmulatorKey;
    options.target.database = "bench";
    options.target.container = "items";
    options.target.now_seconds = SystemClock().now_seconds();
    CLI::App app("Measures an Orrery server from outside");
    app.add_option("--mode", options.mode, "read, create, echo, fill, bulk or described")
        ->check(CLI::IsMember({"read", "create", "echo", "fill", "bulk", "described"}));
    app.add_option("--port", options.target.port)->required();
    app.add_option("--host", options.target.host, "IPv4 address");
    app.add_option("--key", options.target.key, "account key");
    app.add_option("--authorization", options.target.authorization, "header to send, not signed");
    app.add_option("--database", options.target.database);
    app.add_option("--container", options.target.container);
    app.add_option("--connections", options.connections);
    app.add_option("--seconds", options.seconds);
    app.add_option("--warm-up", options.warm_up_seconds, "seconds before counting starts");
    app.add_option("--items", options.items, "how many items are read or filled in");
    app.add_option("--first", options.first, "number of the first item to create");
    app.add_option("--description", options.description, "JSON, see workload.h");
    app.add_flag("--setup", options.setup, "make database, container and items first");
    app.add_flag("--series", options.series, "also print the latencies of every second");
    CLI11_PARSE(app, argc, argv);
    const Status status = run(options);
    if (status) return 0;
    fmt::print(stderr, "orrery-load: {}\n", status.error().message());
    return 1;
}

}  // namespace
}  // namespace orrery::bench

int main(int argc, char** argv) { return orrery::bench::main(argc, argv); }
