#include <cstdio>

#include "cli/interrupt.h"
#include "tools/account_arguments.h"
#include "tools/commands.h"
#include "tools/container_arguments.h"
#include "tools/import/importer.h"

namespace orrery::tools {

namespace {

const cli::Choices<FormatChoice> kFormats = {{"auto", FormatChoice::kDetect},
                                             {"json", FormatChoice::kJson},
                                             {"jsonl", FormatChoice::kLines},
                                             {"csv", FormatChoice::kCsv},
                                             {"tsv", FormatChoice::kTsv},
                                             {"mongo", FormatChoice::kMongo}};
const cli::Choices<ImportMode> kModes = {
    {"upsert", ImportMode::kUpsert}, {"create", ImportMode::kCreate}, {"skip", ImportMode::kSkip}};

constexpr const char* kSourceGroup = "Another container as input (default: on the same server)";

class ImportCommand final : public cli::Command {
public:
    std::string name() const override { return "import"; }
    std::string summary() const override { return "load items from files into a container"; }
    std::string description() const override {
        return "Loads items from JSON, JSON lines, CSV, TSV and mongoexport files, also gzip or "
               "zstd, from standard input (-), or from another container. An import of files that "
               "was interrupted or killed goes on where it was when the same command is given "
               "again.";
    }
    std::vector<cli::Example> examples() const override {
        return {
            {"orrery import --database shop --container orders --create --partition-key "
             "/customerId orders.json",
             "Create a container and load it"},
            {"orrery import --database shop --container orders --dry-run orders.csv.gz",
             "See what would be loaded and what would fail"},
            {"orrery import --database shop --container orders --errors failed.jsonl *.jsonl",
             "Load many files and keep what the server refuses"},
            {"orrery import --database test --container orders --create --from-database shop "
             "--from-container orders --from-connection-string \"$LIVE\"",
             "Copy the items of a container of another account"},
        };
    }
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    void declare_items(CLI::App& app);
    void declare_source(CLI::App& app);
    std::string check_checkpoint();
    std::string check_source();
    std::string check_rules();

