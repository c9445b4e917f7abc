#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/interrupt.h"
#include "json/value.h"
#include "tools/account_arguments.h"
#include "tools/commands.h"
#include "tools/export/export_job.h"
#include "tools/partition_key_argument.h"

namespace orrery::tools {

namespace {

constexpr std::size_t kPartitionsAtOnceMax = 100;
constexpr std::size_t kPageItemsMax = 10'000;

// Nothing: as the name of the file says.
const cli::Choices<std::optional<ExportFormat>> kExportFormats = {
    {"auto", std::nullopt},
    {"json", ExportFormat::kJson},
    {"jsonl", ExportFormat::kJsonLines},
    {"csv", ExportFormat::kCsv},
    {"tsv", ExportFormat::kTsv}};
const cli::Choices<std::optional<Compression>> kCompressions = {{"auto", std::nullopt},
                                                                {"none", Compression::kNone},
                                                                {"gzip", Compression::kGzip},
                                                                {"zstd", Compression::kZstd}};

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
    void declare_output(CLI::App& app);
    void read_file_name();
    std::string check_output() const;
    void print(const ExportJob& job, const Status& outcome) const;
    void print_json(const ExportJob& job, const Status& outcome) const;

    AccountArguments account_;
    ExportOptions options_;
    std::optional<ExportFormat> format_;
    std::optional<Compression> compression_;
    std::string columns_;
    bool no_checkpoint_ = false;
    bool json_ = false;
};

bool has_ending(std::string_view name, std::initializer_list<std::string_view> endings) {
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
        return name.ends_with(ending);
    });
}

std::string ExportCommand::description() const {
    return "Writes the items of a container, or the results of a query, as JSON, CSV or TSV, also "
           "gzip or zstd. Partitions are read in parallel, so the order is arbitrary. Items that "
           "change meanwhile appear as they are when they are read, or with --consistent as they "
           "are at one time after that. An export to a file that was interrupted goes on where it "
           "was when the same command runs again.";
}

std::vector<cli::Example> ExportCommand::examples() const {
    return {{"orrery export --database db --container books --output books.jsonl.gz",
             "Write all items, one per line, compressed"},
            {"orrery export --database db --container books --query 'SELECT c.id, c.name FROM c "
             "WHERE c.year > 2000' --format json",
             "Write the results of a query to standard output, as one array"},
            {"orrery export --database db --container books --output books.csv --columns "
             "id,title,author.name,tags[0]",
             "Write some properties as a table"},
            {"orrery export --database db --container books --output books.jsonl --consistent "
             "--split-items 1000000",
             "Write files of a million items, as they are at one time"}};
}

void ExportCommand::declare(CLI::App& app) {
    app.add_option("--database", options_.database, "Database")->required();
    app.add_option("--container", options_.container, "Container")->required();
    app.add_option("--query", options_.query, "Query whose results to write instead of all items");
    app.add_option("--partition-key",
                   options_.partition_key,
                   "Only items with this partition key, as JSON: '\"a\"' or '[\"a\",1]'");
    app.add_flag("--consistent",
                 options_.consistent,
                 "Write the items as they are at one time after all of them have been read");
    app.add_option("--parallel", options_.parallel, "Partitions to read at the same time")
        ->check(CLI::Range(std::size_t{1}, kPartitionsAtOnceMax))
        ->capture_default_str();
    app.add_option(
           "--page-items", options_.page_items, "Items to ask for at a time; 0: as many as fit")
        ->check(CLI::Range(std::size_t{0}, kPageItemsMax))
        ->capture_default_str();
    declare_output(app);
    app.add_flag(
        "--no-checkpoint", no_checkpoint_, "Keep no file for going on after an interruption");
    app.add_flag("--quiet", options_.quiet, "Show no progress");
    app.add_flag("--json", json_, "Report the outcome as JSON on standard error");
    account_.declare(app);
}

