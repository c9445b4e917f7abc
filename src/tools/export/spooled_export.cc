// The part of an export that needs all items before it can write the first one.

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "tools/export/export_job.h"

namespace orrery::tools {

namespace {

constexpr std::uint64_t kItemsBetweenWrites = 100;

// An empty file for the items of an export to standard output.
Result<std::string> make_temporary_file() {
    std::error_code problem;
    std::string out = std::filesystem::temp_directory_path(problem) / "orrery-export-XXXXXX";
    const int file = problem ? -1 : ::mkstemp(out.data());
    if (file < 0) {
        return Error(ErrorCode::kUnavailable,
                     "cannot create '" + out + "': " + std::strerror(errno));
    }
    ::close(file);
    return out;
}

}  // namespace

Status ExportJob::run_spooled(bool resumed) {
    const bool temporary = !options_.to_file();
    // The output's name is taken from the beginning, before time is spent on reading.
    if (!temporary && !resumed) {
        TRY(ExportOutput(options_.form).create(options_.output, options_.overwrite));
    }
    spool_ = temporary ? TRY(make_temporary_file()) : options_.output + ".spool";
    const Status done = spool_and_write(resumed);
    if (done) remove(options_.checkpoint_file());
    if (done || !options_.resumable()) remove(spool_);
    return done ? Status() : done.error().copy();
}

Status ExportJob::spool_and_write(bool resumed) {
    ExportOutput spool{OutputOptions{}};
    const bool overwrite = options_.overwrite || !options_.to_file();
    TRY(resumed ? spool.reopen(spool_, plan_.output) : spool.create(spool_, overwrite));
    can_go_on_ = options_.resumable();
    source_.text = {.properties = KeptProperties::kAll};
    TRY(read_into(spool, "read"));
    if (options_.consistent) TRY(follow(spool));
    if (has_columns(options_.form.format) && options_.columns.empty()) TRY(choose_columns());
    return write_output();
}

// After the copy: what exists, and what has changed until after that was listed. A run that was
// killed does this again from the beginning, so that its list is not older than its versions.
Status ExportJob::follow(ExportOutput& spool) {
    const std::uint64_t listed_from = plan_.output.items;
    survivors_.emplace(*definition_);
    TRY(list_existing());
    for (ExportTask& task : plan_.tasks) {
        task.done = false;
    }
    TRY(spool.reopen(spool_, plan_.output));
    TRY(read_into(spool, "read"));
    TRY(for_each_spooled([this](std::string_view item) { return survivors_->add_version(item); }));
    survivors_->settle(listed_from);
    return {};
}

Status ExportJob::list_existing() {
    std::atomic<std::size_t> next = 0;
    std::atomic<bool> failed = false;
    std::mutex mutex;  // guards the survivors and the next one
    Status status;
    const auto list = [&](const ExportTask& task, client::Client& client) -> Status {
        client::Selection selection = source_.selection;
        selection.range = task.range;
        client::Pages pages(
            client, source_.items, {.text = "SELECT VALUE c._rid FROM c"}, std::move(selection));
        while (!failed) {
            const auto page = TRY(pages.next());
            if (!page) break;
            counts_.add_charge(page->response.charge);
            const client::Elements rids = TRY(page->elements());
            const std::lock_guard lock(mutex);
            for (const std::string_view rid : rids) {
                survivors_->add_existing(rid);
            }
        }
        return {};
    };
    const auto work = [&] {
        client::Client client(options_.account, clock_, {}, &interrupted_);
        for (std::size_t task = next++; task < plan_.tasks.size() && !failed; task = next++) {
            Status listed = list(plan_.tasks[task], client);
            if (listed) continue;
            const std::lock_guard lock(mutex);
            if (!failed) status = std::move(listed);
            failed = true;
        }
    };
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < std::min(options_.parallel, plan_.tasks.size()); ++i) {
        workers.emplace_back(work);
    }
    for (std::thread& worker : workers) {
        worker.join();
    }
    return status;
}

Status ExportJob::choose_columns() {
    const KeptProperties properties = output_text().properties;
    TRY(for_each_survivor([&](std::string_view item) {
        std::string kept;
        append_item(kept, item, properties);
        return columns_.cover(kept);
    }));
    columns_.arrange();
    return {};
}

Status ExportJob::write_output() {
    OutputOptions form = options_.form;
    form.header = columns_.header(delimiter_of(form.format));
    ExportOutput output(std::move(form));
    TRY(output.create(options_.output, true));
    const ItemText text = output_text();
    std::string line;
    plan_.incomplete_items = 0;
    const auto write_line = [&](std::string_view item) -> Status {
        line.clear();
        if (!TRY(text.append(line, item))) ++plan_.incomplete_items;
        TRY(output.add(line));
        if (output.position().items % kItemsBetweenWrites != 0) return {};
        return output.write();
    };
    TRY(for_each_survivor(write_line));
    TRY(output.finish());
    written_ = output.position();
    return {};
}

Status ExportJob::for_each_spooled(const TakeItem& take) {
    std::ifstream file(spool_);
    std::string line;
    for (std::uint64_t number = 0; number < plan_.output.items; ++number) {
        if (interrupted_) return Error(ErrorCode::kTimeout, "interrupted");
        if (!std::getline(file, line)) {
            return Error(ErrorCode::kUnavailable, "cannot read '" + spool_ + "'");
        }
        TRY(take(line));
    }
    return {};
}

Status ExportJob::for_each_survivor(const TakeItem& take) {
    if (!survivors_) return for_each_spooled(take);
    auto next = survivors_->versions().begin();
    std::uint64_t number = 0;
    return for_each_spooled([&](std::string_view item) -> Status {
        if (next == survivors_->versions().end() || *next != number++) return {};
        ++next;
        return take(item);
    });
}

}  // namespace orrery::tools
