#include "storage/rocksdb/rocks_database.h"

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <rocksdb/convenience.h>

#include "base/guarded.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "base/wait_for.h"
#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_files.h"
#include "storage/rocksdb/rocks_status.h"
#include "storage/rocksdb/wal_list.h"

namespace orrery::storage {

namespace {

// RocksDB reports "in use" only in an error text; trying to lock gives a reliable answer.
bool is_locked(rocksdb::FileSystem& file_system, const std::string& path) {
    const rocksdb::IOOptions options;
    rocksdb::FileLock* lock = nullptr;
    if (!file_system.LockFile(path + "/LOCK", options, &lock, nullptr).ok()) return true;
    file_system.UnlockFile(lock, options, nullptr).PermitUncheckedError();
    return false;
}

Error open_error(const rocksdb::Status& status, rocksdb::FileSystem& fs, const std::string& path) {
    if (status.IsIOError() && !status.IsIOFenced() && is_locked(fs, path)) {
        return Error(ErrorCode::kUnavailable,
                     "data directory " + path + " is in use by another process");
    }
    // The files were just listed, so a file that RocksDB misses is lost.
    if (status.IsPathNotFound() || status.IsNotFound()) {
        return Error(ErrorCode::kCorrupted, "opening " + path + ": " + status.ToString());
    }
    return to_error(status, "opening " + path);
}

// How long to keep logs. Removes those that an earlier setting has kept if this one keeps none.
Result<std::chrono::seconds> settle_retention(rocksdb::FileSystem& file_system,
                                              const RocksOptions& options) {
    constexpr std::chrono::seconds kForEver = std::chrono::hours(24 * 365 * 100);
    const std::string archive = options.path + "/archive";
    std::vector<std::string> kept;
    const rocksdb::IOStatus listed =
        file_system.GetChildren(archive, rocksdb::IOOptions(), &kept, nullptr);
    if (!options.log_retention) return listed.ok() ? kForEver : std::chrono::seconds(0);
    if (!listed.ok() || options.log_retention->count() > 0) return *options.log_retention;
    for (const std::string& name : kept) {
        if (!log_number(name)) continue;
        const std::string log = file_in(archive, name);
        TRY(to_status(file_system.DeleteFile(log, rocksdb::IOOptions(), nullptr),
                      "removing " + log));
    }
    TRY(to_status(file_system.DeleteDir(archive, rocksdb::IOOptions(), nullptr),
                  "removing " + archive));
    return *options.log_retention;
}

Result<std::shared_ptr<RocksInstance>> open_instance(
    const RocksOptions& options, std::shared_ptr<const RocksResources> resources) {
    rocksdb::FileSystem& file_system = *resources->file_system;
    const DatabaseFiles files = TRY(resources->medium->make_ready(options.path, options.create));
    if (files == DatabaseFiles::kNone && !options.create) {
        return Error(ErrorCode::kCorrupted, "there is no database in " + options.path);
    }
    const std::chrono::seconds retention = TRY(settle_retention(file_system, options));
    auto instance = std::make_shared<RocksInstance>(std::move(resources));
    instance->path = options.path;
    rocksdb::Options database_options = make_database_options(options, *instance->resources);
    database_options.create_if_missing = files == DatabaseFiles::kNone;
    database_options.WAL_ttl_seconds = static_cast<std::uint64_t>(retention.count());
    database_options.wal_filter = &instance->wal_continuity;
    database_options.listeners.push_back(instance->listener);
    rocksdb::DB* db = nullptr;
    const rocksdb::Status status = rocksdb::DB::Open(database_options, options.path, &db);
    if (!status.ok()) return open_error(status, file_system, options.path);
    instance->db.reset(db);
    return instance;
}

}  // namespace

void DatabaseListener::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/,
                                         rocksdb::Status* error) {
    if (error->IsIOFenced()) verdict = ErrorCode::kFenced;
    if (error->IsCorruption()) verdict = ErrorCode::kCorrupted;
    // A soft error is a compaction that ran out of space: writes continue, and RocksDB retries.
    if (error->severity() != rocksdb::Status::Severity::kSoftError) failed = true;
}

