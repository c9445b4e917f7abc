#include "tools/bench/bench.h"

#include <algorithm>
#include <utility>

#include "client/pages.h"

namespace orrery::tools::bench {

namespace {

// Cleaning up goes on after the first Ctrl-C; a second one ends the process.
const std::atomic<bool> kNotInterrupted{false};

class Bench {
public:
    Bench(const BenchOptions& options, const std::atomic<bool>& interrupted)
        : options_(options), settings_(options.settings), interrupted_(interrupted) {}

    Result<BenchResult> run();

private:
    Status prepare();
    Result<Space> make_space() const;
    Result<ItemTemplate> compiled(const std::vector<json::Path>& key_paths) const;
    void load(BenchResult& result);
    void measure(BenchResult& result);
    CleanupReport clean_up();
    Status remove_container(CleanupReport& report);
    void remove_items(CleanupReport& report);
    PhaseOptions phase_options(std::string verb, const Workload& workload) const;

    const BenchOptions& options_;
    const Settings& settings_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    std::optional<Target> target_;
    std::optional<Space> space_;
    std::optional<ItemNumbers> numbers_;
};

Result<BenchResult> Bench::run() {
    TRY(prepare());
    BenchResult out;
    out.settings = settings_;
    out.endpoint = options_.account.endpoint.shown();
    out.database = options_.target.database;
    out.container = options_.target.container;
    out.started = std::chrono::duration_cast<std::chrono::microseconds>(clock_.now()).count();
    out.item_bytes = space_->item.body(0).size();
    load(out);
    if (out.phase.complete()) measure(out);
    if (options_.cleanup) out.cleanup = clean_up();
    return out;
}

Status Bench::prepare() {
    // So that a template that is wrong creates no container.
    if (!options_.target.partition_key.empty()) {
        std::vector<json::Path> paths;
        for (const std::string& path : options_.target.partition_key) {
            paths.push_back(TRY(json::parse_path(path)));
        }
        TRY(compiled(paths));
    }
    client::Client client(options_.account, clock_, {}, &interrupted_);
    target_ = TRY(open_target(client, options_.target, false));
    space_ = TRY(make_space());
    numbers_.emplace(settings_.loaded);
    return {};
}

Result<ItemTemplate> Bench::compiled(const std::vector<json::Path>& key_paths) const {
    auto out = ItemTemplate::compile(settings_.template_text, key_paths, settings_.seed);
    if (!out) return std::move(out).take_error().with_context(options_.template_name);
    return out;
}

Result<Space> Bench::make_space() const {
    const model::PartitionKeyDefinition& key = target_->definition.partition_key;
    Space out;
    out.container = target_->path;
    if (!key.system_key) out.key_paths = key.paths;
    out.seed = settings_.seed;
    out.item = TRY(compiled(out.key_paths));
    if (settings_.workload.has(Operation::kScan) && !out.item.sequence_path()) {
        return Error(ErrorCode::kBadRequest,
                     options_.template_name +
                         ": scans need a property with the item's number, as \"n\": {{sequence}}");
    }
    if (!settings_.query.empty()) {
        auto query = compile_text(settings_.query);
        if (!query) return std::move(query).take_error().with_context("--query");
        out.query = *std::move(query);
    }
    return out;
}

PhaseOptions Bench::phase_options(std::string verb, const Workload& workload) const {
    return {.verb = std::move(verb),
            .workload = workload,
            .connections = settings_.connections,
            .request_units = settings_.request_units};
}

void Bench::load(BenchResult& result) {
    if (settings_.load == 0) return;
    PhaseOptions options = phase_options("loading", only(Operation::kInsert));
    options.upsert = true;
    options.count = settings_.load;
    const ItemChooser unused(ItemChooser::Options{});
    Phase phase(options, options_.account, *space_, *numbers_, unused, interrupted_);
    result.phase = phase.run(options_.quiet);
    const Totals sum = phase.recorder().sum();
    result.load = LoadReport{.items = sum.operations(),
                             .throttled = sum.throttled,
                             .charge = sum.charge,
                             .elapsed = result.phase.elapsed};
    if (sum.errors > 0 && !result.phase.problem) {
        result.failures = phase.recorder().failures();
        result.phase.problem =
            "items could not be loaded: " + result.failures.begin()->second.example;
    }
    // The time of the measurement, which has not begun.
    result.phase.elapsed = {};
}

void Bench::measure(BenchResult& result) {
    const Workload& workload = settings_.workload;
    PhaseOptions options = phase_options("workload " + std::string(workload.name), workload);
    options.count = settings_.count;
    options.duration = settings_.duration;
    options.rate = settings_.rate;
    const auto inserts = workload.percent[static_cast<std::size_t>(Operation::kInsert)];
    const ItemChooser chooser({.distribution = workload.distribution,
                               .items = std::max<std::uint64_t>(numbers_->limit(), 1),
                               // Twice as many as expected, as YCSB has it.
                               .added = settings_.count / 100 * inserts * 2,
                               .seed = settings_.seed});
    Phase phase(options, options_.account, *space_, *numbers_, chooser, interrupted_);
    result.phase = phase.run(options_.quiet);
    result.totals = phase.recorder().totals();
    result.failures = phase.recorder().failures();
    result.samples = phase.recorder().samples();
}

// What this run has created, and nothing else.
CleanupReport Bench::clean_up() {
    CleanupReport out;
    if (target_->created) {
        if (const Status removed = remove_container(out); !removed) {
            out.problem = removed.error().message();
        }
    } else {
        remove_items(out);
    }
    return out;
}

Status Bench::remove_container(CleanupReport& report) {
    client::Client client(options_.account, clock_);
    TRY(client.call({.method = "DELETE", .path = target_->path, .idempotent = true}));
    report.container = true;
    if (!target_->database_created) return {};
    const client::Path database = client::database_path(options_.target.database);
    client::Pages others(client, database / "colls");
    const auto page = TRY(others.next());
    if (page && !TRY(page->elements()).empty()) return {};
    TRY(client.call({.method = "DELETE", .path = database, .idempotent = true}));
    report.database = true;
    return {};
}

void Bench::remove_items(CleanupReport& report) {
    const std::uint64_t until = numbers_->next();
    if (until == settings_.loaded) return;
    PhaseOptions options = phase_options("deleting", only(Operation::kDelete));
    options.count = until - settings_.loaded;
    ItemNumbers numbers(settings_.loaded);
    const ItemChooser unused(ItemChooser::Options{});
    Phase phase(options, options_.account, *space_, numbers, unused, kNotInterrupted);
    const PhaseResult done = phase.run(options_.quiet);
    const Totals sum = phase.recorder().sum();
    report.items = sum.operations();
    report.problem = done.problem;
    if (sum.errors > 0 && !report.problem) {
        report.problem = phase.recorder().failures().begin()->second.example;
    }
}

}  // namespace

Result<BenchResult> run_bench(const BenchOptions& options, const std::atomic<bool>& interrupted) {
    return Bench(options, interrupted).run();
}

}  // namespace orrery::tools::bench
