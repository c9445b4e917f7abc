#include "tools/import/ledger.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stopwatch.h"
#include "base/utf8.h"
#include "json/scan.h"
#include "json/text.h"

namespace orrery::tools {

namespace {

constexpr std::chrono::seconds kSaveInterval{1};

Error write_error(const std::string& path) {
    return Error(ErrorCode::kInternal, path + ": " + std::strerror(errno));
}

std::string valid_text(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        append_utf8(out, take_code_point(text).value_or(kReplacementCharacter));
    }
    return out;
}

// The item as JSON if it is that, otherwise its text.
std::string failure_line(const std::string& source, const Outcome& outcome) {
    std::string out = "{\"source\":";
    json::append_quoted(out, valid_text(source));
    out += ",\"reason\":";
    json::append_quoted(out, valid_text(outcome.reason));
    out += ",\"item\":";
    if (json::check(outcome.item)) {
        out += json::minify(outcome.item).value_or("null");
    } else {
        json::append_quoted(out, valid_text(outcome.item));
    }
    return out + "}\n";
}

}  // namespace

Ledger::Ledger(LedgerOptions options, cli::ProgressCounts& progress)
    : options_(std::move(options)), progress_(progress), saved_at_(monotonic_now()) {
    now_.import = options_.import;
}

Ledger::~Ledger() {
    if (errors_ >= 0) close(errors_);
}

Status Ledger::open() {
    if (!options_.checkpoint_file.empty() && !options_.restart) {
        auto found = TRY(load_checkpoint(options_.checkpoint_file));
        if (found && found->import != options_.import) {
            return Error(ErrorCode::kConflict,
                         options_.checkpoint_file +
                             " is the checkpoint of another import, or the input or container has "
                             "changed since; --restart ignores it");
        }
        resumed_ = found.has_value();
        if (found) now_ = *std::move(found);
    }
    start_ = now_.position;
    if (!options_.errors_file.empty()) TRY(open_errors());
    return try_checkpoint();
}

Status Ledger::open_errors() {
    errors_ = ::open(options_.errors_file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
    struct stat file {};
    if (errors_ < 0 || fstat(errors_, &file) != 0) return write_error(options_.errors_file);
    if (!S_ISREG(file.st_mode)) return {};
    // What is after the checkpoint will fail again. The user may have removed what is before it.
    const auto size = static_cast<std::uint64_t>(file.st_size);
    now_.errors_bytes = std::min(now_.errors_bytes, size);
    if (ftruncate(errors_, static_cast<off_t>(now_.errors_bytes)) != 0) {
        return write_error(options_.errors_file);
    }
    return {};
}

// Whether it can be written should not show only after a second.
Status Ledger::try_checkpoint() {
    auto saved = save();
    if (saved) return {};
    return std::move(saved).take_error().with_context("the progress cannot be recorded");
}

void Ledger::record(const Settled& settled) {
    now_.position = settled.after;
    progress_.done = settled.consumed;
    switch (settled.outcome.fate) {
        case Fate::kLoaded:
            ++now_.totals.loaded;
            ++progress_.items;
            break;
        case Fate::kSkipped:
            ++now_.totals.skipped;
            ++progress_.items;
            break;
        case Fate::kFailed:
            ++now_.totals.failed;
            ++progress_.failed;
            record_failure(settled);
            break;
    }
    if (monotonic_now() - saved_at_ >= kSaveInterval) note(save());
}

void Ledger::record_failure(const Settled& settled) {
    const std::string& reason = settled.outcome.reason;
    if (reasons_.contains(reason) || reasons_.size() < kReasonsMax) ++reasons_[reason];
    const std::string source =
        options_.sources[settled.after.source] + ":" + std::to_string(settled.line);
    if (shown_.size() < kShownFailuresMax) shown_.push_back(source + ": " + reason);
    if (errors_ < 0 || failed_) return;
    const std::string line = failure_line(source, settled.outcome);
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t written = write(errors_, rest.data(), rest.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return note(write_error(options_.errors_file));
        rest.remove_prefix(static_cast<std::size_t>(written));
    }
    now_.errors_bytes += line.size();
}

Status Ledger::save() {
    saved_at_ = monotonic_now();
    if (options_.checkpoint_file.empty() || failed_) return {};
    // First what the checkpoint says is there. Not every kind of file can be synced.
    if (errors_ >= 0 && fsync(errors_) != 0 && errno != EINVAL && errno != EROFS) {
        return write_error(options_.errors_file);
    }
    return save_checkpoint(options_.checkpoint_file, now_);
}

void Ledger::note(Status status) {
    if (status || failed_) return;
    status_ = std::move(status);
    failed_ = true;
}

Status Ledger::finish(bool complete) {
    if (!complete) {
        note(save());
    } else if (!options_.checkpoint_file.empty() && !failed_) {
        if (unlink(options_.checkpoint_file.c_str()) != 0 && errno != ENOENT) {
            note(write_error(options_.checkpoint_file));
        }
    }
    return std::move(status_);
}

}  // namespace orrery::tools
