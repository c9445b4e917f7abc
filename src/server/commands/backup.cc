#include <algorithm>
#include <chrono>
#include <cstdio>
#include <unistd.h>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/iso_time.h"
#include "cli/interrupt.h"
#include "json/value.h"
#include "server/backup_repository.h"
#include "server/commands/commands.h"
#include "server/commands/hot_backup.h"
#include "server/commands/sizes.h"
#include "server/engine.h"
#include "storage/data_directory.h"
#include "tools/account_arguments.h"

namespace orrery::server {

namespace {

using json::Value;

struct BackupOptions {
    std::string directory;
    std::string data;
    std::string to;
    std::uint32_t keep = 0;
    bool list = false;
    bool verify = false;
    bool json = false;
};

std::int64_t now_micros() { return std::chrono::microseconds(SystemClock().now()).count(); }

std::string text_of(const BackupRecord& backup, const BackupRecord* before) {
    return fmt::format("{:>6}  {}  {:>10}, {:>10} new, log {:>10}{}",
                       backup.id(),
                       print_iso_time(backup.outcome.reached.micros),
                       size_text(backup.outcome.bytes),
                       size_text(backup.outcome.new_bytes),
                       size_text(backup.outcome.log_bytes),
                       before != nullptr && backup.continues(*before)
                           ? fmt::format(", continues {}", before->id())
                           : "");
}

void print_list(const std::vector<BackupRecord>& backups, bool json) {
    Value::Array list;
    const BackupRecord* before = nullptr;
    for (const BackupRecord& backup : backups) {
        if (!json) std::printf("%s\n", text_of(backup, before).c_str());
        Value entry = backup.description();
        entry.set("continues", before != nullptr && backup.continues(*before));
        list.push_back(std::move(entry));
        before = &backup;
    }
    if (json) std::printf("%s\n", Value(std::move(list)).text().c_str());
    if (!json && backups.empty()) std::printf("no backups\n");
}

// One line that is written over on a terminal.
void print_progress(std::uint64_t bytes) {
    if (isatty(STDERR_FILENO) != 0) {
        std::fprintf(stderr, "\r%s copied ", size_text(bytes).c_str());
    }
}

void print_made(const Value& backup, bool json) {
    if (json) {
        std::printf("%s\n", backup.text().c_str());
        return;
    }
    const auto number = [&](std::string_view name) {
        const Value* found = backup.find(name);
        const auto value = found != nullptr && found->is_number() ? found->integer() : std::nullopt;
        return static_cast<std::uint64_t>(value.value_or(0));
    };
    std::printf("backup %llu: %s, %s of them new\n",
                static_cast<unsigned long long>(number("id")),
                size_text(number("bytes")).c_str(),
                size_text(number("newBytes")).c_str());
}

Status back_up_server(const client::Account& account, const BackupOptions& options) {
    const cli::Interrupt interrupt;
    const HotBackup wanted{.directory = options.directory, .keep = options.keep};
    const Value made = TRY(make_hot_backup(account, wanted, interrupt.flag(), print_progress));
    print_made(made, options.json);
    return {};
}

Status back_up_directory(const BackupOptions& options) {
    storage::DataDirectory directory = TRY(storage::open_data_directory(options.data));
    if (directory.fresh()) {
        return Error(ErrorCode::kBadRequest, "'" + options.data + "' holds no data");
    }
    const auto engine = TRY(open_engine(directory, kSmallEngine));
    auto repository = TRY(BackupRepository::open_to_write(options.to));
    const cli::Interrupt interrupt;
    const BackupRecord made = TRY(repository.add(
        {.engine = *engine, .data_directory = options.data, .now_micros = now_micros()},
        [&](std::uint64_t bytes) {
            print_progress(bytes);
            return !interrupt.flag().load();
        }));
    print_made(made.description(), options.json);
    return {};
}

Status prune(const BackupOptions& options) {
    auto repository = TRY(BackupRepository::open_to_write(options.to));
    const std::size_t removed = TRY(repository.keep_newest(options.keep));
    if (!options.json) std::printf("%zu backups removed\n", removed);
    return {};
}

// Reports every backup, and fails if one of them is damaged.
Status verify(const BackupOptions& options) {
    const auto repository = TRY(BackupRepository::open_to_read(options.to));
    Value::Array list;
    std::size_t bad = repository.damaged().size();
    for (const std::uint32_t id : repository.damaged())
        std::fprintf(stderr, "backup %u: its record is damaged\n", id);
    for (const BackupRecord& backup : repository.backups()) {
        const Status verified = repository.verify(backup);
        const std::string outcome = verified ? "good" : verified.error().message();
        if (!verified) ++bad;
        Value entry(Value::Object{});
        entry.set("id", Value(static_cast<std::int64_t>(backup.id())));
        entry.set("outcome", outcome);
        list.push_back(std::move(entry));
        if (!options.json) std::printf("backup %u: %s\n", backup.id(), outcome.c_str());
    }
    if (options.json) std::printf("%s\n", Value(std::move(list)).text().c_str());
    if (bad == 0) return {};
    return Error(ErrorCode::kCorrupted, fmt::format("{} backups are damaged", bad));
}

class BackupCommand final : public cli::Command {
public:
    std::string name() const override { return "backup"; }
    std::string summary() const override { return "make, list and verify backups"; }
    std::string description() const override {
        return "Without --to, has a running server make a backup in its own directory for backups "
               "(--backup-dir). With --to and --data, makes one of a data directory that no server "
               "uses. With --to alone, looks after the backups there. Backups after the first copy "
               "only what is new.";
    }
    std::vector<cli::Example> examples() const override;
    void declare(CLI::App& app) override;
    std::string check() override;
    int run() override;

private:
    Status back_up();