void ExportCommand::declare_output(CLI::App& app) {
    constexpr const char* kGroup = "Output";
    app.add_option("--output", options_.output, "File to write; - for standard output")
        ->capture_default_str()
        ->group(kGroup);
    cli::add_choice(app,
                    "format",
                    format_,
                    kExportFormats,
                    "auto",
                    "json: one array; jsonl: an item per line; csv, tsv: a row per item; auto: by "
                    "the file's name, otherwise jsonl")
        ->group(kGroup);
    app.add_option("--columns",
                   columns_,
                   "Columns of CSV and TSV, with commas: id,address.city,tags[0] (default: all)")
        ->group(kGroup);
    cli::add_choice(app,
                    "compress",
                    compression_,
                    kCompressions,
                    "auto",
                    "Compression; auto: by the file's name, .gz or .zst")
        ->group(kGroup);
    app.add_option("--split-items",
                   options_.form.split_items,
                   "Write numbered files with so many items each")
        ->check(CLI::PositiveNumber)
        ->group(kGroup);
    app.add_option("--split-bytes",
                   options_.form.split_bytes,
                   "Write numbered files of at most so many bytes before compression")
        ->check(CLI::PositiveNumber)
        ->group(kGroup);
    app.add_flag("--system-properties",
                 options_.system_properties,
                 "Also write what the server adds to items, such as _ts and _etag")
        ->group(kGroup);
    app.add_flag("--overwrite", options_.overwrite, "Replace output files that exist")
        ->group(kGroup);
}

std::string ExportCommand::check() {
    if (!options_.partition_key.empty()) {
        auto key = partition_key_argument(options_.partition_key);
        if (!key) return "--partition-key: " + key.error().message();
        options_.partition_key = std::move(key).take();
    }
    options_.columns = cli::split_list(columns_);
    options_.checkpoint = !no_checkpoint_;
    read_file_name();
    if (std::string problem = check_output(); !problem.empty()) return problem;
    if (std::string problem = account_.check(); !problem.empty()) return problem;
    options_.account = account_.account();
    return {};
}

void ExportCommand::read_file_name() {
    std::string_view name = options_.output;
    Compression compression = Compression::kNone;
    if (has_ending(name, {".gz"})) compression = Compression::kGzip;
    if (has_ending(name, {".zst", ".zstd"})) compression = Compression::kZstd;
    options_.form.compression = compression_.value_or(compression);
    if (compression != Compression::kNone) name = name.substr(0, name.rfind('.'));
    ExportFormat format = ExportFormat::kJsonLines;
    if (has_ending(name, {".json"})) format = ExportFormat::kJson;
    if (has_ending(name, {".csv"})) format = ExportFormat::kCsv;
    if (has_ending(name, {".tsv", ".tab"})) format = ExportFormat::kTsv;
    options_.form.format = format_.value_or(format);
}

std::string ExportCommand::check_output() const {
    if (!options_.columns.empty() && !has_columns(options_.form.format)) {
        return "--columns is for CSV and TSV";
    }
    if (const auto columns = ExportColumns::parse(options_.columns); !columns) {
        return "--columns: " + columns.error().message();
    }
    if (options_.form.splits() && !options_.to_file()) {
        return "--split-items and --split-bytes need --output with the name of a file";
    }
    if (options_.consistent && !options_.query.empty()) {
        return "--consistent is for items, not for the results of a query";
    }
    return {};
}

void ExportCommand::print_json(const ExportJob& job, const Status& outcome) const {
    const ExportReport report = job.report();
    json::Value::Object out;
    out.push_back({"items", static_cast<std::int64_t>(report.items)});
    out.push_back({"bytes", static_cast<std::int64_t>(report.bytes)});
    out.push_back({"files", static_cast<std::int64_t>(report.files)});
    out.push_back({"incompleteItems", static_cast<std::int64_t>(report.incomplete_items)});
    out.push_back({"requestUnits", static_cast<std::int64_t>(report.charge)});
    out.push_back({"complete", static_cast<bool>(outcome)});
    if (!outcome) out.push_back({"error", outcome.error().message()});
    std::fprintf(stderr, "%s\n", json::Value(std::move(out)).text().c_str());
}

void ExportCommand::print(const ExportJob& job, const Status& outcome) const {
    if (const std::uint64_t incomplete = job.report().incomplete_items; incomplete > 0) {
        std::fprintf(stderr,
                     "orrery: %s items have properties without a column, which were left out\n",
                     cli::grouped(incomplete).c_str());
    }
    if (outcome) return;
    std::fprintf(stderr, "orrery: %s\n", outcome.error().message().c_str());
    if (job.can_go_on()) std::fputs("orrery: run the same command again to go on\n", stderr);
}

int ExportCommand::run() {
    const cli::Interrupt interrupt;
    ExportJob job(options_, interrupt.flag());
    const Status outcome = job.run();
    if (json_) {
        print_json(job, outcome);
    } else {
        print(job, outcome);
    }
    if (outcome) return 0;
    return interrupt.flag() ? cli::kExitInterrupted : cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_export() { return std::make_unique<ExportCommand>(); }

}  // namespace orrery::tools
