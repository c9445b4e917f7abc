#include "tools/export/output.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "json/walk.h"

namespace orrery::tools {

namespace {

constexpr std::array<std::string_view, 5> kSystemProperties = {
    R"("_rid")", R"("_self")", R"("_etag")", R"("_attachments")", R"("_ts")"};

bool is_system_property(std::string_view quoted) {
    return std::find(kSystemProperties.begin(), kSystemProperties.end(), quoted) !=
           kSystemProperties.end();
}

}  // namespace

void append_item(std::string& out, std::string_view item, bool system_properties) {
    if (system_properties || !item.starts_with('{')) {
        out.append(item);
        return;
    }
    out += '{';
    const std::size_t start = out.size();
    json::Walk members(item);
    while (const auto member = members.next()) {
        if (is_system_property(member->name)) continue;
        if (out.size() > start) out += ',';
        out.append(member->name).append(":").append(member->value);
    }
    out += '}';
}

ExportOutput::~ExportOutput() {
    if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
}

Status ExportOutput::create(const std::string& path, bool overwrite) {
    path_ = path;
    if (path == kStandardOutput) {
        file_ = STDOUT_FILENO;
    } else {
        const int exclusively = overwrite ? O_TRUNC : O_EXCL;
        file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | exclusively, 0666);
        is_file_ = true;
    }
    if (file_ < 0 && errno == EEXIST) {
        return Error(ErrorCode::kConflict, "'" + path + "' exists; use --overwrite to replace it");
    }
    if (file_ < 0) {
        return Error(ErrorCode::kUnavailable,
                     "cannot create '" + path + "': " + std::strerror(errno));
    }
    if (format_ == ExportFormat::kJson) buffer_ = "[";
    return write();
}

Status ExportOutput::reopen(const std::string& path, std::uint64_t items, std::uint64_t bytes) {
    path_ = path;
    is_file_ = true;
    file_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    const off_t size = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
    if (size < 0) {
        return Error(ErrorCode::kUnavailable,
                     "cannot open '" + path + "': " + std::strerror(errno));
    }
    if (static_cast<std::uint64_t>(size) < bytes) {
        return Error(ErrorCode::kConflict,
                     "'" + path +
                         "' is shorter than its checkpoint says; remove both to start "
                         "again");
    }
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0 || ::lseek(file_, 0, SEEK_END) < 0) {
        return Error(ErrorCode::kUnavailable,
                     "cannot shorten '" + path + "': " + std::strerror(errno));
    }
    items_ = items;
    bytes_ = bytes;
    return {};
}

void ExportOutput::add(std::string_view item) {
    if (format_ == ExportFormat::kJson) {
        buffer_ += items_ == 0 ? "\n" : ",\n";
        buffer_.append(item);
    } else {
        buffer_.append(item) += '\n';
    }
    ++items_;
}

Status ExportOutput::write() {
    std::string_view left = buffer_;
    while (!left.empty()) {
        const ssize_t written = ::write(file_, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            return Error(ErrorCode::kUnavailable,
                         "cannot write '" + path_ + "': " + std::strerror(errno));
        }
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    bytes_ += buffer_.size();
    buffer_.clear();
    return {};
}

Status ExportOutput::sync() {
    if (!is_file_ || ::fdatasync(file_) == 0) return {};
    return Error(ErrorCode::kUnavailable, "cannot sync '" + path_ + "': " + std::strerror(errno));
}

Status ExportOutput::finish() {
    if (format_ == ExportFormat::kJson) buffer_ += items_ == 0 ? "]\n" : "\n]\n";
    TRY(write());
    return sync();
}

}  // namespace orrery::tools
