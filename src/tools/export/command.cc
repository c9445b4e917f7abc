#include <charconv>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "json/value.h"
#include "tools/account_arguments.h"
#include "tools/commands.h"
#include "tools/export/exporter.h"
#include "tools/partition_key_argument.h"

namespace orrery::tools {

namespace {

constexpr std::size_t kPartitionsAtOnceMax = 100;
constexpr std::size_t kPageItemsMax = 10'000;

const cli::Choices<ExportFormat> kExportFormats = {{"json", ExportFormat::kJson},
                                                   {"jsonl", ExportFormat::kJsonLines}};

class ExportCommand final : public cli::Command {
public:
    std::string name() const override { return "export"; }
    std::string summary() const override { return "write the items of a container to a file"; }
    std::string description() const override;
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    struct Job {
        ExportSource source;
        ExportPlan plan;
        std::uint64_t items_expected = 0;
    };

    bool to_file() const { return output_ != ExportOutput::kStandardOutput; }
    bool resumable() const { return to_file() && !no_checkpoint_; }
    std::string checkpoint_file() const { return resumable() ? output_ + ".checkpoint" : ""; }

    ExportSource source() const;
    Result<Job> prepare(const std::atomic<bool>& interrupted) const;
    Result<ExportPlan> new_plan(client::Client& client, const std::string& rid) const;
    Status open(ExportOutput& output, ExportPlan& plan) const;
    void report(const ExportPlan& plan,
                const cli::ProgressCounts& counts,
                const Status& outcome) const;