void DatabaseListener::OnCompactionBegin(rocksdb::DB* /*db*/,
                                         const rocksdb::CompactionJobInfo& /*job*/) {
    // RocksDB can only give its threads the lowest priority of all, with which they would not keep
    // up with writes.
    thread_local bool lowered = false;
    if (!std::exchange(lowered, true)) lower_thread_priority();
}

void DatabaseListener::OnCompactionCompleted(rocksdb::DB* /*db*/,
                                             const rocksdb::CompactionJobInfo& job) {
    counters_->compactions.add(1);
    counters_->compaction_bytes_read.add(job.stats.total_input_bytes);
    counters_->compaction_bytes_written.add(job.stats.total_output_bytes);
    counters_->compaction_micros.add(job.stats.elapsed_micros);
}

void DatabaseListener::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& job) {
    const rocksdb::TableProperties& table = job.table_properties;
    counters_->flushes.add(1);
    counters_->flushed_bytes.add(table.data_size + table.index_size + table.filter_size);
}

void DatabaseListener::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/,
                                            rocksdb::Status error,
                                            bool* auto_recovery) {
    if (error.severity() != rocksdb::Status::Severity::kSoftError) *auto_recovery = false;
}

Result<std::shared_ptr<RocksDatabase>> RocksDatabase::open(
    const RocksOptions& options, std::shared_ptr<const RocksResources> resources) {
    auto instance = TRY(open_instance(options, std::move(resources)));
    return std::make_shared<RocksDatabase>(options, std::move(instance));
}

RocksDatabase::RocksDatabase(RocksOptions options, std::shared_ptr<RocksInstance> instance)
    : options_(std::move(options)), instance_(std::move(instance)) {
    // From now on a missing database is an error.
    options_.create = false;
}

RocksDatabase::~RocksDatabase() {
    // Everything is in the log, so a failure only makes the next open slower.
    const std::shared_ptr<RocksInstance> current = instance();
    if (options_.flush_at_end && !current->listener->failed && !closed_) {
        current->db->Flush(rocksdb::FlushOptions()).PermitUncheckedError();
    }
}

void RocksDatabase::start_write(rocksdb::WriteBatch batch, GroupCommit::Done done) {
    auto own = commits_waiting_.lead_with({std::move(batch), std::move(done)});
    if (!own) return;
    // done() may release the last other reference.
    const auto self = shared_from_this();
    const std::shared_ptr<RocksInstance> current = instance();
    ThreadPool& committers = *current->resources->committers;
    if (current->resources->is_remote) {
        const auto group = std::make_shared<GroupCommit::Group>(std::move(*own));
        return committers.post([self, group] {
            self->write_group(std::move(*group));
            if (self->commits_waiting_.lead_on()) self->lead();
        });
    }
    write_group(std::move(*own));
    if (commits_waiting_.lead_on()) committers.post([self] { self->lead(); });
}

void RocksDatabase::lead() {
    do {
        write_group(commits_waiting_.next_group());
    } while (commits_waiting_.lead_on());
}

void RocksDatabase::write_group(GroupCommit::Group group) {
    const Status outcome = run_guarded("commit", [&]() -> Status {
        rocksdb::WriteBatch together = merge(group);
        if (together.Count() == 0) return {};
        const RocksResources& resources = *instance()->resources;
        TRY(add_mark(together, clock_.next(resources.env->NowMicros())));
        const std::size_t bytes = together.GetDataSize();
        TRY(write_now(together));
        RocksCounters& counters = *resources.counters;
        counters.commits.add(1);
        counters.committed_batches.add(group.size());
        counters.committed_bytes.add(bytes);
        return {};
    });
    for (GroupCommit::Commit& commit : group) {
        commit.done(outcome ? Status() : Status(outcome.error().copy()));
    }
}

Status RocksDatabase::write(rocksdb::WriteBatch batch) {
    return wait_for<Status>([&](auto done) { start_write(std::move(batch), std::move(done)); });
}

Result<LogMoment> RocksDatabase::moment() {
    const std::int64_t micros = clock_.next(instance()->resources->env->NowMicros());
    TRY(write(rocksdb::WriteBatch()));
    return LogMoment{.position = instance()->db->GetLatestSequenceNumber(), .micros = micros};
}

