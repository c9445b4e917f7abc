// An export as a whole. Items go straight to the output, or first into a file beside it, the
// spool, when the output depends on all of them.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "cli/progress.h"
#include "client/client.h"
#include "model/container_definition.h"
#include "tools/export/export_options.h"
#include "tools/export/exporter.h"
#include "tools/export/plan.h"
#include "tools/export/survivors.h"

namespace orrery::tools {

struct ExportReport {
    std::uint64_t items = 0;
    std::uint64_t bytes = 0;  // of text
    std::uint64_t files = 1;
    std::uint64_t incomplete_items = 0;  // they lack values for which there is no column
    double charge = 0;
};

// Use once.
class ExportJob {
public:
    // `interrupted` must outlive this, and ends the export when set.
    ExportJob(ExportOptions options, const std::atomic<bool>& interrupted);

    Status run();
    // After an error: whether the same command goes on where this run has ended.
    bool can_go_on() const { return can_go_on_; }
    ExportReport report() const;

private:
    using TakeItem = std::function<Status(std::string_view item)>;

    Status prepare();
    Status plan_ranges();
    // Takes the plan of an earlier run; false if there is none.
    Result<bool> load_plan();
    Status run_directly(bool resumed);
    ItemText output_text() const;
    Status read_into(ExportOutput& output, const char* verb);
    static void remove(const std::string& file);

    Status run_spooled(bool resumed);
    Status spool_and_write(bool resumed);
    Status follow(ExportOutput& spool);
    Status list_existing();
    Status choose_columns();
    Status write_output();
    Status for_each_spooled(const TakeItem& take);
    // Only what belongs into the output.
    Status for_each_survivor(const TakeItem& take);

    const ExportOptions options_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    client::Client client_;
    ExportSource source_;
    ExportPlan plan_;
    std::optional<model::ContainerDefinition> definition_;
    std::optional<Survivors> survivors_;
    ExportColumns columns_;
    std::string spool_;  // its file
    OutputPosition written_;
    cli::ProgressCounts counts_;
    bool can_go_on_ = false;
};

}  // namespace orrery::tools
