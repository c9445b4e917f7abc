#include <cstdio>
#include <string>

#include "cli/interrupt.h"
#include "tools/account_arguments.h"
#include "tools/commands.h"
#include "tools/container_arguments.h"
#include "tools/import/importer.h"
#include "tools/migrate/migration.h"

namespace orrery::tools {

namespace {

class MigrateCommand final : public cli::Command {
public:
    std::string name() const override { return "migrate"; }
    std::string summary() const override {
        return "copy a container in use to one with another partition key";
    }
    std::string description() const override {
        return "Copies a container to another one, which it creates, with another partition key, "
               "indexing policy or throughput, in the same account or another. Other clients may "
               "use the source meanwhile: it follows their changes, removes from the target what "
               "they delete, and compares all items at the end. A migration that was interrupted "
               "or killed goes on when the same command runs again.";
    }
    std::vector<cli::Example> examples() const override {
        return {{"orrery migrate --database shop --container orders --to-container orders2 "
                 "--partition-key /customerId --throughput 10000",
                 "Change the partition key of a container"},
                {"orrery migrate --database shop --container orders --to-container orders2 "
                 "--partition-key /customerId --follow",
                 "Follow changes until Ctrl-C, then compare for the last time"},
                {"orrery migrate --database shop --container orders --to-container orders "
                 "--to-connection-string \"$TARGET\"",
                 "Copy a container to another account"}};
    }
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    std::string check_target();
    void print(const MigrationReport& report) const;
    static json::Value to_json(const MigrationReport& report, const Status& outcome);

    AccountArguments source_;
    AccountArguments target_{"to-", "Target's server (default: the same)"};
    MigrationOptions options_;
    std::string partition_key_;
    std::string indexing_policy_;
    bool json_ = false;
};

void MigrateCommand::declare(CLI::App& app) {
    constexpr const char* kGroup = "Target";
    ContainerChoice& target = options_.target;
    app.add_option("--database", options_.database, "Database of the source")->required();
    app.add_option("--container", options_.container, "Container to copy")->required();
    app.add_option("--to-database", target.database, "Database (default: that of the source)")
        ->group(kGroup);
    app.add_option("--to-container", target.container, "Container to copy to")
        ->required()
        ->group(kGroup);
    app.add_option(
           "--partition-key",
           partition_key_,
           "Its partition key, such as /customerId; /a,/b for a hierarchical one (default: that "
           "of the source)")
        ->group(kGroup);
    app.add_option("--throughput", target.throughput, "Request units per second, if it is created")
        ->check(CLI::NonNegativeNumber)
        ->group(kGroup);
    app.add_option("--indexing-policy",
                   indexing_policy_,
                   "JSON file, if it is created (default: that of the source)")
        ->group(kGroup);
    app.add_flag("--into-existing",
                 options_.into_existing,
                 "Replace the items of a target that has some: those that the source does not have "
                 "are deleted")
        ->group(kGroup);
    app.add_flag("--follow",
                 options_.follow,
                 "Once the target is up to date, follow changes until Ctrl-C, then compare again");
    app.add_option("--parallel", options_.parallel, "Requests at a time")
        ->check(CLI::Range(1U, kParallelMax))
        ->capture_default_str();
    app.add_option("--errors", options_.errors_file, "File for items that fail, as JSON lines");
    app.add_option(
        "--state",
        options_.state_file,
        "File that records the progress (default: DATABASE.CONTAINER.migration of the target)");
    app.add_flag("--quiet", options_.quiet, "No progress and no summary");
    app.add_flag("--json", json_, "Print the final report as JSON");
    source_.declare(app);
    target_.declare(app);
}

std::string MigrateCommand::check() {
    if (std::string problem = source_.check(); !problem.empty()) return problem;
    options_.source_account = options_.target_account = source_.account();
    if (target_.given()) {
        if (!target_.names_server()) return "the options of the target need --to-endpoint";
        if (std::string problem = target_.check(); !problem.empty()) return problem;
        options_.target_account = target_.account();
    }
    return check_target();
}

std::string MigrateCommand::check_target() {
    ContainerChoice& target = options_.target;
    if (target.database.empty()) target.database = options_.database;
    if (options_.state_file.empty()) {
        options_.state_file = target.database + "." + target.container + ".migration";
    }
    return read_definition(partition_key_, indexing_policy_, target);
}

void MigrateCommand::print(const MigrationReport& report) const {
    const std::string to = options_.target.database + "/" + options_.target.container;
    std::printf("%s has all %s items of %s/%s, checksum %s.\n",
                to.c_str(),
                cli::grouped(report.source_items).c_str(),
                options_.database.c_str(),
                options_.container.c_str(),
                report.source_checksum.text().c_str());
    if (report.suspects > 0) {
        std::printf("%s items changed during the comparison, and were compared by themselves.\n",
                    cli::grouped(report.suspects).c_str());
    }
    std::printf("Copied %s versions, deleted %s items, %s RU.\n",
                cli::grouped(report.copied).c_str(),
                cli::grouped(report.deleted).c_str(),
                cli::grouped(static_cast<std::uint64_t>(report.charge)).c_str());
    std::printf(
        "To cut over: stop the clients of the source, run the same command again, and let them "
        "use %s. Then remove '%s'.\n",
        to.c_str(),
        options_.state_file.c_str());
}

json::Value MigrateCommand::to_json(const MigrationReport& report, const Status& outcome) {
    json::Value::Object out;
    const auto add_number = [&](const char* name, std::uint64_t number) {
        out.push_back({name, static_cast<std::int64_t>(number)});
    };
    out.push_back({"verified", report.verified});
    if (!outcome) out.push_back({"problem", outcome.error().message()});
    add_number("copied", report.copied);
    add_number("sourceItems", report.source_items);
    add_number("targetItems", report.target_items);
    out.push_back({"sourceChecksum", report.source_checksum.text()});
    out.push_back({"targetChecksum", report.target_checksum.text()});
    add_number("changedDuringComparison", report.suspects);
    add_number("keepChanging", report.unsettled);
    add_number("deleted", report.deleted);
    add_number("rejected", report.rejected.size());
    add_number("requestUnits", static_cast<std::uint64_t>(report.charge));
    return out;
}

int MigrateCommand::run() {
    const cli::Interrupt interrupt;
    Migration migration(options_, interrupt.flag());
    const Status outcome = migration.run();
    const MigrationReport& report = migration.report();
    if (json_) std::printf("%s\n", to_json(report, outcome).text().c_str());
    if (outcome) {
        if (!json_ && !options_.quiet) print(report);
        return 0;
    }
    std::fprintf(stderr, "orrery: %s\n", outcome.error().message().c_str());
    if (migration.can_go_on()) std::fputs("orrery: run the same command again to go on\n", stderr);
    // Ctrl-C is also how following ends, after which the outcome is that of the last comparison.
    const bool interrupted = interrupt.flag() && outcome.error().code() == ErrorCode::kTimeout;
    return interrupted ? cli::kExitInterrupted : cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_migrate() { return std::make_unique<MigrateCommand>(); }

}  // namespace orrery::tools
