// Copies items from the change feed of one container into another, until there is nothing new.
// Versions of one item arrive in order: a page of a part of the hash space is sent by several
// threads, but the next one is read only after all of its items have arrived.

#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "cli/progress.h"
#include "client/client.h"
#include "client/pages.h"
#include "tools/export/plan.h"
#include "tools/import/outbox.h"
#include "tools/import/routes.h"
#include "tools/import/sender.h"
#include "tools/import/window.h"
#include "tools/migrate/side.h"

namespace orrery::tools {

// Use once.
class Copier {
public:
    // `plan` is kept up to date in the file `state`. All must outlive this.
    Copier(const Sides& sides,
           unsigned parallel,
           ExportPlan& plan,
           std::string state,
           cli::ProgressCounts& counts,
           const std::atomic<bool>& interrupted);

    // Returns when there is nothing new in any part, or with the first error, or when interrupted.
    // Items that cannot be in the target are left out.
    Status run();

private:
    void send();
    void follow(std::size_t number);
    Status follow(ExportTask& task, std::size_t number, client::Client& client);
    // False if it is to end before all items have arrived.
    bool copy_page(const client::Elements& items, std::size_t number);
    Status save(ExportTask& task, const std::string& position, bool done);
    void arrived(const Settled& settled);
    void fail(const Error& error);
    bool ended() const { return stopped_ || interrupted_; }

    const Sides& sides_;
    const unsigned parallel_;
    ExportPlan& plan_;
    const std::string state_;
    cli::ProgressCounts& counts_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    const ItemMapper mapper_;
    Window window_;
    Routes routes_;
    Outbox outbox_;
    std::atomic<std::uint64_t> throttled_{0};
    std::atomic<bool> stopped_{false};
    std::optional<Sending> sending_;
    std::mutex mutex_;  // guards plan_ and the members below
    std::condition_variable changed_;
    std::vector<std::size_t> under_way_;  // items of each task
    std::optional<Error> error_;
};

}  // namespace orrery::tools
