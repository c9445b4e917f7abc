#include "server/backups.h"

#include <filesystem>
#include <utility>

#include "base/guarded.h"
#include "base/iso_time.h"
#include "base/log.h"
#include "json/value.h"
#include "server/backup_repository.h"

namespace orrery::server {

namespace {

using json::Value;

constexpr std::int64_t kKeepMax = 100'000;

Error bad_request(std::string what) { return Error(ErrorCode::kBadRequest, std::move(what)); }

// A path below another, without any way out of it.
Result<std::string> below(const std::string& root, const std::string& relative) {
    const std::filesystem::path path(relative);
    bool inside = path.is_relative();
    for (const auto& part : path)
        inside = inside && part != "..";
    if (!inside) {
        return bad_request("'directory' must be a path below the server's directory for backups.");
    }
    return relative.empty() ? root : (std::filesystem::path(root) / path).string();
}

}  // namespace

Result<Backups::Job> Backups::parse(std::string_view request) const {
    Job job{.directory = options_.directory,
            .keep = std::nullopt,
            .begun_micros = std::chrono::microseconds(clock_.now()).count()};
    if (request.empty()) return job;
    const auto body = Value::parse(request);
    if (!body || !body->is_object()) return bad_request("The body must be a JSON object.");
    for (const Value::Member& member : body->object()) {
        if (member.name == "directory" && member.value.is_string()) {
            job.directory = TRY(below(options_.directory, member.value.string()));
        } else if (member.name == "keep" && member.value.is_number()) {
            const auto keep = member.value.integer();
            if (!keep || *keep < 1 || *keep > kKeepMax) {
                return bad_request("'keep' must be a number of backups from 1.");
            }
            job.keep = static_cast<std::size_t>(*keep);
        } else {
            return bad_request("'" + member.name + "' is not known or has the wrong type.");
        }
    }
    return job;
}

Status Backups::begin(std::string_view request) {
    Job job = TRY(parse(request));
    if (options_.directory.empty()) {
        return Error(ErrorCode::kForbidden,
                     "This server makes no backups. Start it with --backup-dir, or stop it and "
                     "back up its data directory with orrery backup --data.");
    }
    const std::lock_guard lock(mutex_);
    if (running_) return Error(ErrorCode::kConflict, "A backup is being made already.");
    running_ = job;
    directory_ = job.directory;
    bytes_copied_ = 0;
    thread_.post([this, job = std::move(job)] { run(job); });
    return {};
}

void Backups::run(const Job& job) {
    const Status made = run_guarded("backup", [&] { return make(job); });
    const std::lock_guard lock(mutex_);
    running_.reset();
    last_error_ = made ? "" : made.error().message();
    if (!made) {
        last_id_.reset();
        log::error("backup_failed", {{"directory", job.directory}, {"reason", last_error_}});
    }
}

Status Backups::make(const Job& job) {
    auto repository = TRY(BackupRepository::open_to_write(job.directory));
    const BackupRecord made = TRY(repository.add({.engine = engine_,
                                                  .data_directory = options_.data_directory,
                                                  .now_micros = job.begun_micros},
                                                 [this](std::uint64_t bytes) {
                                                     bytes_copied_ = bytes;
                                                     return !stopping_.load();
                                                 }));
    const std::size_t removed = job.keep ? TRY(repository.keep_newest(*job.keep)) : 0;
    log::info("backup_made",
              {{"directory", job.directory},
               {"id", made.id()},
               {"bytes", made.outcome.bytes},
               {"new_bytes", made.outcome.new_bytes},
               {"log_bytes", made.outcome.log_bytes},
               {"removed", removed}});
    const std::lock_guard lock(mutex_);
    last_id_ = made.id();
    return {};
}

Result<std::string> Backups::description() const {
    Value out(Value::Object{});
    std::string directory;
    bool beginning = false;
    {
        const std::lock_guard lock(mutex_);
        directory = directory_.empty() ? options_.directory : directory_;
        out.set("directory", directory);
        Value running;
        beginning = running_.has_value();
        if (running_) {
            running = Value(Value::Object{});
            running.set("begun", print_iso_time(running_->begun_micros));
            running.set("bytesCopied", Value(static_cast<std::int64_t>(bytes_copied_.load())));
        }
        out.set("running", std::move(running));
        Value last;
        if (last_id_ || !last_error_.empty()) last = Value(Value::Object{});
        if (last_id_) last.set("id", Value(static_cast<std::int64_t>(*last_id_)));
        if (!last_error_.empty()) last.set("error", last_error_);
        out.set("last", std::move(last));
    }
    Value::Array backups;
    if (!directory.empty()) {
        const auto records = BackupRepository::list(directory);
        // The first backup may be creating the directory just now.
        if (!records && !beginning) return records.error().copy();
        for (const BackupRecord& record : records ? *records : std::vector<BackupRecord>())
            backups.push_back(record.description());
    }
    out.set("backups", std::move(backups));
    return out.text();
}

}  // namespace orrery::server
