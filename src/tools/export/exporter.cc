#include "tools/export/exporter.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "base/files.h"
#include "client/changes.h"

namespace orrery::tools {

namespace {

// What an interrupted export reads again at most.
constexpr std::chrono::milliseconds kCheckpointInterval{250};

}  // namespace

Exporter::Exporter(const ExportSource& source,
                   ExportPlan& plan,
                   ExportOutput& output,
                   std::string checkpoint,
                   cli::ProgressCounts& counts,
                   const std::atomic<bool>& interrupted)
    : source_(source),
      plan_(plan),
      output_(output),
      checkpoint_(std::move(checkpoint)),
      counts_(counts),
      interrupted_(interrupted) {}

Status Exporter::run() {
    if (!checkpoint_.empty()) TRY(write_checkpoint());
    std::vector<std::thread> workers;
    const std::size_t count = std::min(source_.parallel, plan_.tasks.size());
    for (std::size_t i = 0; i < count; ++i) {
        workers.emplace_back([this] { work(); });
    }
    std::thread checkpoints([this] { keep_checkpoints(); });
    for (std::thread& worker : workers) {
        worker.join();
    }
    {
        const std::lock_guard lock(mutex_);
        finished_ = true;
    }
    changed_.notify_all();
    checkpoints.join();
    if (error_) return error_->copy();
    if (!checkpoint_.empty()) TRY(write_checkpoint());
    if (interrupted_) return Error(ErrorCode::kTimeout, "interrupted");
    const Status finished = output_.finish();
    plan_.output = output_.position();
    if (!finished) return finished.error().copy();
    return {};
}

void Exporter::work() {
    client::Client client(source_.account, clock_, {}, &interrupted_);
    while (!stopping()) {
        const std::size_t number = next_task_++;
        if (number >= plan_.tasks.size()) return;
        ExportTask& task = plan_.tasks[number];
        if (task.done) continue;
        const Status read_all = source_.changes ? follow(task, client) : read(task, client);
        if (!read_all) fail(read_all.error());
    }
}

Status Exporter::read(ExportTask& task, client::Client& client) {
    client::Selection selection = source_.selection;
    selection.range = task.range;
    client::Pages pages =
        source_.query ? client::Pages(client, source_.items, *source_.query, std::move(selection))
                      : client::Pages(client, source_.items, std::move(selection));
    pages.resume(task.continuation);
    PagesAhead ahead([&pages] {
        auto page = pages.next();
        return PagesAhead::Fetched{.page = std::move(page), .position = pages.continuation()};
    });
    return write_all(task, ahead);
}

Status Exporter::follow(ExportTask& task, client::Client& client) {
    client::Selection selection = source_.selection;
    selection.range = task.range;
    client::Changes changes(client, source_.items, std::move(selection));
    changes.resume(task.continuation);
    PagesAhead ahead([&changes] {
        auto page = changes.next();
        return PagesAhead::Fetched{.page = std::move(page), .position = changes.position()};
    });
    return write_all(task, ahead);
}

Status Exporter::write_all(ExportTask& task, PagesAhead& ahead) {
    while (!stopping()) {
        const auto [page, position] = ahead.next();
        // Nobody waits for the answer any more.
        if (!page && interrupted_) return {};
        if (!page) return page.error().copy();
        if (!*page) {
            const std::lock_guard lock(mutex_);
            task.continuation = position;
            task.done = true;
            return {};
        }
        TRY(write_page(task, **page, position));
    }
    return {};
}

Status Exporter::write_page(ExportTask& task,
                            const client::Page& page,
                            const std::string& continuation) {
    counts_.add_charge(page.response.charge);
    std::string items;
    std::vector<std::size_t> ends;
    std::uint64_t incomplete = 0;
    items.reserve(page.response.body().size());
    for (const std::string_view element : TRY(page.elements())) {
        const bool complete = TRY(source_.text.append(items, element));
        incomplete += complete ? 0 : 1;
        ends.push_back(items.size());
    }
    const std::lock_guard lock(mutex_);
    std::size_t start = 0;
    for (const std::size_t end : ends) {
        TRY(output_.add(std::string_view(items).substr(start, end - start)));
        start = end;
    }
    TRY(output_.write());
    // Together with what was written, as another thread may write a checkpoint next.
    task.continuation = continuation;
    task.done = !source_.changes && continuation.empty();
    plan_.incomplete_items += incomplete;
    counts_.items = output_.position().items;
    counts_.done = output_.position().items;
    return {};
}

Status Exporter::write_checkpoint() {
    std::unique_lock lock(mutex_);
    const WrittenFile written = TRY(output_.checkpoint());
    plan_.output = output_.position();
    const std::string plan = plan_.text();
    // Others go on writing while the disk works.
    lock.unlock();
    TRY(written.sync());
    return write_private_file(checkpoint_, plan);
}

void Exporter::keep_checkpoints() {
    if (checkpoint_.empty()) return;
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kCheckpointInterval, [this] { return finished_; })) {
        lock.unlock();
        if (const Status written = write_checkpoint(); !written) fail(written.error());
        lock.lock();
    }
}

void Exporter::fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error.copy();
    failed_ = true;
}

}  // namespace orrery::tools
