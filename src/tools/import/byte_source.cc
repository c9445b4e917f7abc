#include "tools/import/byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace orrery::tools {

namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
// How soon an interruption ends a wait.
constexpr int kSliceMilliseconds = 100;

class FileSource final : public ByteSource {
public:
    FileSource(int descriptor, std::string path, SourceOptions options)
        : descriptor_(descriptor), path_(std::move(path)), options_(std::move(options)) {}
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;
    ~FileSource() override {
        if (descriptor_ != STDIN_FILENO) close(descriptor_);
    }

    Result<std::size_t> read(std::span<char> into) override {
        if (!head_.empty()) {
            const std::size_t size = std::min(head_.size(), into.size());
            std::memcpy(into.data(), head_.data(), size);
            head_.erase(0, size);
            return size;
        }
        return read_file(into);
    }

    // The first bytes, which read() returns later; fewer if there are no more.
    Result<std::string_view> head(std::size_t size) {
        while (head_.size() < size) {
            std::string more(size - head_.size(), '\0');
            const std::size_t got = TRY(read_file(more));
            if (got == 0) break;
            head_.append(more, 0, got);
        }
        return std::string_view(head_);
    }

    const std::uint64_t* consumed() const { return &consumed_; }

private:
    Result<std::size_t> read_file(std::span<char> into) {
        while (true) {
            TRY(wait());
            const ssize_t got = ::read(descriptor_, into.data(), into.size());
            if (got >= 0) {
                consumed_ += static_cast<std::uint64_t>(got);
                return static_cast<std::size_t>(got);
            }
            if (errno != EINTR && errno != EAGAIN) {
                return Error(ErrorCode::kInternal, path_ + ": " + std::strerror(errno));
            }
        }
    }

    Status wait() {
        pollfd waited{.fd = descriptor_, .events = POLLIN, .revents = 0};
        if (poll(&waited, 1, 0) == 0 && options_.before_waiting) options_.before_waiting();
        while (poll(&waited, 1, kSliceMilliseconds) <= 0) {
            if (ended()) break;
        }
        if (ended()) return Error(ErrorCode::kTimeout, "interrupted");
        return {};
    }

    bool ended() const { return options_.ended && options_.ended(); }

    const int descriptor_;
    const std::string path_;
    const SourceOptions options_;
    std::string head_;
    std::uint64_t consumed_ = 0;
};

}  // namespace

std::string_view name_of(Compression compression) {
    switch (compression) {
        case Compression::kGzip:
            return "gzip";
        case Compression::kZstd:
            return "zstd";
        default:
            return "none";
    }
}

Result<OpenedSource> open_source(const std::string& path, const SourceOptions& options) {
    const int descriptor =
        path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0) return Error(ErrorCode::kNotFound, path + ": " + std::strerror(errno));
    auto file = std::make_unique<FileSource>(descriptor, path, options);
    const std::string_view head = TRY(file->head(kZstdMagic.size()));
    OpenedSource out;
    out.consumed = file->consumed();
    if (head.starts_with(kGzipMagic)) {
        out.compression = Compression::kGzip;
        out.bytes = decompress_gzip(std::move(file));
    } else if (head.starts_with(kZstdMagic)) {
        out.compression = Compression::kZstd;
        out.bytes = decompress_zstd(std::move(file));
    } else {
        out.bytes = std::move(file);
    }
    return out;
}

}  // namespace orrery::tools
