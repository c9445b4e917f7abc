#include "tools/export/output.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "tools/export/numbered_files.h"

namespace orrery::tools {

namespace {

constexpr std::size_t kJsonEndBytes = 3;  // of an array: "\n]\n"

Error cannot(const std::string& do_this, const std::string& file) {
    const std::string reason = std::strerror(errno);
    return Error(ErrorCode::kUnavailable, "cannot " + do_this + " '" + file + "': " + reason);
}

}  // namespace

WrittenFile::~WrittenFile() {
    if (file_ >= 0) ::close(file_);
}

Status WrittenFile::sync() const {
    if (file_ < 0 || ::fdatasync(file_) == 0) return {};
    return cannot("sync", name_);
}

ExportOutput::ExportOutput(OutputOptions options)
    : options_(std::move(options)), compressor_(make_compressor(options_.compression)) {}

ExportOutput::~ExportOutput() {
    if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
}

Status ExportOutput::create(const std::string& path, bool overwrite) {
    path_ = path;
    is_file_ = path != kStandardOutput;
    if (options_.splits()) {
        // Later files are then this export's own.
        const std::string existing = TRY(find_numbered_file(path, 0));
        if (!existing.empty() && !overwrite) {
            return Error(ErrorCode::kConflict,
                         "'" + existing + "' exists; use --overwrite to replace such files");
        }
        TRY(remove_numbered_files(path, 0));
    }
    TRY(open_new(overwrite ? O_TRUNC : O_EXCL));
    return write();
}

std::string ExportOutput::current_file() const {
    return options_.splits() ? numbered_file(path_, position_.file) : path_;
}

Status ExportOutput::open_new(int flags) {
    const std::string file = current_file();
    file_ = is_file_ ? ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666)
                     : STDOUT_FILENO;
    if (file_ < 0 && errno == EEXIST) {
        return Error(ErrorCode::kConflict, "'" + file + "' exists; use --overwrite to replace it");
    }
    if (file_ < 0) return failed("create");
    if (options_.format == ExportFormat::kJson) append("[");
    if (!options_.header.empty()) append(options_.header + "\n");
    return {};
}

Status ExportOutput::reopen(const std::string& path, const OutputPosition& position) {
    path_ = path;
    is_file_ = true;
    position_ = position;
    if (options_.splits()) TRY(remove_numbered_files(path, position.file));
    const std::string file = current_file();
    file_ = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    const off_t size = file_ < 0 ? -1 : ::lseek(file_, 0, SEEK_END);
    if (size < 0) return failed("open");
    if (static_cast<std::uint64_t>(size) < position.file_size) {
        return Error(
            ErrorCode::kConflict,
            "'" + file + "' is shorter than its checkpoint says; remove both to start again");
    }
    const auto kept = static_cast<off_t>(position.file_size);
    if (::ftruncate(file_, kept) != 0 || ::lseek(file_, 0, SEEK_END) < 0) return failed("shorten");
    return {};
}

Status ExportOutput::add(std::string_view item) {
    if (is_full(item.size())) {
        TRY(end_file());
        ++position_.file;
        position_.file_items = position_.file_bytes = position_.file_size = 0;
        TRY(open_new(O_TRUNC));
    }
    if (options_.format == ExportFormat::kJson) {
        append(position_.file_items == 0 ? "\n" : ",\n");
        append(item);
    } else {
        append(item);
        append("\n");
    }
    ++position_.items;
    ++position_.file_items;
    return {};
}

bool ExportOutput::is_full(std::size_t more) const {
    if (position_.file_items == 0) return false;
    if (options_.split_items > 0 && position_.file_items >= options_.split_items) return true;
    const std::size_t around = options_.format == ExportFormat::kJson ? 2 + kJsonEndBytes : 1;
    return options_.split_bytes > 0 && position_.file_bytes + more + around > options_.split_bytes;
}

void ExportOutput::append(std::string_view text) {
    text_.append(text);
    position_.bytes += text.size();
    position_.file_bytes += text.size();
}

Status ExportOutput::write() {
    if (compressor_ == nullptr) {
        out_.swap(text_);  // nothing is left in it from the last time
    } else if (!text_.empty()) {
        compressor_->append(text_, out_);
        piece_started_ = true;
    }
    text_.clear();
    return write_out();
}

Status ExportOutput::write_out() {
    std::string_view left = out_;
    while (!left.empty()) {
        const ssize_t written = ::write(file_, left.data(), left.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return failed("write");
        left.remove_prefix(static_cast<std::size_t>(written));
    }
    position_.file_size += out_.size();
    out_.clear();
    return {};
}

void ExportOutput::end_piece() {
    if (compressor_ != nullptr) compressor_->end(out_);
    piece_started_ = false;
}

Result<WrittenFile> ExportOutput::checkpoint() {
    TRY(write());
    if (piece_started_) {
        end_piece();
        TRY(write_out());
    }
    if (!is_file_) return WrittenFile(-1, path_);
    const int file = ::fcntl(file_, F_DUPFD_CLOEXEC, 0);
    if (file < 0) return failed("sync");
    return WrittenFile(file, current_file());
}

Status ExportOutput::end_file() {
    if (options_.format == ExportFormat::kJson) {
        append(position_.file_items == 0 ? "]\n" : "\n]\n");
    }
    TRY(write());
    // Nothing, compressed, is something.
    if (position_.file_size == 0 && !piece_started_) {
        end_piece();
        TRY(write_out());
    }
    TRY(sync());
    if (is_file_) {
        ::close(file_);
        file_ = -1;
    }
    return {};
}

Status ExportOutput::finish() { return end_file(); }

Error ExportOutput::failed(const std::string& to) const { return cannot(to, current_file()); }

}  // namespace orrery::tools
