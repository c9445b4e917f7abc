#include <cstdio>

#include "base/iso_time.h"
#include "json/value.h"
#include "server/backup_repository.h"
#include "server/commands/commands.h"

namespace orrery::server {

namespace {

struct RestoreOptions {
    std::string from;
    std::string to;
    std::uint32_t id = 0;
    std::string at;
    bool json = false;
};

Status restore(const RestoreOptions& options) {
    BackupRepository::Wanted wanted;
    if (options.id > 0) wanted.id = options.id;
    if (!options.at.empty()) wanted.until_micros = parse_iso_time(options.at);
    const auto repository = TRY(BackupRepository::open_to_read(options.from));
    const BackupRepository::Restored restored = TRY(repository.restore(wanted, options.to));
    const std::string at = print_iso_time(restored.at_micros);
    // A backup without commits in its log has no time of its own for the newest one.
    const std::int64_t newest = restored.reached.micros;
    if (options.json) {
        json::Value out(json::Value::Object{});
        out.set("backup", json::Value(static_cast<std::int64_t>(restored.id)));
        out.set("at", at);
        out.set("position", json::Value(static_cast<std::int64_t>(restored.reached.position)));
        if (newest > 0) out.set("newestCommit", print_iso_time(newest));
        std::printf("%s\n", out.text().c_str());
        return {};
    }
    std::printf("restored the state of %s to %s, from backup %u\n",
                at.c_str(),
                options.to.c_str(),
                restored.id);
    if (newest > 0) std::printf("its newest commit is of %s\n", print_iso_time(newest).c_str());
    return {};
}

std::string check_time(const std::string& text) {
    if (parse_iso_time(text)) return {};
    return "'" + text + "' is not a time such as 2026-03-01T14:02:59Z";
}

class RestoreCommand final : public cli::Command {
public:
    std::string name() const override { return "restore"; }
    std::string summary() const override { return "make a data directory from a backup"; }
    std::string description() const override {
        return "Makes a data directory from a backup, or with --at one with the state of a time "
               "between two backups. All that is read is checked. The directory appears when it is "
               "complete.";
    }
    std::vector<cli::Example> examples() const override {
        return {{"orrery restore --from /backups --to ./restored", "Restore the newest backup"},
                {"orrery restore --from /backups --to ./restored --at 2026-03-01T14:02:59Z",
                 "Restore the state of a time"}};
    }
    void declare(CLI::App& app) override;
    int run() override;

private:
    RestoreOptions options_;
};

void RestoreCommand::declare(CLI::App& app) {
    app.add_option("--from", options_.from, "Directory of backups")
        ->required()
        ->check(CLI::ExistingDirectory);
    app.add_option("--to", options_.to, "Data directory to make; it must not exist or be empty")
        ->required();
    CLI::Option* const id =
        app.add_option("--backup", options_.id, "Restore this backup (default: the newest)")
            ->check(CLI::PositiveNumber);
    app.add_option("--at", options_.at, "Restore the state of this time, in UTC")
        ->check(check_time)
        ->excludes(id);
    app.add_flag("--json", options_.json, "Print JSON");
}

int RestoreCommand::run() {
    const Status done = restore(options_);
    if (done) return 0;
    std::fprintf(stderr, "orrery: %s\n", done.error().message().c_str());
    return cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_restore() { return std::make_unique<RestoreCommand>(); }

}  // namespace orrery::server
