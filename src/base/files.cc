#include "base/files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace orrery {

namespace {

Error file_error(const std::string& what, const std::string& path) {
    return Error(ErrorCode::kUnavailable,
                 "cannot " + what + " '" + path + "': " + std::strerror(errno));
}

Status write_all(int file, std::string_view content, const std::string& path) {
    while (!content.empty()) {
        const ssize_t written = ::write(file, content.data(), content.size());
        if (written < 0) return file_error("write", path);
        content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(file) != 0) return file_error("sync", path);
    return {};
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return file_error("read", path);
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

Status write_private_file(const std::string& path, std::string_view content) {
    const std::string temporary = path + ".new";
    const int file = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (file < 0) return file_error("create", temporary);
    // A file left by a crash may have another mode.
    Status written = ::fchmod(file, 0600) == 0 ? write_all(file, content, temporary)
                                               : Status(file_error("protect", temporary));
    ::close(file);
    if (!written) return written;
    if (std::rename(temporary.c_str(), path.c_str()) != 0) return file_error("rename", temporary);
    const std::string parent = std::filesystem::path(path).parent_path().string();
    return sync_directory(parent.empty() ? "." : parent);
}

Status sync_directory(const std::string& path) {
    const int directory = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return file_error("open", path);
    const bool synced = ::fsync(directory) == 0;
    ::close(directory);
    if (!synced) return file_error("sync", path);
    return {};
}

}  // namespace orrery
