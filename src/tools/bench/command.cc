#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/files.h"
#include "base/random.h"
#include "cli/interrupt.h"
#include "tools/account_arguments.h"
#include "tools/bench/bench.h"
#include "tools/bench/chart.h"
#include "tools/bench/comparison.h"
#include "tools/commands.h"
#include "tools/container_arguments.h"

namespace orrery::tools {

namespace bench {

namespace {

constexpr std::uint64_t kItemsMax = 1'000'000'000;
constexpr double kRateMax = 10'000'000;
constexpr std::chrono::seconds kDurationDefault{30};
constexpr std::chrono::hours kDurationMax{24};

cli::Choices<const Workload*> workload_choices() {
    cli::Choices<const Workload*> out;
    for (const Workload& workload : all_workloads()) {
        out.emplace_back(std::string(workload.name), &workload);
    }
    return out;
}
const cli::Choices<const Workload*> kWorkloads = workload_choices();
const cli::Choices<std::optional<Distribution>> kDistributions = {
    {"workload", std::nullopt},
    {"uniform", Distribution::kUniform},
    {"zipfian", Distribution::kZipfian},
    {"latest", Distribution::kLatest}};

// "90", "90s", "5m", "1h"
std::optional<std::chrono::nanoseconds> parse_duration(const std::string& text) {
    double number = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    const std::string_view unit(end, static_cast<std::size_t>(last - end));
    if (error != std::errc() || !(number > 0)) return std::nullopt;
    if (unit == "m") number *= 60;
    if (unit == "h") number *= 3600;
    if (!unit.empty() && unit != "s" && unit != "m" && unit != "h") return std::nullopt;
    const std::chrono::duration<double> out(number);
    if (out > kDurationMax) return std::nullopt;
    return std::chrono::duration_cast<std::chrono::nanoseconds>(out);
}

Status write_file(const std::string& path, const std::string& content, std::ios::openmode mode) {
    std::ofstream file(path, std::ios::binary | mode);
    file << content;
    file.flush();
    if (file) return {};
    return Error(ErrorCode::kInternal, "cannot write '" + path + "': " + std::strerror(errno));
}

Result<json::Value> read_result(const std::string& path) {
    auto out = json::Value::parse(TRY(read_file(path)));
    if (!out) return std::move(out).take_error().with_context("'" + path + "'");
    return out;
}

class BenchCommand final : public cli::Command {
public:
    std::string name() const override { return "bench"; }
    std::string summary() const override { return "measure the performance of a server"; }
    std::string description() const override;
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    void declare_workload(CLI::App& app);
    void declare_pace(CLI::App& app);
    void declare_output(CLI::App& app);
    std::string check_pace();
    std::string check_items();
    Status check_outputs() const;
    Status write_outputs(const BenchResult& result) const;
    int run_comparison() const;
    int fail(const Error& error) const;

