#include "tools/import/report.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "tools/json_number.h"

namespace orrery::tools {

namespace {

using json::Value;

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

double seconds_of(const ImportReport& report) {
    return std::chrono::duration<double>(report.elapsed).count();
}

Value inputs_of(const ImportReport& report) {
    Value::Array out;
    for (const InputReport& input : report.inputs) {
        Value::Object one;
        one.push_back({"source", input.source});
        one.push_back({"format", name_of(input.format)});
        one.push_back({"compression", name_of(input.compression)});
        out.emplace_back(std::move(one));
    }
    return out;
}

Value reasons_of(const ImportReport& report) {
    Value::Array out;
    for (const auto& [reason, count] : report.reasons) {
        Value::Object one;
        one.push_back({"reason", reason});
        one.push_back({"count", json_number(count)});
        out.emplace_back(std::move(one));
    }
    return out;
}

}  // namespace

int ImportReport::exit_code() const {
    if (interrupted) return cli::kExitInterrupted;
    return problem || totals.failed > 0 ? cli::kExitFailure : 0;
}

Value to_json(const ImportReport& report) {
    Value::Object out;
    out.push_back({"dryRun", report.dry_run});
    out.push_back({"complete", !report.interrupted && !report.problem});
    out.push_back({"interrupted", report.interrupted});
    out.push_back({"problem", text_or_null(report.problem.value_or(""))});
    out.push_back({"resumed", report.resumed});
    out.push_back({"records", json_number(report.totals.all())});
    out.push_back({"loaded", json_number(report.totals.loaded)});
    out.push_back({"skipped", json_number(report.totals.skipped)});
    out.push_back({"failed", json_number(report.totals.failed)});
    out.push_back({"reasons", reasons_of(report)});
    out.push_back({"inputs", inputs_of(report)});
    out.push_back({"requestUnits", json_number(report.charge)});
    out.push_back({"throttled", json_number(report.throttled)});
    out.push_back({"seconds", json_number(seconds_of(report))});
    out.push_back({"errorsFile", text_or_null(report.errors_file)});
    out.push_back({"checkpointFile", text_or_null(report.checkpoint_file)});
    return out;
}

std::string print(const ImportReport& report) {
    std::string out;
    for (const InputReport& input : report.dry_run ? report.inputs : std::vector<InputReport>()) {
        const bool packed = input.compression != Compression::kNone;
        out += fmt::format("{}: {}{}{}\n",
                           input.source,
                           name_of(input.format),
                           packed ? ", " : "",
                           packed ? name_of(input.compression) : "");
    }
    out += fmt::format("{}{}: {} {}",
                       report.resumed ? "Resumed import" : "Import",
                       report.dry_run ? " (dry run, nothing was sent)" : "",
                       cli::grouped(report.totals.loaded),
                       report.dry_run ? "would be loaded" : "loaded");
    if (report.totals.skipped > 0) {
        out += fmt::format(", {} skipped", cli::grouped(report.totals.skipped));
    }
    out += fmt::format(", {} failed, in {}",
                       cli::grouped(report.totals.failed),
                       cli::printed_duration(report.elapsed));
    if (report.charge > 0) {
        out += fmt::format(", {} RU", cli::grouped(static_cast<std::uint64_t>(report.charge)));
    }
    out += '\n';
    for (const std::string& failure : report.shown_failures) {
        out += "  " + failure + "\n";
    }
    if (report.totals.failed > report.shown_failures.size()) out += "  …\n";
    if (report.totals.failed > 0 && !report.errors_file.empty()) {
        out += "All failures are in " + report.errors_file + "\n";
    }
    if (report.interrupted) out += "Interrupted.\n";
    if (report.problem) out += "Stopped: " + *report.problem + "\n";
    if (!report.checkpoint_file.empty()) out += "The same command goes on from here.\n";
    return out;
}

}  // namespace orrery::tools