    AccountArguments account_;
    AccountArguments from_account_{"from-", kSourceGroup};
    std::string from_database_;
    std::string from_container_;
    ContainerArguments container_;
    ImportOptions options_;
    std::string id_;
    std::string key_fields_;
    bool no_checkpoint_ = false;
    bool json_ = false;
};

void ImportCommand::declare(CLI::App& app) {
    app.add_option("files", options_.inputs, "Files to load; - is standard input")->take_all();
    container_.declare(app);
    declare_items(app);
    declare_source(app);
    app.add_option("--parallel", options_.parallel, "Requests at a time")
        ->check(CLI::Range(1U, kParallelMax))
        ->capture_default_str();
    app.add_flag("--dry-run", options_.dry_run, "Read and check everything, send nothing");
    app.add_option("--errors", options_.errors_file, "File for items that fail, as JSON lines");
    app.add_option(
        "--checkpoint",
        options_.checkpoint_file,
        "File that records the progress (default: the first FILE with .import-checkpoint)");
    app.add_flag("--no-checkpoint", no_checkpoint_, "Do not record the progress");
    app.add_flag("--restart", options_.restart, "Ignore an earlier run's checkpoint");
    app.add_flag("--quiet", options_.quiet, "No progress and no summary");
    app.add_flag("--json", json_, "Print the final report as JSON");
    account_.declare(app);
}

void ImportCommand::declare_items(CLI::App& app) {
    constexpr const char* kGroup = "Items";
    cli::add_choice(app, "format", options_.format, kFormats, "auto", "How the files are written")
        ->group(kGroup);
    app.add_flag("--strings", options_.plain_strings, "CSV: all cells are text, also 1 and true")
        ->group(kGroup);
    cli::add_choice(
        app, "mode", options_.mode, kModes, "upsert", "What to do with items that exist")
        ->group(kGroup);
    app.add_option("--id", id_, "Property that becomes the id: sku or /product/sku")->group(kGroup);
    app.add_option("--partition-key-field",
                   key_fields_,
                   "Property to copy to the partition key; one for each path, with commas")
        ->group(kGroup);
    app.add_flag("--generate-ids", options_.rules.generate_ids, "Give ids to items without")
        ->group(kGroup);
}

void ImportCommand::declare_source(CLI::App& app) {
    app.add_option("--from-container", from_container_, "Its name")->group(kSourceGroup);
    app.add_option("--from-database", from_database_, "Its database (default: that of the target)")
        ->group(kSourceGroup);
    from_account_.declare(app);
}

std::string ImportCommand::check() {
    if (std::string problem = account_.check(); !problem.empty()) return problem;
    options_.account = account_.account();
    if (std::string problem = container_.check(!from_container_.empty()); !problem.empty()) {
        return problem;
    }
    options_.target = container_.choice();
    for (const auto check : {&ImportCommand::check_source,
                             &ImportCommand::check_checkpoint,
                             &ImportCommand::check_rules}) {
        if (std::string problem = (this->*check)(); !problem.empty()) return problem;
    }
    return {};
}

std::string ImportCommand::check_source() {
    const bool names_source = !from_container_.empty();
    if (names_source != options_.inputs.empty()) return "give files, or --from-container";
    if (!names_source) {
        const bool other = from_account_.given() || !from_database_.empty();
        return other ? "--from-… options need --from-container" : "";
    }
    if (options_.format != FormatChoice::kDetect || options_.plain_strings) {
        return "--format and --strings are for files";
    }
    ContainerSource from{
        .account = options_.account, .database = from_database_, .container = from_container_};
    if (from.database.empty()) from.database = options_.target.database;
    if (from_account_.given()) {
        if (!from_account_.names_server()) return "the options of the source need --from-endpoint";
        if (std::string problem = from_account_.check(); !problem.empty()) return problem;
        from.account = from_account_.account();
    }
    const bool same = from.account.endpoint.shown() == options_.account.endpoint.shown() &&
                      from.database == options_.target.database &&
                      from.container == options_.target.container;
    if (same) return "the target is the source";
    options_.inputs = {from.database + "/" + from.container};
    options_.from = std::move(from);
    return {};
}

std::string ImportCommand::check_checkpoint() {
    // The items of a container have no lasting order, so there is no position to go on from.
    if (options_.from) {
        return options_.checkpoint_file.empty() ? "" : "--checkpoint is for files";
    }
    const std::string& first = options_.inputs.front();
    if (no_checkpoint_) {
        if (!options_.checkpoint_file.empty()) return "give --checkpoint or --no-checkpoint";
    } else if (options_.checkpoint_file.empty() && first != "-") {
        options_.checkpoint_file = first + ".import-checkpoint";
    }
    return {};
}

std::string ImportCommand::check_rules() {
    if (!id_.empty()) {
        auto path = parse_property(id_);
        if (!path) return "--id: " + path.error().message();
        options_.rules.id_from = *std::move(path);
    }
    for (const std::string& field : cli::split_list(key_fields_)) {
        auto path = parse_property(field);
        if (!path) return "--partition-key-field: " + path.error().message();
        options_.rules.key_from.push_back(*std::move(path));
    }
    return {};
}

int ImportCommand::run() {
    const cli::Interrupt interrupt;
    Importer importer(options_, interrupt.flag());
    const auto report = importer.run();
    if (!report) {
        std::fprintf(stderr, "orrery import: %s\n", report.error().message().c_str());
        return interrupt.flag() ? cli::kExitInterrupted : cli::kExitFailure;
    }
    if (json_) std::printf("%s\n", to_json(*report).text().c_str());
    const bool failed = report->exit_code() != 0;
    if (!json_ && (!options_.quiet || failed)) {
        std::fputs(print(*report).c_str(), failed ? stderr : stdout);
    }
    return report->exit_code();
}

}  // namespace

std::unique_ptr<cli::Command> make_import() { return std::make_unique<ImportCommand>(); }

}  // namespace orrery::tools
