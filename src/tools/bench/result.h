// What a run has measured, and how it was set up.

#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "json/value.h"
#include "tools/bench/phase.h"
#include "tools/bench/recorder.h"
#include "tools/bench/workload.h"

namespace orrery::tools::bench {

struct Settings {
    Workload workload;  // with the distribution to use
    std::string template_text;
    std::string query;  // empty: all items of a partition key
    std::size_t connections = 16;
    std::chrono::nanoseconds duration{0};
    std::uint64_t count = 0;
    double rate = 0;
    double request_units = 0;
    std::uint64_t load = 0;    // items to load before
    std::uint64_t loaded = 0;  // items that an earlier run has loaded
    std::uint64_t seed = 0;
};

struct LoadReport {
    std::uint64_t items = 0;
    std::uint64_t throttled = 0;
    double charge = 0;
    std::chrono::nanoseconds elapsed{0};
};

struct CleanupReport {
    std::uint64_t items = 0;
    bool container = false;
    bool database = false;
    std::optional<std::string> problem = std::nullopt;
};

struct BenchResult {
    Settings settings;
    std::string endpoint;
    std::string database;
    std::string container;
    std::int64_t started = 0;  // Unix time in microseconds
    std::size_t item_bytes = 0;
    std::optional<LoadReport> load = std::nullopt;
    PhaseResult phase;
    std::unique_ptr<TotalsByOperation> totals = std::make_unique<TotalsByOperation>();
    FailuresByStatus failures;
    std::vector<Sample> samples;
    std::optional<CleanupReport> cleanup = std::nullopt;

    Totals sum() const;
    double seconds() const;
    int exit_code() const;
};

// What the same would come to in a month of 30 days.
struct Projection {
    double operations = 0;
    // As many reads of 1 KB as the old performance testing driver of Cosmos DB projected.
    double request_units = 0;
    double items = 0;  // that would be inserted
    double bytes = 0;  // in these items
};
Projection project(const BenchResult& result);

std::string_view name_of(Distribution distribution);

json::Value to_json(const BenchResult& result);

// For people: a table, errors, the projection.
std::string print(const BenchResult& result);

}  // namespace orrery::tools::bench
