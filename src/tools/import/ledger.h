// Keeps the account of an import: counts outcomes, writes failures to their file, and the
// checkpoint about once a second. Learns of records in the order of the input (window.h).

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/progress.h"
#include "tools/import/checkpoint.h"
#include "tools/import/window.h"

namespace orrery::tools {

// Kinds of failures that are counted apart, and failures that are shown.
inline constexpr std::size_t kReasonsMax = 20;
inline constexpr std::size_t kShownFailuresMax = 5;

struct LedgerOptions {
    std::vector<std::string> sources;  // their names
    std::string import;                // as in the checkpoint
    std::string errors_file;           // empty: none
    std::string checkpoint_file;       // empty: none
    bool restart = false;
};

class Ledger {
public:
    // `progress` must outlive this.
    Ledger(LedgerOptions options, cli::ProgressCounts& progress);
    Ledger(const Ledger&) = delete;
    Ledger& operator=(const Ledger&) = delete;
    ~Ledger();

    // Reads the checkpoint and opens the file of failures. kConflict: the checkpoint is that of
    // another import.
    Status open();
    bool resumed() const { return resumed_; }
    // Where to start.
    Position start() const { return start_; }

    void record(const Settled& settled);
    // Set when a file cannot be written: there is no point in going on.
    const std::atomic<bool>& failed() const { return failed_; }

    // No more is recorded. Removes the checkpoint of a complete import and keeps that of another.
    Status finish(bool complete);

    const Totals& totals() const { return now_.totals; }
    const std::map<std::string, std::uint64_t>& reasons() const { return reasons_; }
    // "items.json:7: reason"
    const std::vector<std::string>& shown() const { return shown_; }

private:
    void record_failure(const Settled& settled);
    Status open_errors();
    Status try_checkpoint();
    Status save();
    void note(Status status);

    const LedgerOptions options_;
    cli::ProgressCounts& progress_;
    int errors_ = -1;
    Checkpoint now_;
    Position start_;
    bool resumed_ = false;
    std::chrono::steady_clock::time_point saved_at_;
    std::map<std::string, std::uint64_t> reasons_;
    std::vector<std::string> shown_;
    Status status_;
    std::atomic<bool> failed_{false};
};

}  // namespace orrery::tools