    AccountArguments account_;
    ContainerArguments container_;
    BenchOptions options_;
    const Workload* workload_ = nullptr;
    std::optional<Distribution> distribution_;
    std::string template_file_;
    std::string duration_;
    std::optional<std::uint64_t> seed_;
    std::string result_file_;
    std::string chart_file_;
    std::vector<std::string> compared_;
    bool json_ = false;
};

std::string BenchCommand::description() const {
    return "Measures throughput, latencies and request units of a workload: insert, read, query, "
           "or "
           "one of YCSB, a to f. Items are made from a template, whose placeholders are "
           "{{sequence}}, {{uuid}}, {{random 1 100}}, {{text 20}} and {{pick red blue}}. Ctrl-C "
           "ends the run with the results until then. --compare shows how two results differ.";
}

std::vector<cli::Example> BenchCommand::examples() const {
    return {
        {"orrery bench --database db --container bench --create --partition-key /pk --throughput "
         "10000 --workload insert --duration 1m",
         "Insert as many items as possible for a minute"},
        {"orrery bench --database db --container bench --workload a --load 100000 --rate 2000 "
         "--result new.json --svg new.svg",
         "Load items, then read and update them, 2000 times a second"},
        {"orrery bench --compare old.json new.json", "Show what has changed"}};
}

void BenchCommand::declare(CLI::App& app) {
    container_.declare(app, false);
    declare_workload(app);
    declare_pace(app);
    declare_output(app);
    account_.declare(app);
}

void BenchCommand::declare_workload(CLI::App& app) {
    constexpr const char* kGroup = "Workload";
    Settings& settings = options_.settings;
    cli::add_choice(app,
                    "workload",
                    workload_,
                    kWorkloads,
                    "",
                    "What to do: insert, read, query, or a YCSB workload")
        ->group(kGroup);
    cli::add_choice(app,
                    "distribution",
                    distribution_,
                    kDistributions,
                    "workload",
                    "Which items are chosen how often; workload: as it defines it")
        ->group(kGroup);
    app.add_option("--template", template_file_, "JSON file to make items of (default: about 1 KB)")
        ->group(kGroup);
    app.add_option("--query",
                   settings.query,
                   "SQL for the workload query, also with placeholders (default: all items of a "
                   "partition key)")
        ->group(kGroup);
    app.add_option("--load", settings.load, "Items to load before, which is not measured")
        ->check(CLI::Range(std::uint64_t{0}, kItemsMax))
        ->group(kGroup);
    app.add_option("--loaded",
                   settings.loaded,
                   "Items that an earlier run with the same template and --seed has loaded")
        ->check(CLI::Range(std::uint64_t{0}, kItemsMax))
        ->group(kGroup);
    app.add_option(
           "--seed", seed_, "Of the random numbers that items are made of (default: random)")
        ->group(kGroup);
    app.add_flag("--cleanup",
                 options_.cleanup,
                 "Delete at the end what was created: the container, or the items")
        ->group(kGroup);
}

void BenchCommand::declare_pace(CLI::App& app) {
    constexpr const char* kGroup = "Pace";
    Settings& settings = options_.settings;
    app.add_option(
           "--connections", settings.connections, "Connections, each with a request at a time")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, kConnectionsMax))
        ->group(kGroup);
    app.add_option("--duration",
                   duration_,
                   "Ends after this time: 90s, 5m, 1h; at most 24h (default without --count: 30s)")
        ->group(kGroup);
    app.add_option("--count", settings.count, "Ends after so many operations")
        ->check(CLI::Range(std::uint64_t{0}, kItemsMax))
        ->group(kGroup);
    app.add_option(
           "--rate",
           settings.rate,
           "Operations per second, started on time even if the server is slow; latencies count "
           "from then")
        ->check(CLI::Range(0.0, kRateMax))
        ->group(kGroup);
    app.add_option("--ru", settings.request_units, "Request units per second to use")
        ->check(CLI::Range(0.0, kRateMax))
        ->group(kGroup);
}

void BenchCommand::declare_output(CLI::App& app) {
    constexpr const char* kGroup = "Results";
    app.add_flag("--json", json_, "Print the result as JSON")->group(kGroup);
    app.add_option("--result", result_file_, "File for the result as JSON, for --compare")
        ->group(kGroup);
    app.add_option("--svg", chart_file_, "File for a picture of latencies and throughput over time")
        ->group(kGroup);
    app.add_option("--compare", compared_, "Two results to compare, the old one first")
        ->type_name("OLD NEW")
        ->expected(2)
        ->take_all()
        ->group(kGroup);
    app.add_flag("--quiet", options_.quiet, "Show no progress")->group(kGroup);
}

std::string BenchCommand::check() {
    if (!compared_.empty()) {
        if (compared_.size() != 2) return "--compare takes two results";
        return workload_ != nullptr ? "give --workload or --compare" : "";
    }
    if (std::string problem = account_.check(); !problem.empty()) return problem;
    options_.account = account_.account();
    if (std::string problem = container_.check(); !problem.empty()) return problem;
    options_.target = container_.choice();
    if (workload_ == nullptr) return "--workload is required";
    options_.settings.workload = *workload_;
    if (distribution_) options_.settings.workload.distribution = *distribution_;
    if (std::string problem = check_pace(); !problem.empty()) return problem;
    return check_items();
}

std::string BenchCommand::check_pace() {
    Settings& settings = options_.settings;
    if (!duration_.empty()) {
        const auto duration = parse_duration(duration_);
        if (!duration) return "--duration is a time up to 24h, such as 90s, 5m or 1h";
        settings.duration = *duration;
    } else if (settings.count == 0) {
        settings.duration = kDurationDefault;
    }
    if (settings.rate > 0 && settings.request_units > 0) return "give --rate or --ru";
    return {};
}

std::string BenchCommand::check_items() {
    Settings& settings = options_.settings;
    const bool is_query = settings.workload.has(Operation::kQuery);
    if (!settings.query.empty() && !is_query) return "--query is for --workload query";
    const bool needs_items = settings.workload.needs_items() && settings.query.empty();
    if (needs_items && settings.load + settings.loaded == 0) {
        return "this workload needs items: load some with --load, or give --loaded and --seed of "
               "an earlier run";
    }
    if (needs_items && settings.loaded > 0 && !seed_) return "--loaded needs --seed";
    settings.template_text = kDefaultTemplate;
    options_.template_name = "the default template";
    if (!template_file_.empty()) {
        auto text = read_file(template_file_);
        if (!text) return "--template: " + text.error().message();
        settings.template_text = *std::move(text);
        options_.template_name = "'" + template_file_ + "'";
    }
    if (seed_) {
        settings.seed = *seed_;
    } else {
        SecureRandom random;
        random.fill(std::as_writable_bytes(std::span(&settings.seed, 1)));
    }
    return {};
}

int BenchCommand::run() {
    if (!compared_.empty()) return run_comparison();
    if (const Status writable = check_outputs(); !writable) return fail(writable.error());
    const cli::Interrupt interrupt;
    const auto result = run_bench(options_, interrupt.flag());
    if (!result) {
        fail(result.error());
        return interrupt.flag() ? cli::kExitInterrupted : cli::kExitFailure;
    }
    const std::string text = json_ ? to_json(*result).text() + "\n" : print(*result);
    std::fputs(text.c_str(), stdout);
    if (const Status written = write_outputs(*result); !written) return fail(written.error());
    return result->exit_code();
}

// Before the run, whose results would otherwise be lost.
Status BenchCommand::check_outputs() const {
    for (const std::string& path : {result_file_, chart_file_}) {
        if (!path.empty()) TRY(write_file(path, "", std::ios::app));
    }
    return {};
}

Status BenchCommand::write_outputs(const BenchResult& result) const {
    if (!result_file_.empty()) {
        TRY(write_file(result_file_, to_json(result).text() + "\n", std::ios::trunc));
    }
    if (!chart_file_.empty()) {
        TRY(write_file(chart_file_, draw_chart(result), std::ios::trunc));
    }
    return {};
}

int BenchCommand::run_comparison() const {
    const auto before = read_result(compared_[0]);
    if (!before) return fail(before.error());
    const auto after = read_result(compared_[1]);
    if (!after) return fail(after.error());
    const auto table = compare(*before, *after);
    if (!table) return fail(table.error());
    std::fputs(table->c_str(), stdout);
    return 0;
}

int BenchCommand::fail(const Error& error) const {
    std::fprintf(stderr, "orrery bench: %s\n", error.message().c_str());
    return cli::kExitFailure;
}

}  // namespace

}  // namespace bench

std::unique_ptr<cli::Command> make_bench() { return std::make_unique<bench::BenchCommand>(); }

}  // namespace orrery::tools
