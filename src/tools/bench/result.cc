#include "tools/bench/result.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/iso_time.h"
#include "cli/command.h"
#include "tools/json_number.h"

namespace orrery::tools::bench {

namespace {

using json::Value;

constexpr double kSecondsPerMonth = 30.0 * 86'400;

Value null_if_zero(double number) { return number > 0 ? json_number(number) : Value(); }

std::string fingerprint(const std::string& text) {
    constexpr std::size_t kBytes = 8;
    const Sha256Digest digest = sha256(text);
    return to_hex_upper(as_bytes(digest).substr(0, kBytes));
}

double per(double amount, double units) { return units > 0 ? amount / units : 0; }

Value settings_of(const BenchResult& result) {
    const Settings& settings = result.settings;
    Value::Object out;
    out.push_back({"endpoint", result.endpoint});
    out.push_back({"database", result.database});
    out.push_back({"container", result.container});
    out.push_back({"distribution", name_of(settings.workload.distribution)});
    out.push_back({"connections", json_number(std::uint64_t{settings.connections})});
    out.push_back(
        {"duration", null_if_zero(std::chrono::duration<double>(settings.duration).count())});
    out.push_back({"count", settings.count > 0 ? json_number(settings.count) : Value()});
    out.push_back({"rate", null_if_zero(settings.rate)});
    out.push_back({"requestUnitsPerSecond", null_if_zero(settings.request_units)});
    out.push_back({"items", json_number(settings.load + settings.loaded)});
    out.push_back({"itemBytes", json_number(std::uint64_t{result.item_bytes})});
    out.push_back({"template", fingerprint(settings.template_text)});
    out.push_back({"query", settings.query.empty() ? Value() : Value(settings.query)});
    // As text: not all of its values are exact as a double.
    out.push_back({"seed", std::to_string(settings.seed)});
    return out;
}

Value load_of(const std::optional<LoadReport>& load) {
    if (!load) return {};
    Value::Object out;
    out.push_back({"items", json_number(load->items)});
    out.push_back({"seconds", json_number(std::chrono::duration<double>(load->elapsed).count())});
    out.push_back({"requestUnits", json_number(load->charge)});
    out.push_back({"throttled", json_number(load->throttled)});
    return out;
}

Value latencies_of(const Totals& totals) {
    const auto printed = [](std::chrono::nanoseconds time) {
        return json_number(milliseconds_of(time), 3);
    };
    const auto count = static_cast<std::int64_t>(std::max<std::uint64_t>(totals.operations(), 1));
    Value::Object out;
    out.push_back({"mean", printed(totals.latency_sum / count)});
    out.push_back({"p50", printed(totals.latencies.quantile(0.5))});
    out.push_back({"p90", printed(totals.latencies.quantile(0.9))});
    out.push_back({"p99", printed(totals.latencies.quantile(0.99))});
    out.push_back({"p99.9", printed(totals.latencies.quantile(0.999))});
    out.push_back({"max", printed(totals.latencies.max())});
    return out;
}

// Of one kind of operation, or of all.
Value::Object totals_of(const Totals& totals, double seconds) {
    const auto operations = static_cast<double>(totals.operations());
    Value::Object out;
    out.push_back({"operations", json_number(totals.operations())});
    out.push_back({"errors", json_number(totals.errors)});
    out.push_back({"throttled", json_number(totals.throttled)});
    out.push_back({"conflicts", json_number(totals.conflicts)});
    out.push_back({"itemsReturned", json_number(totals.items)});
    out.push_back({"throughput", json_number(per(operations, seconds))});
    out.push_back({"requestUnits", json_number(totals.charge)});
    out.push_back({"requestUnitsPerSecond", json_number(per(totals.charge, seconds))});
    out.push_back(
        {"requestUnitsPerOperation", json_number(per(totals.charge_succeeded, operations))});
    out.push_back({"latencyMs", latencies_of(totals)});
    return out;
}

Value by_operation(const BenchResult& result) {
    Value::Object out;
    for (std::size_t i = 0; i < kOperations; ++i) {
        const auto operation = static_cast<Operation>(i);
        if (!result.settings.workload.has(operation)) continue;
        out.push_back(
            {std::string(name_of(operation)), totals_of((*result.totals)[i], result.seconds())});
    }
    return out;
}

Value failures_of(const BenchResult& result) {
    Value::Array out;
    for (const auto& [status, failures] : result.failures) {
        Value::Object one;
        one.push_back({"status", status == 0 ? Value() : Value(static_cast<int>(status))});
        one.push_back({"count", json_number(failures.count)});
        one.push_back({"example", failures.example});
        out.emplace_back(std::move(one));
    }
    return out;
}

Value projection_of(const BenchResult& result) {
    const Projection projection = project(result);
    Value::Object out;
    out.push_back({"operations", json_number(projection.operations, 0)});
    out.push_back({"requestUnits", json_number(projection.request_units, 0)});
    out.push_back({"readsOf1KB", json_number(projection.request_units, 0)});
    out.push_back({"items", json_number(projection.items, 0)});
    out.push_back({"bytes", json_number(projection.bytes, 0)});
    return out;
}

Value series_of(const BenchResult& result) {
    Value::Array out;
    for (const Sample& sample : result.samples) {
        const auto latency = [](std::chrono::nanoseconds time) {
            return json_number(milliseconds_of(time), 3);
        };
        Value::Object one;
        one.push_back({"until", json_number(std::chrono::duration<double>(sample.until).count())});
        one.push_back({"seconds", json_number(sample.seconds(), 3)});
        one.push_back({"operations", json_number(sample.operations)});
        one.push_back({"errors", json_number(sample.errors)});
        one.push_back({"throttled", json_number(sample.throttled)});
        one.push_back({"requestUnits", json_number(sample.charge)});
        one.push_back({"p50", latency(sample.p50)});
        one.push_back({"p90", latency(sample.p90)});
        one.push_back({"p99", latency(sample.p99)});
        one.push_back({"max", latency(sample.max)});
        out.emplace_back(std::move(one));
    }
    return out;
}

Value cleanup_of(const std::optional<CleanupReport>& cleanup) {
    if (!cleanup) return {};
    Value::Object out;
    out.push_back({"items", json_number(cleanup->items)});
    out.push_back({"container", cleanup->container});
    out.push_back({"database", cleanup->database});
    out.push_back({"problem", cleanup->problem ? Value(*cleanup->problem) : Value()});
    return out;
}

}  // namespace

Totals BenchResult::sum() const {
    Totals out;
    for (const Totals& one : *totals) {
        out.add(one);
    }
    return out;
}

double BenchResult::seconds() const { return std::chrono::duration<double>(phase.elapsed).count(); }

int BenchResult::exit_code() const {
    if (phase.interrupted) return cli::kExitInterrupted;
    const bool failed = phase.problem || !failures.empty() || (cleanup && cleanup->problem);
    return failed ? cli::kExitFailure : 0;
}

Projection project(const BenchResult& result) {
    const Totals sum = result.sum();
    const double months = result.seconds() / kSecondsPerMonth;
    const Totals& inserts = (*result.totals)[static_cast<std::size_t>(Operation::kInsert)];
    Projection out;
    out.operations = per(static_cast<double>(sum.operations()), months);
    out.request_units = per(sum.charge, months);
    out.items = per(static_cast<double>(inserts.operations()), months);
    out.bytes = out.items * static_cast<double>(result.item_bytes);
    return out;
}

std::string_view name_of(Distribution distribution) {
    switch (distribution) {
        case Distribution::kZipfian:
            return "zipfian";
        case Distribution::kLatest:
            return "latest";
        default:
            return "uniform";
    }
}

Value to_json(const BenchResult& result) {
    Value::Object out;
    out.push_back({"benchmark", "orrery bench"});
    out.push_back({"format", 1});
    out.push_back({"version", ORRERY_VERSION});
    out.push_back({"workload", result.settings.workload.name});
    out.push_back({"started", print_iso_time(result.started)});
    out.push_back({"complete", result.phase.complete()});
    out.push_back({"interrupted", result.phase.interrupted});
    out.push_back({"problem", result.phase.problem ? Value(*result.phase.problem) : Value()});
    out.push_back({"settings", settings_of(result)});
    out.push_back({"load", load_of(result.load)});
    out.push_back({"seconds", json_number(result.seconds(), 3)});
    out.push_back({"unsent", json_number(result.phase.unsent)});
    for (Value::Member& member : totals_of(result.sum(), result.seconds())) {
        out.push_back(std::move(member));
    }
    out.push_back({"byOperation", by_operation(result)});
    out.push_back({"failures", failures_of(result)});
    out.push_back({"perMonth", projection_of(result)});
    out.push_back({"series", series_of(result)});
    out.push_back({"cleanup", cleanup_of(result.cleanup)});
    return out;
}

}  // namespace orrery::tools::bench
