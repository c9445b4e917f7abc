// An import as a whole: reads the inputs in one thread, and sends their items in several.

#pragma once

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/stopwatch.h"
#include "cli/progress.h"
#include "tools/import/import_options.h"
#include "tools/import/ledger.h"
#include "tools/import/outbox.h"
#include "tools/import/report.h"
#include "tools/import/routes.h"
#include "tools/import/sender.h"
#include "tools/import/window.h"
#include "tools/target.h"

namespace orrery::tools {

// Of the records between the oldest one without an outcome and the newest one.
inline constexpr std::size_t kWindowBytesMax = std::size_t{64} << 20;
inline constexpr unsigned kParallelMax = 1000;

// Use once.
class Importer {
public:
    // `interrupted` ends the import after the requests that are under way.
    Importer(ImportOptions options, const std::atomic<bool>& interrupted);

    // An error if it could not even begin.
    Result<ImportReport> run();

private:
    Status prepare();
    Result<ContainerChoice> target_choice();
    void start_senders();
    void read_inputs();
    void read_input(std::size_t number);
    // An error if the input cannot be read any further.
    Status read_records(std::size_t number);
    void take(Record record, Settled settled, bool mongo);
    void make_room(std::size_t bytes);
    void send_batches();
    void stop(std::string problem);
    bool ended() const { return interrupted_ || stopped_ || ledger_->failed(); }
    ImportReport report() const;

    const ImportOptions options_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    cli::ProgressCounts counts_;
    client::Client client_;
    std::optional<ItemBuilder> builder_;
    std::optional<Ledger> ledger_;
    std::optional<Window> window_;
    std::optional<Routes> routes_;
    std::optional<Sending> sending_;
    Outbox outbox_;
    std::vector<std::thread> senders_;
    std::vector<InputReport> inputs_;
    bool complete_ = false;
    std::uint64_t consumed_ = 0;  // of the inputs that have been read
    std::uint64_t line_ = 0;      // of the input that is being read
    std::atomic<std::uint64_t> throttled_{0};
    std::atomic<bool> stopped_{false};
    std::mutex mutex_;  // guards the next one
    std::optional<std::string> problem_;
    const Timer timer_;
};

}  // namespace orrery::tools
