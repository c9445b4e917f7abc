// A result as people read it.

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cli/progress.h"
#include "tools/bench/result.h"

namespace orrery::tools::bench {

namespace {

std::string rounded(double number) {
    return number < 100 ? fmt::format("{:.2f}", number)
                        : cli::grouped(static_cast<std::uint64_t>(std::llround(number)));
}

// "12.3 billion"
std::string in_words(double number) {
    if (number >= 1e12) return fmt::format("{:.1f} trillion", number / 1e12);
    if (number >= 1e9) return fmt::format("{:.1f} billion", number / 1e9);
    if (number >= 1e6) return fmt::format("{:.1f} million", number / 1e6);
    return cli::grouped(static_cast<std::uint64_t>(std::llround(number)));
}

std::string in_bytes(double bytes) {
    if (bytes >= 1e12) return fmt::format("{:.1f} TB", bytes / 1e12);
    if (bytes >= 1e9) return fmt::format("{:.1f} GB", bytes / 1e9);
    return fmt::format("{:.1f} MB", bytes / 1e6);
}

std::string printed(std::chrono::nanoseconds latency) {
    const double number = milliseconds_of(latency);
    return number < 100 ? fmt::format("{:.2f}", number) : rounded(number);
}

std::string head(const BenchResult& result) {
    const Settings& settings = result.settings;
    std::string out =
        fmt::format("Workload {}: {}", settings.workload.name, settings.workload.summary);
    if (settings.workload.needs_items()) {
        out += fmt::format(" · {} over {} items",
                           name_of(settings.workload.distribution),
                           cli::grouped(settings.load + settings.loaded));
    }
    out += fmt::format(" · {} connections · {:.1f} s", settings.connections, result.seconds());
    if (settings.rate > 0) out += fmt::format(" · {}/s wanted", rounded(settings.rate));
    if (settings.request_units > 0) {
        out += fmt::format(" · {} RU/s wanted", rounded(settings.request_units));
    }
    return out + "\n";
}

std::string load_line(const LoadReport& load) {
    const double seconds = std::max(std::chrono::duration<double>(load.elapsed).count(), 1e-3);
    return fmt::format("Loaded {} items in {:.1f} s: {}/s, {} RU\n",
                       cli::grouped(load.items),
                       seconds,
                       rounded(static_cast<double>(load.items) / seconds),
                       rounded(load.charge));
}

std::string row(std::string_view name, const Totals& totals, double seconds) {
    const auto operations = static_cast<double>(totals.operations());
    const auto latency = [&](double share) { return printed(totals.latencies.quantile(share)); };
    return fmt::format("{:<16} {:>12} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                       name,
                       cli::grouped(totals.operations()),
                       rounded(operations / seconds),
                       rounded(operations > 0 ? totals.charge_succeeded / operations : 0),
                       latency(0.5),
                       latency(0.9),
                       latency(0.99),
                       latency(0.999),
                       printed(totals.latencies.max()));
}

std::string table(const BenchResult& result, const Totals& sum, double seconds) {
    std::string out = fmt::format("{:<16} {:>12} {:>10} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n",
                                  "",
                                  "operations",
                                  "per s",
                                  "RU each",
                                  "p50 ms",
                                  "p90 ms",
                                  "p99 ms",
                                  "p99.9 ms",
                                  "max ms");
    std::size_t rows = 0;
    for (std::size_t i = 0; i < kOperations; ++i) {
        const auto operation = static_cast<Operation>(i);
        if (!result.settings.workload.has(operation)) continue;
        out += row(name_of(operation), (*result.totals)[i], seconds);
        ++rows;
    }
    if (rows > 1) out += row("all", sum, seconds);
    return out;
}

std::string remarks(const BenchResult& result, const Totals& sum) {
    std::string out;
    if (sum.items > 0) out += fmt::format("{} items returned\n", cli::grouped(sum.items));
    if (sum.throttled > 0) {
        out +=
            fmt::format("{} attempts throttled (429) and repeated\n", cli::grouped(sum.throttled));
    }
    if (sum.conflicts > 0) {
        out += fmt::format("{} writes repeated because the item had changed\n",
                           cli::grouped(sum.conflicts));
    }
    if (result.phase.unsent > 0) {
        out += fmt::format("{} operations were due but not sent: all connections were busy\n",
                           cli::grouped(result.phase.unsent));
    }
    for (const auto& [status, failures] : result.failures) {
        out += fmt::format("{} errors with {}: {}\n",
                           cli::grouped(failures.count),
                           status == 0 ? "no answer" : "status " + std::to_string(status),
                           failures.example);
    }
    return out;
}

std::string projection_lines(const BenchResult& result) {
    const Projection projection = project(result);
    std::string out = fmt::format(
        "At this rate, 30 days have {} operations and {} RU, which is {} reads of 1 KB.\n",
        in_words(projection.operations),
        in_words(projection.request_units),
        in_words(projection.request_units));
    if (projection.items > 0) {
        out += fmt::format("They store {} items, {} without the index.\n",
                           in_words(projection.items),
                           in_bytes(projection.bytes));
    }
    return out;
}

std::string cleanup_line(const CleanupReport& cleanup) {
    if (cleanup.problem) return "Not cleaned up: " + *cleanup.problem + "\n";
    if (cleanup.database) return "Deleted the database that was created\n";
    if (cleanup.container) return "Deleted the container that was created\n";
    return fmt::format("Deleted the {} items that were created\n", cli::grouped(cleanup.items));
}

}  // namespace

std::string print(const BenchResult& result) {
    const Totals sum = result.sum();
    std::string out = head(result);
    if (result.load) out += load_line(*result.load);
    if (sum.operations() + sum.errors > 0) {
        const double seconds = std::max(result.seconds(), 1e-6);
        out += fmt::format("{} operations/s · {} RU/s · {} RU in all\n\n",
                           rounded(static_cast<double>(sum.operations()) / seconds),
                           rounded(sum.charge / seconds),
                           rounded(sum.charge));
        out += table(result, sum, seconds) + "\n" + remarks(result, sum) + projection_lines(result);
    }
    out += fmt::format("Seed {}\n", result.settings.seed);
    if (result.cleanup) out += cleanup_line(*result.cleanup);
    if (result.phase.interrupted) out += "Interrupted.\n";
    if (result.phase.problem) out += "Stopped: " + *result.phase.problem + "\n";
    return out;
}

}  // namespace orrery::tools::bench
