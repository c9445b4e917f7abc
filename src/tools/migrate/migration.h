// A migration as a whole: creates the target, copies, follows, compares (docs/adr/0036).

#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/progress.h"
#include "client/client.h"
#include "tools/export/plan.h"
#include "tools/import/import_options.h"
#include "tools/migrate/comparison.h"
#include "tools/migrate/side.h"

namespace orrery::tools {

struct MigrationOptions {
    client::Account source_account;
    client::Account target_account;
    std::string database;  // of the source
    std::string container;
    ContainerChoice target;
    std::string state_file;
    std::string errors_file;  // empty: none
    unsigned parallel = 16;
    bool into_existing = false;
    bool follow = false;
    bool quiet = false;
};

struct MigrationReport {
    bool verified = false;
    std::uint64_t copied = 0;  // versions, with those of earlier runs
    std::uint64_t source_items = 0;
    std::uint64_t target_items = 0;
    Checksum source_checksum = {};
    Checksum target_checksum = {};
    std::uint64_t suspects = 0;  // items that were looked at by themselves
    // Of those, the ones that were different each time because clients keep changing them.
    std::uint64_t unsettled = 0;
    std::uint64_t deleted = 0;                                       // from the target
    std::vector<std::pair<std::string, std::string>> rejected = {};  // reasons and items
    double charge = 0;
};

// Use once.
class Migration {
public:
    // `interrupted` must outlive this. It ends the migration, or when it follows and is up to date:
    // the following.
    Migration(MigrationOptions options, const std::atomic<bool>& interrupted);

    Status run();
    // After an error: whether the same command goes on where this run has ended.
    bool can_go_on() const { return can_go_on_; }
    const MigrationReport& report() const { return report_; }

private:
    Status prepare();
    Status open_plan(const std::string& source_rid, const std::string& target_rid);
    Status check_target_is_empty(client::Client& client) const;
    Status catch_up(const std::atomic<bool>& interrupted);
    Status copy(const std::atomic<bool>& interrupted);
    Status follow();
    Status verify(const std::atomic<bool>& interrupted);
    Result<Comparison> compare(const std::atomic<bool>& interrupted);
    Status settle(std::vector<ItemPlace> suspects, const std::atomic<bool>& interrupted);
    // Whether the last comparison was good.
    Status outcome() const;
    Status write_errors() const;

    const MigrationOptions options_;
    const std::atomic<bool>& interrupted_;
    const std::atomic<bool> never_ = false;
    const SystemClock clock_;
    std::optional<Sides> sides_;
    ExportPlan plan_;
    cli::ProgressCounts counts_;
    MigrationReport report_;
    bool can_go_on_ = false;
};

}  // namespace orrery::tools
