#include "storage/rocksdb/wal_list.h"

#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "storage/rocksdb/rocks_directory.h"
#include "storage/rocksdb/rocks_status.h"

namespace orrery::storage {

namespace {

constexpr std::string_view kDraftName = "WALS.new";
constexpr std::string_view kLogEnding = ".log";
// Follows the last name, so that a truncated list is not mistaken for a shorter one.
constexpr std::string_view kEnd = "end\n";

std::string to_text(const LogNumbers& logs) {
    std::string text;
    for (const std::uint64_t log : logs) {
        text += log_name(log) + "\n";
    }
    return text + std::string(kEnd);
}

// nullopt unless the text is exactly what to_text() writes.
std::optional<LogNumbers> parse(std::string_view text) {
    LogNumbers logs;
    std::string_view left = text;
    for (std::size_t end = left.find('\n'); end != std::string_view::npos; end = left.find('\n')) {
        if (const auto log = log_number(left.substr(0, end))) logs.insert(*log);
        left.remove_prefix(end + 1);
    }
    if (to_text(logs) != text) return std::nullopt;
    return logs;
}

}  // namespace

std::string log_name(std::uint64_t number) { return fmt::format("{:06}{}", number, kLogEnding); }

std::optional<std::uint64_t> log_number(std::string_view name) {
    if (!name.ends_with(kLogEnding)) return std::nullopt;
    name.remove_suffix(kLogEnding.size());
    std::uint64_t number = 0;
    const auto [stopped, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error != std::errc() || stopped != name.data() + name.size()) return std::nullopt;
    return number;
}

Result<std::optional<LogNumbers>> read_wal_list(rocksdb::FileSystem& file_system,
                                                const std::string& directory) {
    const std::string name = file_in(directory, kWalListName);
    const rocksdb::IOStatus found = file_system.FileExists(name, rocksdb::IOOptions(), nullptr);
    if (found.IsNotFound() || found.IsPathNotFound()) return std::optional<LogNumbers>();
    TRY(to_status(found, "looking for " + name));
    std::string text;
    TRY(to_status(rocksdb::ReadFileToString(&file_system, name, &text), "reading " + name));
    std::optional<LogNumbers> logs = parse(text);
    if (!logs) {
        return Error(
            ErrorCode::kCorrupted,
            fmt::format("database {} is damaged: its list of write-ahead logs, {}, is not valid",
                        directory,
                        kWalListName));
    }
    return logs;
}

WalList::WalList(std::shared_ptr<rocksdb::FileSystem> file_system, std::string directory)
    : file_system_(std::move(file_system)), directory_(std::move(directory)) {}

Status WalList::load() {
    const std::lock_guard lock(mutex_);
    std::optional<LogNumbers> found = TRY(read_wal_list(*file_system_, directory_));
    if (found) {
        logs_ = std::move(*found);
        return {};
    }
    rocksdb::IOStatus status = draft({});
    if (status.ok()) status = put_in_place({});
    return to_status(status, "writing to " + directory_);
}

rocksdb::IOStatus WalList::add(std::uint64_t log) {
    const std::lock_guard lock(mutex_);
    LogNumbers logs = logs_;
    logs.insert(log);
    rocksdb::IOStatus status = sync_directory(*file_system_, directory_);
    if (status.ok()) status = draft(logs);
    if (status.ok()) return put_in_place(std::move(logs));
    // The list is unchanged. Remove the empty log, because a full disk is retried many times; but
    // in a fenced directory all files belong to another node.
    if (!status.IsIOFenced()) {
        const std::string name = file_in(directory_, log_name(log));
        file_system_->DeleteFile(name, rocksdb::IOOptions(), nullptr).PermitUncheckedError();
    }
    return status;
}

rocksdb::IOStatus WalList::remove_up_to(std::uint64_t log) {
    const std::lock_guard lock(mutex_);
    LogNumbers logs(logs_.upper_bound(log), logs_.end());
    if (logs.size() == logs_.size() && !in_doubt_) return rocksdb::IOStatus::OK();
    rocksdb::IOStatus status = draft(logs);
    if (status.ok()) status = put_in_place(std::move(logs));
    return status;
}

rocksdb::IOStatus WalList::draft(const LogNumbers& logs) {
    return rocksdb::WriteStringToFile(
        file_system_.get(), to_text(logs), file_in(directory_, kDraftName), true);
}

rocksdb::IOStatus WalList::put_in_place(LogNumbers logs) {
    rocksdb::IOStatus status = file_system_->RenameFile(file_in(directory_, kDraftName),
                                                        file_in(directory_, kWalListName),
                                                        rocksdb::IOOptions(),
                                                        nullptr);
    if (status.ok()) status = sync_directory(*file_system_, directory_);
    in_doubt_ = !status.ok();
    if (status.ok()) logs_ = std::move(logs);
    return status;
}

}  // namespace orrery::storage