Status RocksDatabase::write_now(rocksdb::WriteBatch& batch) {
    if (instance()->listener->failed) TRY(recover());
    rocksdb::SequenceNumber committed = 0;
    {
        const std::shared_lock commits(commits_);
        if (closed_) return released();
        const std::shared_ptr<RocksInstance> current = instance();
        committed = current->db->GetLatestSequenceNumber() + batch.Count();
        rocksdb::WriteOptions options;
        options.sync = true;
        const rocksdb::Status status = current->db->Write(options, &batch);
        if (status.ok()) return {};
        current->listener->failed = true;
        if (!status.IsTimedOut()) return to_error(status, "writing to " + current->path);
    }
    return find_outcome(committed);
}

// Of a commit that may have reached the medium, or may still be on its way: recovery stops what is
// on its way, and then the log tells. Changes are numbered, and there is no other writer.
Status RocksDatabase::find_outcome(rocksdb::SequenceNumber committed) {
    for (;;) {
        const Status recovered = recover();
        if (recovered) break;
        const ErrorCode code = recovered.error().code();
        if (closed_ || code == ErrorCode::kFenced || code == ErrorCode::kCorrupted) {
            return Error(ErrorCode::kTimeout,
                         "the outcome of a commit is not known: " + recovered.error().message());
        }
        std::this_thread::sleep_for(options_.recovery_interval);
    }
    const bool made = instance()->db->GetLatestSequenceNumber() >= committed;
    log::info("commit_outcome_found", {{"path", options_.path}, {"committed", made}});
    if (made) return {};
    return Error(ErrorCode::kUnavailable, "writing to " + options_.path + ": no answer in time");
}

Error RocksDatabase::released() const {
    return Error(ErrorCode::kFenced, options_.path + " has been released");
}

void RocksDatabase::close() {
    closed_ = true;
    const std::unique_lock alone(commits_);
    const std::shared_ptr<RocksInstance> current = instance();
    if (current->retired) return;
    rocksdb::CancelAllBackgroundWork(current->db.get(), true);
    current->db->DisableFileDeletions().PermitUncheckedError();
    current->retired = true;
}

void RocksDatabase::flush_in_background() {
    rocksdb::FlushOptions options;
    options.wait = false;
    options.allow_write_stall = true;
    // A failure only makes the next open slower.
    instance()->db->Flush(options).PermitUncheckedError();
}

std::uint64_t RocksDatabase::memtable_bytes() const {
    std::uint64_t bytes = 0;
    const bool known =
        instance()->db->GetIntProperty(rocksdb::DB::Properties::kCurSizeActiveMemTable, &bytes);
    return known ? bytes : 0;
}

Status RocksDatabase::recover() {
    const std::unique_lock alone(commits_);
    if (closed_) return released();
    const std::shared_ptr<RocksInstance> current = instance();
    if (!current->listener->failed) return {};
    const ErrorCode verdict = current->listener->verdict;
    if (verdict != ErrorCode::kUnavailable) {
        return Error(verdict,
                     "writes to " + current->path + " are disabled after an earlier error");
    }
    const std::uint64_t now = current->resources->env->NowMicros();
    const auto interval =
        static_cast<std::uint64_t>(std::chrono::microseconds(options_.recovery_interval).count());
    if (last_attempt_ && now - last_attempt_->at_micros < interval) {
        return Error(last_attempt_->code, last_attempt_->message);
    }
    last_attempt_ = Attempt{.at_micros = now,
                            .code = ErrorCode::kUnavailable,
                            .message = "writing to " + options_.path + " failed a moment ago"};
    Status status = reopen(*current);
    if (!status) {
        last_attempt_->code = status.error().code();
        last_attempt_->message = status.error().message();
        return status;
    }
    log::info("storage_recovered", {{"path", options_.path}});
    return {};
}

Status RocksDatabase::reopen(RocksInstance& failed) {
    // The failed instance stays open for its readers and must not touch the files, not even when
    // the last of them closes it.
    if (!failed.retired) {
        TRY(to_status(failed.db->DisableFileDeletions(), "leaving " + options_.path));
        rocksdb::CancelAllBackgroundWork(failed.db.get(), true);
        failed.retired = true;
    }
    instance_.store(TRY(open_instance(options_, failed.resources)));
    return {};
}

}  // namespace orrery::storage
