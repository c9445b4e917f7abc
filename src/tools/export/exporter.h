// Reads a container, or the results of a query, with several clients at a time, and writes what
// they find to one output.

#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "cli/progress.h"
#include "client/account.h"
#include "client/pages.h"
#include "tools/export/item_text.h"
#include "tools/export/output.h"
#include "tools/export/pages_ahead.h"
#include "tools/export/plan.h"

namespace orrery::tools {

struct ExportSource {
    client::Account account;
    client::Path items;  // dbs/d/colls/c/docs
    std::optional<client::Query> query;
    client::Selection selection;
    // Follow the change feed from each task's position until there is nothing new, instead of
    // reading the items once.
    bool changes = false;
    ItemText text;
    std::size_t parallel = 4;
};

class Exporter {
public:
    // `plan` is kept up to date in the file `checkpoint`, if that is not empty. All must outlive
    // this.
    Exporter(const ExportSource& source,
             ExportPlan& plan,
             ExportOutput& output,
             std::string checkpoint,
             cli::ProgressCounts& counts,
             const std::atomic<bool>& interrupted);

    // Returns when everything is written, or with the first error, or when interrupted.
    Status run();

private:
    void work();
    Status read(ExportTask& task, client::Client& client);
    Status follow(ExportTask& task, client::Client& client);
    Status write_all(ExportTask& task, PagesAhead& ahead);
    Status write_page(ExportTask& task, const client::Page& page, const std::string& continuation);
    Status write_checkpoint();
    void keep_checkpoints();
    void fail(const Error& error);
    bool stopping() const { return failed_ || interrupted_; }

    const ExportSource& source_;
    ExportPlan& plan_;
    ExportOutput& output_;
    const std::string checkpoint_;
    cli::ProgressCounts& counts_;
    const std::atomic<bool>& interrupted_;
    const SystemClock clock_;
    std::atomic<std::size_t> next_task_ = 0;
    std::atomic<bool> failed_ = false;
    std::mutex mutex_;  // guards plan_, output_ and the members below
    std::condition_variable changed_;
    std::optional<Error> error_;
    bool finished_ = false;
};

}  // namespace orrery::tools