    tools::AccountArguments account_;
    BackupOptions options_;
};

std::vector<cli::Example> BackupCommand::examples() const {
    return {{"orrery backup --keep 14", "Have the local server make a backup, and keep 14"},
            {"orrery backup --data ./data --to /backups", "Back up a directory not in use"},
            {"orrery backup --to /backups --list", "List backups"},
            {"orrery backup --to /backups --verify", "Read all backups and check them"}};
}

void BackupCommand::declare(CLI::App& app) {
    account_.declare(app);
    app.add_option("--directory",
                   options_.directory,
                   "Directory below the server's directory for backups (default: that itself)");
    app.add_option("--to", options_.to, "Directory of backups; created if need be");
    app.add_option("--data", options_.data, "Data directory that no server uses")
        ->check(CLI::ExistingDirectory);
    app.add_option("--keep", options_.keep, "Remove all but this many of the newest backups")
        ->check(CLI::Range(1, 100'000));
    app.add_flag("--list", options_.list, "List the backups");
    app.add_flag("--verify", options_.verify, "Read all backups and check them");
    app.add_flag("--json", options_.json, "Print JSON");
}

std::string BackupCommand::check() {
    const bool looks_after = options_.list || options_.verify;
    if (options_.to.empty()) {
        if (!options_.data.empty()) return "--data needs --to";
        if (looks_after) return "--list and --verify need --to";
        return account_.check();
    }
    if (!options_.directory.empty()) return "--directory cannot be given together with --to";
    if (options_.data.empty() && options_.keep == 0 && !looks_after) {
        return "--to needs --data, --keep, --list or --verify";
    }
    return {};
}

Status BackupCommand::back_up() {
    if (options_.to.empty()) return back_up_server(account_.account(), options_);
    if (!options_.data.empty()) TRY(back_up_directory(options_));
    if (options_.keep > 0) TRY(prune(options_));
    if (options_.verify) TRY(verify(options_));
    if (options_.list) print_list(TRY(BackupRepository::list(options_.to)), options_.json);
    return {};
}

int BackupCommand::run() {
    const Status done = back_up();
    if (done) return 0;
    std::fprintf(stderr, "orrery: %s\n", done.error().message().c_str());
    return cli::kExitFailure;
}

}  // namespace

std::unique_ptr<cli::Command> make_backup() { return std::make_unique<BackupCommand>(); }

}  // namespace orrery::server
