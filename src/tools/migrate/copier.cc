#include "tools/migrate/copier.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/files.h"
#include "client/changes.h"
#include "tools/import/importer.h"

namespace orrery::tools {

namespace {

// How soon an interruption ends a wait.
constexpr std::chrono::milliseconds kArrivalSlice{50};

}  // namespace

Copier::Copier(const Sides& sides,
               unsigned parallel,
               ExportPlan& plan,
               std::string state,
               cli::ProgressCounts& counts,
               const std::atomic<bool>& interrupted)
    : sides_(sides),
      parallel_(parallel),
      plan_(plan),
      state_(std::move(state)),
      counts_(counts),
      interrupted_(interrupted),
      mapper_(sides),
      window_(kWindowBytesMax, [this](const Settled& settled) { arrived(settled); }),
      routes_(sides.target.container),
      under_way_(plan.tasks.size()) {}

Status Copier::run() {
    {
        client::Client client(sides_.target.account, clock_, {}, &interrupted_);
        TRY(routes_.refresh(client));
    }
    sending_.emplace(Sending{.items = sides_.target.items(),
                             .mode = ImportMode::kUpsert,
                             .resumed = false,
                             .has_unique_keys = !sides_.target.definition.unique_keys.empty(),
                             .routes = routes_,
                             .window = window_,
                             .progress = counts_,
                             .throttled = throttled_,
                             .interrupted = interrupted_,
                             .stopped = stopped_});
    std::vector<std::thread> senders;
    for (unsigned i = 0; i < parallel_; ++i) {
        senders.emplace_back([this] { send(); });
    }
    std::vector<std::thread> readers;
    for (std::size_t i = 0; i < plan_.tasks.size(); ++i) {
        readers.emplace_back([this, i] { follow(i); });
    }
    for (std::thread& reader : readers) {
        reader.join();
    }
    outbox_.stop();
    for (std::thread& sender : senders) {
        sender.join();
    }
    if (error_) return error_->copy();
    if (interrupted_) return Error(ErrorCode::kTimeout, "interrupted");
    return {};
}

void Copier::send() {
    client::Client client(sides_.target.account, clock_, {}, &interrupted_);
    Sender sender(client, *sending_);
    while (!ended()) {
        auto batch = outbox_.take();
        if (!batch) return;
        const Status sent = sender.send(*std::move(batch));
        if (!sent && !ended()) fail(sent.error());
    }
}

void Copier::follow(std::size_t number) {
    client::Client client(sides_.source.account, clock_, {}, &interrupted_);
    const Status followed = follow(plan_.tasks[number], number, client);
    if (!followed && !ended()) fail(followed.error());
}

Status Copier::follow(ExportTask& task, std::size_t number, client::Client& client) {
    client::Selection selection;
    selection.range = task.range;
    client::Changes changes(client, sides_.source.items(), std::move(selection));
    changes.resume(task.continuation);
    while (!ended()) {
        const auto page = TRY(changes.next());
        if (!page) return save(task, changes.position(), true);
        counts_.add_charge(page->response.charge);
        if (!copy_page(TRY(page->elements()), number)) return {};
        TRY(save(task, changes.position(), false));
    }
    return {};
}

bool Copier::copy_page(const client::Elements& items, std::size_t number) {
    for (const std::string_view element : items) {
        // The comparison reports those that cannot be in the target.
        auto item = mapper_.mapped(element);
        if (!item) continue;
        const std::size_t bytes = item->bytes();
        while (!window_.wait_for_room(bytes, kArrivalSlice)) {
            outbox_.flush();
            if (ended()) return false;
        }
        {
            const std::lock_guard lock(mutex_);
            ++under_way_[number];
        }
        const auto ticket = window_.enter({.after = {.source = number, .records = 0}}, bytes);
        const std::string range = routes_.range_of(item->epk);
        outbox_.add(range, {.ticket = ticket, .item = *std::move(item)});
    }
    outbox_.flush();
    std::unique_lock lock(mutex_);
    while (under_way_[number] > 0 && !ended()) {
        changed_.wait_for(lock, kArrivalSlice);
    }
    return under_way_[number] == 0;
}

void Copier::arrived(const Settled& settled) {
    {
        const std::lock_guard lock(mutex_);
        --under_way_[settled.after.source];
        if (settled.outcome.fate != Fate::kFailed) ++plan_.output.items;
        counts_.items = counts_.done = plan_.output.items;
    }
    changed_.notify_all();
}

Status Copier::save(ExportTask& task, const std::string& position, bool done) {
    const std::lock_guard lock(mutex_);
    if (task.continuation == position && task.done == done) return {};
    task.continuation = position;
    task.done = done;
    return write_private_file(state_, plan_.text());
}

void Copier::fail(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error.copy();
    stopped_ = true;
    outbox_.stop();
}

}  // namespace orrery::tools
