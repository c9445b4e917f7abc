#include "tools/shell/history.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include "base/files.h"

namespace orrery::tools {

namespace {

// A file of up to twice the lines is left as it is.
constexpr std::size_t kLinesInFileMax = 2 * History::kLinesMax;

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> out;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        if (end > at) out.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return out;
}

Error failed(const std::string& path, const std::string& why) {
    return Error(ErrorCode::kUnavailable, "cannot keep the history in '" + path + "': " + why);
}

}  // namespace

std::string history_file() {
    const std::string state = environment("XDG_STATE_HOME");
    // Relative paths are to be ignored, says the XDG Base Directory Specification.
    if (state.starts_with('/')) return state + "/orrery/history";
    const std::string home = environment("HOME");
    return home.starts_with('/') ? home + "/.local/state/orrery/history" : "";
}

Result<std::vector<std::string>> History::load() {
    if (path_.empty() || !std::filesystem::exists(path_)) return std::vector<std::string>();
    std::vector<std::string> lines = lines_of(TRY(read_file(path_)));
    const bool is_long = lines.size() > kLinesInFileMax;
    if (lines.size() > kLinesMax) {
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(kLinesMax));
    }
    if (is_long) {
        std::string text;
        for (const std::string& line : lines) {
            text += line + "\n";
        }
        TRY(write_private_file(path_, text));
    }
    return lines;
}

Status History::add(const std::string& line) {
    if (path_.empty()) return {};
    std::error_code made;
    const auto directory = std::filesystem::path(path_).parent_path();
    std::filesystem::create_directories(directory, made);
    if (made) return failed(path_, made.message());
    const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return failed(path_, std::strerror(errno));
    // One write, so that the lines of several shells do not mix.
    const std::string text = line + "\n";
    const bool written =
        ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int why = errno;
    ::close(file);
    if (!written) return failed(path_, std::strerror(why));
    return {};
}

}  // namespace orrery::tools