    AccountArguments account_;
    std::string database_;
    std::string container_;
    std::string output_ = std::string(ExportOutput::kStandardOutput);
    std::string query_;
    std::string partition_key_;
    ExportFormat format_ = ExportFormat::kJsonLines;
    std::size_t parallel_ = 4;
    std::size_t page_items_ = 0;
    bool system_properties_ = false;
    bool overwrite_ = false;
    bool no_checkpoint_ = false;
    bool quiet_ = false;
    bool json_ = false;
};

std::string ExportCommand::description() const {
    return "Writes the items of a container, or the results of a query, as JSON. Partitions are "
           "read in parallel, so the order is arbitrary. Items that change meanwhile appear as "
           "they are when they are read. An export to a file that was interrupted goes on where "
           "it was when the same command runs again.";
}

std::vector<cli::Example> ExportCommand::examples() const {
    return {{"orrery export --database db --container books --output books.jsonl",
             "Write all items, one per line"},
            {"orrery export --database db --container books --query 'SELECT c.id, c.name FROM c "
             "WHERE c.year > 2000' --format json",
             "Write the results of a query to standard output, as one array"}};
}

void ExportCommand::declare(CLI::App& app) {
    app.add_option("--database", database_, "Database")->required();
    app.add_option("--container", container_, "Container")->required();
    app.add_option("--output", output_, "File to write; - for standard output")
        ->capture_default_str();
    app.add_option("--query", query_, "Query whose results to write instead of all items");
    app.add_option("--partition-key",
                   partition_key_,
                   "Only items with this partition key, as JSON: '\"a\"' or '[\"a\",1]'");
    cli::add_choice(app,
                    "format",
                    format_,
                    kExportFormats,
                    "jsonl",
                    "json: one array; jsonl: an item per line");
    app.add_option("--parallel", parallel_, "Partitions to read at the same time")
        ->check(CLI::Range(std::size_t{1}, kPartitionsAtOnceMax))
        ->capture_default_str();
    app.add_option("--page-items", page_items_, "Items to ask for at a time; 0: as many as fit")
        ->check(CLI::Range(std::size_t{0}, kPageItemsMax))
        ->capture_default_str();
    app.add_flag("--system-properties",
                 system_properties_,
                 "Also write what the server adds to items, such as _ts and _etag");
    app.add_flag("--overwrite", overwrite_, "Replace the output file if there is one");
    app.add_flag(
        "--no-checkpoint", no_checkpoint_, "Keep no file for going on after an interruption");
    app.add_flag("--quiet", quiet_, "Show no progress");
    app.add_flag("--json", json_, "Report the outcome as JSON on standard error");
    account_.declare(app);
}

std::string ExportCommand::check() {
    if (!partition_key_.empty()) {
        auto key = partition_key_argument(partition_key_);
        if (!key) return "--partition-key: " + key.error().message();
        partition_key_ = std::move(key).take();
    }
    return account_.check();
}

ExportSource ExportCommand::source() const {
    ExportSource out{
        .account = account_.account(),
        .items = client::container_path(database_, container_) / "docs",
        .query = std::nullopt,
        .selection = {},
        .system_properties = system_properties_ || !query_.empty(),
        .parallel = parallel_,
    };
    if (!query_.empty()) {
        out.query = client::Query{.text = query_};
        // One answer for the whole container, whatever the query does across partitions.
        out.selection.headers.emplace_back("x-orrery-merge-partitions", "True");
    }
    if (!partition_key_.empty()) out.selection.partition_key = partition_key_;
    if (page_items_ > 0) out.selection.page_items = static_cast<int>(page_items_);
    return out;
}

std::uint64_t document_count(const std::string& usage) {
    constexpr std::string_view kName = "documentsCount=";
    const std::size_t at = usage.find(kName);
    std::uint64_t out = 0;
    if (at == std::string::npos) return out;
    const char* const first = usage.data() + at + kName.size();
    std::from_chars(first, usage.data() + usage.size(), out);
    return out;
}

Result<ExportCommand::Job> ExportCommand::prepare(const std::atomic<bool>& interrupted) const {
    Job out;
    out.source = source();
    const SystemClock clock;
    client::Client client(account_.account(), clock, {}, &interrupted);
    const client::Response container =
        TRY(client.call({.method = "GET",
                         .path = client::container_path(database_, container_),
                         .headers = {{"x-ms-documentdb-populatequotainfo", "True"}}}));
    const auto definition = json::Value::parse(container.body());
    const json::Value* const rid = definition ? definition->find("_rid") : nullptr;
    if (rid == nullptr || !rid->is_string()) {
        return Error(ErrorCode::kInternal, "the server's answer is not a container");
    }
    if (query_.empty() && partition_key_.empty()) {
        out.items_expected = document_count(container.header("x-ms-resource-usage"));
    }
    out.plan = TRY(new_plan(client, rid->string()));
    return out;
}

Result<ExportPlan> ExportCommand::new_plan(client::Client& client, const std::string& rid) const {
    ExportPlan out;
    // Everything that decides what the output contains.
    out.purpose = json::Value(json::Value::Array{account_.account().endpoint.shown(),
                                                 rid,
                                                 query_,
                                                 partition_key_,
                                                 format_ == ExportFormat::kJson,
                                                 system_properties_})
                      .text();
    if (!query_.empty() || !partition_key_.empty()) {
        out.tasks.emplace_back();
        return out;
    }
    for (client::Range& range :
         TRY(client::read_ranges(client, client::container_path(database_, container_)))) {
        // The name of a range does not outlast a split, its place in the hash space does.
        range.id.clear();
        out.tasks.push_back({.range = std::move(range), .continuation = {}, .done = false});
    }
    return out;
}

// Goes on with the plan of an earlier run, if there is one.
Status ExportCommand::open(ExportOutput& output, ExportPlan& plan) const {
    const std::string checkpoint = checkpoint_file();
    if (checkpoint.empty() || overwrite_ || !std::filesystem::exists(checkpoint)) {
        return output.create(output_, overwrite_);
    }
    auto earlier = ExportPlan::parse(TRY(read_file(checkpoint)));
    if (!earlier) return std::move(earlier).take_error().with_context("'" + checkpoint + "'");
    if (earlier->purpose != plan.purpose) {
        return Error(ErrorCode::kConflict,
                     "'" + checkpoint +
                         "' belongs to an export with other options; remove it, or use "
                         "--overwrite to start again");
    }
    plan = *std::move(earlier);
    std::fprintf(stderr, "orrery: going on after %s items\n", cli::grouped(plan.items).c_str());
    return output.reopen(output_, plan.items, plan.bytes);
}

void ExportCommand::report(const ExportPlan& plan,
                           const cli::ProgressCounts& counts,
                           const Status& outcome) const {
    if (json_) {
        json::Value::Object out;
        out.push_back({"items", static_cast<std::int64_t>(plan.items)});
        out.push_back({"bytes", static_cast<std::int64_t>(plan.bytes)});
        out.push_back({"requestUnits", static_cast<std::int64_t>(counts.charge)});
        out.push_back({"complete", static_cast<bool>(outcome)});
        if (!outcome) out.push_back({"error", outcome.error().message()});
        std::fprintf(stderr, "%s\n", json::Value(std::move(out)).text().c_str());
    } else if (!outcome) {
        std::fprintf(stderr, "orrery: %s\n", outcome.error().message().c_str());
        if (resumable()) std::fputs("orrery: run the same command again to go on\n", stderr);
    }
}

int ExportCommand::run() {
    const cli::Interrupt interrupt;
    ExportOutput output(format_);
    auto job = prepare(interrupt.flag());
    if (!job) {
        std::fprintf(stderr, "orrery: %s\n", job.error().message().c_str());
        return cli::kExitFailure;
    }
    if (const Status opened = open(output, job->plan); !opened) {
        std::fprintf(stderr, "orrery: %s\n", opened.error().message().c_str());
        return cli::kExitFailure;
    }
    cli::ProgressCounts counts;
    counts.total = job->items_expected;
    Status outcome;
    {
        const cli::Progress progress("exported", counts, quiet_);
        outcome =
            Exporter(job->source, job->plan, output, checkpoint_file(), counts, interrupt.flag())
                .run();
    }
    report(job->plan, counts, outcome);
    if (!outcome) return interrupt.flag() ? cli::kExitInterrupted : cli::kExitFailure;
    std::error_code ignored;
    if (resumable()) std::filesystem::remove(checkpoint_file(), ignored);
    return 0;
}

}  // namespace

std::unique_ptr<cli::Command> make_export() { return std::make_unique<ExportCommand>(); }

}  // namespace orrery::tools
