#include "tools/bench/comparison.h"

#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "json/property.h"

namespace orrery::tools::bench {

namespace {

using json::Value;

struct Setting {
    json::Path path;
    std::string_view name;
};

// Results that differ in one of these say nothing about each other.
const std::array kSameWork = {
    Setting{.path = {"workload"}, .name = "workloads"},
    Setting{.path = {"settings", "distribution"}, .name = "distributions"},
    Setting{.path = {"settings", "items"}, .name = "numbers of items"},
    Setting{.path = {"settings", "template"}, .name = "templates"},
    Setting{.path = {"settings", "query"}, .name = "queries"},
    Setting{.path = {"settings", "rate"}, .name = "rates"},
    Setting{.path = {"settings", "requestUnitsPerSecond"}, .name = "request units per second"},
};

// Differences that may be the purpose of the comparison, but have to be seen.
const std::array kShown = {
    Setting{.path = {"version"}, .name = "version"},
    Setting{.path = {"started"}, .name = "started"},
    Setting{.path = {"settings", "endpoint"}, .name = "endpoint"},
    Setting{.path = {"settings", "connections"}, .name = "connections"},
    Setting{.path = {"seconds"}, .name = "seconds"},
};

Value at(const Value& result, const json::Path& path) {
    const Value* const found = json::find_at(result, path);
    return found != nullptr ? *found : Value();
}

std::string printed(const Value& value) {
    if (value.is_null()) return "none";
    return value.is_string() ? value.string() : value.text();
}

Status check_result(const Value& result, std::string_view which) {
    const bool is_one = at(result, {"benchmark"}) == Value("orrery bench");
    if (!is_one) {
        return Error(ErrorCode::kBadRequest,
                     fmt::format("the {} file is not a result of orrery bench", which));
    }
    if (at(result, {"format"}) == Value(1)) return {};
    return Error(ErrorCode::kBadRequest,
                 fmt::format("the {} result has a format of another version", which));
}

Status check_same_work(const Value& before, const Value& after) {
    for (const Setting& setting : kSameWork) {
        const Value old_one = at(before, setting.path);
        const Value new_one = at(after, setting.path);
        if (old_one == new_one) continue;
        return Error(ErrorCode::kConflict,
                     fmt::format("the results have different {}: {} and {}",
                                 setting.name,
                                 printed(old_one),
                                 printed(new_one)));
    }
    return {};
}

std::string change(double before, double after) {
    if (before == after) return "0.0 %";
    if (before == 0) return "new";
    return fmt::format("{:+.1f} %", 100 * (after - before) / std::abs(before));
}

std::string line(std::string_view name,
                 std::string_view before,
                 std::string_view after,
                 std::string_view difference) {
    return fmt::format("{:<30} {:>28} {:>28} {:>10}\n", name, before, after, difference);
}

std::string number_line(const std::string& name,
                        const Value& before,
                        const Value& after,
                        const json::Path& path) {
    const Value old_one = at(before, path);
    const Value new_one = at(after, path);
    if (!old_one.is_number() || !new_one.is_number()) return {};
    return line(name, old_one.text(), new_one.text(), change(old_one.number(), new_one.number()));
}

std::string latency_lines(const std::string& name, const Value& before, const Value& after) {
    std::string out;
    for (const char* const percentile : {"mean", "p50", "p90", "p99", "p99.9", "max"}) {
        out += number_line(fmt::format("{} {} ms", name, percentile),
                           before,
                           after,
                           {"byOperation", name, "latencyMs", percentile});
    }
    return out;
}

}  // namespace

Result<std::string> compare(const Value& before, const Value& after) {
    TRY(check_result(before, "old"));
    TRY(check_result(after, "new"));
    TRY(check_same_work(before, after));
    std::string out = line("workload " + printed(at(before, {"workload"})), "old", "new", "change");
    for (const Setting& setting : kShown) {
        out += line(
            setting.name, printed(at(before, setting.path)), printed(at(after, setting.path)), "");
    }
    for (const Value* const result : {&before, &after}) {
        if (at(*result, {"complete"}) == Value(true)) continue;
        out += fmt::format("The {} run did not complete.\n", result == &before ? "old" : "new");
    }
    out += '\n';
    out += number_line("operations/s", before, after, {"throughput"});
    out += number_line("RU/s", before, after, {"requestUnitsPerSecond"});
    out += number_line("RU per operation", before, after, {"requestUnitsPerOperation"});
    out += number_line("errors", before, after, {"errors"});
    out += number_line("throttled", before, after, {"throttled"});
    const Value kinds = at(before, {"byOperation"});
    if (!kinds.is_object()) return out;
    for (const Value::Member& kind : kinds.object()) {
        out +=
            '\n' +
            number_line(kind.name + "/s", before, after, {"byOperation", kind.name, "throughput"});
        out += latency_lines(kind.name, before, after);
    }
    return out;
}

}  // namespace orrery::tools::bench
